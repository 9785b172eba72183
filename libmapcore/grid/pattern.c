/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pattern.c - grid:4x8x4x8:periodic and the like: communication patterns that
 * need no profile */
#include "config.h"

#include "grid/grid_make.h"

#include "base/array.h"
#include "base/text.h"
#include "grid/collective_pattern.h"
#include "grid/grid_thresholds.h"

#include <stdlib.h>
#include <string.h>

#define PREFIX "grid:"
/* 3^8 neighbours are more than anybody has. */
#define MOST_BOX 8
#define ALLOWED                                                                \
    "periodic, periodic=1010, weights=1/2/1/1, order=last|first, "             \
    "stencil=star|box"

bool mapcore_pattern_is(const char *text)
{
    return text_after(text, PREFIX) || collective_pattern_is(text);
}

static int take_dims(struct mapcore_pattern *out,
                     char *word,
                     const char *text,
                     struct mapcore_error *err)
{
    uint64_t n = 1, d;
    char *piece;

    while ((piece = strsep(&word, "x"))) {
        if (out->ndims == MAPCORE_GRID_MAX_DIMS)
            return error_set(err, MAPCORE_EINVAL,
                             "a grid of more than %d dimensions",
                             MAPCORE_GRID_MAX_DIMS);
        if (*piece == '\0')
            return error_set(err, MAPCORE_EINVAL,
                             "%.80s: dimension %u of the grid has no number",
                             text, out->ndims + 1);
        if (!text_parse_u64(piece, &d) || d < 1)
            return error_set(
                err, MAPCORE_EINVAL,
                "%.80s: dimension %u of the grid is '%.40s', not a "
                "number from 1 up",
                text, out->ndims + 1, piece);
        if (__builtin_mul_overflow(n, d, &n) || n > GRID_MOST_TASKS)
            return error_set(err, MAPCORE_ERANGE,
                             "the grid has more than %u tasks",
                             GRID_MOST_TASKS);
        out->dims[out->ndims++] = (uint32_t)d;
    }
    out->ntasks = (uint32_t)n;
    return 0;
}

/* value NULL: all dimensions. */
static int take_periodic(struct mapcore_pattern *out,
                         const char *value,
                         struct mapcore_error *err)
{
    if (value &&
        (strlen(value) != out->ndims || strspn(value, "01") != strlen(value)))
        return error_set(err, MAPCORE_EINVAL,
                         "periodic=%.40s: a 0 or 1 for each of the %u "
                         "dimensions is wanted",
                         value, out->ndims);
    for (uint32_t i = 0; i < out->ndims; i++)
        out->periodic[i] = !value || value[i] == '1';
    return 0;
}

static int take_weights(struct mapcore_pattern *out,
                        char *value,
                        struct mapcore_error *err)
{
    uint32_t n = 0;
    char *piece;

    while ((piece = strsep(&value, "/"))) {
        uint64_t weight;

        if (!text_parse_u64(piece, &weight) || weight < 1)
            return error_set(err, MAPCORE_EINVAL,
                             "weight %u of the grid is '%.40s', not a number "
                             "from 1 up",
                             n + 1, piece);
        if (n < out->ndims)
            out->weight[n] = weight;
        n++;
    }
    if (n != out->ndims)
        return error_set(err, MAPCORE_EINVAL,
                         "%u weights for the %u dimensions of the grid", n,
                         out->ndims);
    return 0;
}

static int take_word(struct mapcore_pattern *out,
                     char *word,
                     struct mapcore_error *err)
{
    char *value = strchr(word, '=');

    if (value)
        *value++ = '\0';
    if (strcmp(word, "periodic") == 0)
        return take_periodic(out, value, err);
    if (strcmp(word, "weights") == 0 && value)
        return take_weights(out, value, err);
    if (strcmp(word, "order") == 0 && value &&
        (strcmp(value, "last") == 0 || strcmp(value, "first") == 0)) {
        out->first_is_fastest = strcmp(value, "first") == 0;
        return 0;
    }
    if (strcmp(word, "stencil") == 0 && value &&
        (strcmp(value, "star") == 0 || strcmp(value, "box") == 0)) {
        out->is_box = strcmp(value, "box") == 0;
        return 0;
    }
    return error_set(err, MAPCORE_EINVAL,
                     "'%.40s%s%.40s' in a grid is not one of " ALLOWED, word,
                     value ? "=" : "", value ? value : "");
}

