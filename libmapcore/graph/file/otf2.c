/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* otf2.c - a trace of Score-P, as otf2-print -A shows it: its sends, and which
 * rank each of its locations is of */
#include "config.h"

#include "graph/file/run.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* A location, which is a thread, and the group that its process is. */
struct otf2_place {
    uint64_t id, group;
};

struct otf2 {
    struct run run;
    bool has_events;
    struct otf2_place *place; /* [n], in the file's order */
    size_t n, capacity;
    uint64_t *rank; /* [nranks], the location that is each rank's; without any
                       the locations' numbers are ranks */
    size_t nranks, ranks_capacity;
    struct otf2_rank {
        uint64_t id;
        uint32_t rank;
    } * of; /* [nof], ascending by id */
    size_t nof;
};

/* <NUMBER> that comes next behind *cursor, which goes on behind it. */
static bool take_id(char **cursor, uint64_t *id)
{
    char *open = *cursor, *close;
    bool is_number = false;

    while (!is_number && (open = strchr(open, '<')) &&
           (close = strchr(open, '>'))) {
        *close = '\0';
        is_number = text_parse_u64(open + 1, id);
        *close = '>';
        *cursor = close + 1;
        open++; /* a name may have such signs, too */
    }
    return is_number;
}

/* What stands behind a key; NULL: it is not there. A name in quotes may hold
 * anything, so keys are looked for from the end where that is possible. */
static char *find_last(char *line, const char *key)
{
    char *found = NULL;

    for (char *at = line; (at = strstr(at, key)); at += strlen(key))
        found = at + strlen(key);
    return found;
}

/* LOCATION 3 Name: "...", Type: CPU_THREAD, ..., Group: "MPI Rank 3" <3> */
static int add_location(struct otf2 *otf2,
                        struct text *text,
                        char *line,
                        struct mapcore_error *err)
{
    char *cursor = line, *group = strrchr(line, '<');
    struct otf2_place place;
    int error;

    if (!text_take_u64(&cursor, &place.id, NULL) || !group ||
        !take_id(&group, &place.group))
        return text_error(text, err, MAPCORE_EPARSE,
                          "a location without a number or a group");
    error = array_reserve(&otf2->place, &otf2->capacity, otf2->n + 1,
                          sizeof(*otf2->place), err);
    if (error == 0)
        otf2->place[otf2->n++] = place;
    return error;
}

/* GROUP 0 Name: "", Type: COMM_LOCATIONS, Paradigm: MPI, Flags: NONE, 4
 * Members: "Master thread" <0>, "Master thread" <1>, ... */
static int add_ranks(struct otf2 *otf2,
                     struct text *text,
                     char *line,
                     struct mapcore_error *err)
{
    char *cursor = find_last(line, " Members: ");
    uint64_t id;
    int error = 0;

    if (!cursor || !strstr(line, ", Paradigm: MPI,"))
        return 0;
    otf2->nranks = 0;
    while (error == 0 && take_id(&cursor, &id)) {
        error = array_reserve(&otf2->rank, &otf2->ranks_capacity,
                              otf2->nranks + 1, sizeof(*otf2->rank), err);
        if (error == 0)
            otf2->rank[otf2->nranks++] = id;
    }
    if (error == 0 && otf2->nranks >= MAPCORE_NONE)
        error = text_error(text, err, MAPCORE_ERANGE, "too many ranks");
    return error;
}

