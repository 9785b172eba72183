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
#include RECORDER_CALLS
#define AT(NAME) AT_##NAME,
enum { CALL_NAMES(AT) NCALLS };
enum { NEXT_OF_MPI_, NEXT_OF_PMPI_, NNAMES };
/* Those definitions, each there before its wrapper is called: RECORDER_FIND. */
static void *next_of[NCALLS][NNAMES];

#define WRAPPER(PREFIX, NAME, PARAMETERS)                                      \
    WRAP_VISIBLE int wrap_##PREFIX##NAME PARAMETERS;                           \
    int wrap_##PREFIX##NAME PARAMETERS
/* In what programs link, objcopy(1) renames wrap_MPI_X to MPI_X; libraries of
 * the program see it, too. */
#define WRAP_VISIBLE __attribute__((visibility("default")))

#define NEXT(PREFIX, NAME, PARAMETERS)                                         \
    int(*const next) PARAMETERS =                                              \
        (int(*) PARAMETERS)(uintptr_t)next_of[AT_##NAME][NEXT_OF_##PREFIX];

#define LIST(...) __VA_ARGS__

/* What both names of a function do when a call is the program's own: compiled
 * once; it gets what to call as its last argument, since the arguments stay
 * where they are then. */
#define COUNTING(NAME, PARAMETERS)                                             \
    __attribute__((noinline)) static int count_##NAME(LIST PARAMETERS,         \
                                                      int(*next) PARAMETERS)

#define COUNTED(PREFIX, NAME, WATCHED, PARAMETERS, ARGUMENTS)                  \
    WRAPPER(PREFIX, NAME, PARAMETERS)                                          \
    {                                                                          \
        NEXT(PREFIX, NAME, PARAMETERS)                                         \
        if (!(WATCHED) || record_depth ||                                      \
            next_mpi_calls(__builtin_return_address(0)))                       \
            return next ARGUMENTS;                                             \
        return count_##NAME(LIST ARGUMENTS, next);                             \
    }
#define COUNT_BOTH(NAME, WATCHED, PARAMETERS, ARGUMENTS)                       \
    COUNTED(MPI_, NAME, WATCHED, PARAMETERS, ARGUMENTS)                        \
    COUNTED(PMPI_, NAME, WATCHED, PARAMETERS, ARGUMENTS)

#define CALL_NEXT(ARGUMENTS)                                                   \
    const uint64_t began = record_clock_ns();                                  \
    const int result = next ARGUMENTS;                                         \
    const uint64_t ended = record_clock_ns();

/* Ends a call whose counters these are; what it returned. */
__attribute__((noinline)) static int credit(struct call_stats *stats,
                                            uint64_t began,
                                            uint64_t ended,
                                            int result)
{
    record_time(stats, ended - began);
    keep_head->last_ns = ended;
    if (__builtin_expect(ended >= record_deadline, 0))
        record_expire();
    record_depth = 0;
    return result;
}

/* The same where time alone is counted. */
__attribute__((noinline, cold)) static int time_alone(uint64_t began,
                                                      uint64_t ended,
                                                      int result)
{
    record_timed(began, ended);
    record_depth = 0;
    return result;
}
#define TIME_ALONE                                                             \
    if (__builtin_expect(record_watch == WATCH_TIME, 0))                       \
        return time_alone(began, ended, result);

/* Over when it returns. */
#define CALL(NAME, TYPE, PARAMETERS, ARGUMENTS, RULE)                          \
    COUNTING(NAME, PARAMETERS)                                                 \
    {                                                                          \
        record_depth = 1;                                                      \
        CALL_NEXT(ARGUMENTS)                                                   \
        TIME_ALONE                                                             \
        return credit(result == MPI_SUCCESS ? RULE : record_stats(TYPE),       \
                      began, ended, result);                                   \
    }                                                                          \
    COUNT_BOTH(NAME, record_watch != WATCH_NOTHING, PARAMETERS, ARGUMENTS)

/* Makes a request; requests of no type are noted all the same. */
static struct call_stats *note_request(struct call_stats *stats,
                                       const MPI_Request *request)
{
    if (stats->type != TYPE_P2P)
        requests_add(*request, stats, false, NULL);
    else if (requests_known > 0)
        requests_forget(*request);
    return stats;
}

