/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* facts.h - the facts of one launch: their text on the way from srun to
 * `topomap plan` */
#ifndef MAPCORE_LAUNCH_FACTS_H
#define MAPCORE_LAUNCH_FACTS_H

#include "base/error.h"

#include <stdbool.h>

/* What srun knows and `topomap plan` needs; `topomap plan --facts FILE`
 * reads the same text from a file, so that a launch can be repeated by hand:
 *   topomap-facts 1
 *   program /home/u/app
 *   ntasks 16
 *   nodelist n[0-7]
 *   tasks-per-node 2(x8)
 *   baseline RUNS          (host index of each rank under Slurm's own layout)
 *   word bash              (the command as typed, a line a word; may be left
 *   word -c                 out; a newline stands as \n, a \ as \\)
 *   slots by rank          (or not there: a node's tasks have its CPUs and GPUs
 *                           in the order of ranks, and no plan changes that)
 *   topology               (then Slurm's own lines as `scontrol show topology`
 *   SwitchName=...          prints them, if it has any)
 *   end
 * In place of these lines srun says `topology on request`: the planner asks
 * for them (launch/wire.h), and reads the lines from
 * `topology` to `end`, or `end` alone where slurmctld does not answer. It also
 * says that srun passes over lines of a plan that it does not know. */
struct mapcore_facts {
    char *program; /* resolved path */
    uint32_t ntasks;
    uint32_t nhosts;
    char *nodelist;     /* Slurm's expression, in the step's order */
    uint32_t *counts;   /* [nhosts] tasks of each host */
    uint32_t *baseline; /* [ntasks] */
    bool by_rank;       /* slots are */
    char *topology;     /* Slurm's lines, or NULL when it has none */
    bool on_request;    /* which may be asked for; then topology is NULL */
    int nwords;         /* 0: only the program is known */
    char **words;       /* [nwords] and a NULL: the command as typed */
};

MAPCORE_API int mapcore_facts_format(char **out,
                                     const struct mapcore_facts *facts,
                                     struct mapcore_error *err);
/* Errors: EPARSE with name and line, EVERSION, ERANGE, ENOMEM. */
MAPCORE_API int mapcore_facts_parse(struct mapcore_facts **out,
                                    const char *name,
                                    const char *text,
                                    size_t n,
                                    struct mapcore_error *err);

MAPCORE_API void mapcore_facts_destroy(struct mapcore_facts *facts);

#endif
