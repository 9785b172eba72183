/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* forked.h - work on files that may never end, in a copy of this process that
 * can be left behind */
#ifndef COMMPROF_FORKED_H
#define COMMPROF_FORKED_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

struct forked_result {
    int status; /* what work returned */
    char text[PATH_MAX + 512];
};

enum forked_end {
    FORKED_DONE,
    FORKED_LATE,  /* left behind, and killed as soon as that is possible */
    FORKED_FAILED /* no copy could be made, or it died: nothing was done */
};

typedef int forked_work(struct forked_result *out, const void *subject);

/* Runs work(out, subject) in a copy of this process for at most these
 * seconds. work may allocate memory and write files; it sees everything as it
 * is now, and nothing that it changes, but *out, comes back. It must not call
 * MPI. No signal reaches the copy, and none of the program's descriptors is
 * open in it; the program's own wait() and SIGCHLD do not see it. */
enum forked_end forked_run(struct forked_result *out,
                           forked_work *work,
                           const void *subject,
                           uint32_t seconds);

/* The copy alone, as fork() returns it, with all signals blocked in it, and
 * none when it ends. flags: clone(2)'s, or 0. */
pid_t forked_start(unsigned long flags);
/* In a copy: no descriptors from that one on, and no core file. */
void forked_close(int from);

#endif
