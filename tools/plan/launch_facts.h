/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* launch_facts.h - the facts of a launch, from srun or from options */
#ifndef TOOLS_LAUNCH_FACTS_H
#define TOOLS_LAUNCH_FACTS_H

#include "base/buffer.h"
#include "launch/facts.h"

/* Reads facts from a file, or from stdin (-), where their `end` line ends
 * them, whether or not the writer has closed. Errors: EIO, EPARSE, EVERSION,
 * ERANGE, ENOMEM. */
int launch_facts_read(struct mapcore_facts **out,
                      const char *path,
                      struct mapcore_error *err);

/* Appends what follows on stdin, up to a line `end` or EOF: srun's answer to
 * FACTS_REQUEST. Errors: EIO, ERANGE, ENOMEM. */
int launch_facts_read_lines(struct buffer *out, struct mapcore_error *err);

/* A launch as options say it. */
struct launch_words {
    const char *program; /* NULL: none named; looked for by PATH, then in the
                            current folder, unless it has a slash */
    uint32_t ntasks;
    const char *nodelist, *tasks_per_node;
    const char *baseline; /* RUNS of launch/plan.h, NULL for block */
};

/* Errors: ENOENT (no such program), EPARSE,
 * EINVAL (not ntasks tasks; not the counts), ENOMEM. */
int launch_facts_make(struct mapcore_facts **out,
                      const struct launch_words *words,
                      struct mapcore_error *err);

/* Slurm's own layout as RUNS, which must give each node its count. Errors:
 * EINVAL, EPARSE, ENOMEM. */
int launch_facts_set_baseline(struct mapcore_facts *facts,
                              const char *runs,
                              struct mapcore_error *err);

/* Adds the words of a command, up to a NULL, as they are typed to srun. Errors:
 * ENOMEM. */
int launch_facts_set_command(struct mapcore_facts *facts,
                             const char *const *words,
                             struct mapcore_error *err);

#endif
