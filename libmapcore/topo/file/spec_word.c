/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spec_word.c - a network as a person writes it in one word,
 * torus:16x8x16/2:wrap=1x1x0, taken apart */
#include "config.h"

#include "topo/file/spec_word.h"

#include "base/text.h"
#include "topo/create.h"

#include <stdio.h>
#include <string.h>

/* What may follow the numbers. */
enum {
    PER_ROUTER = 1, /* /N */
    WRAP = 2,
    CAPACITY = 4,
    UPLINKS = 8,
    GLOBAL = 16,
    ALONG = 32, /* capacity.y= */
};

static const struct kind {
    const char *prefix;
    enum topo_spec_kind kind;
    char separator;
    uint32_t count; /* of numbers, 0: any */
    unsigned options;
    const char *form;
} kinds[] = {
    {"torus:", TOPO_SPEC_TORUS, 'x', 0, PER_ROUTER | WRAP | CAPACITY | ALONG,
     "torus:16x8x16, torus:16x8x16/2, torus:8x8x4:wrap=1x1x0, "
     "torus:8x8x4:capacity=2x1x2 or torus:8x8x4:capacity.y=8,1"},
    {"mesh:", TOPO_SPEC_MESH, 'x', 0, PER_ROUTER | CAPACITY | ALONG,
     "mesh:8x8, mesh:8x8/2, mesh:8x8:capacity=2x1 or mesh:8x8:capacity.y=8,1"},
    {"ring:", TOPO_SPEC_RING, 'x', 1, PER_ROUTER | CAPACITY | ALONG,
     "ring:16, ring:16/2, ring:16:capacity=2 or ring:16:capacity.x=8,1"},
    {"hypercube:", TOPO_SPEC_HYPERCUBE, 'x', 1, PER_ROUTER | CAPACITY,
     "hypercube:10, hypercube:10/2 or hypercube:3:capacity=2x1x1"},
    {"tree:", TOPO_SPEC_TREE, ',', 0, CAPACITY | UPLINKS,
     "tree:8,16,8, subtrees per level from the root, "
     "tree:8,16,8:capacity=4,2,1 or tree:8,16,8:uplinks=4,2,1"},
    {"flat:", TOPO_SPEC_FLAT, ',', 1, CAPACITY,
     "flat:N, the number of hosts, or flat:N:capacity=2"},
    {"dragonfly:", TOPO_SPEC_DRAGONFLY, ',', 3, CAPACITY | GLOBAL,
     "dragonfly:9,4,2, groups, routers a group and hosts a router, "
     "dragonfly:9,4,2:global=2 or dragonfly:9,4,2:capacity=1,2,4"},
};

static const struct kind *find_kind(const char *word)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strncmp(word, kinds[i].prefix, strlen(kinds[i].prefix)) == 0)
            return &kinds[i];
    return NULL;
}

bool spec_word_begins(const char *word)
{
    return find_kind(word) != NULL;
}

void spec_word_kinds(char *text)
{
    size_t n = 0;

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        n += (size_t)snprintf(text + n, SPEC_WORD_KINDS - n, "%s%s",
                              i > 0 ? ", " : "", kinds[i].prefix);
}

/* What stands before the separator, one of '/' and ':', or the end, as a
 * string of its own; *p stops there. */
static bool take_item(const char **p, char separator, char out[32])
{
    const char stops[] = {'/', ':', separator, '\0'};
    size_t n = strcspn(*p, stops);

    if (n == 0 || n >= 32)
        return false;
    memcpy(out, *p, n);
    out[n] = '\0';
    *p += n;
    return true;
}

static bool take_u32(const char **p, char separator, uint32_t *out)
{
    char item[32];
    uint64_t value;

    if (!take_item(p, separator, item) || !text_parse_u64(item, &value) ||
        value > UINT32_MAX)
        return false;
    *out = (uint32_t)value;
    return true;
}

/* Numbers with a separator between them; *p stops behind the last. */
static bool take_numbers(const char **p,
                         char separator,
                         uint32_t *out,
                         uint32_t *n)
{
    for (*n = 0; *n < TOPO_SPEC_MAX_NUMBERS;) {
        if (!take_u32(p, separator, &out[(*n)++]))
            return false;
        if (**p != separator)
            return true;
        ++*p;
    }
    return false;
}

/* Exactly n of them, or one for all. */
static bool take_doubles(const char **p,
                         char separator,
                         double *out,
                         uint32_t n)
{
    char item[32];

    for (uint32_t i = 0; i < n; i++) {
        if (i == 1 && (**p == ':' || **p == '\0')) {
            for (; i < n; i++)
                out[i] = out[0];
            return true;
        }
        if (i > 0 && *(*p)++ != separator)
            return false;
        if (!take_item(p, separator, item) || !text_parse_double(item, &out[i]))
            return false;
    }
    return **p != separator;
}

static bool starts_with(const char **p, const char *prefix)
{
    size_t n = strlen(prefix);

    if (strncmp(*p, prefix, n) != 0)
        return false;
    *p += n;
    return true;
}

static bool take_wraps(struct topo_spec *out, const char **p)
{
    uint32_t wraps[TOPO_SPEC_MAX_NUMBERS], n;

    if (!take_numbers(p, 'x', wraps, &n) || n != out->n)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (wraps[i] > 1)
            return false;
        out->wraps[i] = wraps[i] == 1;
    }
    return true;
}

