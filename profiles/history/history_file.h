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

struct history_index;

/* Steps, oldest first; each line owned. All zero at first. */
struct history {
    struct mapcore_error *err; /* borrowed: what fails sets it; may be NULL */
    size_t n, capacity;
    struct history_line *step;
    size_t broken;               /* lines that could not be read */
    size_t refused;              /* files that are not believed */
    struct history_index *index; /* of the lines that were added */
};

/* Lines of a file that sums are kept in, which tools/tables reads: no steps. */
#define HISTORY_FOLD "{\"fold\":"

/* Which lines are added; all zero: all. */
struct history_filter {
    bool has_job;
    uint32_t job;
    const char *needle; /* a text that is in them, or NULL */
    double since; /* seconds since 1970, 0: all; some older ones may be added */
};
/* How late a line may be, and how long a plan may take. */
#define HISTORY_UNORDERED_S 7200

/* Each of these adds lines, of which those that cannot be read are counted and
 * passed over. Of files that the folder's rule believes: of the user's own, or
 * of all users, each of whom owns their files, which is where `user` comes
 * from. The files stay open until history_clear. Errors: EIO
 * (the folder), ENOMEM. */
int history_add_folder(struct history *out,
                       const struct own_folder *folder,
                       const struct history_filter *filter);
/* Of a regular file, whose descriptor is the history's from now on. user: whose
 * lines they are, or NULL: as they say; origin: of the host that wrote them, or
 * 0. Errors: EIO, ENOMEM. */
int history_add_fd(struct history *out,
                   int fd,
                   const char *user,
                   uint64_t origin,
                   const struct history_filter *filter);
/* How much of a file was read. */
struct history_mark {
    uint64_t origin;
    uint64_t first; /* a digest of the first line and the origin: the same under
                       another name */
    uint64_t bytes; /* up to the end of its last line */
    double newest_s; /* of its lines */
};
/* Of the i-th file that was added, or NULL. */
const struct history_mark *history_marks(const struct history *history,
                                         size_t i);
/* Makes one of the two lines of each step, and steps older than since (0: none)
 * are dropped: once, when all is added. 56 bytes a line; O(n log n). Errors:
 * ENOMEM. */
int history_order(struct history *history, double since);
/* Takes step i, counted from the oldest, whose first line stands at that offset
 * of that file; what it takes over it replaces by nothing. Below 0: no more. */
typedef int (*history_take)(void *of,
                            struct history_line *step,
                            size_t i,
                            size_t source,
                            uint64_t offset);
/* Each step, oldest first; any number of times, with the same numbers. A line
 * that is broken behind its head is counted each time. Errors: those of
 * take. */
int history_each(struct history *history, history_take take, void *of);
/* Takes a step over into step[n]. Errors: ENOMEM. */
int history_keep(struct history *out, struct history_line *line);
/* All of these, each step: as many as there is memory for. */
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
/* Reads what the nodes have reported, takes it away, with what has lain there
 * for a week, and keeps it as the folder's file of that name, lines `RANK
 * CPUS`, "0-3,8" as Linux numbers CPUs. Errors: ENOENT (no node has reported),
 * EIO, ERANGE (too long), ENOMEM. */
int history_cpus_keep(const struct history_cpus_step *step,
                      const char *name,
                      struct mapcore_error *err);

#endif
