/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spec.c - a topology as a person writes it: on the command line or in a small
 * file */
#include "config.h"

#include "base/array.h"
#include "base/text.h"
#include "topo/ops.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NUMBERS = 32 }; /* more dimensions or levels than can be used */

enum kind { TORUS, MESH, TREE, FLAT };

/* torus:16x8x16/2:wrap=1x1x0 taken apart. */
struct spec {
    enum kind kind;
    uint32_t n;
    uint32_t number[MAX_NUMBERS]; /* dimensions, or arity per level */
    uint32_t per_router;
    bool wraps[MAX_NUMBERS];
};

/* What the lines of a file add. */
struct lines {
    struct names names;
    uint32_t *coordinates; /* [names.n * ndims] */
    size_t ncoordinates;   /* capacity */
    uint32_t *absent;
    size_t nabsent, nabsent_capacity;
};

/* Digits at *p, up to the end or one of the characters of stop. */
static bool take_number(const char **p, const char *stop, uint32_t *out)
{
    size_t n = strspn(*p, "0123456789");
    char digits[11];
    uint64_t value;

    if (n == 0 || n >= sizeof digits)
        return false;
    memcpy(digits, *p, n);
    digits[n] = '\0';
    if (!text_parse_u64(digits, &value) || value > UINT32_MAX)
        return false;
    *p += n;
    if (**p != '\0' && strchr(stop, **p) == NULL)
        return false;
    *out = (uint32_t)value;
    return true;
}

/* Numbers with a separator between them; *p stops behind the last. */
static bool take_numbers(const char **p,
                         char separator,
                         const char *stop,
                         uint32_t *out,
                         uint32_t *n)
{
    char stops[8] = {separator};

    strncat(stops, stop, sizeof stops - 2);
    for (*n = 0; *n < MAX_NUMBERS;) {
        if (!take_number(p, stops, &out[(*n)++]))
            return false;
        if (**p != separator)
            return true;
        ++*p;
    }
    return false;
}

static bool starts_with(const char **p, const char *prefix)
{
    size_t n = strlen(prefix);

    if (strncmp(*p, prefix, n) != 0)
        return false;
    *p += n;
    return true;
}

/* DIMS[/N][:wrap=...]; a mesh wraps nowhere. */
static bool parse_torus(struct spec *out, const char *p)
{
    uint32_t wraps[MAX_NUMBERS], nwraps;

    out->per_router = 1;
    if (!take_numbers(&p, 'x', "/:", out->number, &out->n))
        return false;
    if (*p == '/') {
        p++;
        if (!take_number(&p, ":", &out->per_router))
            return false;
    }
    for (uint32_t i = 0; i < out->n; i++)
        out->wraps[i] = out->kind == TORUS;
    if (*p == '\0')
        return true;
    if (out->kind == MESH || !starts_with(&p, ":wrap=") ||
        !take_numbers(&p, 'x', "", wraps, &nwraps) || nwraps != out->n)
        return false;
    for (uint32_t i = 0; i < out->n; i++) {
        if (wraps[i] > 1)
            return false;
        out->wraps[i] = wraps[i] == 1;
    }
    return *p == '\0';
}

/* Does the text begin as one of the kinds? What follows goes to *rest. */
static bool find_kind(struct spec *out, const char *text, const char **rest)
{
    static const struct {
        const char *prefix;
        enum kind kind;
    } kinds[] = {
        {"torus:", TORUS}, {"mesh:", MESH}, {"tree:", TREE}, {"flat:", FLAT}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        *rest = text;
        if (starts_with(rest, kinds[i].prefix)) {
            *out = (struct spec){.kind = kinds[i].kind};
            return true;
        }
    }
    return false;
}

/* rest is what stands behind the kind. */
static int parse_spec(struct spec *out,
                      const char *text,
                      const char *rest,
                      struct mapcore_error *err)
{
    const char *form = NULL;
    bool good = false;

