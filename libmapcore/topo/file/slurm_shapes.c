/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slurm_shapes.c - Slurm's other topologies than trees: blocks (BlockName=),
 * rings (RingName=) and tori (TorusName=), as topology.conf has them, as
 * `scontrol show topology` prints them, and as our reader of topology.yaml
 * writes them */
#include "config.h"

#include "topo/file/slurm_shapes.h"

#include "base/array.h"
#include "topo/file/slurm_words.h"

#include <stdlib.h>
#include <string.h>

static void clear(struct slurm_shapes *r)
{
    for (size_t i = 0; i < r->nunits; i++) {
        free(r->unit[i].name);
        hosts_clear(&r->unit[i].nodes);
    }
    free(r->unit);
    name_set_clear(&r->hosts);
}

/* "4x4x2" */
static bool take_dims(uint32_t out[3], const char *text)
{
    for (int i = 0; i < 3; i++) {
        char digits[11];
        size_t n = strspn(text, "0123456789");
        uint64_t value;

        if (n == 0 || n >= sizeof(digits) || text[n] != (i < 2 ? 'x' : '\0'))
            return false;
        memcpy(digits, text, n);
        digits[n] = '\0';
        if (!text_parse_u64(digits, &value) || value > UINT16_MAX)
            return false;
        out[i] = (uint32_t)value;
        text += n + 1;
    }
    return true;
}

static int read_sizes(struct slurm_shapes *r, const char *list)
{
    while (*list != '\0' && r->nsizes < 32) {
        char digits[20];
        size_t n = strcspn(list, ",");

        if (n >= sizeof(digits))
            break;
        memcpy(digits, list, n);
        digits[n] = '\0';
        if (!text_parse_u64(digits, &r->sizes[r->nsizes]) ||
            r->sizes[r->nsizes++] == 0)
            break;
        list += n;
        if (*list == '\0')
            return 0;
        list++;
    }
    return text_error(r->text, r->err, MAPCORE_EPARSE,
                      "BlockSizes= is not a list of numbers above 0");
}

/* What stands behind the first word of a unit. */
static int read_words(struct slurm_shapes *r,
                      struct slurm_unit *unit,
                      char *cursor)
{
    struct mapcore_error why;
    char *word;
    int error = 0;

    while (error == 0 && (word = text_take_word(&cursor))) {
        const char *value = slurm_words_value(word, "Nodes");

        if (value && *value != '\0' && strcmp(value, "(null)") != 0) {
            if (unit->nodes.n > 0)
                return text_error(r->text, r->err, MAPCORE_EPARSE,
                                  "Nodes= stands twice in one line");
            error = hosts_expand_counted(&unit->nodes, &r->nnames, value, &why);
            if (error < 0)
                text_error(r->text, r->err, error, "%s", why.text);
        } else if ((value = slurm_words_value(word, "Dims"))) {
            unit->has_dims = true;
            if (!take_dims(unit->dims, value))
                error =
                    text_error(r->text, r->err, MAPCORE_EPARSE,
                               "Dims=%.40s is not of the form 4x4x2", value);
        } else if ((value = slurm_words_value(word, "Anchor"))) {
            if (!take_dims(unit->anchor, value))
                error =
                    text_error(r->text, r->err, MAPCORE_EPARSE,
                               "Anchor=%.40s is not of the form 0x0x0", value);
        } else if (!strchr(word, '=')) {
            error = text_error(r->text, r->err, MAPCORE_EPARSE,
                               "'%.40s' is not KEY=VALUE", word);
        }
    }
    return error;
}

static int read_unit(void *arg, char *line)
{
    static const struct {
        const char *key;
        enum slurm_unit_kind kind;
    } kinds[] = {{"BlockName", BLOCK},
                 {"AggregatedBlock", AGGREGATED},
                 {"RingName", RING},
                 {"TorusName", TORUS},
                 {"TorusRegion", REGION}};
    struct slurm_shapes *r = arg;
    char *cursor = line, *word = text_take_word(&cursor);
    const char *value = NULL;
    size_t k = 0;
    int error;

    if (!word)
        return 0;
    if ((value = slurm_words_value(word, "BlockSizes")))
        return read_sizes(r, value);
    while (k < 5 && !(value = slurm_words_value(word, kinds[k].key)))
        k++;
    if (!value || *value == '\0')
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "'%.40s' names no block, ring or torus", word);
    /* scontrol lists below a torus what jobs may be placed on. */
    if (kinds[k].kind == TORUS && strstr(cursor, "PlacementDims="))
        return 0;
    if ((error = array_reserve(&r->unit, &r->capacity, r->nunits + 1,
                               sizeof(*r->unit), r->err)) < 0)
        return error;
    struct slurm_unit *unit = &r->unit[r->nunits];
    *unit = (struct slurm_unit){.kind = kinds[k].kind,
                                .line = text_line_number(r->text)};
    unit->name = array_copy(value, strlen(value) + 1, 1, r->err);
    if (!unit->name)
        return MAPCORE_ENOMEM;
    r->nunits++;
    return read_words(r, unit, cursor);
}

/* Every node once, and all units of one sort. */
static int collect_nodes(struct slurm_shapes *r)
{
    enum slurm_unit_kind first = r->unit[0].kind;
    int error = 0;

    for (size_t i = 0; error == 0 && i < r->nunits; i++) {
        const struct slurm_unit *unit = &r->unit[i];
        bool block = unit->kind == BLOCK || unit->kind == AGGREGATED;
        bool ring = unit->kind == RING;

        if (block != (first == BLOCK || first == AGGREGATED) ||
            ring != (first == RING))
            return slurm_shapes_fail(
                r, unit, "blocks, rings and tori do not stand in one file");
        for (size_t k = 0;
             error == 0 && unit->kind != AGGREGATED && k < unit->nodes.n; k++) {
            size_t before = r->hosts.n;
            uint32_t number;

            error =
                name_set_add(&number, &r->hosts, unit->nodes.name[k], r->err);
            if (error == 0 && r->hosts.n == before)
                error = slurm_shapes_fail(r, unit,
                                          "one of its nodes is there twice");
        }
    }
    if (error == 0 && r->hosts.n == 0)
        error = error_set(r->err, MAPCORE_EPARSE, "%s: no nodes in it",
                          text_name(r->text));
    return error;
}

bool slurm_shapes_begin(const char *line)
{
    static const char *const keys[] = {"BlockName", "AggregatedBlock",
                                       "BlockSizes", "RingName", "TorusName"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (slurm_words_value(line, keys[i]))
            return true;
    return false;
}

int slurm_shapes_read(struct mapcore_topo **out,
                      struct text *text,
                      char *first_line,
                      struct mapcore_error *err)
{
    struct slurm_shapes r = {.text = text, .err = err};
    int error = slurm_words_lines(text, first_line, read_unit, &r, err);

    if (error == 0 && r.nunits == 0)
        error = error_set(err, MAPCORE_EPARSE, "%s: no blocks in it",
                          text_name(text));
    if (error == 0)
        error = collect_nodes(&r);
    if (error == 0 && (r.unit[0].kind == BLOCK || r.unit[0].kind == AGGREGATED))
        error = slurm_shapes_create_blocks(out, &r);
    else if (error == 0)
        error = slurm_shapes_create_tori(out, &r);
    clear(&r);
    return error;
}
