/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* doctor.h - what topomap doctor was asked for */
#ifndef TOOLS_DOCTOR_H
#define TOOLS_DOCTOR_H

#include "tools/common/tool.h"

#include <stdbool.h>

/* As typed, borrowed. */
struct doctor_options {
    const char *mpi;
    const char *program; /* NULL: those that were installed */
    const char *nodes;   /* an expression of Slurm's; NULL: not asked for */
    const char *config;  /* NULL: the one that plugstack.conf names */
    const char *with;    /* the srun to try; NULL: that of PATH */
    bool launch, here, json, csv;
    struct tool_list words; /* what was given, tools/common/script.h */
    char **srun;            /* further words for srun, up to a NULL */
};

#endif