static bool take_uplinks(struct topo_spec *out, const char **p)
{
    uint32_t n;

    out->has_uplinks = true;
    return take_numbers(p, ',', out->uplinks, &n) && n == out->n;
}

/* y=8,1 behind "capacity.": of the links of a dimension by position. Where it
 * knows what is wrong it says so in err. */
static bool take_along(struct topo_spec *out,
                       const char **p,
                       struct mapcore_error *err)
{
    const char letter = **p;
    uint32_t dimension = topo_spec_dimension(out, letter);
    struct mapcore_error why;

    if (letter == '\0' || *++*p != '=')
        return false;
    if (dimension == MAPCORE_NONE) {
        error_set(err, MAPCORE_EINVAL,
                  "capacity.%c, but dimensions are %c to %c", letter,
                  out->n <= 3 ? 'x' : 'a',
                  (int)((out->n <= 3 ? 'x' : 'a') + out->n - 1));
        return false;
    }
    if (out->nalong[dimension] > 0) {
        error_set(err, MAPCORE_EINVAL, "capacity.%c is there twice", letter);
        return false;
    }
    do {
        char item[32] = "";
        double capacity;

        ++*p;
        if (!take_item(p, ',', item) || !text_parse_double(item, &capacity)) {
            error_set(err, MAPCORE_EINVAL,
                      "capacity.%c: '%s', number %u, is not " TOPO_CAPACITY,
                      letter, item, out->nalong[dimension] + 1);
            return false;
        }
        if (topo_spec_add_along(out, dimension, capacity, &why) < 0) {
            error_set(err, MAPCORE_EINVAL, "capacity.%c: number %u: %s", letter,
                      out->nalong[dimension], why.text);
            return false;
        }
    } while (**p == ',');
    return true;
}

/* When all options are known: `wrap` says how many links there are. */
static bool check_along(const struct topo_spec *spec, struct mapcore_error *err)
{
    struct mapcore_error why;

    for (uint32_t i = 0; i < spec->n; i++)
        if (topo_spec_check_along(spec, i, &why) < 0) {
            error_set(err, MAPCORE_EINVAL, "capacity.%c: %s",
                      (int)((spec->n <= 3 ? 'x' : 'a') + i), why.text);
            return false;
        }
    return true;
}

/* Behind the numbers, each option at most once. err: its text stays empty where
 * there is no more to say than that. */
static bool take_options(struct topo_spec *out,
                         const struct kind *kind,
                         const char *p,
                         struct mapcore_error *err)
{
    unsigned left = kind->options;

    if (*p == '/') {
        p++;
        if ((left & PER_ROUTER) == 0 || !take_u32(&p, ':', &out->per_router))
            return false;
    }
    while (*p == ':') {
        bool good = false;

        p++;
        if ((left & WRAP) != 0 && starts_with(&p, "wrap=")) {
            left &= ~(unsigned)WRAP;
            good = take_wraps(out, &p);
        } else if ((left & CAPACITY) != 0 && starts_with(&p, "capacity=")) {
            left &= ~(unsigned)CAPACITY;
            out->has_capacity = true;
            good = take_doubles(&p, kind->separator, out->capacity, out->n);
        } else if ((left & ALONG) != 0 && starts_with(&p, "capacity.")) {
            good = take_along(out, &p, err);
        } else if ((left & UPLINKS) != 0 && starts_with(&p, "uplinks=")) {
            left &= ~(unsigned)UPLINKS;
            good = take_uplinks(out, &p);
        } else if ((left & GLOBAL) != 0 && starts_with(&p, "global=")) {
            left &= ~(unsigned)GLOBAL;
            good = take_u32(&p, ':', &out->global) && out->global > 0;
        }
        if (!good)
            return false;
    }
    return *p == '\0' && check_along(out, err);
}

static bool parse(struct topo_spec *out,
                  const struct kind *kind,
                  const char *word,
                  struct mapcore_error *err)
{
    const char *p = word + strlen(kind->prefix);

    if (!take_numbers(&p, kind->separator, out->number, &out->n) ||
        (kind->count > 0 && out->n != kind->count))
        return false;
    if (kind->kind == TOPO_SPEC_HYPERCUBE) {
        /* The torus itself refuses too many dimensions. */
        out->n = out->number[0];
        if (out->n == 0 || out->n > TOPO_SPEC_MAX_NUMBERS)
            return false;
        for (uint32_t i = 0; i < out->n; i++)
            out->number[i] = 2;
    }
    for (uint32_t i = 0; i < out->n; i++)
        out->wraps[i] =
            kind->kind == TOPO_SPEC_TORUS || kind->kind == TOPO_SPEC_RING;
    return take_options(out, kind, p, err);
}

int spec_word_parse(struct topo_spec *out,
                    const char *word,
                    struct mapcore_error *err)
{
    const struct kind *kind = find_kind(word);
    char all[SPEC_WORD_KINDS];
    struct mapcore_error why = {""};
    bool good;

    spec_word_kinds(all);
    if (!kind)
        return error_set(err, MAPCORE_EINVAL,
                         "'%.100s' begins no topology: %s do", word, all);
    *out = (struct topo_spec){.kind = kind->kind, .per_router = 1};
    good = parse(out, kind, word, &why);
    if (!good && why.text[0] != '\0')
        return error_set(err, MAPCORE_EINVAL, "topology '%.100s': %s", word,
                         why.text);
    if (!good)
        return error_set(err, MAPCORE_EINVAL,
                         "topology '%.100s' is not of the form %s", word,
                         kind->form);
    return 0;
}
