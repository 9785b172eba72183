/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* detached.h - a process that outlives who started it, and what it does */
#ifndef PROFILES_DETACHED_H
#define PROFILES_DETACHED_H

#include <stdbool.h>
#include <sys/types.h>

/* fork() into a session of its own, which neither the end of its parent nor
 * that of its parent's group ends, without the three standard streams, which
 * somebody may wait for. It is out of the parent's group when the parent goes
 * on. After these seconds, if not 0, it is ended. */
pid_t detached_fork(unsigned seconds);

/* Waits for such a child to end, at most these seconds: it goes on alone
 * then. */
void detached_wait(pid_t child, double seconds);

/* What can be had of that without a fork, before an answer behind which the
 * parent ends the group of the caller, who leads it: into the parent's own, and
 * deaf to what ends that. False: the caller is still where it was. */
bool detached_leave(void);

/* This process runs when no other wants to, and is the first that the kernel
 * ends where memory is short. */
void detached_last(void);

/* Only the streams: the null device stands for them. */
void detached_let_go(void);

#endif
