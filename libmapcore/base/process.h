/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* process.h - other programs, started without a shell and not waited for for
 * ever */
#ifndef MAPCORE_BASE_PROCESS_H
#define MAPCORE_BASE_PROCESS_H

#include "base/buffer.h"

#include <stdbool.h>
#include <sys/types.h>

/* Seconds since some moment in the past, never turned back. */
double process_clock(void);

struct process {
    const char *const *words; /* words[0] is found by PATH */
    char *const *environment; /* NULL: as of this process */
    int in, out, err;         /* its streams, borrowed; -1: /dev/null */
    bool leads_group;         /* a new one: Ctrl-C does not come to it */
};

/* No signal is ignored or blocked that this process ignores or blocks for
 * itself. Errors: EIO. */
int process_start(pid_t *pid,
                  const struct process *process,
                  struct mapcore_error *err);

/* Begins as all zero; ended by process_output_clear. */
struct process_output {
    struct buffer out, said; /* stdout and stderr, NUL-terminated */
    int status; /* of waitpid(); 0 where SIGCHLD is ignored by inheritance */
};

struct process_listener {
    double seconds; /* 0: it ends by itself */
    size_t most;    /* bytes of each stream */
    bool hears_err; /* else stderr is /dev/null */
    /* After each piece of stderr, which begins at from; or NULL. */
    void (*heard)(const struct buffer *said, size_t from);
};

/* Starts process, whose outputs are set here, and waits for its end. It is
 * killed when it is late, or says too much. Errors: EIO (that, or it cannot be
 * run), ENOMEM. */
int process_listen(struct process_output *out,
                   const struct process *process,
                   const struct process_listener *listener,
                   struct mapcore_error *err);
void process_output_clear(struct process_output *output);

#ifdef __has_feature
#define SANITIZER_MAPS_TERABYTES                                               \
    (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZER_MAPS_TERABYTES 1
#else
#define SANITIZER_MAPS_TERABYTES 0
#endif

#endif
