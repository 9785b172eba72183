/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fakecpus.h - a kernel of 1,024 CPUs for a program that includes this, where
 * machines are made up: what it is bound to is its own, and refused is only
 * what has none of them */
#ifndef TESTS_UNIT_FAKECPUS_H
#define TESTS_UNIT_FAKECPUS_H

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool has_true_cpus; /* the machine's own instead */
static unsigned char fake_cpus[1024 / 8];

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
    unsigned char some[sizeof(fake_cpus)] = {0}, any = 0;

    if (has_true_cpus)
        return (int)syscall(SYS_sched_setaffinity, pid, size, set);
    memcpy(some, set, size < sizeof(some) ? size : sizeof(some));
    for (size_t i = 0; i < sizeof(some); i++)
        any |= some[i];
    errno = EINVAL;
    if (any)
        memcpy(fake_cpus, some, sizeof(some));
    return any ? 0 : -1;
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    memset(set, 0, size);
    if (has_true_cpus)
        return syscall(SYS_sched_getaffinity, pid, size, set) < 0 ? -1 : 0;
    memcpy(set, fake_cpus, size < sizeof(fake_cpus) ? size : sizeof(fake_cpus));
    return 0;
}

/* The machine that hwloc reads, in its synthetic form or as a file of XML, and
 * whose first n CPUs are this program's. */
static inline void fake_machine(const char *synthetic,
                                const char *xml,
                                unsigned n)
{
    setenv("HWLOC_PLUGINS_PATH", "/dev/null", 1);
    unsetenv("HWLOC_SYNTHETIC");
    unsetenv("HWLOC_XMLFILE");
    unsetenv("HWLOC_COMPONENTS"); /* with it the synthetic form is not read */
    if (synthetic)
        setenv("HWLOC_SYNTHETIC", synthetic, 1);
    if (xml)
        setenv("HWLOC_XMLFILE", xml, 1);
    memset(fake_cpus, 0, sizeof(fake_cpus));
    for (unsigned i = 0; i < n; i++)
        fake_cpus[i / 8] |= (unsigned char)(1 << i % 8);
}

#endif
