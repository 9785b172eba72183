/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_line.c - a line of the history, written and read by one table */
#include "config.h"

#include "profiles/history/history_line.h"

#include "base/error_set.h"
#include "json/json_fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(key, kind, member, need)                                         \
    JSON_FIELD(history_line, key, kind, member, need)
#define MEMBER(member, need) JSON_MEMBER(history_line, member, need)

static const struct json_field fields[] = {
    MEMBER(format, JSON_NEEDED),
    MEMBER(event, JSON_NEEDED),
    MEMBER(time, JSON_NEEDED),
    FIELD("at_s", JSON_DOUBLE, at_s, JSON_NEEDED),
    MEMBER(origin, JSON_OPTIONAL),
    MEMBER(user, JSON_OPTIONAL),
    MEMBER(job, JSON_NEEDED),
    MEMBER(step, JSON_NEEDED),
    MEMBER(program, JSON_OPTIONAL),
    MEMBER(identity, JSON_OPTIONAL),
    MEMBER(arguments, JSON_OPTIONAL),
    MEMBER(node_type, JSON_OPTIONAL),
    MEMBER(ntasks, JSON_OPTIONAL),
    MEMBER(nnodes, JSON_OPTIONAL),
    MEMBER(nodelist, JSON_OPTIONAL),
    MEMBER(outcome, JSON_OPTIONAL),
    MEMBER(why, JSON_OPTIONAL),
    MEMBER(asked, JSON_OPTIONAL),
    MEMBER(graph, JSON_OPTIONAL),
    MEMBER(profile, JSON_OPTIONAL),
    MEMBER(recorded, JSON_OPTIONAL),
    FIELD("hops_per_byte_before", JSON_AMOUNT, links_before, JSON_OPTIONAL),
    FIELD("hops_per_byte_after", JSON_AMOUNT, links_after, JSON_OPTIONAL),
    FIELD("busiest_link_bytes_before",
          JSON_AMOUNT,
          busiest_before,
          JSON_OPTIONAL),
    FIELD("busiest_link_bytes_after",
          JSON_AMOUNT,
          busiest_after,
          JSON_OPTIONAL),
    FIELD("off_node_bytes_before", JSON_AMOUNT, offnode_before, JSON_OPTIONAL),
    FIELD("off_node_bytes_after", JSON_AMOUNT, offnode_after, JSON_OPTIONAL),
    FIELD("profile_seconds", JSON_AMOUNT, profile_s, JSON_OPTIONAL),
    FIELD("profile_mpi_seconds_before",
          JSON_AMOUNT,
          mpi_before_s,
          JSON_OPTIONAL),
    FIELD("profile_mpi_seconds_after", JSON_AMOUNT, mpi_after_s, JSON_OPTIONAL),
    MEMBER(plan_ms, JSON_OPTIONAL),
    MEMBER(seconds, JSON_OPTIONAL),
    MEMBER(mpi_seconds, JSON_OPTIONAL),
    MEMBER(state, JSON_OPTIONAL),
    MEMBER(map, JSON_OPTIONAL),
    MEMBER(cpus, JSON_OPTIONAL),
};
#define NFIELDS (sizeof(fields) / sizeof(fields[0]))

/* What tells whose line it is; topomap writes them first. */
static const struct json_field head[] = {
    MEMBER(event, JSON_NEEDED),
    FIELD("at_s", JSON_DOUBLE, at_s, JSON_NEEDED),
    MEMBER(user, JSON_OPTIONAL),
    MEMBER(job, JSON_NEEDED),
    MEMBER(origin, JSON_OPTIONAL),
    MEMBER(step, JSON_NEEDED),
};

void history_line_begin(struct history_line *out)
{
    *out = (struct history_line){.format = HISTORY_FORMAT,
                                 .links_before = -1,
                                 .links_after = -1,
                                 .busiest_before = -1,
                                 .busiest_after = -1,
                                 .offnode_before = -1,
                                 .offnode_after = -1,
                                 .plan_ms = -1,
                                 .seconds = -1,
                                 .mpi_seconds = -1,
                                 .profile_s = -1,
                                 .mpi_before_s = -1,
                                 .mpi_after_s = -1};
}

static char **string_at(struct history_line *line, size_t i)
{
    return (char **)((char *)line + fields[i].offset);
}

void history_line_clear(struct history_line *line)
{
    json_free_fields(line, fields, NFIELDS);
    memset(line, 0, sizeof(*line));
}

/* A long text without its end, cut between letters of UTF-8. */
static void shorten(char out[HISTORY_TEXT_MOST + 1], const char *text)
{
    size_t n = HISTORY_TEXT_MOST - 3;

    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    memcpy(out, text, n);
    memcpy(out + n, "...", 4);
}

int history_line_format(char **out,
                        const struct history_line *line,
                        struct mapcore_error *err)
{
    struct json_writer writer;
    struct history_line shorter = *line;
    char memory[NFIELDS][HISTORY_TEXT_MOST + 1], *text = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&text, &n);
    int error = file ? 0 : error_set(err, MAPCORE_ENOMEM, "no memory");

    for (size_t i = 0; i < NFIELDS; i++)
        if (fields[i].kind == JSON_STRING && *string_at(&shorter, i) &&
            strlen(*string_at(&shorter, i)) > HISTORY_TEXT_MOST) {
            shorten(memory[i], *string_at(&shorter, i));
            *string_at(&shorter, i) = memory[i];
        }
    if (error == 0) {
        json_writer_start_lines(&writer, file);
        json_begin_object(&writer, NULL);
        json_write_fields(&writer, &shorter, fields, NFIELDS);
        json_end_line(&writer);
        error = json_writer_end(&writer, err);
    }
    if (file && fclose(file) != 0 && error == 0)
        error = error_set(err, MAPCORE_ENOMEM, "no memory");
    if (error == 0 && n >= HISTORY_LINE_MOST)
        error = error_set(err, MAPCORE_ERANGE, "too long a line: %zu bytes", n);
    if (error == 0) {
        *out = text;
        text = NULL;
    }
    free(text);
    return error;
}

