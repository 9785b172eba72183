/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorded.c - the rows that one task leaves behind (COMMPROF_DUMP), read and
 * added to those of the others */
#include "config.h"

#include "tools/profile/recorded/recorded.h"

#include "base/array.h"
#include "base/file_read.h"
#include "profiles/commprof/count/first_use.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One task's rows. */

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

/* "p2p", or "p2p@2" of a phase that has a name. */
static bool take_type(char **cursor,
                      const uint32_t phases[PHASES_MOST],
                      uint8_t *type,
                      uint8_t *phase)
{
    char *word = text_take_word(cursor), *at = word ? strchr(word, '@') : NULL;
    uint64_t number = 0;

    if (at) {
        *at = '\0';
        if (!text_parse_u64(at + 1, &number) || number < 2 ||
            number >= PHASES_MOST)
            return false;
    }
    *phase = (uint8_t)phases[number];
    for (*type = 0; word && *type < NTYPES; ++*type)
        if (strcmp(type_names[*type], word) == 0)
            return true;
    return false;
}

int recorded_take_stats(struct recorded *merge, const struct call_stats *stats)
{
    task_times_spend(&merge->times, stats);
    return gathered_add_stats(&merge->all, stats, 1) < 0
               ? error_set(merge->err, MAPCORE_ENOMEM, "out of memory")
               : 0;
}

static int take_use(struct recorded *merge, char *cursor)
{
    struct call_stats stats = {0};
    uint64_t *const numbers[] = {&stats.communicators, &stats.calls,
                                 &stats.bytes,         &stats.paired,
                                 &stats.large,         &stats.ns};

    bool whole = take_type(&cursor, merge->phase, &stats.type, &stats.phase) &&
                 text_take_u32(&cursor, &stats.size, NULL);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        whole = whole && text_take_u64(&cursor, numbers[i], NULL);
    if (!whole)
        return bad(merge, "expected a type and seven numbers");
    return recorded_take_stats(merge, &stats);
}

static int take_row(struct recorded *merge, char *cursor)
{
    struct messages *messages = &merge->all.messages;
    struct message message = {0};
    uint32_t size_class = 0, order = FIRST_USE_UNKNOWN;
    uint8_t type, phase;

    if (!take_type(&cursor, merge->phase, &type, &phase) ||
        !text_take_u32(&cursor, &message.from, NULL) ||
        !text_take_u32(&cursor, &message.to, NULL) ||
        !text_take_u32(&cursor, &size_class, NULL) ||
        !text_take_u64(&cursor, &message.count, NULL) ||
        !text_take_u64(&cursor, &message.bytes, NULL) || size_class > 64 ||
        message.from >= merge->ntasks || message.to >= merge->ntasks)
        return bad(merge, "expected a type, two tasks, and three numbers");
    /* Older recorders end here. */
    if (!text_at_end(cursor) &&
        (!text_take_u32(&cursor, &order, NULL) || order > FIRST_USE_MOST))
        return bad(merge, "expected a stage, counted from 1");
    message.order = (uint16_t)order;
    message.type = type;
    message.phase = phase;
    message.size_class = (uint16_t)size_class;
    if (array_reserve(&messages->message, &merge->capacity, messages->n + 1,
                      sizeof(message), merge->err) < 0)
        return MAPCORE_ENOMEM;
    messages->message[messages->n++] = message;
    return 0;
}

