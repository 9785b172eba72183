/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* policy.h - which launches topomap touches, judged by the texts that Slurm
 * shows of them */
#ifndef PLUGIN_POLICY_H
#define PLUGIN_POLICY_H

#include "base/error.h"

#include <stdbool.h>

/* A batch script, extern or interactive step: no ranks. */
bool policy_is_special(uint32_t step);

/* What mpirun and mpiexec start on each node: it places its own ranks. */
bool policy_is_launcher(const char *program);

/* Whether ranks may move under an MPI type as srun names it (pmix_v4 is pmix;
 * NULL: srun did not say): none, pmi2, pmix and those of the site's list, comma
 * separated, may be NULL. Errors: ENOTSUP, naming what is allowed. */
int policy_check_mpi(const char *type,
                     const char *list,
                     struct mapcore_error *err);

/* Whether word stands in a list, comma separated; either may be NULL. */
bool policy_lists(const char *list, const char *word);

/* Whether SLURM_CPU_BIND_TYPE, as srun has it (NULL: unset), means that the
 * user gave masks, maps or `none`. */
bool policy_bound_by_user(const char *type);

/* srun's own words, each ended by NUL. */
struct policy_words {
    const char *text;
    int n;
    const char *program; /* what follows: the program as typed; NULL: srun shows
                            no words */
};
/* text[size] as /proc has a command line, its last nprogram words being the
 * program's. */
struct policy_words policy_own_words(const char *text,
                                     size_t size,
                                     int nprogram);

/* Whether option, such as "--async", stands among them, or with a value behind
 * an equals sign. */
bool policy_has_option(const struct policy_words *words, const char *option);

/* Whether they ask for GPUs. */
bool policy_asks_for_gpus(const struct policy_words *words);

#endif
