/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mutate.c - tokens swapped, numbers taken to their ends, lines dropped and
 * repeated, brackets nested, terminals' sequences, bytes, truncation, splices
 */
#include "config.h"

#include "attack/mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct specimen specimen_new(void)
{
    struct specimen specimen = {.bytes = calloc(1, MUTATE_MOST + 1)};

    if (!specimen.bytes)
        abort();
    return specimen;
}

bool specimen_read(struct specimen *out, const char *path)
{
    FILE *file = fopen(path, "re");
    bool whole;

    if (!file)
        return false;
    out->n = fread(out->bytes, 1, MUTATE_MOST, file);
    out->bytes[out->n] = '\0';
    whole = !ferror(file) && fgetc(file) == EOF;
    fclose(file);
    return whole;
}

bool specimen_write(const struct specimen *specimen, const char *path)
{
    FILE *file = fopen(path, "we");
    bool whole;

    if (!file)
        return false;
    whole = fwrite(specimen->bytes, 1, specimen->n, file) == specimen->n;
    return fclose(file) == 0 && whole;
}

void specimen_set(struct specimen *out, const char *bytes, size_t n)
{
    out->n = n < MUTATE_MOST ? n : MUTATE_MOST;
    memmove(out->bytes, bytes, out->n);
    out->bytes[out->n] = '\0';
}

/* What a mutation works on. */
struct work {
    struct specimen *it;
    struct rng *rng;
    const struct specimen *others;
    size_t nothers;
};

/* A part of a specimen: bytes[from .. to-1]. */
struct part {
    size_t from, to;
};

static size_t below(struct work *work, size_t bound)
{
    return bound > 0 ? rng_below(work->rng, (uint32_t)bound) : 0;
}

/* 1, 2, 4, ... up to `most`, each as likely. */
static size_t magnitude(struct work *work, size_t most)
{
    size_t bits = 1;

    while (bits < 31 && (size_t)1 << bits <= most)
        bits++;
    return (size_t)1 << below(work, bits);
}

/* bytes[n] in the place of a part; what does not fit is left out. */
static void replace(struct specimen *it,
                    struct part part,
                    const char *bytes,
                    size_t n)
{
    size_t rest = it->n - part.to;
    size_t room = MUTATE_MOST - part.from;

    if (n > room)
        n = room;
    if (rest > room - n)
        rest = room - n;
    memmove(it->bytes + part.from + n, it->bytes + part.to, rest);
    memcpy(it->bytes + part.from, bytes, n);
    it->n = part.from + n + rest;
    it->bytes[it->n] = '\0';
}

static void replace_text(struct work *work, struct part part, const char *text)
{
    replace(work->it, part, text, strlen(text));
}

/* `times` copies of bytes[n] at a place. */
static void insert_copies(struct specimen *it,
                          size_t at,
                          const char *bytes,
                          size_t n,
                          size_t times)
{
    size_t room = MUTATE_MOST - it->n;
    char *all;

    if (n == 0 || room < n)
        return;
    if (times > room / n)
        times = room / n;
    if (!(all = malloc(n * times)))
        abort();
    for (size_t i = 0; i < times; i++)
        memcpy(all + i * n, bytes, n);
    replace(it, (struct part){at, at}, all, n * times);
    free(all);
}

static bool divides(char c)
{
    return strchr(" \t\r\n,:;=[]{}()<>\"'/|*", c) != NULL; /* NUL, too */
}

/* The token at or behind a random place of any specimen; empty when there is
 * none. */
static struct part pick_token(struct work *work, const struct specimen *from)
{
    size_t at = below(work, from->n), to;

    while (at < from->n && divides(from->bytes[at]))
        at++;
    while (at > 0 && at < from->n && !divides(from->bytes[at - 1]))
        at--;
    for (to = at; to < from->n && !divides(from->bytes[to]);)
        to++;
    return (struct part){at, to};
}

/* The line around a random place, with its newline. */
static struct part pick_line(struct work *work, const struct specimen *from)
{
    size_t at = below(work, from->n), to = at;

    while (at > 0 && from->bytes[at - 1] != '\n')
        at--;
    while (to < from->n && from->bytes[to] != '\n')
        to++;
    return (struct part){at, to < from->n ? to + 1 : to};
}

static const struct specimen *pick_other(struct work *work)
{
    return &work->others[below(work, work->nothers)];
}

