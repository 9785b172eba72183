/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_file.c - a plan in a file of its own, with the launch that it is for */
#include "config.h"

#include "tools/plan/plan_file.h"

#include "base/file_read.h"
#include "base/fnv.h"
#include "base/hosts.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD           "topomap-plan-file "
#define FORMAT_VERSION 1

int plan_file_format(char **out,
                     const struct mapcore_facts *facts,
                     const struct mapcore_plan *plan,
                     struct mapcore_error *err)
{
    /* Network and command say nothing about where ranks go. */
    struct mapcore_facts bare = *facts;
    struct buffer text = {.err = err};
    char *head = NULL, *body = NULL;
    int error;

    if (!bare.program)
        bare.program = (char *)(uintptr_t) "-"; /* a graph needs none */
    bare.topology = NULL;
    bare.words = NULL;
    bare.nwords = 0;
    error = mapcore_facts_format(&head, &bare, err);
    if (error == 0)
        error = mapcore_plan_format(&body, plan, err);
    if (error == 0)
        buffer_printf(&text, HEAD "%d %016" PRIx64 "\n%s%s", FORMAT_VERSION,
                      fnv1a(head, strlen(head)), head, body);
    free(head);
    free(body);
    return buffer_finish(out, &text, error);
}

/* The facts between the first line and the plan; *end: where they end. */
static int parse_head(struct mapcore_facts **facts,
                      const char **end,
                      const char *name,
                      const char *text,
                      size_t n,
                      struct mapcore_error *err)
{
    static const char last[] = "\nend\n";
    const char *begin = memchr(text, '\n', n);
    unsigned version = 0;
    uint64_t sum = 0;
    char line[64];

    if (!begin || (size_t)(begin - text) >= sizeof(line) || n < strlen(HEAD) ||
        memcmp(text, HEAD, strlen(HEAD)) != 0)
        return error_set(err, MAPCORE_EPARSE, "%.400s is no plan file", name);
    memcpy(line, text, (size_t)(begin - text));
    line[begin - text] = '\0';
    if (sscanf(line, HEAD "%u %" SCNx64, &version, &sum) != 2)
        return error_set(err, MAPCORE_EPARSE, "%.400s is no plan file", name);
    if (version != FORMAT_VERSION)
        return error_set(err, MAPCORE_EVERSION,
                         "%.400s: a plan file of format %u, and this program "
                         "reads %d",
                         name, version, FORMAT_VERSION);
    begin++;
    *end = memmem(begin, n - (size_t)(begin - text), last, strlen(last));
    if (!*end)
        return error_set(err, MAPCORE_EPARSE, "%.400s is cut off", name);
    *end += strlen(last);
    if (fnv1a(begin, (size_t)(*end - begin)) != sum)
        return error_set(err, MAPCORE_EPARSE,
                         "%.400s: its head and its checksum disagree", name);
    return mapcore_facts_parse(facts, name, begin, (size_t)(*end - begin), err);
}

int plan_file_parse(struct mapcore_plan **plan,
                    struct mapcore_facts **facts,
                    const char *name,
                    const char *text,
                    size_t n,
                    struct mapcore_error *err)
{
    struct mapcore_facts *head = NULL;
    struct mapcore_error why;
    const char *body = text;
    int error = parse_head(&head, &body, name, text, n, err);

    if (error < 0)
        return error;
    error = mapcore_plan_parse(plan, body, n - (size_t)(body - text),
                               head->ntasks, head->nhosts, head->counts, &why);
    if (error < 0) {
        mapcore_facts_destroy(head);
        return error_set(err, error, "%.400s: %s", name, why.text);
    }
    *facts = head;
    return 0;
}

/* Slurm may write one list of nodes in more than one way. */
static int same_nodes(bool *out,
                      const char *a,
                      const char *b,
                      struct mapcore_error *err)
{
    struct hosts x = {0}, y = {0};
    int error = hosts_expand(&x, a, err);

    if (error == 0)
        error = hosts_expand(&y, b, err);
    *out = error == 0 && x.n == y.n;
    for (size_t i = 0; *out && i < x.n; i++)
        *out = strcmp(x.name[i], y.name[i]) == 0;
    hosts_clear(&x);
    hosts_clear(&y);
    return error;
}

static int check_launch(const char *path,
                        const struct mapcore_facts *of,
                        const struct mapcore_facts *launch,
                        struct mapcore_error *err)
{
    bool same;
    int error;

    if (of->ntasks != launch->ntasks)
        return error_set(err, MAPCORE_EINVAL,
                         "%.300s is a plan for %u tasks, and this step has %u",
                         path, of->ntasks, launch->ntasks);
    if ((error = same_nodes(&same, of->nodelist, launch->nodelist, err)) < 0)
        return error;
    if (!same)
        return error_set(err, MAPCORE_EINVAL,
                         "%.200s is a plan for the nodes %.100s, and this step "
                         "has %.100s",
                         path, of->nodelist, launch->nodelist);
    if (of->nhosts != launch->nhosts ||
        memcmp(of->counts, launch->counts,
               launch->nhosts * sizeof(*of->counts)) != 0)
        return error_set(err, MAPCORE_EINVAL,
                         "%.300s is a plan for other numbers of tasks on the "
                         "nodes of this step",
                         path);
    return 0;
}

int plan_file_read(struct mapcore_plan **out,
                   const char *path,
                   const struct mapcore_facts *launch,
                   struct mapcore_error *err)
{
    struct mapcore_facts *of = NULL;
    struct mapcore_plan *plan = NULL;
    struct buffer text = {0};
    int error = file_read_all(&text, path, FILE_ANY, PLAN_FILE_MOST, err);

    if (error == 0)
        error = plan_file_parse(&plan, &of, path, text.bytes, text.n, err);
    if (error == 0)
        error = check_launch(path, of, launch, err);
    if (error == 0) {
        *out = plan;
        plan = NULL;
    }
    mapcore_plan_destroy(plan);
    mapcore_facts_destroy(of);
    buffer_clear(&text);
    return error;
}
