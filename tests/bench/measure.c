/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* measure.c - runs a command and says what it took: measure FILE COMMAND...
 * writes "seconds cpu_seconds megabytes" (peak of memory) into FILE; the exit
 * status is the command's */
#include "config.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

int main(int argc, char **argv)
{
    double begin = now();
    struct rusage usage;
    FILE *file;
    pid_t child;
    int status;

    if (argc < 3) {
        fputs("usage: measure FILE COMMAND...\n", stderr);
        return 2;
    }
    child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child) {
        perror("measure");
        return 1;
    }
    file = fopen(argv[1], "we");
    if (!file ||
        fprintf(file, "%.4f %.4f %.1f\n", now() - begin,
                seconds(usage.ru_utime) + seconds(usage.ru_stime),
                (double)usage.ru_maxrss / 1024) < 0 ||
        fclose(file) != 0) {
        perror(argv[1]);
        return 1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
