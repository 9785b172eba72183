/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* command_line.c - reads a command line by its table, and says what is wrong
 * with it */
#include "config.h"

#include "tools/common/command_line.h"

#include "base/text.h"

#include <getopt.h>
#include <inttypes.h>
#include <string.h>

enum {
    FIRST_ROW = 256, /* getopt_long's value of row 0, beyond any letter */
    MAX_NAME = 64,
    MAX_NAMES = 256,
};

/* All rows of a command, and where their values go. */
struct parser {
    const struct command_line *line;
    char *values; /* the command's struct */
    size_t n;
    const struct option_row *row[OPTIONS_MAX_ROWS];
    char *at[OPTIONS_MAX_ROWS];
    bool given[OPTIONS_MAX_ROWS];
    struct option longs[OPTIONS_MAX_ROWS + 2];
    char letters[2 * OPTIONS_MAX_ROWS + 4];
};

static void add_row(struct parser *parser,
                    const struct option_row *row,
                    char *at,
                    size_t *nlongs)
{
    size_t n = strlen(parser->letters);

    parser->longs[(*nlongs)++] = (struct option){
        .name = row->name,
        .has_arg = row->kind == OPTION_FLAG ? no_argument
                   : row->may_stand_alone   ? optional_argument
                                            : required_argument,
        .val = FIRST_ROW + (int)parser->n,
    };
    if (row->letter != '\0') {
        parser->letters[n++] = row->letter;
        if (row->kind != OPTION_FLAG)
            parser->letters[n] = ':';
    }
    parser->row[parser->n] = row;
    parser->at[parser->n++] = at;
}

static void begin(struct parser *parser,
                  const struct command_line *line,
                  void *out)
{
    static const struct option help = {.name = "help", .val = 'h'};
    size_t nlongs = 0;

    *parser = (struct parser){.line = line, .values = out};
    /* Errors are ours to print, each by its own text. */
    strncpy(parser->letters, line->stops ? "+:h" : ":h",
            sizeof(parser->letters) - 1);
    for (int g = 0; g < OPTIONS_MAX_GROUPS && line->groups[g].rows; g++)
        for (const struct option_row *row = line->groups[g].rows; row->name;
             row++)
            if (parser->n < OPTIONS_MAX_ROWS)
                add_row(parser, row,
                        (char *)out + line->groups[g].base + row->offset,
                        &nlongs);
    parser->longs[nlongs] = help;
}

/* "a, b or c", name by name. */
static void add_name(char names[MAX_NAMES], const char *gap, const char *name)
{
    size_t used = strlen(names);

    snprintf(names + used, MAX_NAMES - used, "%s%s", used > 0 ? gap : "", name);
}

/* word: as typed, without the dashes and =ARGUMENT; length of it. A word that
 * begins several names is ambiguous; one that begins none may be a misspelt
 * one. */
static int refuse_name(const struct parser *parser, const char *typed)
{
    const char *command = parser->line->name;
    char word[MAX_NAME], names[MAX_NAMES] = "";
    size_t n = strcspn(typed, "=");
    const char *nearest, *all[OPTIONS_MAX_ROWS];

    if (n >= sizeof(word))
        return tool_usage(command, "unknown option --%s", typed);
    memcpy(word, typed, n);
    word[n] = '\0';
    for (size_t i = 0; i < parser->n; i++) {
        all[i] = parser->row[i]->name;
        if (strncmp(all[i], word, n) == 0)
            add_name(names, ", --", all[i]);
    }
    if (names[0] != '\0')
        return tool_usage(command, "--%s is ambiguous: --%s", word, names);
    if ((nearest = text_nearest(word, all, parser->n, sizeof(*all))))
        return tool_usage(command, "unknown option --%s, did you mean --%s?",
                          word, nearest);
    return tool_usage(command, "unknown option --%s", word);
}

/* What getopt_long has returned '?' or ':' for. */
static int refuse(const struct parser *parser, int c, char **argv)
{
    const char *command = parser->line->name;
    const struct option_row *row =
        optopt >= FIRST_ROW ? parser->row[optopt - FIRST_ROW] : NULL;

    if (c == ':')
        return row ? tool_usage(command, "--%s needs an argument", row->name)
                   : tool_usage(command, "-%c needs an argument", optopt);
    if (row)
        return tool_usage(command, "--%s takes no argument", row->name);
    if (optopt != 0 && text_after(argv[optind - 1], "--"))
        return tool_usage(command, "--help takes no argument");
    if (optopt != 0)
        return tool_usage(command, "unknown option -%c", optopt);
    return refuse_name(parser, argv[optind - 1] + 2);
}

