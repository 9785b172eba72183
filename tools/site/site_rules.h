/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site_rules.h - which rule of the site file decides on a launch */
#ifndef TOOLS_SITE_RULES_H
#define TOOLS_SITE_RULES_H

#include "tools/site/site.h"

/* The first rule of the site that is for a launch of this user's, in the
 * account of SLURM_JOB_ACCOUNT and a partition (NULL: SLURM_JOB_PARTITION), of
 * command[], up to a NULL, or NULL; what is not known is like no pattern. NULL:
 * none is. *why, owned: "rule 2 of FILE for user bob (b*)", "none of the 2
 * rules of FILE"; NULL: it has no rules. */
const struct site_rule *site_rules_decide(char **why,
                                          const struct site_file *site,
                                          const char *partition,
                                          const char *const *command);

/* What of the rules can match nothing, a line each with file, line and field;
 * owned, NULL: all is well. partitions: those of the cluster, separated by
 * commas; NULL: they are not known. */
char *site_rules_doubt(const struct site_file *site, const char *partitions);

#endif
