/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* collective_pattern.c - groups of ranks, and what goes round in them */
#include "config.h"

#include "grid/collective_pattern.h"

#include "base/array.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define MOST_RANKS (UINT32_C(1) << 22)
#define MOST_EDGES ((uint64_t)1 << 26)
#define MEGA       ((uint64_t)1 << 20)
/* A number that is no count of ranks. */
#define MOST_NUMBER (UINT32_C(1) << 20)

/* Groups that exchange less than the heaviest by that much are not worth it. */
#define LIGHT 4

/* Groups of `size` ranks that are `stride` apart. */
struct axis {
    uint32_t size, stride;
};

/* Edges of ranks, of which `each` in a row are one task. */
struct drawing {
    struct mapcore_error *err; /* of the caller */
    uint32_t nranks, each;
    struct mapcore_edge *edge;
    size_t n, capacity;
    /* A model's kinds of groups, and the bytes in them, falling. */
    struct collective_groups groups[COLLECTIVE_KINDS];
    unsigned __int128 bytes[COLLECTIVE_KINDS];
    size_t ngroups;
};

static int too_many(struct mapcore_error *err)
{
    return error_set(err, MAPCORE_ERANGE,
                     "the pattern has more than 2^26 edges");
}

static int draw(struct drawing *drawing, uint32_t a, uint32_t b, uint64_t bytes)
{
    int error;

    a /= drawing->each;
    b /= drawing->each;
    if (a == b || bytes == 0)
        return 0;
    if (drawing->n >= MOST_EDGES)
        return too_many(drawing->err);
    error = array_reserve(&drawing->edge, &drawing->capacity, drawing->n + 1,
                          sizeof(*drawing->edge), drawing->err);
    if (error == 0)
        drawing->edge[drawing->n++] = (struct mapcore_edge){a, b, bytes};
    return error;
}

/* The rank that is `steps` behind r on the axis; MAPCORE_NONE behind its
 * end, unless it wraps. */
static uint32_t behind(struct axis axis, uint32_t r, uint32_t steps, bool wraps)
{
    uint32_t i = r / axis.stride % axis.size;

    if (i + steps < axis.size)
        return r + steps * axis.stride;
    return wraps ? r + steps * axis.stride - axis.size * axis.stride
                 : MAPCORE_NONE;
}

/* Every rank sends these bytes to the next one. */
static int draw_next(struct drawing *drawing,
                     struct axis axis,
                     bool wraps,
                     uint64_t bytes)
{
    int error = 0;

    for (uint32_t r = 0; error == 0 && r < drawing->nranks; r++) {
        uint32_t next = behind(axis, r, 1, wraps);

        if (axis.size > 1 && next != MAPCORE_NONE)
            error = draw(drawing, r, next, bytes);
    }
    return error;
}

/* Every two of a group exchange these bytes, both directions together. */
static int draw_all(struct drawing *drawing, struct axis axis, uint64_t bytes)
{
    int error = 0;

    if ((uint64_t)drawing->nranks * (axis.size - 1) / 2 > MOST_EDGES)
        return too_many(drawing->err);
    for (uint32_t r = 0; error == 0 && r < drawing->nranks; r++)
        for (uint32_t k = 1; error == 0 && k < axis.size; k++) {
            uint32_t other = behind(axis, r, k, false);

            if (other == MAPCORE_NONE)
                break;
            error = draw(drawing, r, other, bytes);
        }
    return error;
}

/* bytes * a / b, without overflow, at least 1. */
static uint64_t share(unsigned __int128 bytes, uint64_t a, uint64_t b)
{
    unsigned __int128 part = bytes * a / b;

    if (a == 0)
        return 0;
    return part > INT64_MAX ? INT64_MAX : part > 0 ? (uint64_t)part : 1;
}

/* ---- ring and alltoall */

static const char *after(const char *text, const char *word)
{
    const char *rest = text_after(text, word);

    return rest && (*rest == '\0' || *rest == ':') ? rest : NULL;
}

/* "", ":8" or ":8:stride=4" */
static int take_axis(struct axis *out,
                     const char *text,
                     uint32_t *ntasks,
                     struct mapcore_error *err)
{
    static const char stride[] = "stride=";
    uint64_t n = *ntasks, s = 1;
    char word[32] = "";
    const char *more;

