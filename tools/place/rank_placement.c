/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rank_placement.c - what each launcher reads: forms by the manuals named in
 * launcher_options.c, RFC 34 of Flux, and IBM's page on the ERF format */
#include "config.h"

#include "tools/place/rank_placement.h"

#include "base/array.h"
#include "base/buffer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *rank_placement_file(enum launcher_kind kind, bool binds)
{
    switch (kind) {
    case LAUNCHER_OPENMPI:
    case LAUNCHER_PRRTE:
        return binds ? "rankfile" : "hostfile";
    case LAUNCHER_HYDRA:
    case LAUNCHER_INTEL:
        return "machinefile";
    case LAUNCHER_PALS:
        return "MPICH_RANK_ORDER";
    case LAUNCHER_JSRUN:
        return "erf";
    case LAUNCHER_UNKNOWN:
    case LAUNCHER_FLUX:
    case LAUNCHER_SRUN:
        break;
    }
    return NULL;
}

bool rank_placement_is_shared(enum launcher_kind kind)
{
    return kind == LAUNCHER_PALS; /* the ranks read it */
}

/* One word more. */
__attribute__((format(printf, 4, 5))) static int add(char **list,
                                                     size_t most,
                                                     struct mapcore_error *err,
                                                     const char *format,
                                                     ...)
{
    size_t i = 0;
    va_list args;
    int n;

    while (i < most && list[i])
        i++;
    va_start(args, format);
    n = i < most ? vasprintf(&list[i], format, args) : -1;
    va_end(args);
    if (n >= 0)
        return 0;
    if (i < most)
        list[i] = NULL;
    return error_set(err, MAPCORE_ENOMEM, "out of memory");
}

#define WORD(out, err, ...) add((out)->word, PLACEMENT_WORDS, err, __VA_ARGS__)
#define VARIABLE(out, err, ...)                                                \
    add((out)->variable, PLACEMENT_VARIABLES, err, __VA_ARGS__)

/* Open MPI's, which the launch room knows. */
static int put_form(struct buffer *text,
                    const struct mapcore_plan *plan,
                    enum mapcore_plan_form form,
                    const char *const *names,
                    struct mapcore_error *err)
{
    char *bytes = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&bytes, &n);
    int error;

    if (!file)
        return error_set(err, MAPCORE_ENOMEM, "out of memory");
    error = mapcore_plan_write(plan, form, names, file, err);
    if (fclose(file) != 0 && error == 0)
        error = error_set(err, MAPCORE_ENOMEM, "out of memory");
    if (error == 0)
        error = buffer_append(text, err, bytes, n);
    free(bytes);
    return error;
}

/* Ranks in their order: so many on this node, then so many on that. */
static int put_machines(struct buffer *text,
                        const struct mapcore_plan *plan,
                        const char *const *names,
                        struct mapcore_error *err)
{
    int error = 0;

    for (uint32_t r = 0, n; error == 0 && r < plan->ntasks; r += n) {
        for (n = 1; r + n < plan->ntasks && plan->host[r + n] == plan->host[r];)
            n++;
        error = buffer_printf(text, err, "%s:%" PRIu32 "\n",
                              names[plan->host[r]], n);
    }
    return error;
}

/* Logical CPUs, in the order of the slots. */
static int put_erf(struct buffer *text,
                   const struct mapcore_plan *plan,
                   const char *const *names,
                   uint32_t cpus,
                   struct mapcore_error *err)
{
    int error = buffer_printf(text, err,
                              "cpu_index_using: logical\n"
                              "overlapping_rs: allow\n");

    for (uint32_t r = 0; error == 0 && r < plan->ntasks; r++) {
        const uint64_t first = (uint64_t)plan->slot[r] * cpus;

        error =
            buffer_printf(text, err,
                          "rank: %" PRIu32 ": { hostname: %s; cpu: {%" PRIu64
                          "-%" PRIu64 "} }\n",
                          r, names[plan->host[r]], first, first + cpus - 1);
    }
    return error;
}

/* [[node, nodes, ranks of each, times],...]: runs of ranks on nodes that follow
 * one another. */
static int put_taskmap(struct buffer *text,
                       const struct mapcore_plan *plan,
                       struct mapcore_error *err)
{
    const uint32_t *host = plan->host;
    int error = buffer_printf(text, err, "[");
    uint32_t r = 0;

    while (error == 0 && r < plan->ntasks) {
        const uint32_t first = r, node = host[r];
        uint32_t each = 0, nodes = 0, n = 0;

        do {
            for (n = 0; r + n < plan->ntasks && host[r + n] == node + nodes;)
                n++;
            each = nodes == 0 ? n : each;
            if (n != each)
                break;
            r += n;
            nodes++;
        } while (r < plan->ntasks && host[r] == node + nodes);
        error = buffer_printf(text, err,
                              "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",1]",
                              first > 0 ? "," : "", node, nodes, each);
    }
    return error == 0 ? buffer_printf(text, err, "]") : error;
}

/* NAME:RANKS,..., the nodes of the plan: neither a rankfile nor PRRTE's map in
 * sequence may name others than it was told of. */
