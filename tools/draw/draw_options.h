/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* draw_options.h - the options of topomap draw and topomap report */
#ifndef TOOLS_DRAW_DRAW_OPTIONS_H
#define TOOLS_DRAW_DRAW_OPTIONS_H

#include "tools/common/command_line.h"
#include "tools/draw/draw_subject.h"
#include "tools/draw/traffic.h"

/* Of the verbs of draw the one that has an option of its own. */
enum {
    DRAW_NODES = 2,
};

struct draw_options {
    struct draw_subject subject;
    uint32_t verb;
    enum amount_unit by;
    const char *output;
    bool json, csv;
};

/* Rows of a struct draw_options, ended: those of struct inputs, of which none
 * is required, since a matrix needs no network. */
enum {
    DRAW_INPUT_ROWS = 16,
};
void draw_input_rows(struct option_row out[DRAW_INPUT_ROWS]);
extern const struct option_row draw_subject_rows[];
extern const struct option_row draw_by_rows[], draw_output_rows[];
/* What is wrong with them together: TOOL_OK, or a usage error that was told. */
int draw_options_check(const struct draw_options *options, const char *command);

/* With --json or --csv: what was drawn, on stdout; picture: "matrix". Errors:
 * EIO. */
int draw_options_say(const struct draw_options *options,
                     const char *picture,
                     struct mapcore_error *err);

/* The traffic that --by and --graph speak of; *type is the one type of call
 * that it is of, or NULL. Errors: as traffic.h; EINVAL (of a graph only bytes
 * are known). */
int draw_options_traffic(struct traffic *out,
                         const char **type,
                         const struct draw_options *options,
                         struct mapcore_error *err);

#endif