    if (*text == ':') {
        more = strchr(text + 1, ':');
        size_t length = more ? (size_t)(more - text - 1) : strlen(text + 1);

        if (length < sizeof(word))
            memcpy(word, text + 1, length);
        if (!text_parse_u64(word, &n) || n == 0 || n > MOST_RANKS)
            return error_set(err, MAPCORE_EINVAL,
                             "'%.40s' is not how many ranks talk to each other",
                             text + 1);
        if (more && (!text_after(more + 1, stride) ||
                     !text_parse_u64(more + 1 + strlen(stride), &s) || s == 0 ||
                     s > MOST_RANKS))
            return error_set(err, MAPCORE_EINVAL, "'%.40s' is not stride=N",
                             more + 1);
        if (*ntasks == 0)
            *ntasks = (uint32_t)(n * s > MOST_RANKS ? 0 : n * s);
    }
    if (*ntasks == 0)
        return error_set(err, MAPCORE_EINVAL,
                         "how many ranks there are is not said");
    if (*ntasks % (n * s) != 0)
        return error_set(err, MAPCORE_EINVAL,
                         "%u ranks are no groups of %u, %u apart", *ntasks,
                         (uint32_t)n, (uint32_t)s);
    *out = (struct axis){(uint32_t)n, (uint32_t)s};
    return 0;
}

static int draw_groups(struct drawing *drawing,
                       const char *text,
                       uint32_t ntasks)
{
    bool ring = after(text, "ring") != NULL;
    struct axis axis;
    int error = take_axis(&axis, text + strlen(ring ? "ring" : "alltoall"),
                          &ntasks, drawing->err);

    if (error < 0)
        return error;
    drawing->nranks = ntasks;
    drawing->each = 1;
    if (ring)
        return draw_next(drawing, axis, true,
                         share(2 * MEGA, axis.size - 1, axis.size));
    return draw_all(drawing, axis, share(2 * MEGA, 1, axis.size));
}

/* ---- llm */

enum model_key {
    TP,
    PP,
    DP,
    CP,
    EP,
    LAYERS,
    HIDDEN,
    SEQ,
    MICRO,
    BATCHES,
    KEYS
};

static const char *const model_keys[KEYS] = {"tp",    "pp",     "dp",     "cp",
                                             "ep",    "layers", "hidden", "seq",
                                             "micro", "batches"};

static int take_key(uint64_t *model, char *word, struct mapcore_error *err)
{
    char *value = strchr(word, '=');
    uint64_t n;

    if (value)
        *value++ = '\0';
    for (int i = 0; i < KEYS; i++)
        if (strcmp(word, model_keys[i]) == 0 && value &&
            text_parse_u64(value, &n) && n > 0 && n <= MOST_NUMBER) {
            model[i] = n;
            return 0;
        }
    return error_set(err, MAPCORE_EINVAL,
                     "'%.40s%s%.40s' in llm: is not one of tp=N, pp=N, dp=N, "
                     "cp=N, ep=N, layers=N, hidden=N, seq=N, micro=N, "
                     "batches=N",
                     word, value ? "=" : "", value ? value : "");
}

static int take_model(uint64_t *model,
                      const char *text,
                      struct mapcore_error *err)
{
    char *copy, *next, *word;
    int error = text_copy(&copy, text, err);

    for (int i = 0; i < LAYERS; i++)
        model[i] = 1;
    model[LAYERS] = 80;
    model[HIDDEN] = 8192;
    model[SEQ] = 4096;
    model[MICRO] = 1;
    model[BATCHES] = 0;
    next = copy;
    while (error == 0 && (word = strsep(&next, ",:")))
        error = take_key(model, word, err);
    free(copy);
    if (error == 0 && model[BATCHES] == 0)
        model[BATCHES] = 4 * model[PP];
    if (error == 0 && model[DP] * model[CP] % model[EP] != 0)
        error = error_set(err, MAPCORE_EINVAL,
                          "llm: ep=%u does not divide dp x cp, which is %llu",
                          (uint32_t)model[EP],
                          (unsigned long long)(model[DP] * model[CP]));
    return error;
}

/* The same among tasks; size 0: groups of ranks are none of tasks. */
static struct axis among_tasks(struct axis axis, uint32_t each)
{
    if (axis.stride % each == 0)
        return (struct axis){axis.size, axis.stride / each};
    if (each % axis.stride == 0 && axis.size % (each / axis.stride) == 0)
        return (struct axis){axis.size / (each / axis.stride), 1};
    return (struct axis){0, 1};
}