static int take_count(const struct parser *parser,
                      const struct option_row *row,
                      char *at,
                      const char *text)
{
    bool is_short = row->kind == OPTION_COUNT;
    uint64_t most = is_short ? UINT32_MAX - 1 : UINT64_MAX, value;
    uint32_t narrow;

    most = row->max > 0 && row->max < most ? row->max : most;
    if (!text_parse_u64(text, &value) || value < row->min || value > most) {
        if (row->max == 0)
            return tool_usage(parser->line->name,
                              "--%s: '%s' is not a whole number from %" PRIu64,
                              row->name, text, row->min);
        return tool_usage(parser->line->name,
                          "--%s: '%s' is not a whole number from %" PRIu64
                          " to %" PRIu64,
                          row->name, text, row->min, most);
    }
    narrow = (uint32_t)value;
    if (is_short)
        memcpy(at, &narrow, sizeof(narrow));
    else
        memcpy(at, &value, sizeof(value));
    return TOOL_OK;
}

static int take_number(const struct parser *parser,
                       const struct option_row *row,
                       char *at,
                       const char *text)
{
    double value;

    if (!text_parse_double(text, &value) || value < row->least ||
        value > row->most)
        return tool_usage(parser->line->name,
                          "--%s: '%s' is not a number from %g to %g", row->name,
                          text, row->least, row->most);
    memcpy(at, &value, sizeof(value));
    return TOOL_OK;
}

static int take_word(const struct parser *parser,
                     const struct option_row *row,
                     char *at,
                     const char *text)
{
    const struct option_word *last = NULL;
    char names[MAX_NAMES] = "";

    for (const struct option_word *word = row->words; word->name; word++) {
        if (strcmp(word->name, text) == 0) {
            memcpy(at, &word->value, sizeof(word->value));
            return TOOL_OK;
        }
        if (!word->hidden)
            last = word;
    }
    for (const struct option_word *word = row->words; word->name; word++)
        if (!word->hidden)
            add_name(names, word == last ? " or " : ", ", word->name);
    return tool_usage(parser->line->name, "--%s: '%s' is not %s", row->name,
                      text, names);
}

static int take(struct parser *parser, size_t i, const char *text)
{
    const struct option_row *row = parser->row[i];
    char *at = parser->at[i];
    struct tool_list *words = (void *)(parser->values + parser->line->words);
    struct mapcore_error err;
    bool yes = true;

    parser->given[i] = true;
    if (parser->line->words != 0 &&
        (tool_list_add(words, row->name, &err) < 0 ||
         tool_list_add(words, text, &err) < 0))
        return tool_fail("%s", err.text);
    switch (row->kind) {
    case OPTION_FLAG:
        memcpy(at, &yes, sizeof(yes));
        return TOOL_OK;
    case OPTION_STRING:
        memcpy(at, &text, sizeof(text));
        return TOOL_OK;
    case OPTION_COUNT:
    case OPTION_COUNT64:
        return take_count(parser, row, at, text);
    case OPTION_NUMBER:
        return take_number(parser, row, at, text);
    case OPTION_LIST:
        return tool_list_add((struct tool_list *)(void *)at, text, &err) < 0
                   ? tool_fail("%s", err.text)
                   : TOOL_OK;
    case OPTION_WORD:
        return take_word(parser, row, at, text ? text : row->words->name);
    case OPTION_CALL:
        break;
    }
    return row->take(at, text, &err) < 0
               ? tool_usage(parser->line->name, "--%s: %s", row->name, err.text)
               : TOOL_OK;
}

static int take_letter(struct parser *parser, int letter, const char *text)
{
    for (size_t i = 0; i < parser->n; i++)
        if (parser->row[i]->letter == letter)
            return take(parser, i, text);
    return TOOL_OK;
}

/* The word that says which verb, and that the options are for it. */
static int take_verb(struct parser *parser, uint32_t *out, const char *word)
{
    const struct command_line *line = parser->line;
    char names[MAX_NAMES] = "";
    const char *nearest;
    uint32_t which = 0, n = 0;

    for (const struct option_verb *verb = line->verbs; verb->name; verb++, n++)
        add_name(names, verb[1].name ? ", " : " or ", verb->name);
    if (!word)
        return tool_usage(line->name, "%s?", names);
    while (line->verbs[which].name &&
           strcmp(line->verbs[which].name, word) != 0)
        which++;
    nearest = text_nearest(word, line->verbs, n, sizeof(*line->verbs));
    if (which == n && nearest)
        return tool_usage(line->name, "there is no '%s', did you mean '%s'?",
                          word, nearest);
    if (which == n)
        return tool_usage(line->name, "'%s' is not %s", word, names);
    for (size_t i = 0; i < parser->n; i++) {
        const struct option_row *row = parser->row[i];

        if (parser->given[i] && row->verbs != 0 &&
            (row->verbs & 1u << which) == 0)
            return tool_usage(line->name, "--%s is not for %s", row->name,
                              word);
    }
    *out = which;
    return TOOL_OK;
}

