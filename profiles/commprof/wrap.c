/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* wrap.c - every watched MPI function, under its MPI_ and its PMPI_ name */
#include "config.h"

#include "commprof/below.h"
#include "commprof/finish.h"
#include "commprof/record.h"
#include "commprof/rules.h"
#include "commprof/settings.h"

/* Both names are watched, since Fortran bindings reach C by either: MPICH's by
 * MPI_Send, Open MPI's by PMPI_Send. Each name goes on to the next definition
 * of the same name, so that other tools still see the call; the depth counts
 * what then comes by here again (MPI_Send calling PMPI_Send) once. */
#define EXPORT __attribute__((visibility("default")))

/* The next definition is looked up at the first call, when MPI is there. */
#define NEXT(NAME, PARAMETERS)                                                 \
    static int(*found) PARAMETERS;                                             \
    int(*next) PARAMETERS = __atomic_load_n(&found, __ATOMIC_RELAXED);         \
    if (!next) {                                                               \
        next = (int(*) PARAMETERS)(uintptr_t)below_next(#NAME);                \
        if (!next)                                                             \
            return MPI_ERR_INTERN;                                             \
        __atomic_store_n(&found, next, __ATOMIC_RELAXED);                      \
    }

#define WRAP(NAME, TYPE, PARAMETERS, ARGUMENTS, RULE)                          \
    EXPORT int NAME PARAMETERS                                                 \
    {                                                                          \
        NEXT(NAME, PARAMETERS)                                                 \
        if (!record_active || record_depth ||                                  \
            below_calls(__builtin_return_address(0)))                          \
            return next ARGUMENTS;                                             \
        record_depth = 1;                                                      \
        const uint64_t began = record_clock_ns();                              \
        const int result = next ARGUMENTS;                                     \
        record_time(TYPE, record_clock_ns() - began);                          \
        if (result == MPI_SUCCESS) {                                           \
            RULE;                                                              \
        }                                                                      \
        record_depth = 0;                                                      \
        return result;                                                         \
    }

#define CALL(NAME, TYPE, PARAMETERS, ARGUMENTS, RULE)                          \
    WRAP(MPI_##NAME, TYPE, PARAMETERS, ARGUMENTS, RULE)                        \
    WRAP(PMPI_##NAME, TYPE, PARAMETERS, ARGUMENTS, RULE)

#ifdef OPEN_MPI
#include "commprof/calls-openmpi.h"
#else
#include "commprof/calls-mpich.h"
#endif

/* Forgotten before it is freed: the handle may be given out again at once. */
#define WRAP_REQUEST_FREE(NAME)                                                \
    EXPORT int NAME(MPI_Request *request)                                      \
    {                                                                          \
        NEXT(NAME, (MPI_Request *))                                            \
        if (record_active && !record_depth && request)                         \
            rule_forget(*request);                                             \
        return next(request);                                                  \
    }
WRAP_REQUEST_FREE(MPI_Request_free)
WRAP_REQUEST_FREE(PMPI_Request_free)

/* Starts recording once the outermost MPI_Init has succeeded. */
static int started(int result)
{
    if (result == MPI_SUCCESS && !record_depth && !record_active) {
        record_depth = 1;
        finish_begin();
        record_depth = 0;
    }
    return result;
}

#define WRAP_INIT(NAME, PARAMETERS, ARGUMENTS)                                 \
    EXPORT int NAME PARAMETERS                                                 \
    {                                                                          \
        NEXT(NAME, PARAMETERS)                                                 \
        record_depth++;                                                        \
        const int result = next ARGUMENTS;                                     \
        record_depth--;                                                        \
        return started(result);                                                \
    }
WRAP_INIT(MPI_Init, (int *argc, char ***argv), (argc, argv))
WRAP_INIT(PMPI_Init, (int *argc, char ***argv), (argc, argv))
WRAP_INIT(MPI_Init_thread,
          (int *argc, char ***argv, int required, int *provided),
          (argc, argv, required, provided))
WRAP_INIT(PMPI_Init_thread,
          (int *argc, char ***argv, int required, int *provided),
          (argc, argv, required, provided))