static int compare_groups(const void *a, const void *b)
{
    const struct otf2_rank *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static uint32_t find_rank(const struct otf2_rank *of, size_t n, uint64_t id)
{
    const struct otf2_rank wanted = {.id = id};
    const struct otf2_rank *found =
        n > 0 ? bsearch(&wanted, of, n, sizeof(*of), compare_groups) : NULL;

    return found ? found->rank : MAPCORE_NONE;
}

/* A rank's location, and all others of the same process. */
static int find_ranks(struct otf2 *otf2, struct mapcore_error *err)
{
    struct otf2_rank *own, *groups;
    size_t n = 0;

    own = array_alloc(otf2->nranks, sizeof(*own), err);
    groups = array_alloc(otf2->n, sizeof(*groups), err);
    otf2->of = array_alloc(otf2->nranks + otf2->n, sizeof(*otf2->of), err);
    for (size_t i = 0; own && i < otf2->nranks; i++)
        own[i] = (struct otf2_rank){otf2->rank[i], (uint32_t)i};
    if (own && otf2->nranks > 0)
        qsort(own, otf2->nranks, sizeof(*own), compare_groups);
    for (size_t i = 0; own && groups && i < otf2->n; i++) {
        const uint32_t rank = find_rank(own, otf2->nranks, otf2->place[i].id);

        if (rank != MAPCORE_NONE)
            groups[n++] = (struct otf2_rank){otf2->place[i].group, rank};
    }
    if (groups && n > 0)
        qsort(groups, n, sizeof(*groups), compare_groups);
    for (size_t i = 0; own && groups && otf2->of && i < otf2->n; i++) {
        const uint32_t rank = find_rank(groups, n, otf2->place[i].group);

        if (rank != MAPCORE_NONE)
            otf2->of[otf2->nof++] = (struct otf2_rank){otf2->place[i].id, rank};
    }
    if (otf2->nof > 0)
        qsort(otf2->of, otf2->nof, sizeof(*otf2->of), compare_groups);
    free(own);
    free(groups);
    return otf2->of ? 0 : MAPCORE_ENOMEM;
}

static int take_rank(uint32_t *rank,
                     struct otf2 *otf2,
                     uint64_t location,
                     struct text *text,
                     struct mapcore_error *err)
{
    *rank = MAPCORE_NONE;
    if (otf2->nranks > 0)
        *rank = find_rank(otf2->of, otf2->nof, location);
    else if (location < MAPCORE_NONE - 1)
        *rank = (uint32_t)location;
    if (*rank == MAPCORE_NONE)
        return text_error(text, err, MAPCORE_EPARSE,
                          "location %llu is no rank of MPI: the trace is to be "
                          "printed by otf2-print -A",
                          (unsigned long long)location);
    if (*rank >= otf2->run.ntasks)
        otf2->run.ntasks = *rank + 1;
    return 0;
}

/* MPI_SEND 0 11 Receiver: 1 ("Master thread" <1>), Communicator: ..., Tag: 5,
 * Length: 1000 */
static int add_send(struct otf2 *otf2,
                    struct text *text,
                    char *line,
                    struct mapcore_error *err)
{
    char *cursor = line, *to = strstr(line, "Receiver: ");
    char *length = find_last(line, ", Length: ");
    uint64_t from, receiver, bytes;
    uint32_t a, b;
    int error;

    if (!text_take_u64(&cursor, &from, NULL) || !to || !length)
        return text_error(text, err, MAPCORE_EPARSE,
                          "a send without a receiver or a length: is the line "
                          "cut short?");
    length[strcspn(length, ",\r")] = '\0';
    if (!text_parse_u64(length, &bytes))
        return text_error(text, err, MAPCORE_EPARSE,
                          "'%.40s' is no number of bytes", length);
    /* Behind the name, which may hold any character: the last one. */
    cursor = strstr(to, "), Communicator: ");
    if (!cursor)
        return text_error(text, err, MAPCORE_EPARSE,
                          "a receiver that is not known to otf2-print");
    *cursor = '\0';
    cursor = strrchr(to, '<');
    if (!cursor || !take_id(&cursor, &receiver))
        return text_error(text, err, MAPCORE_EPARSE,
                          "a receiver without a location");
    if ((error = take_rank(&a, otf2, from, text, err)) < 0 ||
        (error = take_rank(&b, otf2, receiver, text, err)) < 0)
        return error;
    return edges_add(&otf2->run.edges, a, b, bytes, text, err);
}

static bool is_word(const char *line, const char *word)
{
    const size_t n = strlen(word);

    return strncmp(line, word, n) == 0 && line[n] == ' ';
}

static int add_line(struct otf2 *otf2,
                    struct text *text,
                    char *line,
                    struct mapcore_error *err)
{
    if (is_word(line, "LOCATION"))
        return add_location(otf2, text, line + strlen("LOCATION"), err);
    if (is_word(line, "GROUP") && strstr(line, ", Type: COMM_LOCATIONS,"))
        return add_ranks(otf2, text, line, err);
    if (is_word(line, "Event")) {
        otf2->has_events = true;
        return find_ranks(otf2, err);
    }
    if (!otf2->has_events)
        return 0;
    if (is_word(line, "MPI_SEND") || is_word(line, "MPI_ISEND"))
        return add_send(otf2, text, line + strcspn(line, " "), err);
    return 0;
}

static int add(void *state, struct text *text, struct mapcore_error *err)
{
    struct otf2 *otf2 = state;
    char *line;
    int error;

    while ((error = text_line(text, &line, err)) == 0 && line) {
        if (otf2->has_events && is_word(line, "Event"))
            return text_error(text, err, MAPCORE_EPARSE,
                              "a second trace in one file");
        if ((error = add_line(otf2, text, line, err)) < 0)
            return error;
    }
    return error;
}

static int finish(void *state, struct mapcore_error *err)
{
    struct otf2 *otf2 = state;

    if (!otf2->has_events)
        return error_set(err, MAPCORE_EPARSE,
                         "%s: no events in it: not what otf2-print -A prints",
                         otf2->run.name);
    if (otf2->nranks > otf2->run.ntasks)
        otf2->run.ntasks = (uint32_t)otf2->nranks;
    return otf2->run.ntasks > 0
               ? 0
               : error_set(err, MAPCORE_EPARSE, "%s: no ranks of MPI in it",
                           otf2->run.name);
}

static void clear(void *state)
{
    struct otf2 *otf2 = state;

    free(otf2->place);
    free(otf2->rank);
    free(otf2->of);
}

const struct run_format run_otf2 = {
    .about = "the output of otf2-print -A",
    .prefix = "",
    .suffix = ".otf2.txt",
    .size = sizeof(struct otf2),
    .add = add,
    .finish = finish,
    .clear = clear,
};
