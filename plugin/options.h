/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* options.h - what was asked of a launch: --topomap, TOPOMAP, plugstack.conf */
#ifndef PLUGIN_OPTIONS_H
#define PLUGIN_OPTIONS_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

#define OPTIONS_TEXT_MAX     4096
#define PLUGSTACK_CATALOGUES 16
#define OPTIONS_ARGUMENT                                                       \
    "auto|learn|observe|profile|off|FILE.graph|grid:4x4|llm:tp=8|help[,key=value...]"

/* Why nothing is placed or recorded, and the file beside the site file that
 * says so. */
#define OPTIONS_DISABLED    "this site has switched topomap off"
#define OPTIONS_SWITCH_FILE "disabled"

enum options_mode {
    OPTIONS_OFF,
    OPTIONS_AUTO,
    OPTIONS_PROFILE,
};

/* Strings point into text: one instance, never copied. */
struct options {
    enum options_mode mode;
    bool typed;    /* by the user, so that there is somebody to answer */
    bool standing; /* TOPOMAP or the site says it, for every step alike */
    bool help;
    const char *graph; /* name of a graph of the profile, a file, or grid:... */
    const char *name, *exe, *recorder, *record_seconds, *seed; /* NULL: no */
    const char *record_every;
    const char *catalogue;  /* one more to look into, or NULL */
    const char *mpi;        /* one more under which ranks may move, or NULL */
    const char *report;     /* a file for pictures of the plan, or NULL */
    const char *unit, *pin; /* launch/plan_words.h; NULL: not given */
    const char *env;        /* nodes or off; NULL: not given */
    const char *typed_key;  /* the last one that no default takes; NULL */
    const char *acting_key; /* the last one that observe does not take; NULL */
    double seconds;         /* 0: not given */
    bool auto_time;         /* time=auto */
    bool learn;             /* auto, and what is not known is recorded */
    bool observe;           /* auto, and no rank moves */
    bool cpus;              /* which CPUs the ranks have is kept */
    bool parallel, no_bind, no_scale, record, verbose, strict, dry_run;
    char text[OPTIONS_TEXT_MAX];
};

/* plugstack.conf's arguments; strings are borrowed from Slurm. */
struct plugstack {
    const char *catalogue[PLUGSTACK_CATALOGUES];
    int ncatalogues;
    const char *config;  /* NULL: the one fixed at installation */
    const char *mpi;     /* further MPI types under which ranks may move */
    const char *program; /* topomap's path; NULL: as installed */
    const char *log; /* where steps are noted; NULL: as the site file says */
    double seconds;
    double auto_most; /* of time=auto; 0: not said */
    /* Why the site has no launch placed or recorded; NULL: it may be. */
    const char *not_placed, *not_recorded;
    bool disabled; /* plugstack.conf itself says so */
    /* What default= says, "auto", "learn" or "observe" and perhaps keys; NULL:
     * off. Without a user who asked for it only whole nodes change places, and
     * rank 0 stays, where the keys do not say otherwise. */
    const char *by_default;
    /* Else the site file may say it: srun/site_words.c. */
    bool says_default, says_time;
};

/* On failure *out means off and err says what is allowed. Errors: EINVAL. */
int options_parse(struct options *out,
                  const char *text,
                  struct mapcore_error *err);
void options_help(FILE *out);

/* Arguments that are not known are passed over; err names the last of them.
 * Errors: EINVAL. */
int plugstack_parse(struct plugstack *out,
                    int argc,
                    char **argv,
                    struct mapcore_error *err);

/* Whether a site may have text as what is done by default: off, auto, learn
 * or observe, with keys that stop or silence no job. Errors: EINVAL. */
int options_check_default(const char *text, struct mapcore_error *err);
/* As the argument default= does; value is borrowed. On failure it says off.
 * Errors: as options_check_default. */
int plugstack_take_default(struct plugstack *out,
                           const char *value,
                           struct mapcore_error *err);

/* Nothing stands on the command line: variable is the value of TOPOMAP, which
 * counts as typed; without it (NULL or empty) it is as the site says. On
 * failure *out means off. Errors: EINVAL. */
int options_default(struct options *out,
                    const struct plugstack *plugstack,
                    const char *variable,
                    struct mapcore_error *err);

/* Why the site forbids what is asked for, or NULL. */
const char *options_forbidden(const struct options *options,
                              const struct plugstack *plugstack);

/* What makes `topomap plan` search as the options and the site say, within time
 * (seconds), and repeats it from a shell: words[], ended by NULL, borrowed from
 * the arguments. */
#define OPTIONS_WORDS (2 * (12 + PLUGSTACK_CATALOGUES) + 3)
void options_words(const char *words[OPTIONS_WORDS],
                   const struct options *options,
                   const struct plugstack *plugstack,
                   const char *time);

/* Whether only whole nodes change places. */
bool options_move_nodes(const struct options *options);

/* The MPI that recorder= names by a word, mpich or openmpi; NULL: it is a file,
 * or not given. */
const char *options_recorder_word(const struct options *options);

/* How long a plan may take, in seconds: as the user or else the site says, and
 * DEFAULTS_AUTO_MOST at most for a launch whose user asked for no plan. left:
 * of the job's time, in seconds; 0: not known. */
double options_seconds(const struct options *options,
                       const struct plugstack *plugstack,
                       double left);

#endif
