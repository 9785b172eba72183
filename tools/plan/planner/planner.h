/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner.h - from the facts of a launch to its plan, stage by stage */
#ifndef TOOLS_PLANNER_H
#define TOOLS_PLANNER_H

#include "alloc/alloc.h"
#include "base/hosts.h"
#include "graph/file/file.h"
#include "launch/facts.h"
#include "launch/plan.h"
#include "launch/user_messages.h"
#include "profiles/catalogue/catalogue.h"
#include "profiles/evaluation.h"
#include "profiles/profile.h"
#include "profiles/program/framework.h"
#include "profiles/program/identity.h"
#include "profiles/program/subject.h"
#include "profiles/taskgraphs.h"
#include "tools/common/tool.h"
#include "tools/plan/cluster_cache.h"
#include "tools/plan/plan_cache.h"
#include "tools/search/guard.h"
#include "tools/search/timed_search.h"
#include "tools/site/site.h"
#include "tools/table/quantity.h"

struct planner;

/* What is asked for; the caller's, and borrowed. */
struct plan_request {
    const char *program;  /* --program, or NULL: the facts' */
    const char *name;     /* --name, or NULL */
    const char *topology; /* --topology, or NULL */
    /* --partition, or NULL: this job's; for Slurm's own topology. */
    const char *partition;
    const char *node;   /* --node, or NULL: the site file's */
    const char *mapper; /* --mapper, or NULL: the portfolio; a mapper's plan is
                           neither kept nor looked for where plans are kept */
    /* A type, a sum of types (profiles/taskgraphs.h), "best", a file's path or
     * a pattern (grid/grid_make.h);
     * NULL: the best that was measured, else "weighted-sum". */
    const char *graph;
    enum mapcore_graph_format graph_format; /* of that file */
    const char *config; /* --config, or NULL: the default site file */
    /* What the user names; and the site, which may not have made it yet. */
    struct tool_list catalogues, site_catalogues;
    struct timed_search_options search;
    const char *mpi_type; /* --mpi: srun's, or NULL: not known */
    const char *learn; /* JOB.STEP of a launch that is learnt from, or NULL */
    /* Off: nothing is predicted from other sizes. */
    enum plan_scale { SCALE_ON, SCALE_OFF } scale;
    enum plan_env {
        PLAN_ENV_AUTO,  /* of a framework's launcher that numbers nodes */
        PLAN_ENV_NODES, /* Slurm's variables number nodes as placed */
        PLAN_ENV_OFF,
    } env;
    bool no_cache;      /* what was found before is neither used nor kept */
    bool is_block;      /* it is not said how Slurm lays out ranks */
    bool ask_slurm;     /* run scontrol when no topology is given */
    bool by_place;      /* topomap place starts it, not srun */
    bool bounds_memory; /* a launch waits for it */
    double start;       /* on tool_now()'s clock */
    /* What makes planner->result in place of planner_search_here; NULL: that.
     */
    int (*search_by)(struct planner *planner, const struct timed_search *which);
    void *search_arg; /* for it */
    /* Where srun waits for no plan: gives it its answer as soon as it is known
     * whether there is a profile (planner_observe). */
    int (*answer)(struct planner *planner);
};

/* What the plan is about, where it is looked for, and what lies there. */
struct plan_sources {
    struct site_file *site;
    double deadline;              /* 0: none */
    struct subject_found subject; /* what the command is about */
    struct framework framework;   /* that starts workers, one task a node */
    const char *name; /* it is filed under; borrowed; NULL: by executable */
    char *executable;
    char identity[IDENTITY_MAX]; /* "" with a name or a graph file */
    char *own_root;              /* may be NULL: a user without a home */
    struct tool_list roots;
    struct catalogue_entry entry; /* path NULL: none looked for */
    bool is_missing;              /* it was looked for, and is not there: */
    struct mapcore_error no_entry;
    struct profile *profile;
    struct evaluation *evaluation; /* NULL: none, or not looked at */
    bool evaluation_is_bad;        /* there is one that cannot be read */
};

/* Who talks to whom. */
struct plan_graph {
    struct mapcore_graph *task_graph;
    const char *name; /* of the graph used, borrowed; NULL: none yet */
    bool is_measured; /* it was chosen by the evaluation */
    bool is_raced;    /* its runs are compared with others' */
    char race[160];   /* what runs say of it and of others; "": nothing */
    /* "profile of 8 tasks; grid 4x4 predicted", and, in the same text, by what
     * rule, or NULL; why nothing was predicted, or "". */
    char *prediction;
    const char *rule;
    /* Of a prediction: what the programs ran on, and srun's --mpi, or NULL. */
    char *recorded_node, *recorded_mpi_type;
    struct mapcore_error no_prediction;
};