static void swap_tokens(struct work *work)
{
    struct part a = pick_token(work, work->it), b = pick_token(work, work->it);
    char *kept;

    if (a.from > b.from) {
        struct part c = a;

        a = b;
        b = c;
    }
    if (a.to > b.from ||
        !(kept = strndup(work->it->bytes + a.from, a.to - a.from)))
        return;
    /* The later one first: the other's place stays what it is. */
    {
        size_t n = b.to - b.from;
        char *later = strndup(work->it->bytes + b.from, n);

        if (!later)
            abort();
        replace(work->it, b, kept, a.to - a.from);
        replace(work->it, a, later, n);
        free(later);
    }
    free(kept);
}

static const char *const numbers[] = {
    "0",
    "-0",
    "-1",
    "1",
    "2",
    "31",
    "32",
    "33",
    "255",
    "256",
    "65535",
    "65536",
    "1000000",
    "16777216",
    "134217728",
    "2147483647",
    "2147483648",
    "4294967294",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "0x10",
    "007",
    "1.5",
    "0.1",
    ".5",
    "5.",
    "1e3",
    "1e308",
    "1e999",
    "-1e999",
    "1e-320",
    "nan",
    "-nan",
    "inf",
    "infinity",
    "1,5",
    "1e",
    "+1",
    "--1",
    "1_000",
    "0000000000000000000000000000000000000001",
};
#define NNUMBERS (sizeof(numbers) / sizeof(*numbers))

static void change_number(struct work *work)
{
    struct part token = {0, 0};

    for (int i = 0; i < 16; i++) {
        token = pick_token(work, work->it);
        if (token.to > token.from &&
            strchr("+-.0123456789", work->it->bytes[token.from]))
            break;
    }
    replace_text(work, token, numbers[below(work, NNUMBERS)]);
}

/* Digits inside a token: n7 becomes n4294967296. */
static void change_digits(struct work *work)
{
    struct part digits = pick_token(work, work->it);

    while (digits.from < digits.to &&
           !strchr("0123456789", work->it->bytes[digits.from]))
        digits.from++;
    for (size_t i = digits.from; i < digits.to; i++)
        if (!strchr("0123456789", work->it->bytes[i]))
            digits.to = i;
    replace_text(work, digits, numbers[below(work, NNUMBERS)]);
}

static void take_token(struct work *work)
{
    const struct specimen *other = pick_other(work);
    struct part token = pick_token(work, other);
    char *copy = strndup(other->bytes + token.from, token.to - token.from);

    if (!copy)
        abort();
    replace_text(work, pick_token(work, work->it), copy);
    free(copy);
}

static void drop_token(struct work *work)
{
    replace(work->it, pick_token(work, work->it), "", 0);
}

static void repeat_token(struct work *work)
{
    struct part token = pick_token(work, work->it);
    size_t n = token.to - token.from, times = magnitude(work, 1 << 14);
    char copy[256];

    if (n + 1 > sizeof(copy))
        n = sizeof(copy) - 1;
    memcpy(copy, work->it->bytes + token.from, n);
    /* One long word, or many. */
    copy[n] = ", :/"[below(work, 4)];
    insert_copies(work->it, token.from, copy, n + (below(work, 2) == 0), times);
}

static void drop_line(struct work *work)
{
    replace(work->it, pick_line(work, work->it), "", 0);
}

static void repeat_line(struct work *work)
{
    struct part line = pick_line(work, work->it);
    size_t n = line.to - line.from;
    char *copy = malloc(n + 1);

    if (!copy)
        abort();
    memcpy(copy, work->it->bytes + line.from, n);
    insert_copies(work->it, pick_line(work, work->it).from, copy, n,
                  magnitude(work, 1 << 10));
    free(copy);
}

static void splice_lines(struct work *work)
{
    const struct specimen *other = pick_other(work);
    struct part a = pick_line(work, other), b = pick_line(work, other);
    size_t from = a.from < b.from ? a.from : b.from;
    size_t to = a.to > b.to ? a.to : b.to;
    char *copy = malloc(to - from + 1);

    if (!copy)
        abort();
    memcpy(copy, other->bytes + from, to - from);
    insert_copies(work->it, pick_line(work, work->it).from, copy, to - from, 1);
    free(copy);
}

static void truncate_it(struct work *work)
{
    work->it->n = below(work, work->it->n + 1);
    work->it->bytes[work->it->n] = '\0';
}

