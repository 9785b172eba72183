/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site_rules.c - what a launch is, for the rules of the site file, and which of
 * them is the first for it */
#include "config.h"

#include "tools/site/site_rules.h"

#include "base/buffer.h"
#include "base/text.h"
#include "profiles/program/subject.h"

#include <fnmatch.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
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

const struct site_rule *site_rules_decide(char **why,
                                          const struct site_file *site,
                                          const char *partition,
                                          const char *const *command)
{
    static const char *const keys[SITE_RULE_KEYS] = {"partition", "account",
                                                     "user", "program"};
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
        buffer_printf(&text, NULL, "rule %zu of %s", i + 1, site->path);
        for (int k = 0; k < SITE_RULE_KEYS; k++)
            if (rule->pattern[k]) {
                buffer_printf(&text, NULL, "%s %s %s (%s)", before, keys[k],
                              is[k], rule->pattern[k]);
                before = " and";
            }
    } else if (site->nrules > 0) {
        buffer_printf(&text, NULL, "none of the %zu rules of %s", site->nrules,
                      site->path);
    }
    free(program);
    *why = buffer_steal(&text);
    return rule;
}
