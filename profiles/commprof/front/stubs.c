/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stubs.c - every exported name: a jump to where choice.c sends its calls, with
 * the arguments as they came. Handles are int in one MPI and pointers in the
 * other; each of MPI's parameters is an integer or a pointer, in a register or
 * a word of the stack of its own, and its callee looks at as much of that as
 * its type has: as long, all of it is passed on.
 *
 * It must be a jump and no call: who calls MPI is known by the return address
 * (next_mpi.h), and calls.def's largest function has more parameters than there
 * are registers. */
#include "config.h"

#include "commprof/front/line.h"
#include "commprof/front/loaded_mpi.h"

#include <stdint.h>
#include <stdio.h>

_Static_assert(sizeof(long) == 8, "MPI_Offset and MPI_Count take one word");

#if defined __has_attribute
#if __has_attribute(musttail)
#define JUMP __attribute__((musttail)) return
#endif
#endif
#ifndef JUMP
#define JUMP return
#ifndef __clang__
/* Also where the library is compiled with -O0. */
#pragma GCC optimize("O2")
#endif
#endif

#define EXPORT __attribute__((visibility("default")))

/* MPI_ERR_INTERN there, MPI_ERR_OTHER here: no success in either. */
enum { FAILED = 16 };

__attribute__((noinline, cold)) static int say_missing(const char *name)
{
    char line[128];

    snprintf(line, sizeof(line) - 1, "topomap: no MPI library has %.64s", name);
    line_say(line);
    return FAILED;
}

/* What is done once stands apart, so that the rest needs no frame. What a
 * name's recorder has made ready for its call is there when found_NAME is. */
#define COLD __attribute__((noinline, cold))
#define STUB(NAME, PARAMETERS, ARGUMENTS)                                      \
    COLD static int first_##NAME PARAMETERS;                                   \
    static int(*found_##NAME) PARAMETERS = first_##NAME;                       \
    static int first_##NAME PARAMETERS                                         \
    {                                                                          \
        int(*next) PARAMETERS =                                                \
            (int(*) PARAMETERS)(uintptr_t)choice_find(#NAME);                  \
        if (!next)                                                             \
            return say_missing(#NAME);                                         \
        __atomic_store_n(&found_##NAME, next, __ATOMIC_RELEASE);               \
        JUMP next ARGUMENTS;                                                   \
    }                                                                          \
    EXPORT int NAME PARAMETERS;                                                \
    EXPORT int NAME PARAMETERS                                                 \
    {                                                                          \
        JUMP __atomic_load_n(&found_##NAME, __ATOMIC_ACQUIRE) ARGUMENTS;       \
    }

#include "commprof/stubs.h"
