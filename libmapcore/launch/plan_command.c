/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_command.c - the command line of `topomap plan` that repeats a launch */
#include "config.h"

#include "launch/plan_command.h"

#include "base/buffer.h"
#include "base/printable.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int add_word(struct buffer *line,
                    const char *word,
                    size_t n,
                    struct mapcore_error *err)
{
    int error = buffer_append(line, err, " ", 1);

    return error < 0 ? error : shell_quote(line, err, word, n);
}

/* Whether RUNS go from host to host in order, each host once: what is assumed
 * of a launch that says nothing. Counts are behind '*', and count for nothing.
 */
static bool is_block(const char *runs)
{
    long long last = -1;

    while (*runs >= '0' && *runs <= '9') {
        char *end;
        long long host = strtoll(runs, &end, 10);

        if (host <= last)
            return false;
        last = host;
        if (end[0] == '.' && end[1] == '.')
            last = strtoll(end + 2, &end, 10);
        runs = end + strcspn(end, ",\n");
        runs += *runs == ',';
    }
    return true;
}

/* " -- bash -c './app 3'": the `word` lines of the facts, behind all options.
 */
static int add_words(struct buffer *line,
                     const char *facts_text,
                     struct mapcore_error *err)
{
    static const char name[] = "\nword ";
    const char *at = strstr(facts_text, name);
    int error = at ? buffer_printf(line, err, " --") : 0;

    while (error == 0 && at && strncmp(at, name, strlen(name)) == 0) {
        struct buffer word = {0};

        at += strlen(name);
        error = buffer_append(&word, err, "", 0);
        for (; error == 0 && *at && *at != '\n'; at++) {
            bool escaped = at[0] == '\\' && at[1] && at[1] != '\n';

            at += escaped;
            error =
                buffer_append(&word, err, escaped && *at == 'n' ? "\n" : at, 1);
        }
        if (error == 0)
            error = add_word(line, word.bytes ? word.bytes : "", word.n, err);
        buffer_clear(&word);
    }
    return error;
}

int plan_command(char **out,
                 const char *facts_text,
                 const char *const *words,
                 struct mapcore_error *err)
{
    static const char *const facts[] = {"\nprogram ", "\nntasks ",
                                        "\nnodelist ", "\ntasks-per-node ",
                                        "\nbaseline "};
    struct buffer line = {0};
    int error = 0;

    for (size_t i = 0; error == 0 && i < sizeof(facts) / sizeof(facts[0]);
         i++) {
        const char *fact = strstr(facts_text, facts[i]);
        int n = (int)strlen(facts[i]) - 2;

        if (!fact || (fact[1] == 'b' && is_block(fact + n + 2)) ||
            (fact[1] == 'p' && strstr(facts_text, "\nword ")))
            continue;
        error = buffer_printf(&line, err, "%s--%.*s", line.n > 0 ? " " : "", n,
                              fact + 1);
        fact += n + 2;
        if (error == 0)
            error = add_word(&line, fact, strcspn(fact, "\n"), err);
    }
    for (size_t i = 0; error == 0 && words[i]; i++)
        error = add_word(&line, words[i], strlen(words[i]), err);
    if (error == 0)
        error = add_words(&line, facts_text, err);
    if (error == 0)
        *out = buffer_steal(&line);
    buffer_clear(&line);
    return error;
}
