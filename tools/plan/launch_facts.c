/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* launch_facts.c - the facts of a launch, from srun or from options */
#include "config.h"

#include "tools/plan/launch_facts.h"

#include "alloc/alloc.h"
#include "base/array.h"
#include "base/file_read.h"
#include "base/hosts.h"
#include "base/text.h"
#include "launch/command/program_path.h"
#include "launch/runs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FACTS_MAX ((size_t)64 << 20)

/* Whether text ends in a line `end`. */
static bool is_whole(const char *text, size_t n)
{
    return n >= 4 && memcmp(text + n - 4, "end\n", 4) == 0 &&
           (n == 4 || text[n - 5] == '\n');
}

/* srun keeps its end of the pipe open: the facts end where they say so. */
static int read_facts(struct buffer *out,
                      int fd,
                      const char *name,
                      struct mapcore_error *err)
{
    bool more = true;
    int error = 0;

    while (error == 0 && more && !is_whole(out->bytes, out->n))
        error = file_read_some(out, &more, fd, name, FACTS_MAX, err);
    return error;
}

int launch_facts_read_lines(struct buffer *out, struct mapcore_error *err)
{
    return read_facts(out, STDIN_FILENO, "stdin", err);
}

int launch_facts_read(struct mapcore_facts **out,
                      const char *path,
                      struct mapcore_error *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "stdin" : path;
    struct buffer bytes = {0};
    int fd = STDIN_FILENO;
    int error = is_stdin ? 0 : file_open_at(&fd, AT_FDCWD, path, FILE_ANY, err);

    if (error < 0)
        return error;
    error = read_facts(&bytes, fd, name, err);
    if (error == 0)
        error = mapcore_facts_parse(out, name, bytes.bytes, bytes.n, err);
    buffer_clear(&bytes);
    if (!is_stdin)
        close(fd);
    return error;
}

/* As srun finds it. A path that leads nowhere is taken as it stands: a graph
 * may be named, and who wants the file says what is wrong with it. */
static int find_program(char **out,
                        const char *program,
                        struct mapcore_error *err)
{
    int error = program_path_find(out, program, getenv("PATH"), err);

    if (error < 0 && strchr(program, '/'))
        error = text_copy(out, program, err);
    if (error == 0 && !text_is_line(*out))
        error = error_set(err, MAPCORE_EINVAL,
                          "the program '%.300s' has a control character", *out);
    return error;
}

int launch_facts_set_baseline(struct mapcore_facts *facts,
                              const char *runs,
                              struct mapcore_error *err)
{
    uint32_t *left =
        array_copy(facts->counts, facts->nhosts, sizeof(*left), err);
    int error = !left ? MAPCORE_ENOMEM
                      : runs_parse(facts->baseline, facts->ntasks, runs, err);

    for (uint32_t i = 0; error == 0 && i < facts->ntasks; i++)
        if (facts->baseline[i] >= facts->nhosts ||
            left[facts->baseline[i]]-- == 0)
            error = error_set(err, MAPCORE_EINVAL,
                              "--baseline: rank %u goes to node %u, which has "
                              "no place left for it",
                              i, facts->baseline[i]);
    free(left);
    return error;
}

/* Counts per node and the layout that goes with them, block if not said. */
static int fill_layout(struct mapcore_facts *facts,
                       const char *tasks_per_node,
                       const char *baseline,
                       struct mapcore_error *err)
{
    uint64_t sum = 0;
    uint32_t rank = 0;
    int error;

    facts->counts = array_alloc(facts->nhosts, sizeof(*facts->counts), err);
    facts->baseline = array_alloc(facts->ntasks, sizeof(*facts->baseline), err);
    if (!facts->counts || !facts->baseline)
        return MAPCORE_ENOMEM;
    error =
        mapcore_slots_parse(facts->counts, facts->nhosts, tasks_per_node, err);
    if (error < 0)
        return error;
    for (uint32_t i = 0; i < facts->nhosts; i++)
        sum += facts->counts[i];
    if (sum != facts->ntasks)
        return error_set(err, MAPCORE_EINVAL,
                         "--tasks-per-node %s: %llu tasks on %u nodes, not %u",
                         tasks_per_node, (unsigned long long)sum, facts->nhosts,
                         facts->ntasks);
    if (baseline)
        return launch_facts_set_baseline(facts, baseline, err);
    for (uint32_t i = 0; i < facts->nhosts; i++)
        for (uint32_t j = 0; j < facts->counts[i]; j++)
            facts->baseline[rank++] = i;
    return 0;
}

int launch_facts_make(struct mapcore_facts **out,
                      const struct launch_words *words,
                      struct mapcore_error *err)
{
    struct mapcore_facts *facts = array_alloc(1, sizeof(*facts), err);
    struct hosts hosts = {0};
    int error = 0;

    if (!facts)
        return MAPCORE_ENOMEM;
    if (words->program)
        error = find_program(&facts->program, words->program, err);
    if (error < 0 ||
        (error = hosts_expand_distinct(&hosts, words->nodelist, err)) < 0)
        goto out;
    facts->ntasks = words->ntasks;
    facts->nhosts = (uint32_t)hosts.n;
    hosts_clear(&hosts);
    error = text_copy(&facts->nodelist, words->nodelist, err);
    if (error == 0)
        error = fill_layout(facts, words->tasks_per_node, words->baseline, err);
    if (error == 0) {
        *out = facts;
        facts = NULL;
    }
out:
    mapcore_facts_destroy(facts);
    return error;
}

int launch_facts_set_command(struct mapcore_facts *facts,
                             const char *const *words,
                             struct mapcore_error *err)
{
    size_t n = 0;
    int error = 0;

    while (words[n])
        n++;
    if (!(facts->words = array_alloc(n + 1, sizeof(*facts->words), err)))
        return MAPCORE_ENOMEM;
    for (size_t i = 0; error == 0 && i < n; i++)
        if ((error = text_copy(&facts->words[i], words[i], err)) == 0)
            facts->nwords++;
    return error;
}
