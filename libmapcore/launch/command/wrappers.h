/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* wrappers.h - programs that start another: env, numactl, bash, python, ... */
#ifndef MAPCORE_LAUNCH_WRAPPERS_H
#define MAPCORE_LAUNCH_WRAPPERS_H

#include <stdbool.h>

enum wrapper_kind {
    WRAPPER_PREFIX,      /* a command stands among its words */
    WRAPPER_SHELL,       /* a script, or -c and its text */
    WRAPPER_INTERPRETER, /* a script, or -m and a module */
    WRAPPER_CONTAINER,   /* its command names files of another root */
};

struct wrapper {
    const char *names; /* between blanks */
    enum wrapper_kind kind;
    int operands;       /* its own words before options: perf stat */
    bool hides_exe;     /* /proc/self/exe of the command is the wrapper's */
    const char *values; /* letters of options whose value is the next word */
    const char
        *inlined; /* letters of options that the program's text follows */
};

/* By the last part of the path, with or without its version; NULL: none. */
const struct wrapper *wrapper_find(const char *program);

enum wrapper_operand {
    WRAPPER_NOTHING, /* or what cannot be known: standard input, python -c */
    WRAPPER_FILE,    /* *word is the script */
    WRAPPER_TEXT,    /* *word is for a shell */
    WRAPPER_MODULE,  /* *word is a module's name */
};
/* What a shell or interpreter is given to run, by the words alone: *word is
 * borrowed from argv, whose words from *at on are its arguments. */
enum wrapper_operand wrapper_operand(const char **word,
                                     int *at,
                                     int argc,
                                     const char *const *argv);

#endif
