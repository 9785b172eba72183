/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* wrap.c - every watched MPI function, under its MPI_ and its PMPI_ name; the
 * program calls them through front/stubs.c */
#include "config.h"

#include "commprof/commprof.h"
#include "commprof/count/first_use.h"
#include "commprof/count/keep.h"
#include "commprof/count/record.h"
#include "commprof/count/regions.h"
#include "commprof/count/requests.h"
#include "commprof/count/rules.h"
#include "commprof/front/loaded_mpi.h"
#include "commprof/lifecycle.h"
#include "commprof/next_mpi.h"
#include "commprof/settings.h"

#include <string.h>

/* Both names are watched, since Fortran bindings reach C by either: MPICH's by
 * MPI_Send, Open MPI's by PMPI_Send. Each name goes on to the next definition
 * of the same name, so that other tools still see the call; the depth counts
 * what then comes by here again (MPI_Send calling PMPI_Send) once. */
#define WRAPPER(NAME, PARAMETERS)                                              \
    WRAP_VISIBLE int wrap_##NAME PARAMETERS;                                   \
    int wrap_##NAME PARAMETERS
/* In what programs link, objcopy(1) renames wrap_MPI_X to MPI_X; libraries of
 * the program see it, too. */
#define WRAP_VISIBLE __attribute__((visibility("default")))

/* The next definition is looked up at the first call, when MPI is there. */
#define NEXT(NAME, PARAMETERS)                                                 \
    static int(*found) PARAMETERS;                                             \
    int(*next) PARAMETERS = __atomic_load_n(&found, __ATOMIC_RELAXED);         \
    if (!next) {                                                               \
        next = (int(*) PARAMETERS)(uintptr_t)next_mpi_symbol(#NAME);           \
        if (!next)                                                             \
            return MPI_ERR_INTERN;                                             \
        __atomic_store_n(&found, next, __ATOMIC_RELAXED);                      \
    }

#define LIST(...) __VA_ARGS__

/* What both names of a function do when a call is the program's own: compiled
 * once, and told what to call last, since the arguments stay where they are
 * then. */
#define COUNTING(NAME, PARAMETERS)                                             \
    __attribute__((noinline)) static int count_##NAME(LIST PARAMETERS,         \
                                                      int(*next) PARAMETERS)

#define COUNTED(NAME, PUBLIC, WATCHED, PARAMETERS, ARGUMENTS)                  \
    WRAPPER(PUBLIC, PARAMETERS)                                                \
    {                                                                          \
        NEXT(PUBLIC, PARAMETERS)                                               \
        if (!(WATCHED) || record_depth ||                                      \
            next_mpi_calls(__builtin_return_address(0)))                       \
            return next ARGUMENTS;                                             \
        return count_##NAME(LIST ARGUMENTS, next);                             \
    }
