/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* command_line_help.c - what a table of options says of itself: --help, and the
 * lines that a shell's completion reads */
#include "config.h"

#include "tools/common/command_line.h"

#include "base/buffer.h"

#include <inttypes.h>
#include <string.h>

enum {
    WIDTH = 79,
    COLUMN = 25, /* where the texts of options begin */
    MAX_HEAD = 160,
};

/* Of a word that is longer than a line, up to the last comma that fits. */
static int cut_word(const char *word, int n, int width)
{
    for (int i = width; n > width && i > 0; i--)
        if (word[i - 1] == ',')
            return i;
    return n;
}

void command_line_print_wrapped(const char *text, int at, int indent)
{
    bool first = true;

    for (;;) {
        int n = (int)strcspn(text, " \n");

        if (!first && at + 1 + n > WIDTH) {
            printf("\n%*s", indent, "");
            at = indent;
        } else if (!first) {
            putchar(' ');
            at++;
        }
        for (int k; (k = cut_word(text, n, WIDTH - at)) < n; n -= k) {
            printf("%.*s\n%*s", k, text, indent, "");
            text += k;
            at = indent;
        }
        printf("%.*s", n, text);
        at += n;
        first = false;
        text += n;
        if (*text == '\0')
            break;
        if (*text++ == '\n') {
            printf("\n%*s", indent, "");
            at = indent;
            first = true;
        }
    }
    putchar('\n');
}

/* "-o, --output FILE" */
static void print_head(char *out, size_t size, const struct option_row *row)
{
    char letter[8] = "";

    if (row->letter != '\0')
        snprintf(letter, sizeof(letter), "-%c, ", row->letter);
    if (row->may_stand_alone)
        snprintf(out, size, "%s--%s[=%s]", letter, row->name, row->argument);
    else
        snprintf(out, size, "%s--%s%s%s", letter, row->name,
                 row->argument ? " " : "", row->argument ? row->argument : "");
}

static void print_entry(const char *head, const char *text)
{
    int n = printf("  %s", head);

    if (n > COLUMN - 1) {
        printf("\n");
        n = 0;
    }
    printf("%*s", COLUMN - n, "");
    command_line_print_wrapped(text, COLUMN, COLUMN);
}

/* ": last (default), first (gloss)" */
static void add_words(struct buffer *text,
                      const struct option_row *row,
                      const char *at,
                      struct mapcore_error *err)
{
    const char *gap = ": ";
    int value;

    memcpy(&value, at, sizeof(value));
    for (const struct option_word *word = row->words; word->name; word++) {
        bool is_default = row->shows_default && word->value == value;

        if (word->hidden)
            continue;
        buffer_printf(text, err, "%s%s", gap, word->name);
        if (is_default || word->gloss)
            buffer_printf(text, err, " (%s%s%s)", is_default ? "default" : "",
                          is_default && word->gloss ? ", " : "",
                          word->gloss ? word->gloss : "");
        gap = ", ";
    }
}

static void add_default(struct buffer *text,
                        const struct option_row *row,
                        const char *at,
                        struct mapcore_error *err)
{
    uint32_t count;
    uint64_t count64;
    double number;

    if (row->kind == OPTION_COUNT) {
        memcpy(&count, at, sizeof(count));
        buffer_printf(text, err, " (default %" PRIu32 ")", count);
    } else if (row->kind == OPTION_COUNT64) {
        memcpy(&count64, at, sizeof(count64));
        buffer_printf(text, err, " (default %" PRIu64 ")", count64);
    } else if (row->kind == OPTION_NUMBER) {
        memcpy(&number, at, sizeof(number));
        buffer_printf(text, err, " (default %g)", number);
    }
}

static void print_row(const struct option_row *row, const char *at)
{
    struct buffer text = {0};
    struct mapcore_error err;
    char head[MAX_HEAD];

    print_head(head, sizeof(head), row);
    buffer_printf(&text, &err, "%s", row->help);
    if (row->words)
        add_words(&text, row, at, &err);
    else if (row->shows_default)
        add_default(&text, row, at, &err);
    print_entry(head, text.bytes ? text.bytes : row->help);
    buffer_clear(&text);
}

static void add_operands(struct buffer *text,
                         const struct option_row *operands,
                         struct mapcore_error *err)
{
    for (; operands && operands->name; operands++)
        buffer_printf(text, err, operands->required ? " %s%s" : " [%s]%s",
                      operands->name,
                      operands->kind == OPTION_LIST ? "..." : "");
}

/* Options of a verb, or what is required without verbs. */
static void add_options(struct buffer *text,
                        const struct command_line *line,
                        uint32_t mask,
                        struct mapcore_error *err)
{
    for (int g = 0; g < OPTIONS_MAX_GROUPS && line->groups[g].rows; g++)
        for (const struct option_row *row = line->groups[g].rows; row->name;
             row++) {
            if (!row->help ||
                (mask == 0 ? !row->required : (row->verbs & mask) == 0))
                continue;
            buffer_printf(text, err,
                          row->required ? " --%s%s%s" : " [--%s%s%s]",
                          row->name, row->argument ? " " : "",
                          row->argument ? row->argument : "");
        }
    if (mask == 0)
        buffer_printf(text, err, " [OPTION]...");
}

