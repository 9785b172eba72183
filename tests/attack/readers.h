/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* readers.h - what the command line reads, and the commands that read it */
#ifndef TESTS_ATTACK_READERS_H
#define TESTS_ATTACK_READERS_H

enum { READER_COMMANDS = 20 };

/* A kind of input. Commands are words divided by blanks, with the input in the
 * place of @; all paths are below the folder that readers.sh prepares. */
struct reader {
    const char *name;
    /* Files below tests/ to begin with, as patterns of glob() divided by
     * blanks; or NULL: the lines of attack/seeds/words that begin with name. */
    const char *seeds;
    /* Where the changed file is put, which then stands for @; NULL: the changed
     * word itself does, and without any command it is the whole command. */
    const char *place;
    const char *commands[READER_COMMANDS + 1];
};

extern const struct reader readers[];
extern const unsigned nreaders;

#endif
