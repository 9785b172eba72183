/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* wrappers.h - programs that start another: bash, env, numactl, python3,
 * apptainer, ... */
#ifndef MAPCORE_LAUNCH_WRAPPERS_H
#define MAPCORE_LAUNCH_WRAPPERS_H

#include <stdbool.h>

enum wrapper_kind {
    WRAPPER_NONE,         /* no wrapper that is known, or one that was given
                             nothing to start */
    WRAPPER_COMMAND,      /* the first word from argv[at] on that names a
                             program begins the command */
    WRAPPER_WORDS,        /* text, divided at blanks, begins it; argv[at] ...
                             follow (env -S) */
    WRAPPER_TEXT,         /* text is for a shell; argv[at] ... are its $0, $1 */
    WRAPPER_SHELL_SCRIPT, /* argv[at] is a shell's script; arguments follow */
    WRAPPER_SCRIPT,       /* argv[at] is an interpreter's program */
    WRAPPER_MODULE,       /* text is the name of a module */
    WRAPPER_UNKNOWN, /* it starts something, and its words do not say what */
};

/* Strings are borrowed from argv. */
struct wrapper {
    enum wrapper_kind kind;
    int at;
    const char *text;
    bool is_container; /* its command names files of another root */
    bool hides_exe;    /* /proc/self/exe of the command is the wrapper's */
};

/* Judges argv[0 .. argc - 1] by its words alone: no file is looked at. The
 * wrapper is known by the last part of argv[0], its version left out. */
void wrapper_look(struct wrapper *out, int argc, const char *const *argv);

/* Whether a program of that name or path is a wrapper at all. */
bool wrapper_is_known(const char *program);

#endif