#define BEGIN(NAME, TYPE, PARAMETERS, ARGUMENTS, RULE)                         \
    CALL(NAME, TYPE, PARAMETERS, ARGUMENTS, note_request(RULE, request))

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
            requests_add(*request, stats, true, capture_end());                \
        }                                                                      \
        if (record_is_active())                                                \
            return credit(stats, began, ended, result);                        \
        record_depth = 0;                                                      \
        return result;                                                         \
    }                                                                          \
    COUNT_BOTH(NAME, record_prepares, PARAMETERS, ARGUMENTS)

/* Completes or starts requests. */
#define WAIT(NAME, TYPE, PARAMETERS, ARGUMENTS, COUNT, REQUESTS, RULE)         \
    COUNTING(NAME, PARAMETERS)                                                 \
    {                                                                          \
        struct waiting waiting;                                                \
        record_depth = 1;                                                      \
        waiting_prepare(&waiting, COUNT, REQUESTS);                            \
        CALL_NEXT(ARGUMENTS)                                                   \
        TIME_ALONE                                                             \
        if (result == MPI_SUCCESS) {                                           \
            RULE;                                                              \
        }                                                                      \
        waiting_credit(&waiting, ended - began);                               \
        return credit(record_stats(TYPE), ended, ended, result);               \
    }                                                                          \
    COUNT_BOTH(NAME, record_watch != WATCH_NOTHING, PARAMETERS, ARGUMENTS)

/* Not counted, and what MPI calls inside of it neither. */
#define WRAP_INSIDE(PREFIX, NAME, PARAMETERS, ARGUMENTS)                       \
    WRAPPER(PREFIX, NAME, PARAMETERS)                                          \
    {                                                                          \
        NEXT(PREFIX, NAME, PARAMETERS)                                         \
        const int depth = record_depth;                                        \
        record_depth = 1;                                                      \
        const int result = next ARGUMENTS;                                     \
        record_depth = depth;                                                  \
        return result;                                                         \
    }
#define BY_HAND(WRAP, ...)                                                     \
    WRAP(MPI_, __VA_ARGS__)                                                    \
    WRAP(PMPI_, __VA_ARGS__)
#define INSIDE(NAME, PARAMETERS, ARGUMENTS)                                    \
    BY_HAND(WRAP_INSIDE, NAME, PARAMETERS, ARGUMENTS)

#include RECORDER_CALLS

/* Forgotten before it is freed: the handle may be given out again at once. */
#define WRAP_REQUEST_FREE(PREFIX, NAME)                                        \
    WRAPPER(PREFIX, NAME, (MPI_Request * request))                             \
    {                                                                          \
        NEXT(PREFIX, NAME, (MPI_Request *))                                    \
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

#define WRAP_INIT(PREFIX, NAME, PARAMETERS, ARGUMENTS)                         \
    WRAPPER(PREFIX, NAME, PARAMETERS)                                          \
    {                                                                          \
        NEXT(PREFIX, NAME, PARAMETERS)                                         \
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

#define WRAP_ABORT(PREFIX, NAME)                                               \
    WRAPPER(PREFIX, NAME, (MPI_Comm comm, int code))                           \
    {                                                                          \
        NEXT(PREFIX, NAME, (MPI_Comm, int))                                    \
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

#define WRAP_PCONTROL(PREFIX, NAME)                                            \
    WRAPPER(PREFIX, NAME,                                                      \
            (const int level, void *first, void *second, void *third))         \
    {                                                                          \
        NEXT(PREFIX, NAME, (const int, ...))                                   \
        control(level, first);                                                 \
        record_depth++;                                                        \
        const int result = next(level, first, second, third);                  \
        record_depth--;                                                        \
        return result;                                                         \
    }
BY_HAND(WRAP_PCONTROL, Pcontrol)

void *RECORDER_FIND(const char *name)
{
    static const struct {
        const char *call;
        void *wrapper[NNAMES];
    } wrapped[] = {
#define WRAPPED(NAME)                                                          \
    {#NAME,                                                                    \
     {(void *)(uintptr_t)wrap_MPI_##NAME,                                      \
      (void *)(uintptr_t)wrap_PMPI_##NAME}},
        CALL_NAMES(WRAPPED)};
    const size_t which = name[0] == 'M' ? NEXT_OF_MPI_ : NEXT_OF_PMPI_;
    const char *const call = strchr(name, '_') + 1;
    size_t i = 0;

    while (i < NCALLS && strcmp(wrapped[i].call, call) != 0)
        i++;
    if (i == NCALLS || !(next_of[i][which] = next_mpi_symbol(name)))
        return NULL;
    return wrapped[i].wrapper[which];
}
