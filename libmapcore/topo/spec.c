/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spec.c - a regular network as a person writes it in one word,
 * torus:16x8x16/2:wrap=1x1x0: taken apart, and made */
#include "config.h"

#include "topo/spec.h"

#include "base/array.h"
#include "base/text.h"
#include "topo/create.h"
#include "topo/topo.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_ROW = 1 << 20, /* routers in a row whose links differ */
};

/* What may follow the numbers. */
enum {
    PER_ROUTER = 1, /* /N: hosts have coordinates, and routers may be absent */
    WRAP = 2,
    CAPACITY = 4,
    UPLINKS = 8,
    GLOBAL = 16,
    ALONG = 32, /* capacity.y= */
    RAILS = 128,
    TWOS = 64, /* the number counts dimensions of 2 */
};

static int create_torus(struct mapcore_topo **out,
                        const struct topo_spec *spec,
                        const struct topo_spec_hosts *hosts,
                        struct mapcore_error *err)
{
    double *along[TOPO_SPEC_MAX_NUMBERS] = {NULL};
    bool wraps[TOPO_SPEC_MAX_NUMBERS];
    struct arena arena = {.err = err};
    int error;
    struct mapcore_torus torus = {.ndims = spec->n,
                                  .dims = spec->number,
                                  .wraps = wraps,
                                  .hosts_per_router = spec->per_router,
                                  .along = (const double *const *)along};

    if (spec->has_capacity)
        torus.capacity = spec->capacity;
    /* By position, from those that repeat. */
    for (uint32_t i = 0; i < spec->n; i++) {
        const uint32_t n = spec->nalong[i] > 0 ? spec->number[i] : 0;

        wraps[i] = spec->wraps[i] > 0;
        if (n > 0)
            along[i] = arena_alloc(&arena, n, sizeof(**along));
        for (uint32_t x = 0; along[i] && x < n; x++)
            along[i][x] =
                spec->along[spec->first_along[i] + x % spec->nalong[i]];
    }
    if (hosts) {
        torus.nabsent = hosts->nabsent;
        torus.absent = hosts->absent;
        torus.nhosts = (uint32_t)hosts->names.n;
        torus.coordinates = hosts->coordinates;
    }
    error = arena.error < 0 ? arena.error
                            : mapcore_topo_create_torus(out, &torus, err);
    arena_clear(&arena);
    return error;
}

/* "hypercube of 3 dimensions, ..." instead of "mesh 2x2x2, ...". */
static int describe_hypercube(struct mapcore_topo *topo,
                              const struct topo_spec *spec,
                              struct mapcore_error *err)
{
    const char *rest = strchr(mapcore_topo_describe(topo), ',');

    return topo_set_description(topo, err, "hypercube of %u dimension%s%s",
                                spec->n, text_plural(spec->n),
                                rest ? rest : "");
}

/* A ring is a torus of one dimension, a hypercube a mesh of twos. */
static const struct topo_spec_kind {
    const char *prefix;
    char separator;
    bool wraps;
    uint32_t count; /* of numbers, 0: any */
    unsigned options;
    const char *form;
} kinds[] = {
    {"torus:", 'x', true, 0, PER_ROUTER | WRAP | CAPACITY | ALONG,
     "torus:16x8x16, torus:16x8x16/2, torus:8x8x4:wrap=1x1x0, "
     "torus:8x8x4:capacity=2x1x2 or torus:8x8x4:capacity.y=8,1"},
    {"mesh:", 'x', false, 0, PER_ROUTER | CAPACITY | ALONG,
     "mesh:8x8, mesh:8x8/2, mesh:8x8:capacity=2x1 or mesh:8x8:capacity.y=8,1"},
    {"ring:", 'x', true, 1, PER_ROUTER | CAPACITY | ALONG,
     "ring:16, ring:16/2, ring:16:capacity=2 or ring:16:capacity.x=8,1"},
    {"hypercube:", 'x', false, 1, PER_ROUTER | CAPACITY | TWOS,
     "hypercube:10, hypercube:10/2 or hypercube:3:capacity=2x1x1"},
    {"tree:", ',', false, 0, CAPACITY | UPLINKS | RAILS,
     "tree:8,16,8, subtrees per level from the root, "
     "tree:8,16,8:capacity=4,2,1, tree:8,16,8:uplinks=4,2,1 or "
     "tree:8,16,8:rails=8"},
    {"flat:", ',', false, 1, CAPACITY,
     "flat:N, the number of hosts, or flat:N:capacity=2"},
    {"dragonfly:", ',', false, 3, CAPACITY | GLOBAL,
     "dragonfly:9,4,2, groups, routers a group and hosts a router, "
     "dragonfly:9,4,2:global=2 or dragonfly:9,4,2:capacity=1,2,4"},
};

