/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* launcher.h - which launcher a command is, and what its words say */
#ifndef TOOLS_LAUNCHER_H
#define TOOLS_LAUNCHER_H

#include "base/error_set.h"
#include "tools/common/command_line.h"
#include "tools/place/launcher_options.h"

#include <stdbool.h>
#include <stdint.h>

extern const struct option_word launcher_words[];

struct launcher_line {
    enum launcher_kind kind;
    char name[80]; /* "Open MPI 4.1.4" */
    char **word;   /* [n] and a NULL, borrowed */
    size_t n;
    bool *drops;    /* [n], owned: these say what a placement says itself */
    size_t first;   /* where options may be put in */
    size_t program; /* the first word of the program; n: none was seen */
    uint32_t ntasks, per_node, cpus, nodes; /* 0: not said */
    const char *hostfile;                   /* or NULL */
    bool needs_nodes; /* nothing tells it of the nodes but a placement */
    const char *own;  /* an option by which it places ranks itself, or NULL */
    bool has_several; /* programs, with : between them */
};

/* kind: LAUNCHER_UNKNOWN, and it is found out by the command's name or, where
 * several have that name, by what `WORD --version` prints. Options that are not
 * known here are taken to have no argument. launcher_line_clear is due in any
 * case. Errors: ENOTSUP (no launcher that is known), EINVAL (a number that is
 * none), EIO (it cannot be asked), ENOMEM. */
int launcher_line_read(struct launcher_line *out,
                       char **words,
                       enum launcher_kind kind,
                       struct mapcore_error *err);
void launcher_line_clear(struct launcher_line *line);

/* The launcher that `--version` is of, by what it prints; its name into
 * name[size]. */
enum launcher_kind launcher_by_version(char *name,
                                       size_t size,
                                       const char *printed);

#endif
