/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* attempt.h - one run of a command under limits, and what must hold of it
 * with any input */
#ifndef TESTS_ATTACK_ATTEMPT_H
#define TESTS_ATTACK_ATTEMPT_H

#include "attack/mutate.h"

struct attempt_limits {
    double seconds;    /* of the clock and of all its threads together */
    uint64_t peak_kib; /* resident memory at its highest */
};

struct attempt {
    int status; /* exit status, or minus the signal */
    bool timed_out;
    double seconds; /* of the processor */
    uint64_t peak_kib;
    struct specimen out, err; /* what it printed, the first MUTATE_MOST bytes */
};

/* What may be wrong with an attempt, by the finding that it would be. */
enum attempt_fault {
    ATTEMPT_SOUND,
    ATTEMPT_CRASH,    /* a signal, another exit status than 0, 1, 2, a
                         sanitizer's report */
    ATTEMPT_FOREIGN,  /* a crash inside hwloc */
    ATTEMPT_LINES,    /* a refusal that is not one line `topomap ...',
                         or one object under --json */
    ATTEMPT_CONTROLS, /* C0 but newline and tab, DEL, C1 */
    ATTEMPT_LEFT,     /* files that a refusal left behind */
    ATTEMPT_TIME,
    ATTEMPT_MEMORY,
    ATTEMPT_USAGE, /* a command of ours that is none: not made by judge */
    ATTEMPT_FAULTS
};
extern const char *const attempt_fault_names[ATTEMPT_FAULTS];

/* Buffers for attempts, made once. */
void attempt_init(struct attempt *attempt);

/* Runs argv[0] (a path), stdin /dev/null, and waits for it. Past the limit of
 * CPU time, or when it takes none for twice as long, it is killed. Ends the
 * program when a process cannot be made. */
void attempt_run(struct attempt *attempt,
                 char *const argv[],
                 const struct attempt_limits *limits);

/* Judges; outcome is the folder that it may have written to and must not have
 * when it failed. */
enum attempt_fault attempt_judge(const struct attempt *attempt,
                                 const struct attempt_limits *limits,
                                 const char *outcome);

#endif
