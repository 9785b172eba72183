/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* user_messages.h - what users read of a launch: each message with the outcome
 * that its line begins with. Macros, so that the compiler sees a format where
 * its values are given. */
#ifndef MAPCORE_LAUNCH_USER_MESSAGES_H
#define MAPCORE_LAUNCH_USER_MESSAGES_H

#include "launch/plan.h"
#include "launch/plan_words.h"

#include <inttypes.h>

/* What became of a step. */
enum outcome {
    OUTCOME_NONE, /* a remark */
    OUTCOME_PLACED,
    OUTCOME_UNCHANGED, /* Slurm's layout is the best, or wanted */
    OUTCOME_NOT_PLACED,
    OUTCOME_OBSERVED, /* its ranks stay, and a plan is made */
    OUTCOME_NOT_OBSERVED,
    OUTCOME_RECORDING, /* it will be recorded */
    OUTCOME_RECORDED,
    OUTCOME_NOT_RECORDED,
    OUTCOME_NOT_STARTED, /* with strict */
};

/* "placed", or "" for a remark; static. */
static inline const char *outcome_word(enum outcome outcome)
{
    static const char *const words[] = {
        [OUTCOME_NONE] = "",
        [OUTCOME_PLACED] = "placed",
        [OUTCOME_UNCHANGED] = "unchanged",
        [OUTCOME_NOT_PLACED] = "not placed",
        [OUTCOME_OBSERVED] = "observed",
        [OUTCOME_NOT_OBSERVED] = "not observed",
        [OUTCOME_RECORDING] = "recording",
        [OUTCOME_RECORDED] = "recorded",
        [OUTCOME_NOT_RECORDED] = "not recorded",
        [OUTCOME_NOT_STARTED] = "nothing is started",
    };

    return words[outcome];
}

static inline enum outcome outcome_of_plan(enum mapcore_plan_outcome outcome)
{
    return outcome == MAPCORE_PLAN_PLACED      ? OUTCOME_PLACED
           : outcome == MAPCORE_PLAN_UNCHANGED ? OUTCOME_UNCHANGED
                                               : OUTCOME_NOT_PLACED;
}

/* Of another room's sentence. */
#define MESSAGE_PLACED       OUTCOME_PLACED, "%s"
#define MESSAGE_UNCHANGED    OUTCOME_UNCHANGED, "%s"
#define MESSAGE_NOT_PLACED   OUTCOME_NOT_PLACED, "%s"
#define MESSAGE_NOT_RECORDED OUTCOME_NOT_RECORDED, "%s"
#define MESSAGE_REMARK       OUTCOME_NONE, "%s"
#define MESSAGE_NOT_STARTED  OUTCOME_NOT_STARTED, "%s"

/* --- srun, before it launches the step */

#define MESSAGE_ASYNC                                                          \
    "srun --async launches the step before the plugin is asked"
#define MESSAGE_VARIABLE OUTCOME_NOT_PLACED, "variable TOPOMAP: %s"
#define MESSAGE_TWICE                                                          \
    OUTCOME_NONE, "the plugin is loaded twice: %s does nothing"
#define MESSAGE_SITE_FILE                                                      \
    "the site file is ignored, please tell its administrator: %s"
#define MESSAGE_ONE_NODE "the step has one node"
#define MESSAGE_ARBITRARY                                                      \
    "-m arbitrary decides; --topomap on this srun moves the ranks"
#define MESSAGE_MPIRUN                                                         \
    "srun starts the daemons of mpirun, not the ranks: start the program by "  \
    "srun or by topomap place"
#define MESSAGE_HETEROGENEOUS "the step is heterogeneous (several components)"
#define MESSAGE_DRY_VARIABLE                                                   \
    OUTCOME_NOT_STARTED, "the variable TOPOMAP asks for a dry run"
#define MESSAGE_NO_STEP                                                        \
    OUTCOME_NONE, "parallel: not worth a step below %d s or %d ranks"
#define MESSAGE_NO_RANKS OUTCOME_NONE, "TOPOMAP_RANKS is not set: %s"
#define MESSAGE_TIMES                                                          \
    OUTCOME_NONE, "hops per byte %.4g -> %.4g; planned in %.0f ms of %.0f%s"
#define MESSAGE_ADVICE OUTCOME_NONE, "what else: %s"
#define MESSAGE_LAYOUT OUTCOME_NONE, "layout %.2f ms"

/* --- srun, about binding; slurmstepd, on a node */

#define MESSAGE_BOUND_BY_USER                                                  \
    OUTCOME_NONE, "--cpu-bind decides which CPUs the tasks get"
#define MESSAGE_BOUND_BY_GPU                                                   \
    OUTCOME_NONE, "Slurm binds the tasks, since the step uses GPUs"
/* Before a reason. */
#define MESSAGE_BOUND_BY_SLURM "Slurm binds the tasks: "
#define MESSAGE_BOUND_BY_MEMORY                                                \
    OUTCOME_NONE,                                                              \
        "Slurm binds the tasks, since --mem-bind counts them by number"
#define MESSAGE_OTHER_NODE                                                     \
    OUTCOME_NONE, "Slurm binds the tasks of node %u"                           \
                  ": its hardware is not what the plan assumed"