static bool is_event(const char *event)
{
    return strcmp(event, HISTORY_LAUNCH) == 0 ||
           strcmp(event, HISTORY_END) == 0;
}

int history_line_parse(struct history_line *out,
                       const char *bytes,
                       size_t n,
                       struct mapcore_error *err)
{
    struct json *json = NULL;
    struct json_node root;
    struct history_line line;
    char copy[HISTORY_LINE_MOST];
    int error;

    history_line_begin(&line);
    if (n < sizeof(copy)) {
        memcpy(copy, bytes, n);
        copy[n] = '\0';
        if (strlen(copy) == n &&
            json_read_flat(&line, copy, fields, NFIELDS, false) &&
            line.format == HISTORY_FORMAT && is_event(line.event)) {
            *out = line;
            return 0;
        }
        history_line_clear(&line);
        history_line_begin(&line);
    }
    error = json_open_memory(&json, "history", bytes, n, err);
    if (error == 0 && (error = json_root(&root, json)) == 0 &&
        (error = json_check_format(&root, HISTORY_FORMAT)) == 0)
        error = json_read_fields(&line, &root, fields, NFIELDS);
    if (error == 0 && !is_event(line.event))
        error = error_set(err, MAPCORE_EPARSE, "history: an event %.40s",
                          line.event);
    json_close(json);
    if (error == 0)
        *out = line;
    else
        history_line_clear(&line);
    return error;
}

static bool is_known(const struct history_line *line, size_t i)
{
    const char *at = (const char *)line + fields[i].offset;

    if (fields[i].kind == JSON_STRING)
        return *(char *const *)at != NULL;
    if (fields[i].kind == JSON_U32)
        return *(const uint32_t *)at != 0;
    return fields[i].kind == JSON_AMOUNT && *(const double *)at >= 0;
}

/* Of srun's own words: it knows less of what `topomap` has answered, and all of
 * what did not arrive, or was not recorded. */
static bool is_overruled(const struct history_line *launch,
                         const struct history_line *end)
{
    static const char *const lost[] = {HISTORY_UNSUPPORTED, HISTORY_FAILED};

    if (!launch->outcome || !end->outcome ||
        strcmp(launch->outcome, end->outcome) == 0)
        return false;
    if (strcmp(launch->outcome, HISTORY_RECORDED) == 0)
        return true;
    for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++)
        if (strcmp(end->outcome, lost[i]) == 0)
            return true;
    return false;
}

int history_line_head(struct history_line *out,
                      const char *bytes,
                      size_t n,
                      struct mapcore_error *err)
{
    char copy[HISTORY_LINE_MOST];

    history_line_begin(out);
    if (n < sizeof(copy)) {
        memcpy(copy, bytes, n);
        copy[n] = '\0';
        if (strlen(copy) == n &&
            json_read_flat(out, copy, head, sizeof(head) / sizeof(*head),
                           true) &&
            is_event(out->event))
            return 0;
    }
    history_line_clear(out);
    return history_line_parse(out, bytes, n, err);
}

void history_line_merge(struct history_line *launch, struct history_line *end)
{
    bool overruled = is_overruled(launch, end);

    for (size_t i = 0; i < NFIELDS; i++) {
        size_t size = fields[i].kind == JSON_STRING   ? sizeof(char *)
                      : fields[i].kind == JSON_U32    ? sizeof(uint32_t)
                      : fields[i].kind == JSON_AMOUNT ? sizeof(double)
                                                      : 0;
        bool says =
            overruled &&
            (fields[i].offset == offsetof(struct history_line, why) ||
             fields[i].offset == offsetof(struct history_line, outcome));

        if (size == 0 || !is_known(end, i) || (is_known(launch, i) && !says))
            continue;
        if (fields[i].kind == JSON_STRING) {
            free(*string_at(launch, i));
            *string_at(launch, i) = *string_at(end, i);
            *string_at(end, i) = NULL;
        } else {
            memcpy((char *)launch + fields[i].offset,
                   (char *)end + fields[i].offset, size);
        }
    }
    history_line_clear(end);
}

int history_line_order(const struct history_line *a,
                       const struct history_line *b)
{
    const char *const words[][2] = {{a->program, b->program},
                                    {a->identity, b->identity},
                                    {a->arguments, b->arguments},
                                    {a->node_type, b->node_type}};
    int order = 0;

    for (size_t i = 0; order == 0 && i < sizeof(words) / sizeof(*words); i++)
        order = strcmp(words[i][0] ? words[i][0] : "",
                       words[i][1] ? words[i][1] : "");
    if (order == 0)
        order = (a->ntasks > b->ntasks) - (a->ntasks < b->ntasks);
    if (order == 0)
        order = (a->nnodes > b->nnodes) - (a->nnodes < b->nnodes);
    return order;
}
