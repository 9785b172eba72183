/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* policy.h - which launches topomap touches, judged by the texts that Slurm
 * shows of them */
#ifndef PLUGIN_POLICY_H
#define PLUGIN_POLICY_H

#include "base/error.h"

#include <stdbool.h>

/* A batch script, extern or interactive step: nobody's ranks. */
bool policy_is_special(uint32_t step);

/* What mpirun and mpiexec start on each node: it places its own ranks. */
bool policy_is_launcher(const char *program);

/* Whether ranks may move under an MPI type as srun names it (pmix_v4 is pmix;
 * NULL: srun did not say): none, pmi2, pmix and those of the site's list, comma
 * separated, may be NULL. Errors: ENOTSUP, naming what is allowed. */
int policy_check_mpi(const char *type,
                     const char *list,
                     struct mapcore_error *err);

/* Whether type stands in a list, comma separated; either may be NULL. */
bool policy_lists_mpi(const char *list, const char *type);

/* Whether SLURM_CPU_BIND_TYPE, as srun has it (NULL: unset), means that the
 * user gave masks, maps or `none`. */
bool policy_bound_by_user(const char *type);

/* Whether option, such as "--async", stands among srun's own words; words, n
 * and nprogram as below. */
bool policy_has_option(const char *words,
                       size_t n,
                       int nprogram,
                       const char *option);

/* Whether srun's own words name a container, as the plugin pyxis takes them. */
bool policy_asks_for_container(const char *words, size_t n, int nprogram);

/* The program as typed, among words, where srun's own words (or SLURM_BCAST:
 * copies) have it copied to the nodes: srun shows where to. Else NULL. */
const char *policy_copied_program(const char *words,
                                  size_t n,
                                  int nprogram,
                                  bool copies);

/* Whether srun's own words ask for GPUs: words[n] as /proc has a command line,
 * each ended by NUL, the last nprogram of them being the program's. */
bool policy_asks_for_gpus(const char *words, size_t n, int nprogram);

#endif
