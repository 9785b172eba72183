/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ask.h - topomap's commands, asked from inside an MPI program */
#ifndef TOPOMAP_CART_ASK_H
#define TOPOMAP_CART_ASK_H

/* Runs the topomap that was installed with this library, and returns what it
 * prints; owned, NULL where it fails or does not end within seconds. words: the
 * command's, NULL-terminated; words[0] is set here for the while. in: its
 * stdin, borrowed; -1: /dev/null. The process is not a copy of this one. */
char *ask_topomap(const char **words, int in, double seconds);

#endif
