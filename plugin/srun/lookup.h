/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lookup.h - the one door to files that users and variables name, to slurmctld
 * and to the site file: they are asked by a child of srun, which is left behind
 * when there is no answer */
#ifndef PLUGIN_LOOKUP_H
#define PLUGIN_LOOKUP_H

#include "plugin/options.h"

struct lookup_request {
    const char *command;  /* exe=, or the command as typed */
    const char *path;     /* PATH; NULL: command is a path, as of exe= */
    bool need_not_be;     /* command need not be found */
    bool records;         /* whether it can be recorded is asked, too */
    const char *recorder; /* recorder=, or NULL */
};

struct lookup {
    char *program;  /* program_path_find, or the command when it need not be
                       found */
    char *recorder; /* of recorder=: whole path; or NULL */
    char *refusal;  /* why nothing can be recorded, or NULL */
};

/* Errors: ENOENT, EIO ("... does not answer" within the seconds), ENOMEM. */
int lookup_launch(struct lookup *out,
                  const struct lookup_request *request,
                  double seconds,
                  struct mapcore_error *err);
void lookup_clear(struct lookup *lookup);

struct lookup_strict {
    const struct options *options;
    const struct plugstack *plugstack;
    const char *site_file; /* which only `topomap` reads */
};

/* What the options alone say of a launch that cannot be mapped or recorded: a
 * file that is not there, no catalogue at all: neither the user's own nor one
 * of the site's, nor a site file that may name one. Errors: EIO, whose text
 * says so. */
int lookup_options(const struct lookup_strict *check,
                   double seconds,
                   struct mapcore_error *err);

/* A file of a step, for its tasks. */
struct lookup_file {
    const char *kind, *text;
    uint32_t job, step;
};
/* handoff_file_write within these seconds, with XDG_CACHE_HOME, HOME and
 * SLURM_CLUSTER_NAME of the environment. A file that is late, and comes after
 * all, is left there. Errors: EIO, ENOMEM. */
int lookup_write(char **path,
                 const struct lookup_file *file,
                 double seconds,
                 struct mapcore_error *err);
/* Removes such a file, if it can be done in time. */
void lookup_remove(const char *const *paths, size_t n, double seconds);

/* Asks slurmctld, which has these seconds, for the lines that `scontrol show
 * topology` prints, owned, "" when Slurm has none; NULL: it did not answer. */
char *topology_ask(double seconds);

/* Where a launch of command[], up to a NULL (NULL: which is not known yet), may
 * be placed or recorded, asks the site file, if there is one that may say any
 * of it, for what plugstack does not say; and options that the user did
 * not type become the site's default. Texts last as long as srun. May be asked
 * again. Errors: child_ask's, after which the site may forbid anything. */
int site_words_take(struct options *options,
                    struct plugstack *plugstack,
                    const char *const *command,
                    struct mapcore_error *err);

#endif