static int add_nodes(struct rank_placement *out,
                     const struct mapcore_plan *plan,
                     const char *const *names,
                     struct mapcore_error *err)
{
    uint32_t *ranks = array_alloc(plan->nhosts, sizeof(*ranks), err);
    struct buffer list = {0};
    int error = ranks ? 0 : MAPCORE_ENOMEM;

    for (uint32_t r = 0; error == 0 && r < plan->ntasks; r++)
        ranks[plan->host[r]]++;
    for (uint32_t h = 0; error == 0 && h < plan->nhosts; h++)
        if (ranks[h] > 0)
            error = buffer_printf(&list, err, "%s%s:%" PRIu32,
                                  list.n > 0 ? "," : "", names[h], ranks[h]);
    if (error == 0 && (error = WORD(out, err, "--host")) == 0)
        error = WORD(out, err, "%s", list.bytes);
    buffer_clear(&list);
    free(ranks);
    return error;
}

static int make_openmpi(struct rank_placement *out,
                        struct buffer *text,
                        const struct launcher_line *line,
                        const struct rank_request *request,
                        struct mapcore_error *err)
{
    const bool is_prrte = line->kind == LAUNCHER_PRRTE;
    const bool binds = request->binds;
    const char *path = request->path;
    int error = put_form(text, request->plan,
                         binds ? MAPCORE_PLAN_RANKFILE : MAPCORE_PLAN_HOSTFILE,
                         request->names, err);

    if (error < 0)
        return error;
    if (is_prrte) {
        if ((error = WORD(out, err, "--map-by")) == 0)
            error =
                WORD(out, err, "%s:file=%s", binds ? "rankfile" : "seq", path);
    } else if (binds) {
        if ((error = WORD(out, err, "--rankfile")) == 0)
            error = WORD(out, err, "%s", path);
    } else if ((error = WORD(out, err, "--mca")) == 0 &&
               (error = WORD(out, err, "rmaps")) == 0 &&
               (error = WORD(out, err, "seq")) == 0 &&
               (error = WORD(out, err, "--hostfile")) == 0) {
        error = WORD(out, err, "%s", path);
    }
    /* These do not replace the nodes that there are. */
    if (error < 0 || !(binds || is_prrte))
        return error;
    if (line->hostfile && (error = WORD(out, err, "--hostfile")) == 0)
        error = WORD(out, err, "%s", line->hostfile);
    else if (line->needs_nodes)
        error = add_nodes(out, request->plan, request->names, err);
    return error;
}

int rank_placement_make(struct rank_placement *out,
                        const struct launcher_line *line,
                        const struct rank_request *request,
                        struct mapcore_error *err)
{
    const struct mapcore_plan *plan = request->plan;
    const char *const *names = request->names;
    const char *path = request->path;
    struct buffer text = {0};
    int error;

    *out = (struct rank_placement){0};
    switch (line->kind) {
    case LAUNCHER_OPENMPI:
    case LAUNCHER_PRRTE:
        error = make_openmpi(out, &text, line, request, err);
        break;
    case LAUNCHER_HYDRA:
    case LAUNCHER_INTEL:
        error = put_machines(&text, plan, names, err);
        if (error == 0 && (error = WORD(out, err, "-machinefile")) == 0)
            error = WORD(out, err, "%s", path);
        break;
    case LAUNCHER_PALS:
        error = put_form(&text, plan, MAPCORE_PLAN_MPICH, names, err);
        if (error == 0)
            error = VARIABLE(out, err, "MPICH_RANK_REORDER_METHOD=3");
        if (error == 0)
            error = VARIABLE(out, err, "MPICH_RANK_REORDER_FILE=%s", path);
        break;
    case LAUNCHER_FLUX:
        if ((error = put_taskmap(&text, plan, err)) == 0)
            error = WORD(out, err, "--taskmap=manual:%s", text.bytes);
        buffer_clear(&text);
        break;
    case LAUNCHER_JSRUN:
        error =
            put_erf(&text, plan, names, line->cpus > 0 ? line->cpus : 1, err);
        if (error == 0)
            error = WORD(out, err, "--erf_input=%s", path);
        break;
    case LAUNCHER_UNKNOWN:
    case LAUNCHER_SRUN:
    default:
        error =
            error_set(err, MAPCORE_ENOTSUP, "%s places no ranks", line->name);
        break;
    }
    out->text = buffer_steal(&text);
    return error;
}

void rank_placement_clear(struct rank_placement *placement)
{
    for (size_t i = 0; i < PLACEMENT_WORDS; i++)
        free(placement->word[i]);
    for (size_t i = 0; i < PLACEMENT_VARIABLES; i++)
        free(placement->variable[i]);
    free(placement->text);
    *placement = (struct rank_placement){0};
}

int rank_placement_command(char ***out,
                           const struct launcher_line *line,
                           const struct rank_placement *placement,
                           struct mapcore_error *err)
{
    char **word =
        array_alloc(line->n + PLACEMENT_WORDS + 1, sizeof(*word), err);
    size_t n = 0;

    if (!word)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i <= line->n; i++) {
        for (size_t k = 0; placement && i == line->first && placement->word[k];
             k++)
            word[n++] = placement->word[k];
        if (i < line->n && !(placement && line->drops[i]))
            word[n++] = line->word[i];
    }
    word[n] = NULL;
    *out = word;
    return 0;
}
