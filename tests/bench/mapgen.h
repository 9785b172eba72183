/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapgen.h - what the kinds of instances have in common */
#ifndef TESTS_BENCH_MAPGEN_H
#define TESTS_BENCH_MAPGEN_H

#include "base/rng.h"
#include "graph/graph.h"

#include <stdbool.h>

enum {
    MAX_DIMS = 8,
    MAX_SIZE = 1 << 24, /* tasks, hosts: so that no product overflows */
};

struct edges {
    struct mapcore_edge *edge; /* [n], owned */
    size_t n, capacity;
};

int edges_add(struct edges *edges,
              uint32_t a,
              uint32_t b,
              uint64_t bytes,
              struct mapcore_error *err);

/* Writes the graph of these edges to stdout. */
int edges_write(uint32_t ntasks,
                const struct edges *edges,
                struct mapcore_error *err);

/* Numbers with one character between them into value[max]; how many, or an
 * error. */
int parse_numbers(uint64_t *value,
                  int max,
                  const char *text,
                  char separator,
                  struct mapcore_error *err);

/* "8x8x16" into dims[MAX_DIMS]; how many, or an error. */
int parse_dims(uint32_t *dims, const char *text, struct mapcore_error *err);

/* About 1000 e^g for a normal g. */
uint64_t mapgen_lognormal(struct rng *rng);

/* Names for n tasks in their order, of which `percent` of a hundred are
 * exchanged among each other, into name[n]. */
int make_names(uint32_t *name,
               uint32_t n,
               uint32_t percent,
               uint64_t seed,
               struct mapcore_error *err);

/* What the kinds take is said where each is defined. */
int mapgen_fem(char **argv, struct mapcore_error *err);
int mapgen_circuit(char **argv, struct mapcore_error *err);
int mapgen_hosts(char **argv, struct mapcore_error *err);
int mapgen_delaunay(char **argv, struct mapcore_error *err);
int mapgen_rmat(char **argv, struct mapcore_error *err);
int mapgen_band(char **argv, struct mapcore_error *err);
int mapgen_stars(char **argv, struct mapcore_error *err);
int mapgen_noise(char **argv, struct mapcore_error *err);

#endif
