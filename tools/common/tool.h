/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tool.h - what the subcommands of topomap have in common: messages, strict
 * numbers, output files that are whole or absent */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include "base/error_set.h"
#include "base/file_replace.h"

#include <stdbool.h>
#include <stdio.h>

/* Exit statuses. A subcommand prints only what was asked for on stdout. */
enum tool_exit {
    TOOL_OK = 0,
    TOOL_FAILED = 1, /* one line `topomap: ...` on stderr */
    TOOL_USAGE = 2,  /* one line with `try 'topomap X --help'` on stderr */
};

/* The subcommands; argv[0] is the subcommand's own name. Each returns an enum
 * tool_exit, or an error, which topomap prints. */
typedef int tool_command(int argc, char **argv, struct mapcore_error *err);
tool_command map_main, mpi_main, doctor_main, draw_main, report_main, eval_main,
    grid_main, grid_order_main, grid_dims_main, grid_select_main,
    grid_layout_main, history_main, plan_main, profile_main, topology_main,
    torchrun_main, tune_main, calibrate_main, convert_main, place_main,
    record_main;

/* Whether failures are printed as JSON: then tool_usage and tool_fail print, in
 * place of their line, an object with error, the text alone, and status, what
 * they return, on one line of stderr. Off at first. */
void tool_errors_as_json(bool yes);

/* Prints "topomap COMMAND: <text>; try 'topomap COMMAND --help'" and returns
 * TOOL_USAGE. COMMAND is empty for topomap itself. */
int tool_usage(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* printf of one line on stdout, "...\n", with words that others wrote, in a
 * file or as a name: they are shown, not obeyed by the terminal. */
void tool_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "topomap: <text>" and returns TOOL_FAILED. */
int tool_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints "topomap: <text>", for what the user should know although the command
 * goes on. */
void tool_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A list of borrowed strings, for options that may be given several times. */
struct tool_list {
    size_t n, capacity;
    const char **item;
};
int tool_list_add(struct tool_list *list,
                  const char *item,
                  struct mapcore_error *err);

/* A file that is written beside its name and takes it only when it is whole.
 * What exists and is no regular file (a device, a FIFO) is written directly;
 * - or NULL is stdout. */
struct tool_output {
    FILE *file;
    char *path;                 /* NULL when replaced */
    struct file_replace beside; /* all zero when written directly */
};
/* A symlink is followed, unless somebody else has put it into a sticky folder
 * that all may write to. Errors: EIO; ETRUST (such a link); ENOMEM. */
int tool_output_open(struct tool_output *out,
                     const char *path,
                     struct mapcore_error *err);
/* Flushes, syncs and renames; also ends out, in case of an error, too. */
int tool_output_commit(struct tool_output *out, struct mapcore_error *err);
/* Takes the file away again; does nothing after a commit. */
void tool_output_abandon(struct tool_output *out);
/* The one without an error, else the other, and returns that. */
int tool_output_end(struct tool_output *out,
                    int error,
                    struct mapcore_error *err);

/* A descriptor of a file to be appended to, by the same rule on links, which an
 * exec leaves open. Errors: EIO; ETRUST (a stranger's link); ENOMEM. */
int tool_append_open(const char *path, struct mapcore_error *err);

/* Online CPUs that this process may use, at least 1 and at most `most`. */
unsigned tool_cpus(unsigned most);

/* Seconds on a clock that only goes forward. */
double tool_now(void);
/* From now on that clock counts the CPU time of this process. */
void tool_count_cpu_time(void);

#endif