    switch (out->kind) {
    case TORUS:
        good = parse_torus(out, rest);
        form = "torus:16x8x16, torus:16x8x16/2 or torus:8x8x4:wrap=1x1x0";
        break;
    case MESH:
        good = parse_torus(out, rest);
        form = "mesh:8x8 or mesh:8x8/2";
        break;
    case TREE:
        good = take_numbers(&rest, ',', "", out->number, &out->n);
        form = "tree:8,16,8, subtrees per level from the root";
        break;
    case FLAT:
        good = take_number(&rest, "", out->number);
        out->n = 1;
        form = "flat:N, the number of hosts";
        break;
    }
    if (!good)
        return error_set(err, MAPCORE_EINVAL,
                         "topology '%.100s' is not of the form %s", text, form);
    return 0;
}

static int create(struct mapcore_topo **out,
                  const struct spec *spec,
                  const struct lines *lines,
                  struct mapcore_error *err)
{
    if (spec->kind == TREE || spec->kind == FLAT)
        return mapcore_topo_create_tree(out, spec->n, spec->number, NULL, err);

    struct mapcore_torus torus = {.ndims = spec->n,
                                  .dims = spec->number,
                                  .wraps = spec->wraps,
                                  .hosts_per_router = spec->per_router};
    const char **names = NULL;

    if (lines != NULL) {
        torus.nabsent = lines->nabsent;
        torus.absent = lines->absent;
    }
    if (lines != NULL && lines->names.n > 0) {
        names = array_alloc(lines->names.n, sizeof *names, err);
        if (names == NULL)
            return MAPCORE_ENOMEM;
        for (size_t i = 0; i < lines->names.n; i++)
            names[i] = lines->names.name[i];
        torus.nhosts = (uint32_t)lines->names.n;
        torus.coordinates = lines->coordinates;
        torus.names = names;
    }
    int code = mapcore_topo_create_torus(out, &torus, err);
    free(names);
    return code;
}

/* The coordinates to the end of a line, checked, into x[spec->n]. */
static int take_place(struct text *text,
                      char *cursor,
                      const struct spec *spec,
                      uint32_t *x,
                      struct mapcore_error *err)
{
    for (uint32_t i = 0; i < spec->n; i++) {
        if (!text_take_u32(&cursor, &x[i], NULL))
            return text_error(text, err, MAPCORE_EPARSE,
                              "%u coordinates are needed", spec->n);
        if (x[i] >= spec->number[i])
            return text_error(text, err, MAPCORE_EPARSE,
                              "coordinate %u is not below %u", x[i],
                              spec->number[i]);
    }
    if (text_take_word(&cursor) != NULL)
        return text_error(text, err, MAPCORE_EPARSE, "more than %u coordinates",
                          spec->n);
    return 0;
}

/* host NAME X Y Z, behind the word host. */
static int read_host(struct lines *lines,
                     struct text *text,
                     char *cursor,
                     const struct spec *spec,
                     struct mapcore_error *err)
{
    size_t n = lines->names.n;
    char *name = text_take_word(&cursor);
    uint32_t number;
    int code;

    if (name == NULL)
        return text_error(text, err, MAPCORE_EPARSE, "a host without a name");
    if ((code = array_reserve(&lines->coordinates, &lines->ncoordinates,
                              (n + 1) * spec->n, sizeof *lines->coordinates,
                              err)) < 0 ||
        (code = take_place(text, cursor, spec, lines->coordinates + n * spec->n,
                           err)) < 0 ||
        (code = names_add(&number, &lines->names, name, err)) < 0)
        return code;
    if (lines->names.n == n)
        return text_error(text, err, MAPCORE_EPARSE,
                          "host %.100s is there twice", name);
    return 0;
}