#define MESSAGE_NODE_CPUS OUTCOME_NONE, "node %s: CPUs of ranks: %s"

/* --- srun, about a recording */

#define MESSAGE_RECORDING OUTCOME_RECORDING, "%s by %s%s%s"
#define MESSAGE_NOT_USED                                                       \
    OUTCOME_NONE, "--topomap=auto will not use this recording: %s"
#define MESSAGE_NAMELESS                                                       \
    "%.300s runs other programs: give this one a name by name=NAME"
#define MESSAGE_CONTAINER                                                      \
    OUTCOME_NONE,                                                              \
        "the container must show the recorder and the catalogue: "             \
        "--container-mounts=%s:%s,%s:%s; with name=NAME it is found again"
#define MESSAGE_LAUNCHER                                                       \
    OUTCOME_NONE,                                                              \
        "%s starts the ranks itself; ranks on other nodes are not recorded: "  \
        "start the program by srun"
#define MESSAGE_OTHER_PROFILER                                                 \
    OUTCOME_NONE,                                                              \
        "the calls of NCCL are not recorded: %s names another profiler, and "  \
        "NCCL loads one"
#define MESSAGE_LEFT                                                           \
    OUTCOME_NONE,                                                              \
        "the rest of the recording is not filed: %s; topomap profile list "    \
        "files it"

/* --- the planner: outcome and reason of a plan */

#define MESSAGE_ENDS_UNKNOWN                                                   \
    MAPCORE_PLAN_UNRECORDED,                                                   \
        "the programs that %s runs are only known while it runs: record them " \
        "once by --topomap=profile, or say %s"
#define MESSAGE_STATIC                                                         \
    MAPCORE_PLAN_UNRECORDED,                                                   \
        "%s; the program is linked statically: link it with the recorder "     \
        "(commprof(1))"
#define MESSAGE_NO_PROFILE MAPCORE_PLAN_UNRECORDED, "%s%s"
#define MESSAGE_NO_MPI                                                         \
    MAPCORE_PLAN_UNCONCERNED, "%s uses no MPI; NCCL programs: " GRAPH_WORD_LLM
#define MESSAGE_FAILED MAPCORE_PLAN_FAILED, "%s"
#define MESSAGE_KEPT   MAPCORE_PLAN_UNCHANGED, "%s"
#define MESSAGE_TUNED                                                          \
    MAPCORE_PLAN_UNCHANGED,                                                    \
        "%s, %u ranks: topomap tune measured that no graph makes it faster "   \
        "(topomap profile show; topomap tune --forget undoes it)"
#define MESSAGE_UNMEASURED                                                     \
    MAPCORE_PLAN_FAILED,                                                       \
        "the graphs of %s (%u tasks) were never measured: run topomap tune"
#define MESSAGE_LOST_MPI                                                       \
    MAPCORE_PLAN_FAILED,                                                       \
        "%s, %u ranks: they would be %u programs of one rank each, since the " \
        "profile was recorded with --mpi=%.32s, and this step has "            \
        "--mpi=%.32s: is srun's --mpi= missing (srun --mpi=list)?"
#define MESSAGE_UNIT                                                           \
    MAPCORE_PLAN_UNCHANGED,                                                    \
        "Slurm's layout is better than any that keeps %u consecutive ranks "   \
        "together"
#define MESSAGE_SINGLE MAPCORE_PLAN_FAILED, "all tasks are on one node"
#define MESSAGE_STRANGE_NODE                                                   \
    MAPCORE_PLAN_FAILED, "node %s is not in the topology (%s)"
#define MESSAGE_SAME_NODE                                                      \
    MAPCORE_PLAN_FAILED,                                                       \
        "nodes %s and %s would be one node of the topology (%s)"
#define MESSAGE_OWN_ORDER MAPCORE_PLAN_FAILED, "%s orders its workers itself"
#define MESSAGE_SORTED                                                         \
    MAPCORE_PLAN_FAILED,                                                       \
        "the rendezvous of %s sorts nodes by their names, so that no "         \
        "placement changes anything; type %s"

/* Of a plan whose outcome stands. */
#define MESSAGE_NEVER_MPI                                                      \
    "%s called no MPI_Init when it was recorded; NCCL programs: " GRAPH_WORD_LLM
#define MESSAGE_OBSERVED                                                       \
    "%s, %u ranks in Slurm's layout: topomap history has the plan "            \
    "when it is made, unless the step ends first"
#define MESSAGE_NOT_LEARNT "%s; not recorded: %s"
#define MESSAGE_FIRST_RUN                                                      \
    "%s, %u tasks, first run: its MPI messages are recorded for "              \
    "%" PRIu64 " minute%s, to plan later runs%s"
#define MESSAGE_LEARNT_GAIN "%s; %s%s%s"
#define MESSAGE_NO_GAIN     "%s: %s"
#define MESSAGE_CONTROL     "%s: this run in Slurm's layout is for comparison: %s"
#define MESSAGE_BROKEN      "%s; the runs learnt so far are lost: %.300s"
#define MESSAGE_PARTIAL     "%s; the profile is partial (%s)"
#define MESSAGE_NO_PAGE     "%s; no report: %s"
#define MESSAGE_OF_FILE     "%s: %s"

#endif
