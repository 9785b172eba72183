/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorded.c - whose the rows are that a task leaves behind, and whether all
 * are of one run */
#include "config.h"

#include "tools/profile/recorded/recorded.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

static int bad(const struct recorded *merge, const char *what)
{
    return text_error(merge->text, merge->err, MAPCORE_EPARSE, "%s", what);
}

/* Keeps the rest of a line; another file must say the same. */
static int take_same(struct recorded *merge, char **field, const char *rest)
{
    if (*field && strcmp(*field, rest) != 0)
        return text_error(merge->text, merge->err, MAPCORE_EINVAL,
                          "this is of another run: '%.80s', not '%.80s'", rest,
                          *field);
    if (!*field)
        *field = array_copy(rest, strlen(rest) + 1, 1, merge->err);
    return *field ? 0 : MAPCORE_ENOMEM;
}

/* Nodes may differ: the first one speaks for all. */
static int take_node(struct recorded *merge, const char *node)
{
    if (!merge->node)
        merge->node = array_copy(node, strlen(node) + 1, 1, merge->err);
    return merge->node ? 0 : MAPCORE_ENOMEM;
}

static int take_host(struct recorded *merge, const char *host)
{
    for (uint32_t i = 0; i < merge->all.hosts; i++)
        if (strcmp(merge->hosts[i], host) == 0)
            return 0;
    if (array_reserve(&merge->hosts, &merge->hosts_capacity,
                      (size_t)merge->all.hosts + 1, sizeof(*merge->hosts),
                      merge->err) < 0)
        return MAPCORE_ENOMEM;
    char *copy = array_copy(host, strlen(host) + 1, 1, merge->err);
    if (!copy)
        return MAPCORE_ENOMEM;
    merge->hosts[merge->all.hosts++] = copy;
    return 0;
}

int recorded_take_stats(struct recorded *merge, const struct call_stats *stats)
{
    task_times_spend(&merge->times, stats);
    return gathered_add_stats(&merge->all, stats, 1) < 0
               ? error_set(merge->err, MAPCORE_ENOMEM, "out of memory")
               : 0;
}

/* Nothing is made as large as a file claims, but a graph has a row a task. */
static int take_tasks(struct recorded *merge, uint32_t rank, char *cursor)
{
    enum { MOST_TASKS = 1 << 24 };
    uint32_t ntasks;

    if (!text_take_u32(&cursor, &ntasks, NULL) || ntasks == 0 ||
        ntasks > MOST_TASKS || rank >= ntasks ||
        (merge->ntasks && ntasks != merge->ntasks))
        return bad(merge, "not the number of tasks of this run");
    merge->ntasks = ntasks;
    if (array_reserve(&merge->found, &merge->found_capacity,
                      (size_t)merge->nfound + 1, sizeof(*merge->found),
                      merge->err) < 0)
        return MAPCORE_ENOMEM;
    merge->found[merge->nfound++] = rank;
    task_times_begin(&merge->times, rank, NULL, 0);
    merge->regions = (struct region_names){0};
    region_names_add(&merge->all.regions, merge->phase, &merge->regions);
    return 0;
}

static int take_line(struct recorded *merge, char *line, uint32_t *rank)
{
    const struct {
        const char *word;
        char **field;
    } same[] = {{"program", &merge->program}, {"name", &merge->name},
                {"mpi", &merge->mpi},         {"mpi_type", &merge->mpi_type},
                {"job", &merge->job},         {"user", &merge->user},
                {"command", &merge->command}};
    char *rest = line, *word = text_take_word(&rest);

    if (!word)
        return bad(merge, "an empty line");
    rest += strspn(rest, " ");
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        if (strcmp(word, same[i].word) == 0)
            return take_same(merge, same[i].field, rest);
    if (strcmp(word, "rank") == 0)
        return text_take_u32(&rest, rank, NULL) ? 0 : bad(merge, "no rank");
    if (strcmp(word, "ntasks") == 0)
        return take_tasks(merge, *rank, rest);
    if (strcmp(word, "host") == 0)
        return take_host(merge, rest);
    if (strcmp(word, "node") == 0)
        return take_node(merge, rest);
    if (strcmp(word, "large") == 0)
        return text_take_u32(&rest, &merge->large_ppm, NULL) ? 0
                                                             : bad(merge, "?");
    return bad(merge, "no such line is known");
}

int recorded_take_head(struct recorded *merge)
{
    uint32_t rank = MAPCORE_NONE, before = merge->nfound;
    char *line;
    int error;

    while ((error = text_line(merge->text, &line, merge->err)) == 0 && line &&
           (error = take_line(merge, line, &rank)) == 0)
        ;
    return error < 0 || merge->nfound == before + 1
               ? error
               : bad(merge, "does not say of which task it is");
}

static int compare_ranks(const void *one, const void *other)
{
    const uint32_t x = *(const uint32_t *)one, y = *(const uint32_t *)other;
    return x < y ? -1 : x > y;
}

int recorded_check(struct recorded *merge, const char *from)
{
    int error = 0;

    if (merge->nfound == 0)
        error = error_set(merge->err, MAPCORE_ENOENT,
                          "no task left its rows in %.400s", from);
    else if (!merge->program || !merge->job || !merge->user || !merge->mpi ||
             !merge->name)
        error =
            error_set(merge->err, MAPCORE_EPARSE,
                      "the rows in %.400s do not say of what they are", from);
    else
        qsort(merge->found, merge->nfound, sizeof(*merge->found),
              compare_ranks);
    for (uint32_t i = 1; error == 0 && i < merge->nfound; i++)
        if (merge->found[i] == merge->found[i - 1])
            error = error_set(merge->err, MAPCORE_EPARSE,
                              "two files in %.400s are of task %u", from,
                              merge->found[i]);
    if (error == 0)
        messages_sort(&merge->all.messages);
    return error;
}

void recorded_clear(struct recorded *merge)
{
    for (uint32_t i = 0; i < merge->all.hosts; i++)
        free(merge->hosts[i]);
    free(merge->hosts);
    gathered_clear(&merge->all);
    free(merge->program);
    free(merge->name);
    free(merge->mpi);
    free(merge->mpi_type);
    free(merge->job);
    free(merge->user);
    free(merge->node);
    free(merge->command);
    free(merge->found);
}
