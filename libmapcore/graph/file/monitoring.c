/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* monitoring.c - what Open MPI's monitoring component leaves, a file a rank
 * (pml_monitoring; Bosilca, Foyer, Jeannot, Mercier, Papaure, Online Dynamic
 * Monitoring of MPI Communications, Euro-Par 2017) */
#include "config.h"

#include "graph/file/run.h"

#include <string.h>
#include <strings.h>

struct monitoring {
    struct run run;
    uint32_t seen;  /* tasks: the largest number and 1 */
    uint32_t world; /* of MPI_COMM_WORLD, 0: not told */
    uint32_t begun; /* parts "# POINT TO POINT" */
    uint32_t ended; /* parts "# COLLECTIVES", the last of a file */
};

static int take_task(uint32_t *task,
                     struct monitoring *m,
                     struct text *text,
                     char **cursor,
                     struct mapcore_error *err)
{
    bool overflow;

    if (!text_take_u32(cursor, task, &overflow))
        return text_number_error(text, err, *cursor, overflow, "task");
    if (*task >= MAPCORE_NONE - 1)
        return text_error(text, err, MAPCORE_ERANGE, "task %u is too large",
                          *task);
    if (m->world > 0 && *task >= m->world)
        return text_error(text, err, MAPCORE_EPARSE,
                          "task %u, but MPI_COMM_WORLD has %u tasks", *task,
                          m->world);
    if (*task >= m->seen)
        m->seen = *task + 1;
    return 0;
}

/* "0 1 4096 bytes 4 msgs sent 0,0,4": from, to, how much. */
static int read_sent(struct monitoring *m,
                     struct text *text,
                     char *cursor,
                     struct mapcore_error *err)
{
    uint32_t from, to;
    uint64_t bytes;
    bool overflow;
    char *unit;
    int error;

    if ((error = take_task(&from, m, text, &cursor, err)) < 0 ||
        (error = take_task(&to, m, text, &cursor, err)) < 0)
        return error;
    if (!text_take_u64(&cursor, &bytes, &overflow))
        return text_number_error(text, err, cursor, overflow,
                                 "number of bytes");
    unit = text_take_word(&cursor);
    if (!unit || strcmp(unit, "bytes") != 0)
        return text_error(text, err, MAPCORE_EPARSE,
                          "'bytes' is missing: is the line cut short?");
    return edges_add(&m->run.edges, from, to, bytes, text, err);
}

/* "MPI_COMM_WORLD procs: 0,1,2,3" */
static int read_world(struct monitoring *m,
                      struct text *text,
                      char *cursor,
                      struct mapcore_error *err)
{
    char *name = text_take_word(&cursor), *procs = text_take_word(&cursor);
    uint32_t n = 1;

    if (!name || !procs || strcmp(name, "MPI_COMM_WORLD") != 0 ||
        strcmp(procs, "procs:") != 0)
        return 0;
    for (; *cursor != '\0'; cursor++)
        n += *cursor == ',';
    if (m->world > 0 && m->world != n)
        return text_error(text, err, MAPCORE_EPARSE,
                          "MPI_COMM_WORLD of %u tasks, and before of %u: files "
                          "of two runs?",
                          n, m->world);
    m->world = n;
    if (m->seen > n)
        return text_error(text, err, MAPCORE_EPARSE,
                          "MPI_COMM_WORLD of %u tasks, but task %u sent or "
                          "received",
                          n, m->seen - 1);
    return 0;
}

/* E: sent by the program; I: by the MPI library, for collectives; S, R:
 * one-sided. The others tell of collectives what I has told already. */
static int read_line(struct monitoring *m,
                     struct text *text,
                     char *line,
                     struct mapcore_error *err)
{
    static const char *const others[] = {"C", "O2A", "A2O", "A2A"};
    char *word;

    if (*line == '#') {
        m->begun += strncmp(line, "# POINT TO POINT", 16) == 0;
        m->ended += strncmp(line, "# COLLECTIVES", 13) == 0;
        return 0;
    }
    if (!(word = text_take_word(&line)))
        return 0;
    if (strlen(word) == 1 && strchr("EISR", *word))
        return read_sent(m, text, line, err);
    if (strcmp(word, "D") == 0)
        return read_world(m, text, line, err);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (strcmp(word, others[i]) == 0)
            return 0;
    return text_error(text, err, MAPCORE_EPARSE,
                      "'%.40s' begins no line of Open MPI's monitoring", word);
}

static int add(void *state, struct text *text, struct mapcore_error *err)
{
    struct monitoring *m = state;
    char *line;
    int error;

    while ((error = text_line(text, &line, err)) == 0 && line)
        if ((error = read_line(m, text, line, err)) < 0)
            return error;
    if (error == 0 && m->ended < m->begun)
        error = text_error(text, err, MAPCORE_EPARSE,
                           "the file ends before its part of collectives: is "
                           "it cut short?");
    return error;
}

static int finish(void *state, struct mapcore_error *err)
{
    struct monitoring *m = state;

    if (m->begun > 0 && m->world > 0 && m->begun != m->world)
        return error_set(err, MAPCORE_EPARSE,
                         "%s: what %u of %u tasks sent: name the folder with "
                         "the files of all, or put them behind one another",
                         m->run.name, m->begun, m->world);
    m->run.ntasks = m->world > 0 ? m->world : m->seen;
    return 0;
}

const struct run_format run_monitoring = {
    .about = "files *.prof of Open MPI's monitoring",
    .prefix = "",
    .suffix = ".prof",
    .size = sizeof(struct monitoring),
    .add = add,
    .finish = finish,
};
