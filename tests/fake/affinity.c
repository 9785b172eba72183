/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* affinity.c - preloaded into slurmd: a kernel of as many CPUs as the machine
 * that HWLOC_SYNTHETIC makes up, so that nodes larger than this one bind tasks,
 * and tests see to what */

/* FAKE_AFFINITY: a folder, where the file named by the number of a process
 * holds its mask, 0x and hexadecimal, since sched_setaffinity() of it; a
 * process without one has its parent's. Without that folder each process knows
 * its own mask alone, and nothing is written: for what measures. FAKE_CPUS: how
 * many CPUs there are. FAKE_CPUSET: a file with the mask of those that a cgroup
 * leaves; without it, all of them. Others are refused as the kernel refuses
 * them. At most 64 CPUs. FAKE_FIXED: nothing is changed: libraries under Debian
 * 13's MPIs ask the true kernel when they are loaded, and set what it says. */

#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_mask(FILE *file, uint64_t *mask)
{
    unsigned long long value = 0;
    bool found = file && fscanf(file, "%llx", &value) == 1;

    if (file)
        fclose(file);
    *mask = value;
    return found;
}

static uint64_t allowed(void)
{
    const char *cpus = getenv("FAKE_CPUS"), *set = getenv("FAKE_CPUSET");
    unsigned long n = cpus ? strtoul(cpus, NULL, 10) : 1;
    uint64_t all = n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1, some;

    return set && read_mask(fopen(set, "re"), &some) ? all & some : all;
}

static FILE *open_of(const char *folder, pid_t pid, const char *mode)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/%d", folder, (int)pid);
    return fopen(path, mode);
}

static uint64_t own; /* 0: not set */

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
    const char *folder = getenv("FAKE_AFFINITY");
    uint64_t mask = 0;
    FILE *file = NULL;

    if (getenv("FAKE_FIXED"))
        return 0;
    memcpy(&mask, set, size < sizeof(mask) ? size : sizeof(mask));
    mask &= allowed();
    if (mask == 0 ||
        (folder && !(file = open_of(folder, pid ? pid : getpid(), "we")))) {
        errno = EINVAL;
        return -1;
    }
    if (!folder) {
        if (pid == 0 || pid == getpid())
            own = mask;
        return 0;
    }
    fprintf(file, "0x%llx\n", (unsigned long long)mask);
    fclose(file);
    return 0;
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    const char *folder = getenv("FAKE_AFFINITY");
    uint64_t mask;

    if (size < sizeof(mask)) {
        errno = EINVAL;
        return -1;
    }
    if (!folder)
        mask = own ? own : allowed();
    else if (!read_mask(open_of(folder, pid ? pid : getpid(), "re"), &mask) &&
             (pid || !read_mask(open_of(folder, getppid(), "re"), &mask)))
        mask = allowed();
    memset(set, 0, size);
    memcpy(set, &mask, sizeof(mask));
    return 0;
}
