/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* user_fork.h - a fork of slurmstepd that writes files as the user of the step,
 * and is left behind when storage does not answer */
#ifndef PLUGIN_TASK_USER_FORK_H
#define PLUGIN_TASK_USER_FORK_H

#include <slurm/spank.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct user_fork {
    uid_t uid;
    gid_t gid;
    gid_t *groups; /* owned */
    int ngroups;
};

/* Whether srun has sent something to the tasks of this very step: one that is
 * started inside a step inherits the variables of the outer one. */
bool user_fork_is_told(spank_t spank);
/* Who the user is. False where Slurm does not say. */
bool user_fork_know(struct user_fork *out, spank_t spank);
void user_fork_forget(struct user_fork *user);

/* In the fork, which has only the calls that a signal handler has, for other
 * threads of slurmstepd may hold the locks of the rest: nothing of slurmstepd
 * is left but keep[n], which become 3, 4 ..., and the user's rights are all
 * that it has. Ends the process where that cannot be. */
void user_fork_begin(const struct user_fork *user, const int *keep, size_t n);

/* In it: a folder to which the user alone can write, or -1. */
int user_fork_folder(const char *path);
/* The digits of a number, 11 bytes at most. */
void user_fork_number(char *out, uint32_t number);

/* A file gets its name when it is whole; another node may write the same. */
struct user_file {
    int folder, fd;
    char name[100], part[140];
};

/* name and end, together shorter than name; a file that was there goes. */
bool user_file_open(struct user_file *out,
                    int folder,
                    const char *name,
                    const char *end);
bool user_file_write(struct user_file *file, const void *bytes, size_t n);
/* Whether it has its name; what is not whole is removed. */
bool user_file_close(struct user_file *file, bool is_whole);

/* In slurmstepd. Whether it has ended. */
bool user_fork_has_ended(pid_t pid);
/* Until it has ended; it is killed after so many seconds. */
void user_fork_wait(pid_t pid, double seconds);

#endif