/* Breaks the line before options only, not before their arguments. */
static void print_usage_line(const char *command,
                             const char *text,
                             bool is_first)
{
    int indent = printf("%s topomap%s%s", is_first ? "usage:" : "      ",
                        *command == '-' ? "" : " ", command);
    int at = indent;

    while (*text != '\0') {
        int n = 1;

        while (text[n] != '\0' &&
               !(text[n] == ' ' && (text[n + 1] == '-' || text[n + 1] == '[')))
            n++;
        if (at + n > WIDTH) {
            printf("\n%*s", indent, "");
            at = indent;
        }
        at += printf("%.*s", n, text);
        text += n;
    }
    putchar('\n');
}

/* word: a form, which is all of it, or a verb, or NULL. */
static void print_form(const struct command_line *line,
                       const char *word,
                       const struct option_row *operands,
                       uint32_t mask,
                       bool is_first)
{
    struct mapcore_error err;
    struct buffer text = {0};

    if (word)
        buffer_printf(&text, &err, " %s", word);
    add_operands(&text, operands, &err);
    if (!line->forms)
        add_options(&text, line, mask, &err);
    print_usage_line(line->name, text.bytes ? text.bytes : "", is_first);
    buffer_clear(&text);
}

static void print_usage(const struct command_line *line)
{
    for (size_t i = 0; line->forms && line->forms[i]; i++)
        print_form(line, line->forms[i], NULL, 0, i == 0);
    if (!line->verbs && !line->forms)
        print_form(line, NULL, line->operands, 0, true);
    for (size_t i = 0; line->verbs && line->verbs[i].name; i++)
        print_form(line, line->verbs[i].name, line->verbs[i].operands, 1u << i,
                   i == 0);
}

/* Whether an operand of a verb before this one has that name. */
static bool is_known(const struct command_line *line,
                     const struct option_verb *verb,
                     const char *name)
{
    for (const struct option_verb *v = line->verbs; v < verb; v++)
        for (const struct option_row *row = v->operands; row && row->name;
             row++)
            if (strcmp(row->name, name) == 0)
                return true;
    return false;
}

static void print_operands(const struct command_line *line)
{
    const struct option_row *row;

    for (row = line->operands; row && row->name; row++)
        print_entry(row->name, row->help);
    for (const struct option_verb *verb = line->verbs; verb && verb->name;
         verb++)
        for (row = verb->operands; row && row->name; row++)
            if (!is_known(line, verb, row->name))
                print_entry(row->name, row->help);
}

void command_line_print_help(const struct command_line *line, const void *out)
{
    print_usage(line);
    putchar('\n');
    command_line_print_wrapped(line->about, 0, 0);
    putchar('\n');
    if (line->verbs) {
        for (const struct option_verb *verb = line->verbs; verb->name; verb++)
            print_entry(verb->name, verb->summary);
        putchar('\n');
    }
    print_operands(line);
    for (int g = 0; g < OPTIONS_MAX_GROUPS && line->groups[g].rows; g++)
        for (const struct option_row *row = line->groups[g].rows; row->name;
             row++)
            if (row->help)
                print_row(row, (const char *)out + line->groups[g].base +
                                   row->offset);
    print_entry("-h, --help", "this text");
    if (line->more) {
        putchar('\n');
        command_line_print_wrapped(line->more, 0, 0);
    }
}

static void print_words(const struct option_row *row)
{
    printf("--%s", row->name);
    if (row->argument)
        printf(" %s", row->argument);
    for (const struct option_word *word = row->words; word && word->name;
         word++)
        if (!word->hidden)
            printf(" %s", word->name);
    putchar('\n');
}

void command_line_print_completion(const struct command_line *line)
{
    const struct option_row *row;

    for (int g = 0; g < OPTIONS_MAX_GROUPS && line->groups[g].rows; g++)
        for (row = line->groups[g].rows; row->name; row++)
            if (row->help)
                print_words(row);
    printf("--help\n");
    for (row = line->operands; row && row->name; row++)
        printf("OPERAND %s\n", row->name);
    for (size_t i = 0; line->verbs && line->verbs[i].name; i++) {
        printf("VERB %s", line->verbs[i].name);
        for (row = line->verbs[i].operands; row && row->name; row++)
            printf(" %s", row->name);
        for (int g = 0; g < OPTIONS_MAX_GROUPS && line->groups[g].rows; g++)
            for (row = line->groups[g].rows; row->name; row++)
                if (row->help &&
                    (row->verbs == 0 || (row->verbs & 1u << i) != 0))
                    printf(" --%s", row->name);
        putchar('\n');
    }
}
