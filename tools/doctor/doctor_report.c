/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* doctor_report.c - prints findings, for people or as JSON */
#include "config.h"

#include "tools/doctor/doctor_report.h"

#include "tools/common/tool.h"

#include <stdarg.h>
#include <string.h>

enum {
    SUBJECT_WIDTH = 18,
    TEXT_MOST = 4096,
};

static void print(enum verdict verdict,
                  const char *subject,
                  const char *remedy,
                  const char *text)
{
    static const char *const marks[] = {"ok", "--", "! ", "!!"};
    size_t n = strcspn(text, "\n");

    tool_print("%-*s %s  %.*s\n", SUBJECT_WIDTH, subject, marks[verdict],
               (int)n, text);
    while (text[n] != '\0') {
        text += n + 1;
        n = strcspn(text, "\n");
        if (n > 0)
            tool_print("%*s%.*s\n", SUBJECT_WIDTH + 5, "", (int)n, text);
    }
    if (remedy)
        tool_print("%*s-> %s\n", SUBJECT_WIDTH + 5, "", remedy);
    fflush(stdout);
}

static void put(struct json_writer *writer,
                enum verdict verdict,
                const char *subject,
                const char *remedy,
                const char *text)
{
    static const char *const words[] = {"ok", "untried", "warning", "wrong"};

    json_begin_object(writer, NULL);
    json_put_string(writer, "subject", subject);
    json_put_string(writer, "verdict", words[verdict]);
    json_put_string(writer, "text", text);
    if (remedy)
        json_put_string(writer, "remedy", remedy);
    else
        json_put_null(writer, "remedy");
    json_end_object(writer);
}

void doctor_say(struct doctor_report *report,
                enum verdict verdict,
                const char *subject,
                const char *remedy,
                const char *format,
                ...)
{
    char text[TEXT_MOST];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    report->count[verdict]++;
    if (report->writer)
        put(report->writer, verdict, subject, remedy, text);
    else
        print(verdict, subject, remedy, text);
}
