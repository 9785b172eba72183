/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_file.h - the files of a history: lines appended by any number of
 * processes without locks, bounded, and read back */
#ifndef PROFILES_HISTORY_FILE_H
#define PROFILES_HISTORY_FILE_H

#include "base/own_folder.h"
#include "launch/plain_name.h"
#include "launch/step_files.h"
#include "profiles/history/history_line.h"

/* Beside the programs of the user's own root; whose name says whose it is where
 * several write: FOLDER/steps-<uid>-<host>, and the same with .<time>-<pid>
 * behind it for what has grown too long. A file a host, since NFS does not
 * append for two hosts at once. */
#define HISTORY_FOLDER STEP_CPUS_HISTORY
#define HISTORY_STEPS  "steps-"
#define HISTORY_MAPS   "map-"
#define HISTORY_CPUS   "cpus-" /* history_cpus.c */
/* Of one file; then it is put aside. */
#define HISTORY_FILE_MOST ((uint64_t)1 << 20)
/* Of all of a user's lines in one folder; of all maps, and of one; CPUs are
 * bounded like maps, and beside them. */
#define HISTORY_LINES_MOST ((uint64_t)8 << 20)
#define HISTORY_MAPS_MOST  ((uint64_t)16 << 20)
#define HISTORY_MAPS_COUNT 2048
#define HISTORY_MAP_MOST   ((size_t)1 << 20)

/* Appends a line of n bytes, its newline among them, in one write, and puts the
 * file aside, or removes the oldest of the user's own, where there are too many
 * bytes. Nothing is written through a link, into what is no file, or into a
 * file of somebody else's; only the user reads it, and in a sticky folder with
 * the set-group bit that group. Errors: EIO, ETRUST, ENOMEM. */
int history_append(const struct own_folder *folder,
                   const char *line,
                   size_t n,
                   struct mapcore_error *err);

/* Keeps where the ranks of a step were, or on which CPUs, FOLDER/<name>, and
 * now and then removes the oldest ones beyond the bounds, which some dozens may
 * pass. Errors: EIO, ERANGE (too long), ENOMEM. */
int history_keep_map(const struct own_folder *folder,
                     const char *name,
                     const char *text,
                     struct mapcore_error *err);
/* Reads it back, *out owned. Errors: ENOENT (no longer there), EINVAL (no name
 * of either), ETRUST, EIO, ERANGE, ENOMEM. */
int history_read_map(char **out,
                     size_t *n,
                     const struct own_folder *folder,
                     const char *name,
                     struct mapcore_error *err);

/* Steps, oldest first; each line owned. */
struct history {
    size_t n, capacity;
    struct history_line *step;
    size_t broken;  /* lines that could not be read */
    size_t refused; /* files that nobody believes */
};

/* Adds the lines of files that the folder's rule believes: of the user's own,
 * or of all users, each of whom owns their files, which is where `user` comes
 * from. needle: only lines with that text in them; NULL: all. What cannot be
 * read is counted and passed over. Errors: EIO (the folder), ENOMEM. */
int history_read_folder(struct history *out,
                        const struct own_folder *folder,
                        const char *needle,
                        struct mapcore_error *err);
/* Adds lines of a text of n bytes. user: whose they are, or NULL: as they say.
 * Errors: ENOMEM. */
int history_read_text(struct history *out,
                      const char *text,
                      size_t n,
                      const char *user,
                      const char *needle,
                      struct mapcore_error *err);
/* Sorts what was read and makes one of the two lines of each step. */
void history_join(struct history *history);
void history_clear(struct history *history);

/* Of a step on more nodes none is asked: each writes a file. */
#define HISTORY_CPUS_NODES 1024

struct history_cpus_step {
    const struct own_folder *folder; /* of the history */
    struct step_name name;
};

/* Makes the folder for the nodes, without what an earlier job of that number
 * has left there. What goes wrong leaves the CPUs unknown. */
void history_cpus_begin(const struct history_cpus_step *step);
/* Reads what the nodes have told, takes it away, with what has lain there for a
 * week, and keeps it as the folder's file of that name, lines `RANK CPUS`,
 * "0-3,8" as Linux numbers CPUs. Errors: ENOENT (nobody has told anything),
 * EIO, ERANGE (too long), ENOMEM. */
int history_cpus_keep(const struct history_cpus_step *step,
                      const char *name,
                      struct mapcore_error *err);

#endif
