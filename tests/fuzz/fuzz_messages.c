/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_messages.c - the messages that a profile has counted: what is read is of
 * its tasks, and reads the same a second time */
#include "config.h"

#include "fuzz.h"

#include "profiles/message_lines.h"

enum { NTASKS = 64 };

static int take(void *arg,
                const struct message_line *line,
                struct mapcore_error *err)
{
    uint64_t *sum = arg;

    (void)err;
    EXPECT(line->from < NTASKS && line->to < NTASKS);
    EXPECT(line->type[0] != '\0' && !strchr(line->type, ' '));
    sum[0]++;
    sum[1] += line->count + line->smallest + line->bytes;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t sum[2][2] = {{0}};
    int error[2];

    for (int i = 0; i < 2; i++) {
        struct mapcore_error err = {""};
        struct text *text = NULL;

        error[i] = text_open_memory(&text, "m", (const char *)data, size, &err);
        if (error[i] == 0)
            error[i] = message_lines_read(text, NTASKS, take, sum[i], &err);
        EXPECT(error[i] == 0 || err.text[0] != '\0');
        text_close(text);
    }
    EXPECT(error[0] == error[1] && memcmp(sum[0], sum[1], sizeof(sum[0])) == 0);
    return 0;
}
