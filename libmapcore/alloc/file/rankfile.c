/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rankfile.c - Open MPI's rankfiles: rank N=HOST slot=PLACES */
#include "config.h"

#include "alloc/file/hostnames.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* A line of a rankfile. */
struct rank {
    uint32_t rank, host;
    uint32_t socket, core; /* the first of its places; socket NONE: none said */
    bool is_plain;         /* one number alone */
    size_t line;
};

struct rankfile_ranks {
    struct rank *rank;
    size_t n, capacity;
};

static void skip_blanks(char **cursor)
{
    *cursor += strspn(*cursor, " \t\r\v\f");
}

/* "3", "0-3", "0,2", "1:0-3", "1:*", "*", each perhaps with p for physical. */
static bool take_places(struct rank *rank, char *cursor)
{
    uint32_t number;

    rank->socket = MAPCORE_NONE;
    rank->core = 0;
    if (*cursor == 'p' || *cursor == 'P')
        cursor++;
    if (*cursor == '*')
        return text_at_end(cursor + 1);
    if (!mapping_take_digits(&cursor, &number))
        return false;
    rank->core = number;
    rank->is_plain = text_at_end(cursor);
    if (*cursor == ':') {
        cursor++;
        rank->socket = number;
        rank->core = 0;
        if (*cursor != '*' && !mapping_take_digits(&cursor, &rank->core))
            return false;
    }
    return cursor[strspn(cursor, "0123456789,-:*pP \t\r\v\f")] == '\0';
}

/* Blanks, then word; false with nothing said where it does not stand. */
static bool take_text(char **cursor, const char *word)
{
    skip_blanks(cursor);
    if (strncmp(*cursor, word, strlen(word)) != 0)
        return false;
    *cursor += strlen(word);
    skip_blanks(cursor);
    return true;
}

/* "rank 3=n1 slot=0": all but the host itself into *out. */
static bool split_rank(struct rank *out, char **host, char *cursor)
{
    return take_text(&cursor, "rank") &&
           mapping_take_digits(&cursor, &out->rank) &&
           take_text(&cursor, "=") && (*host = text_take_word(&cursor)) &&
           take_text(&cursor, "slot") && take_text(&cursor, "=") &&
           take_places(out, cursor);
}

static int take_rank(struct rank *out,
                     struct hostnames *names,
                     char *line,
                     const struct text *text,
                     struct mapcore_error *err)
{
    char *host, *digits;

    *out = (struct rank){.line = text_line_number(text)};
    if (!split_rank(out, &host, line))
        return text_error(text, err, MAPCORE_EPARSE,
                          "expected 'rank N=HOST slot=PLACES'");
    if (strncmp(host, "+n", 2) != 0)
        return hostnames_find(&out->host, names, host, text, err);
    /* Relative: counted in the allocation. */
    digits = host + 2;
    if (!mapping_take_digits(&digits, &out->host) || *digits != '\0' ||
        out->host >= names->hosts->n)
        return text_error(text, err, MAPCORE_EINVAL,
                          "node %.40s: %u node%s known", host, names->hosts->n,
                          names->hosts->n == 1 ? " is" : "s are");
    return 0;
}

static int read_ranks(struct rankfile_ranks *ranks,
                      struct hostnames *names,
                      struct text *text,
                      struct mapcore_error *err)
{
    struct rank rank;
    char *line;
    int error;

    while ((error = text_line(text, &line, err)) == 0 && line) {
        line[strcspn(line, "#")] = '\0';
        if (text_at_end(line))
            continue;
        if ((error = take_rank(&rank, names, line, text, err)) < 0 ||
            (error = array_reserve(&ranks->rank, &ranks->capacity, ranks->n + 1,
                                   sizeof(rank), err)) < 0)
            return error;
        ranks->rank[ranks->n++] = rank;
    }
    return error;
}

static int compare_by_rank(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Depth first in the host's hardware; what names no socket first. */
static int compare_by_place(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    uint32_t xsocket = x->socket + 1, ysocket = y->socket + 1; /* NONE: 0 */

    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    if (xsocket != ysocket)
        return xsocket < ysocket ? -1 : 1;
    if (x->core != y->core)
        return x->core < y->core ? -1 : 1;
    return compare_by_rank(a, b);
}

/* Each rank from 0 on, once. */
static int check_ranks(const struct rankfile_ranks *ranks,
                       const struct text *text,
                       struct mapcore_error *err)
{
    for (size_t i = 0; i < ranks->n; i++) {
        const struct rank *rank = &ranks->rank[i];

        if (i > 0 && rank->rank == rank[-1].rank)
            return error_set(err, MAPCORE_EPARSE,
                             "%s:%zu: rank %u stands in line %zu already",
                             text_name(text), rank->line, rank->rank,
                             rank[-1].line);
        if (rank->rank != i)
            return error_set(err, MAPCORE_EPARSE, "%s: there is no rank %zu",
                             text_name(text), i);
    }
    return 0;
}

/* Whether the places can be our slots as they are. */
static bool are_slots(const struct rankfile_ranks *ranks,
                      const struct mapping_hosts *hosts)
{
    for (size_t i = 0; i < ranks->n; i++) {
        const struct rank *rank = &ranks->rank[i];

        if (!rank->is_plain || hosts->n == 0 || !hosts->slots ||
            rank->core >= hosts->slots[rank->host])
            return false;
    }
    return true;
}

int mapping_read_rankfile(struct mapping_lines *out,
                          struct text *text,
                          const struct mapping_hosts *hosts,
                          struct mapcore_error *err)
{
    struct hostnames names = {0};
    struct rankfile_ranks ranks = {0};
    bool as_they_are;
    int error;

    if ((error = hostnames_init(&names, out, hosts, text, err)) < 0 ||
        (error = read_ranks(&ranks, &names, text, err)) < 0)
        goto out;
    if (ranks.n > 0)
        qsort(ranks.rank, ranks.n, sizeof(*ranks.rank), compare_by_rank);
    error = check_ranks(&ranks, text, err);
    for (size_t i = 0; error == 0 && i < ranks.n; i++) {
        error = mapping_lines_add(out, ranks.rank[i].host, 0, text, err);
        if (error == 0)
            out->line[i] = ranks.rank[i].line;
    }
    if (error < 0 || ranks.n == 0)
        goto out;
    as_they_are = are_slots(&ranks, hosts);
    qsort(ranks.rank, ranks.n, sizeof(*ranks.rank), compare_by_place);
    for (size_t i = 0, first = 0; i < ranks.n; i++) {
        const struct rank *rank = &ranks.rank[i];

        if (rank->host != ranks.rank[first].host)
            first = i;
        out->slot[rank->rank] =
            as_they_are ? rank->core : (uint32_t)(i - first);
    }
out:
    free(ranks.rank);
    hostnames_clear(&names);
    return error;
}