#define COUNT_BOTH(NAME, WATCHED, PARAMETERS, ARGUMENTS)                       \
    COUNTED(NAME, MPI_##NAME, WATCHED, PARAMETERS, ARGUMENTS)                  \
    COUNTED(NAME, PMPI_##NAME, WATCHED, PARAMETERS, ARGUMENTS)

#define TIME_ALONE(ARGUMENTS)                                                  \
    if (__builtin_expect(record_watch == WATCH_TIME, 0)) {                     \
        record_depth = 1;                                                      \
        const uint64_t begun = record_clock_ns();                              \
        const int came = next ARGUMENTS;                                       \
        record_timed(begun);                                                   \
        record_depth = 0;                                                      \
        return came;                                                           \
    }

#define CALL_NEXT(ARGUMENTS)                                                   \
    const uint64_t began = record_clock_ns();                                  \
    const int result = next ARGUMENTS;                                         \
    const uint64_t ended = record_clock_ns();

static inline void credit(struct call_stats *stats,
                          uint64_t began,
                          uint64_t ended)
{
    record_time(stats, ended - began);
    keep_head->last_ns = ended;
    if (__builtin_expect(ended >= record_deadline, 0))
        record_expire();
}

/* Over when it returns. */
#define CALL(NAME, TYPE, PARAMETERS, ARGUMENTS, RULE)                          \
    COUNTING(NAME, PARAMETERS)                                                 \
    {                                                                          \
        TIME_ALONE(ARGUMENTS)                                                  \
        record_depth = 1;                                                      \
        CALL_NEXT(ARGUMENTS)                                                   \
        credit(result == MPI_SUCCESS ? RULE : record_stats(TYPE), began,       \
               ended);                                                         \
        record_depth = 0;                                                      \
        return result;                                                         \
    }                                                                          \
    COUNT_BOTH(NAME, record_watch != WATCH_NOTHING, PARAMETERS, ARGUMENTS)

/* Makes a request; requests of no type are noted all the same. */
static inline void note_request(struct call_stats *stats,
                                const MPI_Request *request)
{
    if (stats->type != TYPE_P2P)
        requests_add(*request, stats);
    else if (requests_known > 0)
        requests_forget(*request);
}

#define BEGIN(NAME, TYPE, PARAMETERS, ARGUMENTS, RULE)                         \
    COUNTING(NAME, PARAMETERS)                                                 \
    {                                                                          \
        TIME_ALONE(ARGUMENTS)                                                  \
        record_depth = 1;                                                      \
        CALL_NEXT(ARGUMENTS)                                                   \
        struct call_stats *stats = record_stats(TYPE);                         \
        if (result == MPI_SUCCESS) {                                           \
            stats = RULE;                                                      \
            note_request(stats, request);                                      \
        }                                                                      \
        credit(stats, began, ended);                                           \
        record_depth = 0;                                                      \
        return result;                                                         \
    }                                                                          \
    COUNT_BOTH(NAME, record_watch != WATCH_NOTHING, PARAMETERS, ARGUMENTS)

/* Makes a persistent request, also while nothing is counted: what it counts
 * is kept for its starts. */
#define PREPARE(NAME, TYPE, PARAMETERS, ARGUMENTS, RULE)                       \
    COUNTING(NAME, PARAMETERS)                                                 \
    {                                                                          \
        record_depth = 1;                                                      \
        CALL_NEXT(ARGUMENTS)                                                   \
        struct call_stats *stats = record_stats(TYPE);                         \
        if (result == MPI_SUCCESS) {                                           \
            capture_begin();                                                   \
            stats = RULE;                                                      \
            requests_add_persistent(*request, stats, capture_end());           \
        }                                                                      \
        if (record_is_active())                                                \
            credit(stats, began, ended);                                       \
        record_depth = 0;                                                      \
        return result;                                                         \
    }                                                                          \
    COUNT_BOTH(NAME, record_prepares, PARAMETERS, ARGUMENTS)

/* Completes or starts requests. */
#define WAIT(NAME, TYPE, PARAMETERS, ARGUMENTS, COUNT, REQUESTS, RULE)         \
    COUNTING(NAME, PARAMETERS)                                                 \
    {                                                                          \
        TIME_ALONE(ARGUMENTS)                                                  \
        struct waiting waiting;                                                \
        record_depth = 1;                                                      \
        waiting_prepare(&waiting, COUNT, REQUESTS);                            \
        CALL_NEXT(ARGUMENTS)                                                   \
        if (result == MPI_SUCCESS) {                                           \
            RULE;                                                              \
        }                                                                      \
        waiting_credit(&waiting, ended - began);                               \
        credit(record_stats(TYPE), ended, ended);                              \
        record_depth = 0;                                                      \
        return result;                                                         \
    }                                                                          \
    COUNT_BOTH(NAME, record_watch != WATCH_NOTHING, PARAMETERS, ARGUMENTS)

/* Not counted, and what MPI calls inside of it neither. */
#define WRAP_INSIDE(NAME, PARAMETERS, ARGUMENTS)                               \
    WRAPPER(NAME, PARAMETERS)                                                  \
    {                                                                          \
        NEXT(NAME, PARAMETERS)                                                 \
        const int depth = record_depth;                                        \
        record_depth = 1;                                                      \
        const int result = next ARGUMENTS;                                     \
        record_depth = depth;                                                  \
        return result;                                                         \
    }
#define INSIDE(NAME, PARAMETERS, ARGUMENTS)                                    \
    WRAP_INSIDE(MPI_##NAME, PARAMETERS, ARGUMENTS)                             \
    WRAP_INSIDE(PMPI_##NAME, PARAMETERS, ARGUMENTS)

#ifdef OPEN_MPI
#include "commprof/calls-openmpi.h"
#else
#include "commprof/calls-mpich.h"
#endif

#define BY_HAND(WRAP, ...)                                                     \
    WRAP(MPI_##__VA_ARGS__)                                                    \
    WRAP(PMPI_##__VA_ARGS__)

/* Forgotten before it is freed: the handle may be given out again at once. */
#define WRAP_REQUEST_FREE(NAME)                                                \
    WRAPPER(NAME, (MPI_Request * request))                                     \
    {                                                                          \
        NEXT(NAME, (MPI_Request *))                                            \
        if (requests_known > 0 && !record_depth && request)                    \
            requests_forget(*request);                                         \
        return next(request);                                                  \
    }
BY_HAND(WRAP_REQUEST_FREE, Request_free)

/* Starts recording once the outermost MPI_Init has succeeded. */
static int started(int result)
{
    if (result == MPI_SUCCESS && !record_depth && !record_alive) {
        record_depth = 1;
        lifecycle_begin();
        record_depth = 0;
    }
    return result;
}

#define WRAP_INIT(NAME, PARAMETERS, ARGUMENTS)                                 \
    WRAPPER(NAME, PARAMETERS)                                                  \
    {                                                                          \
        NEXT(NAME, PARAMETERS)                                                 \
        record_depth++;                                                        \
        const int result = next ARGUMENTS;                                     \
        record_depth--;                                                        \
        return started(result);                                                \
    }
BY_HAND(WRAP_INIT, Init, (int *argc, char ***argv), (argc, argv))
BY_HAND(WRAP_INIT,
        Init_thread,
        (int *argc, char ***argv, int required, int *provided),
        (argc, argv, required, provided))

#define WRAP_ABORT(NAME)                                                       \
    WRAPPER(NAME, (MPI_Comm comm, int code))                                   \
    {                                                                          \
        NEXT(NAME, (MPI_Comm, int))                                            \
        if (code != 0)                                                         \
            keep_head->ended |= KEPT_ABORTED;                                  \
        return next(comm, code);                                               \
    }
BY_HAND(WRAP_ABORT, Abort)

/* 0 stops, 1 goes on in the first phase, the next ones name phases, whether or
 * not anything is counted now; other levels are for other tools. Their
 * arguments cannot be known: three words of them go on, whether or not the
 * program gave them, which on the ABIs of Linux are what registers happen to
 * hold. */
static void control_level(int level)
{
    if (level < 0 || level >= PHASES_LEVELS)
        return;
    if (level > 0)
        record_enter(level == 1 ? 0 : (uint32_t)level);
    if (level < 2)
        record_pause(level == 0);
}

/* IPM's regions: 1 and a name begins one, -1 ends it, and 0 is an event. */
static void control_ipm(int level, const char *name)
{
    if (level == 1) {
        if (!regions_begin(name))
            record_enter(0);
        record_pause(false);
    } else if (level == -1) {
        regions_end(name);
    } else if (level != 0) {
        control_level(level);
    }
}

static void control(int level, const char *name)
{
    if (!record_alive || record_depth)
        return;
    if (level == COMMPROF_REGION_BEGIN)
        regions_begin(name);
    else if (level == COMMPROF_REGION_END)
        regions_end(name);
    else if (settings.ipm)
        control_ipm(level, name);
    else
        control_level(level);
}

#define WRAP_PCONTROL(NAME)                                                    \
    WRAPPER(NAME, (const int level, void *first, void *second, void *third))   \
    {                                                                          \
        NEXT(NAME, (const int, ...))                                           \
        control(level, first);                                                 \
        record_depth++;                                                        \
        const int result = next(level, first, second, third);                  \
        record_depth--;                                                        \
        return result;                                                         \
    }
WRAP_PCONTROL(MPI_Pcontrol)
WRAP_PCONTROL(PMPI_Pcontrol)

#ifdef OPEN_MPI
void *recorder_openmpi_find(const char *name)
#else
void *recorder_mpich_find(const char *name)
#endif
{
    const bool is_public = name[0] == 'M';
    const char *const call = name + strlen(is_public ? "MPI_" : "PMPI_");

#define FIND(NAME)                                                             \
    if (strcmp(call, #NAME) == 0)                                              \
        return (void *)(is_public ? (uintptr_t)wrap_MPI_##NAME                 \
                                  : (uintptr_t)wrap_PMPI_##NAME);
    CALL_NAMES(FIND)
    return NULL;
}
