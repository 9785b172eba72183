/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi_rows.h - what mpi_probe.c has printed, and whether MPI, Slurm and the
 * kernel agree in it on where ranks are */
#ifndef TOOLS_MPI_ROWS_H
#define TOOLS_MPI_ROWS_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    MPI_ROWS_TASKS = 4, /* of each run: two on either of two nodes */
    MPI_ROWS_NAME = 256,
};

/* One rank. */
struct mpi_row {
    uint32_t rank, size;
    uint32_t procid;          /* SLURM_PROCID; MAPCORE_NONE: there was none */
    char node[MPI_ROWS_NAME]; /* SLURMD_NODENAME */
    char host[MPI_ROWS_NAME]; /* gethostname() */
    uint32_t first;           /* of those that share memory with it */
};
struct mpi_rows {
    uint32_t n;
    struct mpi_row row[MPI_ROWS_TASKS]; /* by rank, where they are one world */
};

/* The lines of a run's output that are the probe's. Errors: EPARSE (a line of
 * it that is damaged; more than there are tasks). */
int mpi_rows_parse(struct mpi_rows *out,
                   const char *text,
                   struct mapcore_error *err);

/* They are one MPI_COMM_WORLD. Errors: ENOENT (nothing was printed; a rank is
 * missing), EINVAL (programs of one rank each). */
int mpi_rows_check_world(const struct mpi_rows *rows,
                         struct mapcore_error *err);

/* A line for each thing on which MPI, Slurm and the kernel disagree; nothing
 * where they agree. rows: one world. Errors: ENOMEM. */
int mpi_rows_compare(struct buffer *out,
                     const struct mpi_rows *rows,
                     struct mapcore_error *err);

/* Whether ranks a and b, and only they, are on one node with each other. */
bool mpi_rows_are_pair(const struct mpi_rows *rows, uint32_t a, uint32_t b);

/* "0 2 on n0, 1 3 on n1". Errors: ENOMEM. */
int mpi_rows_describe(struct buffer *out,
                      const struct mpi_rows *rows,
                      struct mapcore_error *err);

#endif