/* absent X Y Z, behind the word absent. */
static int read_absent(struct lines *lines,
                       struct text *text,
                       char *cursor,
                       const struct spec *spec,
                       struct mapcore_error *err)
{
    size_t n = lines->nabsent;
    int code = array_reserve(&lines->absent, &lines->nabsent_capacity,
                             (n + 1) * spec->n, sizeof *lines->absent, err);

    if (code < 0 || (code = take_place(text, cursor, spec,
                                       lines->absent + n * spec->n, err)) < 0)
        return code;
    lines->nabsent++;
    return 0;
}

/* Next line that holds a word, without its comment; NULL at the end. */
static int next_line(struct text *text, char **line, struct mapcore_error *err)
{
    int code;

    do {
        code = text_line(text, line, err);
        if (code < 0 || *line == NULL)
            return code;
        (*line)[strcspn(*line, "#")] = '\0';
    } while ((*line)[strspn(*line, " \t\r\v\f")] == '\0');
    return 0;
}

static int read_lines(struct lines *lines,
                      struct text *text,
                      const struct spec *spec,
                      struct mapcore_error *err)
{
    char *cursor;
    int code;

    while ((code = next_line(text, &cursor, err)) == 0 && cursor != NULL) {
        char *word = text_take_word(&cursor);

        if (spec->kind == TREE || spec->kind == FLAT)
            code = text_error(text, err, MAPCORE_EPARSE,
                              "'%.40s': nothing follows a tree or flat network",
                              word);
        else if (strcmp(word, "host") == 0)
            code = read_host(lines, text, cursor, spec, err);
        else if (strcmp(word, "absent") == 0)
            code = read_absent(lines, text, cursor, spec, err);
        else
            code = text_error(text, err, MAPCORE_EPARSE,
                              "'%.40s' is neither host nor absent", word);
        if (code < 0)
            return code;
    }
    return code;
}

/* The first word tells what kind of file it is. */
static int open_file(struct mapcore_topo **out,
                     struct text *text,
                     struct mapcore_error *err)
{
    struct lines lines = {0};
    struct mapcore_error why;
    struct spec spec;
    const char *rest;
    char *line, *word;
    int code = next_line(text, &line, err);

    if (code < 0)
        return code;
    if (line == NULL)
        return error_set(err, MAPCORE_EPARSE, "%s: no topology in it",
                         text_name(text));
    line += strspn(line, " \t\r\v\f");
    if (memchr(line, '=', strcspn(line, " \t:")) != NULL)
        return topo_read_slurm(out, text, line, err);
    word = text_take_word(&line);
    if (!find_kind(&spec, word, &rest))
        return text_error(text, err, MAPCORE_EPARSE,
                          "'%.40s' begins no topology: torus:, mesh:, tree:, "
                          "flat: or SwitchName= do",
                          word);
    code = parse_spec(&spec, word, rest, &why);
    if (code < 0)
        return text_error(text, err, MAPCORE_EPARSE, "%s", why.text);
    if (text_take_word(&line) != NULL)
        return text_error(text, err, MAPCORE_EPARSE,
                          "something follows the topology in its line");
    code = read_lines(&lines, text, &spec, err);
    if (code == 0) {
        code = create(out, &spec, &lines, &why);
        if (code < 0)
            error_set(err, code, "%s: %s", text_name(text), why.text);
    }
    names_clear(&lines.names);
    free(lines.coordinates);
    free(lines.absent);
    return code;
}

int mapcore_topo_open(struct mapcore_topo **out,
                      const char *spec,
                      struct mapcore_error *err)
{
    struct spec parsed;
    struct text *text;
    const char *rest;
    int code;

    if (find_kind(&parsed, spec, &rest)) {
        code = parse_spec(&parsed, spec, rest, err);
        return code < 0 ? code : create(out, &parsed, NULL, err);
    }
    code = text_open(&text, spec, err);
    if (code < 0)
        return code;
    code = open_file(out, text, err);
    text_close(text);
    return code;
}