static void nest(struct work *work)
{
    static const char *const openers[] = {
        "[",   "{",  "{\"a\":", "[[],", "{a: ",  "(",
        "<a>", "- ", "\"",      "\\",   "grid:", "x[0-1]",
    };
    static const char *const closers[] = {
        "]", "}", "}", "]", "}", ")", "</a>", "", "\"", "", "", "",
    };
    size_t which = below(work, sizeof(openers) / sizeof(*openers));
    struct part token = pick_token(work, work->it);
    size_t times = magnitude(work, 1 << 17);
    const char *closer = closers[which], *opener = openers[which];

    if (below(work, 2) == 0)
        insert_copies(work->it, token.to, closer, strlen(closer), times);
    insert_copies(work->it, token.from, opener, strlen(opener), times);
}

/* What a terminal obeys, plain and as JSON spells it; what is no text. */
static void insert_controls(struct work *work)
{
    static const char *const sequences[] = {
        "\033[2J",
        "\033]0;owned\a",
        "\033]52;c;cm0=\a",
        "\302\233"
        "31m",
        "\302\220q",
        "\177",
        "\r",
        "\b\b\b",
        "\n",
        "\t",
        "\v",
        "\001",
        "\\u001b[2J",
        "\\u009b31m",
        "\\u0000",
        "\\n",
        "\\ud800",
        "\377\376",
        "\300\200",
        "\357\273\277",
        "\342\200\256",
        "%n%s%x",
        "../../",
        "/etc/passwd",
        "$(id)",
        "`id`",
        "'",
        "\"",
    };
    struct part at = pick_token(work, work->it);

    at.from += below(work, at.to - at.from + 1);
    at.to = at.from;
    if (below(work, sizeof(sequences) / sizeof(*sequences) + 1) == 0)
        replace(work->it, at, "", 1); /* a NUL */
    else
        replace_text(
            work, at,
            sequences[below(work, sizeof(sequences) / sizeof(*sequences))]);
}

static void flip_bytes(struct work *work)
{
    size_t times = magnitude(work, 16);

    for (size_t i = 0; i < times && work->it->n > 0; i++)
        work->it->bytes[below(work, work->it->n)] = (char)below(work, 256);
}

/* Offsets and sizes of binary files. */
static void change_binary(struct work *work)
{
    static const uint64_t values[] = {
        0,          1,          0x7f,       0xff,       0xffff,
        0x7fffffff, 0x80000000, 0xffffffff, UINT64_MAX, UINT64_MAX / 2,
    };
    size_t n = (size_t)1 << below(work, 4);
    uint64_t value = values[below(work, sizeof(values) / sizeof(*values))];

    if (work->it->n < n)
        return;
    value += (uint64_t)below(work, 5) - 2;
    memcpy(work->it->bytes + below(work, work->it->n / n) * n, &value, n);
}

static void take_expression(struct work *work)
{
    static const char *const expressions[] = {
        "n[0-1048575]",
        "n[0-4294967295]",
        "n[00-99]",
        "n[3-1]",
        "n[",
        "n]",
        "n[[0]]",
        "n[0-1][0-1][0-1]",
        "n[0-9,0-9]",
        "0..4294967295",
        "0*4294967295",
        "1(x4294967295)",
        "torus:4294967295x4294967295",
        "torus:1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1",
        "grid:65536x65536:periodic",
        "tree:2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2",
        "dragonfly:65536,65536,65536",
        "hypercube:31",
        "package:4096 core:4",
        "/dev/null",
        "-",
        "",
        ".",
        "null",
        "true",
        "{}",
        "[]",
        "\"\"",
    };

    replace_text(
        work, pick_token(work, work->it),
        expressions[below(work, sizeof(expressions) / sizeof(*expressions))]);
}

void mutate(struct specimen *specimen,
            struct rng *rng,
            const struct specimen *others,
            size_t nothers)
{
    static void (*const changes[])(struct work *) = {
        change_number, change_number, change_number,   change_digits,
        swap_tokens,   take_token,    take_token,      drop_token,
        repeat_token,  drop_line,     repeat_line,     splice_lines,
        truncate_it,   nest,          insert_controls, insert_controls,
        flip_bytes,    change_binary, take_expression,
    };
    struct work work = {specimen, rng, others, nothers};
    uint32_t times = 1 + rng_below(rng, 1 + rng_below(rng, 6));

    for (uint32_t i = 0; i < times; i++)
        changes[below(&work, sizeof(changes) / sizeof(*changes))](&work);
}