/* All words that are left. */
static int take_list(const struct parser *parser,
                     const struct option_row *operand,
                     void *values,
                     char **words,
                     bool may_miss)
{
    struct tool_list *list =
        (struct tool_list *)(void *)((char *)values + operand->offset);
    struct mapcore_error err;

    if (!*words && operand->required && !may_miss)
        return tool_usage(parser->line->name, "%s is missing", operand->name);
    for (; *words; words++)
        if (tool_list_add(list, *words, &err) < 0)
            return tool_fail("%s", err.text);
    return TOOL_OK;
}

static int take_operands(const struct parser *parser,
                         const struct option_row *operands,
                         void *values,
                         char **words,
                         bool may_miss)
{
    for (; operands && operands->name; operands++) {
        if (operands->kind == OPTION_LIST)
            return take_list(parser, operands, values, words, may_miss);
        if (*words)
            memcpy((char *)values + operands->offset, words++, sizeof(*words));
        else if (operands->required && !may_miss)
            return tool_usage(parser->line->name, "%s is missing",
                              operands->name);
    }
    return *words ? tool_usage(parser->line->name,
                               "'%s' is one argument too many", *words)
                  : TOOL_OK;
}

/* What programs read is one or the other. */
static int check_forms(const struct parser *parser)
{
    int n = 0;

    for (size_t i = 0; i < parser->n; i++)
        n += parser->given[i] && (strcmp(parser->row[i]->name, "json") == 0 ||
                                  strcmp(parser->row[i]->name, "csv") == 0);
    return n > 1 ? tool_usage(parser->line->name, "either --json or --csv")
                 : TOOL_OK;
}

/* All that stands behind the options. */
static int finish(struct parser *parser, void *values, char **words)
{
    const struct command_line *line = parser->line;
    const struct option_row *operands = line->operands;
    uint32_t verb = 0, mask = UINT32_MAX;
    bool lifted = false;
    int error;

    if (line->stops)
        memcpy((char *)values + line->rest, &words, sizeof(words));
    for (size_t i = 0; i < parser->n; i++)
        lifted = lifted || (parser->given[i] && parser->row[i]->lifts);
    if (line->verbs) {
        error = take_verb(parser, &verb, *words);
        if (error != TOOL_OK)
            return error;
        memcpy((char *)values + line->verb, &verb, sizeof(verb));
        words++;
        operands = line->verbs[verb].operands;
        mask = 1u << verb;
    }
    error = line->stops
                ? TOOL_OK
                : take_operands(parser, operands, values, words, lifted);
    for (size_t i = 0; error == TOOL_OK && !lifted && i < parser->n; i++) {
        const struct option_row *row = parser->row[i];

        if (row->required && !parser->given[i] &&
            (row->verbs == 0 || (row->verbs & mask) != 0))
            error = tool_usage(line->name, "--%s is missing", row->name);
    }
    return error;
}

bool command_line_parse(int *status,
                        const struct command_line *line,
                        void *out,
                        int argc,
                        char **argv)
{
    struct parser parser;
    int c, error = TOOL_OK;

    *status = TOOL_OK;
    if (argc == 2 && strcmp(argv[1], "--complete") == 0) {
        *status = command_line_tell(line, out, "complete");
        return false;
    }
    begin(&parser, line, out);
    opterr = 0;
    while (error == TOOL_OK && (c = getopt_long(argc, argv, parser.letters,
                                                parser.longs, NULL)) != -1) {
        if (c == 'h') {
            *status = command_line_tell(line, out, "help");
            return false;
        }
        if (c == '?' || c == ':')
            error = refuse(&parser, c, argv);
        else if (c >= FIRST_ROW)
            error = take(&parser, (size_t)(c - FIRST_ROW), optarg);
        else
            error = take_letter(&parser, c, optarg);
    }
    if (error == TOOL_OK)
        error = check_forms(&parser);
    if (error == TOOL_OK)
        error = finish(&parser, out, argv + optind);
    *status = error;
    return error == TOOL_OK;
}