/* Where the tasks may run. */
struct plan_machine {
    struct hosts hosts; /* the facts' nodelist */
    struct mapcore_topo *topo;
    const char *source;    /* of topo, for people; static or borrowed */
    char network_from[96]; /* source, where it has an age */
    size_t nstray;    /* nodes of the step that are on no switch of Slurm's,
                         taken as a switch or block of their own */
    bool is_told_now; /* facts->topology, to be kept for later */
    bool is_flat;     /* neither Slurm nor the site file has a network */
    bool in_order;    /* hosts without names, taken in order */
    struct mapcore_alloc *alloc;
    struct mapcore_hwnode *hwnode; /* NULL: it is not described */
    /* Its description, or the file with it, and who said so; borrowed. */
    const char *inside, *inside_from;
    /* What the nodes themselves have reported, if that was looked for. */
    bool asks_nodes;
    struct node_tree told;
    char told_from[NODE_NAME + 32]; /* inside_from then */
};

struct planner_earlier;

/* Each member is made by stages that read only those before it. */
struct planner {
    struct mapcore_error *err; /* of the caller, which all that fails sets */
    struct plan_request request;
    struct mapcore_facts *facts; /* of the launch, the planner's to destroy */
    struct plan_sources sources;
    struct plan_graph graph;
    struct plan_machine machine;
    struct plan_cache_query cache;   /* key "": not looked at */
    char made[FOUND_DATE];           /* when result was found, "": now */
    char warm_from[PLAN_CACHE_FROM]; /* the nodes that it is carried over from,
                                        "": found for these */
    const struct guard *guard;       /* while it is searched */
    char first[260]; /* "0@" and the list's first node, of at most 255
                        characters */
    bool lost_mpi;   /* gain.h: its ranks would not be one job's */
    bool has_result;
    struct mapcore_search parameters; /* as the search was run */
    uint32_t *pin;                    /* of it, or NULL */
    struct mapcore_result result;
    /* Times of Slurm's own layout and of the result, guard.h. */
    double estimate[2];
    double links_share; /* of the recorded seconds in MPI, what bytes need in
                           Slurm's own layout; negative: not known */
    enum quantity_time estimate_unit;
    bool estimates_run; /* in the units and calls of the recorded run */
    bool goes_by_types; /* the estimate alone decides */
    bool is_latent;     /* as struct graph_types has it */
    struct planner_earlier *earlier; /* runs, owned; NULL: not looked at */
    /* By planner_learn: it stays as Slurm puts it, to be compared with. */
    bool is_control;
    double answered_s; /* since 1970, when srun got its answer; 0: it waits */
    struct mapcore_plan plan;
};

/* Runs all stages. Returns 0 with planner->plan made, which may say that
 * Slurm's layout is kept, and why; or fails when what the user gave cannot be
 * used. planner_clear is due in any case. Errors: any of the rooms'. */
int planner_run(struct planner *planner);

/* Why the site has a launch that is learnt from not recorded, perhaps in
 * text[], or NULL: it may be, and counts as recorded from now on where the site
 * counts. Its share of the steps depends on their numbers alone. */
const char *planner_record_cap(char *text,
                               size_t size,
                               const struct planner *planner);

/* A plan_request.answer: tells srun whether the run is recorded, and goes on
 * alone, at the lowest priority. The time of the plan counts CPU seconds then,
 * of one thread: ranks that run at the same time do not change what is found.
 * Returns PLANNER_DONE where srun still waits. Errors: as plan_print. */
int planner_observe(struct planner *planner);

/* Keeps a result that was found now for the next time, where that can be; takes
 * a tenth of a second at most, or two seconds where no launch waits for it.
 * Before anything is printed. */
void planner_remember(const struct planner *planner);

/* Has the nodes of a launch report what they are inside, where that is not
 * known, or notice that they are not what was planned for: sets plan.tree. */
void planner_ask_nodes(struct planner *planner);

/* Sets the plan's reason, of which the old one may be a part. Errors: ENOMEM.
 */
