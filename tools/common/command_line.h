/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* command_line.h - a command line as a table, a row an option: what parses it,
 * prints its --help and completes it in a shell is made from the rows; their
 * words for people are tables/help.txt's */
#ifndef TOOLS_COMMAND_LINE_H
#define TOOLS_COMMAND_LINE_H

#include "base/error.h"
#include "tools/common/tool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,    /* bool, true when given */
    OPTION_STRING,  /* const char *, borrowed from argv */
    OPTION_COUNT,   /* uint32_t, min to max */
    OPTION_COUNT64, /* uint64_t, min to max */
    OPTION_NUMBER,  /* double, least to most */
    OPTION_LIST,    /* struct tool_list; may be given several times */
    OPTION_WORD,    /* an enum: one of words */
    OPTION_CALL,    /* anything: take reads it */
};

struct option_word {
    const char *name;
    int value;
    const char *gloss; /* for --help, in parentheses; may be NULL */
    bool hidden;       /* for developers: taken, and not shown */
};

/* Reads text into what stands at `at`. Returns 0, or fails with what is wrong:
 * it is shown behind the option's name. */
typedef int option_take(void *at, const char *text, struct mapcore_error *err);

/* An option, or, in a list of operands, an operand; the last of these may be a
 * list, and takes all that is left. */
struct option_row {
    const char *name; /* "time"; of an operand what help calls it, "GRAPH" */
    char letter;      /* 'o' of -o; '\0': none */
    const char *argument; /* "SECONDS", NULL for a flag; FILE, DIR, NODES, SPEC,
                             MAPPER, MAPPING and PROFILE are completed so */
    enum option_kind kind;
    size_t offset;     /* of the value in the group's struct */
    uint64_t min, max; /* of a count; max 0: the largest there is */
    double least, most;
    const struct option_word *words; /* up to a NULL name */
    option_take *take;
    uint32_t verbs;     /* bit i: for verb i; 0: for all */
    bool required;      /* by those verbs, */
    bool lifts;         /* unless an option is given that lifts all of these */
    bool shows_default; /* --help tells the value before parsing */
    bool may_stand_alone; /* of a word: without an argument it is the first of
                             words; with one, --links=csv */
};

/* The kind and place of a value, by the type of the member that takes it: a row
 * cannot disagree with its struct. Enums are uint32_t to the compiler, hence
 * OPTION_WORD_INTO. */
#define OPTION_INTO(type, member)                                              \
    .kind = _Generic(((type *)0)->member,                                      \
                     bool: OPTION_FLAG,                                        \
                     const char *: OPTION_STRING,                              \
                     uint32_t: OPTION_COUNT,                                   \
                     uint64_t: OPTION_COUNT64,                                 \
                     double: OPTION_NUMBER,                                    \
                     struct tool_list: OPTION_LIST),                           \
    .offset = offsetof(type, member)
#define OPTION_WORD_INTO(type, member, list)                                   \
    .kind = OPTION_WORD, .words = (list),                                      \
    .offset =                                                                  \
        offsetof(type, member) +                                               \
        0 * sizeof(char[sizeof(((type *)0)->member) == sizeof(int) ? 1 : -1])
#define OPTION_CALL_INTO(type, member, function)                               \
    .kind = OPTION_CALL, .offset = offsetof(type, member), .take = (function)
/* Its word, and its argument, which --help calls `what`. */
#define OPTION(word, what) .name = (word), .argument = (what)
/* The same with its value: of a flag or an operand, of another option. */
#define OPTION_NAMED(word, type, member)                                       \
    .name = (word), OPTION_INTO(type, member)
#define OPTION_TAKES(word, what, type, member)                                 \
    OPTION(word, what), OPTION_INTO(type, member)

/* Rows up to a NULL name, whose offsets count from `base` in the command's
 * struct: rows that several commands share are one array. */
struct option_group {
    const struct option_row *rows;
    size_t base;
};

/* list, show, ...: the first word that is no option. */
struct option_verb {
    const char *name;
    const struct option_row *operands; /* up to a NULL name; or NULL */
};

enum {
    OPTIONS_MAX_GROUPS = 6,
    OPTIONS_MAX_ROWS = 48, /* of all groups */
};

struct command_line {
    const char *name;                  /* of the subcommand */
    const struct option_row *operands; /* without verbs; NULL: none */
    const struct option_verb *verbs;   /* up to a NULL name; NULL: none */
    size_t verb;                       /* offset of a uint32_t, which verb */
    struct option_group groups[OPTIONS_MAX_GROUPS];
    bool stops;  /* at the first word that is no option: the rest, argv's */
    size_t rest; /* end, goes to the char ** at this offset */
    /* Offset of a struct tool_list that gets each option as it was meant, its
     * name and its argument (NULL for a flag), both borrowed; 0: none. */
    size_t words;
};

/* Reads argv (argv[0] is the subcommand's name) into out, the command's struct,
 * which holds the defaults before. Unambiguous prefixes of names will do.
 * False: the command ends with *status, for --help was printed, or a usage
 * error. What lists took is the caller's to free in any case. */
bool command_line_parse(int *status,
                        const struct command_line *line,
                        void *out,
                        int argc,
                        char **argv);

/* Prints on stdout what a view of tools/tables makes of the table, "help" or
 * "complete"; out holds the defaults. TOOL_OK, or TOOL_FAILED and a line. */
int command_line_tell(const struct command_line *line,
                      const void *out,
                      const char *view);

#endif