/* "region 32 solve": the next number. */
static int take_region(struct recorded *merge, char *cursor)
{
    char clean[REGION_NAME];
    uint32_t phase;
    const char *name;

    if (!text_take_u32(&cursor, &phase, NULL) ||
        !(name = text_take_word(&cursor)))
        return bad(merge, "expected a phase and its name");
    region_names_clean(clean, name);
    if (strcmp(clean, name) != 0 ||
        region_names_phase(&merge->regions, name) != phase)
        return bad(merge, "not the next region");
    region_names_add(&merge->all.regions, merge->phase, &merge->regions);
    return 0;
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

static int take_line(struct recorded *merge,
                     char *line,
                     uint32_t *rank,
                     bool *end)
{
    char *rest = line, *word = text_take_word(&rest);
    uint64_t number;

    if (!word)
        return bad(merge, "an empty line");
    rest += strspn(rest, " ");
    if (strcmp(word, "rank") == 0)
        return text_take_u32(&rest, rank, NULL) ? 0 : bad(merge, "no rank");
    if (strcmp(word, "ntasks") == 0)
        return take_tasks(merge, *rank, rest);
    if (strcmp(word, "program") == 0)
        return take_same(merge, &merge->program, rest);
    if (strcmp(word, "name") == 0)
        return take_same(merge, &merge->name, rest);
    if (strcmp(word, "host") == 0)
        return take_host(merge, rest);
    if (strcmp(word, "mpi") == 0)
        return take_same(merge, &merge->mpi, rest);
    if (strcmp(word, "mpi_type") == 0)
        return take_same(merge, &merge->mpi_type, rest);
    if (strcmp(word, "job") == 0)
        return take_same(merge, &merge->job, rest);
    if (strcmp(word, "user") == 0)
        return take_same(merge, &merge->user, rest);
    if (strcmp(word, "command") == 0)
        return take_same(merge, &merge->command, rest);
    if (strcmp(word, "node") == 0)
        return take_node(merge, rest);
    if (strcmp(word, "large") == 0)
        return text_take_u32(&rest, &merge->large_ppm, NULL) ? 0
                                                             : bad(merge, "?");
    if (strcmp(word, "elapsed") == 0) {
        if (!text_take_u64(&rest, &number, NULL))
            return bad(merge, "no nanoseconds");
        if (number > merge->elapsed_ns)
            merge->elapsed_ns = number;
        return 0;
    }
    if (!merge->ntasks)
        return bad(merge, "rows before the number of tasks");
    if (strcmp(word, "region") == 0)
        return take_region(merge, rest);
    if (strcmp(word, "use") == 0)
        return take_use(merge, rest);
    if (strcmp(word, "row") == 0)
        return take_row(merge, rest);
    if (strcmp(word, "end") != 0)
        return bad(merge, "no such line is known");
    *end = true;
    return 0;
}

/* Rows that somebody else could have written are nobody's. */
static int read_file(struct buffer *out,
                     const char *path,
                     struct mapcore_error *err)
{
    struct stat st;
    int fd, error = file_open_at(&fd, AT_FDCWD, path,
                                 FILE_REGULAR | FILE_NO_LINK, err);

    if (error < 0)
        return error;
    if (fstat(fd, &st) < 0 || (st.st_uid != geteuid() && st.st_uid != 0))
        error = error_set(err, MAPCORE_ETRUST,
                          "%.400s is refused: it belongs to user %lu", path,
                          (unsigned long)st.st_uid);
    if (error == 0)
        error = file_read_rest(out, fd, path, RECORDED_MOST, err);
    close(fd);
    return error;
}

static int open_rows(struct text **out,
                     const char *path,
                     struct mapcore_error *err)
{
    struct buffer bytes = {0};
    int error = read_file(&bytes, path, err);

    if (error == 0)
        error = text_open_memory(out, path, bytes.bytes, bytes.n, err);
    buffer_clear(&bytes);
    return error;
}

int recorded_take_head(struct recorded *merge)
{
    uint32_t rank = MAPCORE_NONE, before = merge->nfound;
    bool end = false;
    char *line;
    int error;

    while ((error = text_line(merge->text, &line, merge->err)) == 0 && line &&
           (error = take_line(merge, line, &rank, &end)) == 0)
        ;
    return error < 0 || merge->nfound == before + 1
               ? error
               : bad(merge, "does not say of which task it is");
}

int recorded_take_file(struct recorded *merge, const char *path)
{
    uint32_t rank = MAPCORE_NONE;
    bool end = false;
    char *line;
    int error = open_rows(&merge->text, path, merge->err);

    if (error == 0)
        error = text_line(merge->text, &line, merge->err);
    if (error == 0 && (!line || strcmp(line, "commprof-rows 1") != 0))
        error = bad(merge, "not rows that this topomap knows");
    while (error == 0 && !end &&
           (error = text_line(merge->text, &line, merge->err)) == 0) {
        if (!line)
            error = bad(merge, "cut off: there is no end");
        else
            error = take_line(merge, line, &rank, &end);
    }
    if (error == 0)
        task_times_add(&merge->all.times, &merge->times);
    text_close(merge->text);
    merge->text = NULL;
    return error;
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