/* Notes groups of several tasks, behind those that exchange more. */
static void weigh(struct drawing *drawing,
                  const char *name,
                  struct axis axis,
                  size_t first)
{
    const struct axis tasks = among_tasks(axis, drawing->each);
    size_t at = drawing->ngroups;
    unsigned __int128 bytes = 0;

    for (size_t i = first; i < drawing->n; i++)
        bytes += drawing->edge[i].bytes;
    if (tasks.size < 2)
        return;
    for (; at > 0 && drawing->bytes[at - 1] < bytes; at--) {
        drawing->groups[at] = drawing->groups[at - 1];
        drawing->bytes[at] = drawing->bytes[at - 1];
    }
    drawing->groups[at] =
        (struct collective_groups){name, tasks.size, tasks.stride};
    drawing->bytes[at] = bytes;
    drawing->ngroups++;
}

/* The five kinds of traffic, by the rules of collective_pattern.h. */
static int draw_traffic(struct drawing *drawing, const uint64_t *model)
{
    uint32_t t = (uint32_t)model[TP], c = (uint32_t)model[CP];
    uint32_t d = (uint32_t)model[DP], p = (uint32_t)model[PP];
    uint32_t e = (uint32_t)model[EP], n = c * d;
    uint64_t layers = (model[LAYERS] + p - 1) / p, h = model[HIDDEN];
    /* Of all micro-batches; a layer's and a stage's. */
    unsigned __int128 stage = (unsigned __int128)2 * model[MICRO] * model[SEQ] *
                              h * model[BATCHES] / c;
    unsigned __int128 layer = stage * layers;
    unsigned __int128 weights = (unsigned __int128)12 * h * h * layers / t;
    const struct {
        const char *name;
        struct axis axis;
        uint64_t bytes;
        bool with_all, wraps;
    } kinds[COLLECTIVE_KINDS] = {
        {"tensor", {t, 1}, share(8 * layer, t - 1, t), false, true},
        {"context", {c, t}, share(6 * layer, c - 1, t), false, true},
        {"data",
         {n, t},
         share(4 * weights, 2 * (uint64_t)(n - 1), n),
         false,
         true},
        {"pipeline", {p, t * n}, share(stage, 2, t), false, false},
        {"expert", {e, t}, share(layer, 16, (uint64_t)e * t), true, false},
    };
    int error = 0;

    for (size_t i = 0; error == 0 && i < COLLECTIVE_KINDS; i++) {
        const size_t first = drawing->n;

        error = kinds[i].with_all
                    ? draw_all(drawing, kinds[i].axis, kinds[i].bytes)
                    : draw_next(drawing, kinds[i].axis, kinds[i].wraps,
                                kinds[i].bytes);
        /* Stages of a pipeline are no collective's. */
        if (error == 0 && (kinds[i].wraps || kinds[i].with_all))
            weigh(drawing, kinds[i].name, kinds[i].axis, first);
    }
    return error;
}

static int draw_model(struct drawing *drawing,
                      const char *text,
                      uint32_t ntasks)
{
    uint64_t model[KEYS], nranks = 1;
    int error = take_model(model, text, drawing->err);

    if (error < 0)
        return error;
    for (int i = TP; i <= CP; i++) {
        nranks *= model[i];
        if (nranks > MOST_RANKS)
            return error_set(drawing->err, MAPCORE_ERANGE,
                             "llm: more than 2^22 ranks");
    }
    if (ntasks > 0 && nranks % ntasks != 0)
        return error_set(drawing->err, MAPCORE_EINVAL,
                         "llm:%.80s has %u ranks, and there are %u tasks for "
                         "them",
                         text, (uint32_t)nranks, ntasks);
    drawing->nranks = (uint32_t)nranks;
    drawing->each = ntasks > 0 ? (uint32_t)nranks / ntasks : 1;
    return draw_traffic(drawing, model);
}

bool collective_pattern_is(const char *text)
{
    return after(text, "ring") || after(text, "alltoall") ||
           text_after(text, "llm:");
}

int collective_pattern_graph(struct mapcore_graph **out,
                             struct collective_groups groups[COLLECTIVE_KINDS],
                             const char *text,
                             uint32_t ntasks,
                             struct mapcore_error *err)
{
    struct drawing drawing = {.err = err};
    const char *model = text_after(text, "llm:");
    int error = model ? draw_model(&drawing, model, ntasks)
                      : draw_groups(&drawing, text, ntasks);

    for (size_t i = 0; error == 0 && groups && i < COLLECTIVE_KINDS; i++)
        groups[i] = drawing.bytes[i] >= drawing.bytes[0] / LIGHT
                        ? drawing.groups[i]
                        : (struct collective_groups){.size = 0};
    if (error == 0 && out)
        error = mapcore_graph_create(out, drawing.nranks / drawing.each,
                                     drawing.edge, drawing.n, err);
    free(drawing.edge);
    return error;
}