int mapcore_pattern_parse(struct mapcore_pattern *out,
                          const char *text,
                          struct mapcore_error *err)
{
    char *copy, *cursor, *word;
    int error;

    memset(out, 0, sizeof(*out));
    if (!text_after(text, PREFIX))
        return error_set(err, MAPCORE_EINVAL, "'%.80s' does not begin with %s",
                         text, PREFIX);
    for (uint32_t i = 0; i < MAPCORE_GRID_MAX_DIMS; i++)
        out->weight[i] = 1;
    if ((error = text_copy(&copy, text, err)) < 0)
        return error;
    cursor = copy + strlen(PREFIX);
    error = take_dims(out, strsep(&cursor, ":"), text, err);
    while (error == 0 && (word = strsep(&cursor, ":")))
        error = take_word(out, word, err);
    free(copy);
    if (error == 0 && out->is_box && out->ndims > MOST_BOX)
        return error_set(err, MAPCORE_EINVAL,
                         "stencil=box of %u dimensions: %d are possible",
                         out->ndims, MOST_BOX);
    return error;
}

/* Steps of the ternary number k, digits 0, 1, 2 for 0, +1, -1, into one that
 * the opposite of is left out of; false for such. */
static bool step_of(struct mapcore_stencil_offset *out,
                    const struct mapcore_pattern *pattern,
                    const uint32_t *axis,
                    uint64_t k)
{
    static const int32_t steps[] = {0, 1, -1};
    bool first = true;

    memset(out, 0, sizeof(*out));
    for (uint32_t i = 0; i < pattern->ndims; i++, k /= 3) {
        uint64_t weight = pattern->weight[axis[i]];

        out->step[i] = steps[k % 3];
        if (out->step[i] == 0)
            continue;
        if (first && out->step[i] < 0)
            return false;
        if (first || weight < out->bytes)
            out->bytes = weight;
        first = false;
    }
    return !first;
}

/* axis[i]: the pattern's dimension that is i-th in the design, where the first
 * is the fastest. */
static int make_offsets(struct mapcore_stencil_offset **out,
                        size_t *n,
                        const struct mapcore_pattern *pattern,
                        const uint32_t *axis,
                        struct mapcore_error *err)
{
    struct mapcore_stencil_offset offset;
    uint64_t cells = 1;
    size_t count = 0;

    for (uint32_t i = 0; i < pattern->ndims; i++)
        cells *= 3;
    *out = array_alloc(pattern->is_box ? cells / 2 : pattern->ndims,
                       sizeof(**out), err);
    if (!*out)
        return MAPCORE_ENOMEM;
    /* A star's steps are the powers of 3. */
    for (uint64_t k = 1; k < cells; k = pattern->is_box ? k + 1 : 3 * k)
        if (step_of(&offset, pattern, axis, k))
            (*out)[count++] = offset;
    *n = count;
    return 0;
}

int mapcore_pattern_graph(struct mapcore_graph **out,
                          const char *text,
                          uint32_t ntasks,
                          struct mapcore_error *err)
{
    struct mapcore_grid_design design = {0};
    uint32_t axis[MAPCORE_GRID_MAX_DIMS] = {0};
    struct mapcore_stencil_offset *offset = NULL;
    struct mapcore_pattern pattern;
    int error;

    if (collective_pattern_is(text))
        return collective_pattern_graph(out, NULL, text, ntasks, err);
    if ((error = mapcore_pattern_parse(&pattern, text, err)) < 0)
        return error;
    if (ntasks > 0 && ntasks != pattern.ntasks)
        return error_set(err, MAPCORE_EINVAL,
                         "%.120s is a grid of %u tasks, and there are %u", text,
                         pattern.ntasks, ntasks);
    design.ndims = pattern.ndims;
    for (uint32_t i = 0; i < pattern.ndims; i++) {
        axis[i] = pattern.first_is_fastest ? i : pattern.ndims - 1 - i;
        design.dims[i] = pattern.dims[axis[i]];
        design.periodic[i] = pattern.periodic[axis[i]];
    }
    if ((error = make_offsets(&offset, &design.noffsets, &pattern, axis, err)) <
        0)
        return error;
    design.offset = offset;
    error = mapcore_grid_make(out, &design, err);
    free(offset);
    return error;
}