int planner_say(struct planner *planner, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Makes a plan that keeps Slurm's layout, for a failure that must not be one.
 * False without memory for it. */
bool planner_keep(struct planner *planner, const char *reason);

void planner_clear(struct planner *planner);
/* Of planner_earlier.h, which planner_clear needs alone. */
void planner_earlier_forget(struct planner_earlier *earlier);

/* The program in the roots, as the catalogue is asked. */
struct catalogue_query planner_query(const struct planner *planner);
/* catalogue_find for the planner's program or name. */
int planner_find_entry(struct catalogue_entry *out,
                       const struct planner *planner,
                       uint32_t ntasks,
                       struct mapcore_error *err);
/* "app", what the plan is about, for people. */
const char *planner_subject(const struct planner *planner);
/* The catalogue that the user names, and that is no folder; NULL: all are. With
 * errno for why. */
const char *planner_missing_catalogue(const struct planner *planner);
/* A file or a pattern: nothing that a profile is needed for. */
bool planner_graph_is_file(const struct plan_request *request);

/* For the stages. A stage's third answer, beside 0 and a negative code: the
 * plan is made, and keeps Slurm's layout. planner_stop makes such a plan, with
 * its outcome and the reason. Errors: ENOMEM. */
enum {
    PLANNER_DONE = 1,
};
int planner_stop(struct planner *planner,
                 enum mapcore_plan_outcome outcome,
                 const char *format,
                 ...) __attribute__((format(printf, 3, 4)));
/* "app, 16 ranks, by the profile of 22 Nov 2026 (job 2): ...", for those who
 * know neither graphs nor metrics, of a search that is done and whose metrics
 * stand in plan; with keeps, why Slurm's layout stays. *out is owned. Errors:
 * ENOMEM. */
int planner_sentence(char **out, const struct planner *planner, bool keeps);
/* Corrects the facts' layout where it was not stated, and this Slurm goes by
 * its topology. What keeps it from that is a note. */
int planner_order_nodes(struct planner *planner);
/* The stages that make machine: hosts and the layout; topo, in what is left of
 * the time; alloc; hwnode. */
int planner_expand_nodes(struct planner *planner);
int planner_open_topology(struct planner *planner);
int planner_allocate(struct planner *planner);
int planner_open_node(struct planner *planner);
/* The stage that finds a framework's launcher, and has nodes numbered as placed
 * where it, or the user, goes by that: sets plan.env, and pins rank 0. */
int planner_number_nodes(struct planner *planner);
/* "; 6 of 8 expert groups inside one switch (4 before, 6 at most)", of a
 * model's pattern whose groups are not all inside one in Slurm's own layout;
 * nothing where memory is short. */
void planner_put_groups(FILE *out, const struct planner *planner);
/* What becomes of the numbers of the nodes of a plan that places: returns
 * PLANNER_DONE where the framework would not heed them. */
int planner_check_order(struct planner *planner);
/* The stage that sets subject, executable and identity, or name. */
int planner_identify(struct planner *planner);
/* planner_stop for want of a profile; why is the catalogue's sentence. */
int planner_stop_unrecorded(struct planner *planner, const char *why);
/* The stage that makes graph. */
int planner_read_graph(struct planner *planner);
/* The stage that makes parameters, result and estimate; and the search itself,
 * here and alone, which makes result. */
int planner_search_here(struct planner *planner,
                        const struct timed_search *which);
/* The search, as its result is handed to others. */
struct found_query planner_found_query(const struct planner *planner);
/* gain_least_on this network. */
double planner_least_gain(const struct planner *planner);
/* Whether another result is better than the planner's in what is chosen by, and
 * in no way slower: neither its slowest link nor what all types are estimated
 * to take, which is estimate[1] then. */
bool planner_is_better(double estimate[2],
                       const struct planner *planner,
                       const struct mapcore_result *other);
int planner_search(struct planner *planner);
/* Predicts the task graph where no profile of this size is. Errors: ENOENT and
 * others: there is no prediction, and err says why. */
int planner_scale(struct planner *planner, struct mapcore_error *err);

/* After planner_run, of a request with learn. A program without a profile of
 * its own build and size is to be recorded, within what the site allows; where
 * there is a plan its earlier runs decide whether it is used, and the reason
 * says what they came to. A failure leaves the plan as it is. */
void planner_learn(struct planner *planner);

/* Keeps what slurmctld has just answered, for later launches. After the answer:
 * srun does not wait for storage. */
void planner_keep_network(const struct planner *planner);

#endif