static const struct topo_spec_kind *find_kind(const char *word)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (text_after(word, kinds[i].prefix))
            return &kinds[i];
    return NULL;
}

bool topo_spec_begins(const char *word)
{
    return find_kind(word) != NULL;
}

void topo_spec_words(char *text)
{
    size_t n = 0;

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        n += (size_t)snprintf(text + n, TOPO_SPEC_WORDS - n, "%s%s",
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

/* Numbers, whole ones or others, with a separator between them; *p stops behind
 * the last. */
static bool take_numbers(const char **p,
                         char separator,
                         uint32_t *whole,
                         double *number,
                         uint32_t *n)
{
    char item[32];

    for (*n = 0; *n < TOPO_SPEC_MAX_NUMBERS; ++*p) {
        const uint32_t i = (*n)++;

        if (whole ? !take_u32(p, separator, &whole[i])
                  : !take_item(p, separator, item) ||
                        !text_parse_double(item, &number[i]))
            return false;
        if (**p != separator)
            return true;
    }
    return false;
}

static bool starts_with(const char **p, const char *prefix)
{
    const char *rest = text_after(*p, prefix);

    if (rest)
        *p = rest;
    return rest != NULL;
}

/* Each option at most once. */
static bool takes(unsigned *left,
                  unsigned option,
                  const char **p,
                  const char *key)
{
    if ((*left & option) == 0 || !starts_with(p, key))
        return false;
    *left &= ~option;
    return true;
}

/* One of each, at most `most`. */
static bool take_each(const struct topo_spec *spec,
                      const char **p,
                      uint32_t most,
                      uint32_t *out)
{
    uint32_t n;

    if (!take_numbers(p, spec->kind->separator, out, NULL, &n) || n != spec->n)
        return false;
    while (n > 0 && out[n - 1] <= most)
        n--;
    return n == 0;
}

/* One for all, or one of each. */
static bool take_capacity(struct topo_spec *out, const char **p)
{
    uint32_t n;

    out->has_capacity = true;
    if (!take_numbers(p, out->kind->separator, NULL, out->capacity, &n))
        return false;
    for (uint32_t i = 1; n == 1 && i < out->n; i++)
        out->capacity[i] = out->capacity[0];
    return n == 1 || n == out->n;
}

static char letter_of(const struct topo_spec *spec, uint32_t dimension)
{
    return (char)((spec->n <= 3 ? 'x' : 'a') + (int)dimension);
}

/* y=8,1 behind "capacity.": of the links of a dimension by position. Where it
 * knows what is wrong it says so in err. */
static int take_along(struct topo_spec *out,
                      const char **p,
                      struct mapcore_error *err)
{
    const char letter = **p;
    uint32_t i = 0;

    if (letter == '\0' || *++*p != '=')
        return MAPCORE_EINVAL;
    while (i < out->n && letter_of(out, i) != letter)
        i++;
    if (i == out->n)
        return error_set(err, MAPCORE_EINVAL,
                         "capacity.%c, but dimensions are %c to %c", letter,
                         letter_of(out, 0), letter_of(out, out->n - 1));
    if (out->nalong[i] > 0)
        return error_set(err, MAPCORE_EINVAL, "capacity.%c is there twice",
                         letter);
    out->first_along[i] = out->npositions;
    do {
        char item[32] = "";
        double capacity;

        ++*p;
        out->nalong[i]++;
        if (!take_item(p, ',', item) || !text_parse_double(item, &capacity) ||
            !topo_is_capacity(capacity))
            return error_set(
                err, MAPCORE_EINVAL,
                "capacity.%c: '%s', number %u, is not " TOPO_CAPACITY, letter,
                item, out->nalong[i]);
        if (out->npositions == TOPO_SPEC_MAX_POSITIONS)
            return error_set(err, MAPCORE_EINVAL,
                             "capacity.%c: number %u: more than %d capacities "
                             "by position",
                             letter, out->nalong[i], TOPO_SPEC_MAX_POSITIONS);
        out->along[out->npositions++] = capacity;
    } while (**p == ',');
    return 0;
}

/* When all options are known: `wrap` says how many links there are. */
static int check_along(const struct topo_spec *spec, struct mapcore_error *err)
{
    for (uint32_t i = 0; i < spec->n; i++) {
        uint32_t n = spec->nalong[i], number = spec->number[i];
        uint32_t nlinks = number < 2 ? 0 : number - !spec->wraps[i];

        if (n > 0 && nlinks > MAX_ROW)
            return error_set(err, MAPCORE_EINVAL,
                             "capacity.%c: capacities by position for more "
                             "than %d routers in a row",
                             letter_of(spec, i), MAX_ROW);
        if (n > nlinks)
            return error_set(err, MAPCORE_EINVAL,
                             "capacity.%c: %u number%s for %u link%s in a row "
                             "of %u router%s",
                             letter_of(spec, i), n, text_plural(n), nlinks,
                             text_plural(nlinks), number, text_plural(number));
    }
    return 0;
}

/* Behind the numbers, each option at most once. err: its text stays empty where
 * there is no more to say than that. */
static bool take_options(struct topo_spec *out,
                         const struct topo_spec_kind *kind,
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
        if (takes(&left, WRAP, &p, "wrap="))
            good = take_each(out, &p, 1, out->wraps);
        else if (takes(&left, CAPACITY, &p, "capacity="))
            good = take_capacity(out, &p);
        else if ((left & ALONG) != 0 && starts_with(&p, "capacity."))
            good = take_along(out, &p, err) == 0;
        else if (takes(&left, UPLINKS, &p, "uplinks="))
            good = out->has_uplinks =
                take_each(out, &p, UINT32_MAX, out->uplinks);
        else if (takes(&left, GLOBAL, &p, "global="))
            good = take_u32(&p, ':', &out->global) && out->global > 0;
        else if (takes(&left, RAILS, &p, "rails="))
            good = take_u32(&p, ':', &out->rails);
        if (!good)
            return false;
    }
    return *p == '\0' && check_along(out, err) == 0;
}

static bool parse(struct topo_spec *out,
                  const struct topo_spec_kind *kind,
                  const char *word,
                  struct mapcore_error *err)
{
    const char *p = word + strlen(kind->prefix);

    if (!take_numbers(&p, kind->separator, out->number, NULL, &out->n) ||
        (kind->count > 0 && out->n != kind->count))
        return false;
    if ((kind->options & TWOS) != 0) {
        /* The torus itself refuses too many dimensions. */
        out->n = out->number[0];
        if (out->n == 0 || out->n > TOPO_SPEC_MAX_NUMBERS)
            return false;
        for (uint32_t i = 0; i < out->n; i++)
            out->number[i] = 2;
    }
    for (uint32_t i = 0; i < out->n; i++)
        out->wraps[i] = kind->wraps;
    return take_options(out, kind, p, err);
}

int topo_spec_parse(struct topo_spec *out,
                    const char *word,
                    struct mapcore_error *err)
{
    const struct topo_spec_kind *kind = find_kind(word);
    char all[TOPO_SPEC_WORDS];
    struct mapcore_error why = {""};

    topo_spec_words(all);
    if (!kind)
        return error_set(err, MAPCORE_EINVAL,
                         "'%.100s' begins no topology: %s do", word, all);
    *out = (struct topo_spec){.kind = kind, .per_router = 1, .rails = 1};
    if (parse(out, kind, word, &why))
        return 0;
    return error_set(err, MAPCORE_EINVAL, "topology '%.100s'%s%s", word,
                     why.text[0] != '\0' ? ": " : " is not of the form ",
                     why.text[0] != '\0' ? why.text : kind->form);
}

bool topo_spec_has_coordinates(const struct topo_spec *spec)
{
    return (spec->kind->options & PER_ROUTER) != 0;
}

int topo_spec_create(struct mapcore_topo **out,
                     const struct topo_spec *spec,
                     const struct topo_spec_hosts *hosts,
                     struct mapcore_error *err)
{
    const unsigned options = spec->kind->options;
    const double *capacity = spec->has_capacity ? spec->capacity : NULL;
    const uint32_t *number = spec->number;
    struct mapcore_topo *topo = NULL;
    int error;

    if (options & PER_ROUTER)
        error = create_torus(&topo, spec, hosts, err);
    else if (options & GLOBAL)
        error = topo_create_dragonfly(
            &topo,
            (uint32_t[]){number[0], number[1], number[2],
                         spec->global > 0 ? spec->global : number[2]},
            capacity, err);
    else
        error = mapcore_topo_create_fat_tree(
            &topo, spec->n, number, spec->has_uplinks ? spec->uplinks : NULL,
            capacity, NULL, err);
    if (error == 0 && (options & TWOS))
        error = describe_hypercube(topo, spec, err);
    if (error == 0 && hosts && hosts->names.n > 0)
        error = topo_name_hosts(topo, (const char *const *)hosts->names.name,
                                hosts->names.n, err);
    if (error == 0)
        error = topo_set_rails(topo, spec->rails, err);
    if (error == 0)
        *out = topo;
    else
        mapcore_topo_destroy(topo);
    return error;
}
