/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* doctor_report.h - what the checks find, a line each, and what to do about it
 */
#ifndef TOOLS_DOCTOR_REPORT_H
#define TOOLS_DOCTOR_REPORT_H

#include "json/json.h"

#include <stdbool.h>

enum verdict {
    VERDICT_OK,
    VERDICT_UNTRIED, /* nothing could be found out */
    VERDICT_WARNING, /* works, and could be better or safer */
    VERDICT_WRONG,
    VERDICTS,
};

/* Starts as all zero, or with a writer that stands in an array: findings go
 * there as objects, and not to stdout. */
struct doctor_report {
    struct json_writer *writer; /* borrowed; NULL: text */
    unsigned count[VERDICTS];
};

/* One finding on subject, "plugin". The text may have several lines. remedy:
 * what makes it well, or NULL. What is longer than 4 KiB is cut. */
void doctor_say(struct doctor_report *report,
                enum verdict verdict,
                const char *subject,
                const char *remedy,
                const char *format,
                ...) __attribute__((format(printf, 5, 6)));

#endif
