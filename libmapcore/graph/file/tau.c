/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tau.c - TAU's profiles, profile.NODE.CONTEXT.THREAD, with the communication
 * matrix that TAU_COMM_MATRIX=1 adds as user events */
#include "config.h"

#include "graph/file/run.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct tau {
    struct run run;
    bool has_matrix;
};

/* The NODE of profile.NODE.CONTEXT.THREAD. */
static int take_node(uint32_t *node,
                     const struct text *text,
                     struct mapcore_error *err)
{
    static const char before[] = "profile.";
    const char *name = text_last_part(text_name(text));
    unsigned long value = MAPCORE_NONE;
    char *end = NULL;

    if (strncmp(name, before, sizeof(before) - 1) == 0 &&
        name[sizeof(before) - 1] >= '0' && name[sizeof(before) - 1] <= '9')
        value = strtoul(name + sizeof(before) - 1, &end, 10);
    if (value >= MAPCORE_NONE - 1 || !end || *end != '.')
        return error_set(err, MAPCORE_EPARSE,
                         "%s: TAU's files are called profile.NODE.CONTEXT."
                         "THREAD, which says whose they are",
                         text_name(text));
    *node = (uint32_t)value;
    return 0;
}

/* Skips a line's name in quotes; NULL: there is none. */
static char *skip_name(char *line)
{
    char *end = *line == '"' ? strrchr(line + 1, '"') : NULL;

    return end ? end + 1 : NULL;
}

/* "Message size sent to node 3" NUMEVENTS MAX MIN MEAN SUMSQR. What follows a
 * colon in the name is the same messages once more, by call path. */
static int read_event(struct tau *tau,
                      uint32_t node,
                      struct text *text,
                      char *line,
                      struct mapcore_error *err)
{
    static const char sent[] = "\"Message size sent to node ";
    char *cursor = skip_name(line), *end, *word = NULL;
    unsigned long to;
    double n = 0, mean = 0;
    uint64_t bytes;

    if (!cursor)
        return text_error(text, err, MAPCORE_EPARSE,
                          "a user event without a name: is it cut short?");
    if (strncmp(line, sent, sizeof(sent) - 1) != 0)
        return 0;
    to = strtoul(line + sizeof(sent) - 1, &end, 10);
    if (*end != '"')
        return 0;
    for (int i = 0; i < 4; i++) {
        word = text_take_word(&cursor);
        if (!word || ((i == 0 || i == 3) &&
                      !text_parse_double(word, i == 0 ? &n : &mean)))
            return text_error(text, err, MAPCORE_EPARSE,
                              "'%.40s' is no number of messages or bytes",
                              word ? word : "");
    }
    if (to >= MAPCORE_NONE - 1 || !edges_round_bytes(&bytes, n * mean))
        return text_error(text, err, MAPCORE_ERANGE,
                          "more bytes or tasks than there can be");
    tau->has_matrix = true;
    if (to >= tau->run.ntasks)
        tau->run.ntasks = (uint32_t)to + 1;
    return edges_add(&tau->run.edges, node, (uint32_t)to, bytes, text, err);
}

/* Goes to the line "N userevents"; *n is 0 without. */
static int find_events(uint64_t *n,
                       struct text *text,
                       struct mapcore_error *err)
{
    char *line, *cursor, *word;
    int error;

    while ((error = text_line(text, &line, err)) == 0 && line) {
        cursor = line;
        if (*line != '"' && *line != '#' && text_take_u64(&cursor, n, NULL) &&
            (word = text_take_word(&cursor)) && strcmp(word, "userevents") == 0)
            return 0;
    }
    *n = 0;
    return error;
}

static int add(void *state, struct text *text, struct mapcore_error *err)
{
    struct tau *tau = state;
    uint32_t node = 0;
    uint64_t n = 0;
    char *line;
    int error;

    if ((error = take_node(&node, text, err)) < 0 ||
        (error = text_line(text, &line, err)) < 0)
        return error;
    if (!line || !strstr(line, " templated_functions"))
        return error_set(err, MAPCORE_EPARSE,
                         "%s: not a profile of TAU, whose first line says how "
                         "many templated_functions there are",
                         text_name(text));
    if (node >= tau->run.ntasks)
        tau->run.ntasks = node + 1;
    if ((error = find_events(&n, text, err)) < 0)
        return error;
    for (uint64_t i = 0; i < n;) {
        if ((error = text_line(text, &line, err)) < 0)
            return error;
        if (!line)
            return text_error(text, err, MAPCORE_EPARSE,
                              "the file ends before all of its user events: is "
                              "it cut short?");
        if (*line == '#')
            continue;
        if ((error = read_event(tau, node, text, line, err)) < 0)
            return error;
        i++;
    }
    return 0;
}

static int finish(void *state, struct mapcore_error *err)
{
    const struct tau *tau = state;

    return tau->has_matrix
               ? 0
               : error_set(err, MAPCORE_EPARSE,
                           "%s: no communication matrix in it: TAU records one "
                           "with TAU_COMM_MATRIX=1",
                           tau->run.name);
}

const struct run_format run_tau = {
    .about = "files profile.NODE.CONTEXT.THREAD of TAU",
    .prefix = "profile.",
    .suffix = "",
    .size = sizeof(struct tau),
    .add = add,
    .finish = finish,
};
