/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_messages.c - the messages that a profile has counted, and their order:
 * what is read is of its tasks, and reads the same a second time */
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

static int take_order(void *arg,
                      const struct message_order *order,
                      struct mapcore_error *err)
{
    uint64_t *sum = arg;

    (void)err;
    EXPECT(order->from < NTASKS && order->to < NTASKS);
    EXPECT(order->stage < MESSAGE_ORDER_STAGES);
    EXPECT(order->type[0] != '\0' && !strchr(order->type, ' '));
    sum[0]++;
    sum[1] += order->stage;
    return 0;
}

/* Lines of both kinds of one text. */
static int read_both(uint64_t sum[2], const uint8_t *data, size_t size, int i)
{
    struct mapcore_error err = {""};
    struct text *text = NULL;
    int error = text_open_memory(&text, "m", (const char *)data, size, &err);

    if (error == 0)
        error = (i == 0 ? message_lines_read(text, NTASKS, take, sum)
                        : message_order_read(text, NTASKS, take_order, sum));
    EXPECT(error == 0 || err.text[0] != '\0');
    text_close(text);
    return error;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int kind = 0; kind < 2; kind++) {
        uint64_t sum[2][2] = {{0}};
        int error[2];

        for (int i = 0; i < 2; i++)
            error[i] = read_both(sum[i], data, size, kind);
        EXPECT(error[0] == error[1]);
        EXPECT(memcmp(sum[0], sum[1], sizeof(sum[0])) == 0);
    }
    return 0;
}
