/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* draw_options.h - the options of topomap draw and topomap report */
#ifndef TOOLS_DRAW_DRAW_OPTIONS_H
#define TOOLS_DRAW_DRAW_OPTIONS_H

#include "tools/common/command_line.h"
#include "tools/draw/draw_subject.h"
#include "tools/draw/traffic.h"
#include "tools/table/answer.h"

struct draw_options {
    struct draw_subject subject;
    uint32_t verb;
    enum amount_unit by;
    const char *output;
    struct answer_form form;
};

/* The traffic that --by and --graph speak of; *type is the one type of call
 * that it is of, or NULL. Errors: as traffic.h; EINVAL (of a graph only bytes
 * are known). */
int draw_options_traffic(struct traffic *out,
                         const char **type,
                         const struct draw_options *options);

#endif
