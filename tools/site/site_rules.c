/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site_rules.c - what a launch is, for the rules of the site file, and which of
 * them is the first for it; and which can be for none */
#include "config.h"

#include "tools/site/site.h"

#include "base/buffer.h"
#include "base/text.h"
#include "profiles/program/subject.h"

#include <fnmatch.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Behind wrappers, as profiles are filed; owned. NULL: it is not known. */
static char *name_program(const char *const *command)
{
    struct subject_found subject = {.program = NULL};
    const char *name;
    char *copy;
    int n = 0;

    while (command && command[n])
        n++;
    if (n == 0)
        return NULL;
    (void)subject_find(&subject, n, command, getenv("PATH"), NULL);
    name = subject.name      ? subject.name
           : subject.program ? subject.program
                             : command[0];
    copy = strdup(text_last_part(name));
    subject_clear(&subject);
    return copy;
}

static bool is_for(const struct site_rule *rule, const char *const *is)
{
    for (int i = 0; i < SITE_RULE_KEYS; i++)
        if (rule->pattern[i] &&
            (!is[i] || fnmatch(rule->pattern[i], is[i], 0) != 0))
            return false;
    return true;
}

static const char *const keys[SITE_RULE_KEYS] = {"partition", "account", "user",
                                                 "program"};

const struct site_rule *site_rules_decide(char **why,
                                          const struct site_file *site,
                                          const char *partition,
                                          const char *const *command)
{
    const struct passwd *user = site->nrules > 0 ? getpwuid(getuid()) : NULL;
    char *program = site->nrules > 0 ? name_program(command) : NULL;
    const char *const is[SITE_RULE_KEYS] = {
        [SITE_PARTITION] =
            partition ? partition : getenv("SLURM_JOB_PARTITION"),
        [SITE_ACCOUNT] = getenv("SLURM_JOB_ACCOUNT"),
        [SITE_USER] = user ? user->pw_name : NULL,
        [SITE_PROGRAM] = program,
    };
    const struct site_rule *rule = NULL;
    const char *before = " for";
    struct buffer text = {0};
    size_t i = 0;

    while (i < site->nrules && !is_for(&site->rules[i], is))
        i++;
    if (i < site->nrules) {
        rule = &site->rules[i];
        buffer_printf(&text, "rule %zu of %s", i + 1, site->path);
        for (int k = 0; k < SITE_RULE_KEYS; k++)
            if (rule->pattern[k]) {
                buffer_printf(&text, "%s %s %s (%s)", before, keys[k], is[k],
                              rule->pattern[k]);
                before = " and";
            }
    } else if (site->nrules > 0) {
        buffer_printf(&text, "none of the %zu rules of %s", site->nrules,
                      site->path);
    }
    free(program);
    *why = buffer_steal(&text);
    return rule;
}

/* Whether what matches `later` matches `earlier`, too, as far as can be seen.
 * Launches without an account are for no pattern of one. */
static bool covers(int key, const char *earlier, const char *later)
{
    if (!earlier || (strcmp(earlier, "*") == 0 && key != SITE_ACCOUNT))
        return true;
    return later &&
           (strcmp(earlier, later) == 0 ||
            (!strpbrk(later, "*?[\\") && fnmatch(earlier, later, 0) == 0));
}

/* The rule that leaves nothing to that of number i; i: none does. */
static size_t find_cover(const struct site_file *site, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        int k = 0;

        while (k < SITE_RULE_KEYS &&
               covers(k, site->rules[j].pattern[k], site->rules[i].pattern[k]))
            k++;
        if (k == SITE_RULE_KEYS)
            return j;
    }
    return i;
}

static bool is_among(const char *pattern, const char *partitions)
{
    char *list = strdup(partitions), *state = NULL;
    bool found = !list;

    for (char *name = list ? strtok_r(list, ",", &state) : NULL; name && !found;
         name = strtok_r(NULL, ",", &state))
        found = fnmatch(pattern, name, 0) == 0;
    free(list);
    return found;
}

/* Why no launch can have it, or NULL. */
static const char *doubt_pattern(int key,
                                 const char *pattern,
                                 const char *partitions)
{
    if (key == SITE_PROGRAM && strchr(pattern, '/'))
        return "matches nothing: a program is the name of its file, without "
               "folders";
    if (key != SITE_ACCOUNT && strchr(pattern, '/'))
        return "matches nothing: no such name has a slash";
    if (key == SITE_PARTITION && partitions && !is_among(pattern, partitions))
        return "matches no partition of this cluster";
    return NULL;
}

static void add_doubt(struct buffer *out,
                      const struct json_node *node,
                      const char *text)
{
    (void)json_error(node, MAPCORE_EINVAL, "%s", text);
    buffer_printf(out, "%s\n", json_err(node)->text);
}

char *site_rules_doubt(const struct site_file *site, const char *partitions)
{
    const struct site_learning *learning = &site->learning;
    const char *none = learning->until_s > 0 && learning->until_s <= time(NULL)
                           ? "record_until is past"
                       : learning->record_share <= 0 ? "record_share is 0"
                                                     : NULL;
    struct buffer out = {0};
    char text[80];

    if (site->json)
        json_report_to(site->json, NULL);
    if (none)
        buffer_printf(&out, "%s: %s: learn and observe record nothing\n",
                      site->path, none);
    for (size_t i = 0; i < site->nrules; i++) {
        const size_t cover = find_cover(site, i);
        struct json_node rule, value;

        if (json_at(&rule, &site->rule_list, i) < 0)
            break;
        if (cover < i) {
            snprintf(text, sizeof(text),
                     "never decides: rules[%zu] is for all that it is for",
                     cover);
            add_doubt(&out, &rule, text);
        }
        for (int k = 0; k < SITE_RULE_KEYS; k++) {
            const char *pattern = site->rules[i].pattern[k];
            const char *why =
                pattern ? doubt_pattern(k, pattern, partitions) : NULL;

            if (why && json_get(&value, &rule, keys[k]) == 0)
                add_doubt(&out, &value, why);
        }
    }
    return buffer_steal(&out);
}
