/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plugstack_conf.h - which plugins Slurm is told to load, and with which words:
 * plugstack.conf(5) and what it includes */
#ifndef TOOLS_PLUGSTACK_CONF_H
#define TOOLS_PLUGSTACK_CONF_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* A line that loads a plugin. */
struct plugstack_entry {
    char *file; /* that the line is in */
    size_t line;
    bool required;
    char *plugin; /* as it stands there; a bare name is sought in PluginDir */
    int narguments;
    char **argument; /* [narguments] */
};

/* Starts as all zero. */
struct plugstack_conf {
    size_t n, capacity;
    struct plugstack_entry *entry;
};

/* Reads path and the files that it includes, in Slurm's order and by its rules
 * (src/common/plugstack.c of 22.05, spank.c of 24.11): words between blanks,
 * nothing behind #, patterns of include relative to the file that they stand
 * in. A file that is not there is empty. Errors: EIO, EPARSE ("file:line:
 * what", which Slurm would ignore), ERANGE (files that include one another),
 * ENOMEM. */
int plugstack_conf_read(struct plugstack_conf *out,
                        const char *path,
                        struct mapcore_error *err);
void plugstack_conf_clear(struct plugstack_conf *conf);

/* The first entry whose file name is this one; NULL: none. Borrowed. */
const struct plugstack_entry *plugstack_conf_find(
    const struct plugstack_conf *conf,
    const char *file_name);

#endif
