/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_first_use.c - the stages of what a task sends: counted as the recorder
 * does it, written as a profile has them, and read again */
#include "config.h"

#include "profiles/commprof/count/first_use.h"
#include "profiles/commprof/count/record.h"
#include "profiles/commprof/write/write.h"
#include "profiles/message_lines.h"

#include "scratch.h"

#include <pthread.h>

enum { RANK = 7 };

static void begin(bool threads)
{
    keep_begin(NULL);
    assert_true(record_begin(RANK, threads, false, 0));
}

static void send_of(enum call_type type, uint32_t to, uint64_t bytes)
{
    record_message(record_stats(type), to, bytes, OUTGOING);
}

static void send_to(uint32_t to)
{
    send_of(TYPE_P2P, to, 8);
}

/* What was counted, and is cleared. */
static struct messages end(void)
{
    struct call_stats *stats;
    struct messages messages = {0};
    size_t nstats;

    record_end();
    assert_ok(record_read(&stats, &nstats, &messages));
    free(stats);
    record_clear();
    keep_end(true);
    return messages;
}

/* "to:order", and "@phase" behind the first, of each message. */
static void assert_orders(const char *expected)
{
    struct messages messages = end();
    char text[1024] = "";
    size_t n = 0;

    for (size_t i = 0; i < messages.n; i++) {
        const struct message *m = &messages.message[i];

        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u:%u",
                              i > 0 ? " " : "", m->to, m->order);
        if (m->phase > 0)
            n += (size_t)snprintf(text + n, sizeof(text) - n, "@%u", m->phase);
        assert_true(m->count < 100);
    }
    assert_string_equal(text, expected);
    messages_clear(&messages);
}

static void groups_and_iterations(void **state)
{
    begin(false);
    first_use_waited();
    for (int k = 0; k < 3; k++) {
        send_to(1);
        send_to(2);
        first_use_waited();
        first_use_waited();
        send_to(3);
        send_to(1);
        first_use_waited();
        send_to(2);
        first_use_waited();
    }
    send_to(4);
    assert_orders("1:1 2:1 3:2 4:3");
}

/* A pair is the same for messages of all sizes. */
static void sizes(void **state)
{
    begin(false);
    for (int k = 0; k < 3; k++)
        for (uint32_t to = 0; to < 3; to++) {
            send_of(TYPE_P2P, to, UINT64_C(1) << (8 * k));
            first_use_waited();
        }
    send_to(5);
    assert_orders("0:1 0:1 0:1 1:2 1:2 1:2 2:3 2:3 2:3 5:4");
}

/* Types have stages of their own; what a library runs by stages has none. */
static void types(void **state)
{
    begin(false);
    send_of(TYPE_RMA, 1, 8);
    first_use_waited();
    send_to(1);
    send_of(TYPE_BCAST, 1, 8);
    first_use_waited();
    send_of(TYPE_RMA, 2, 8);
    send_of(TYPE_ALLTOALLV, 2, 8);
    assert_orders("1:1 2:1 1:0 1:1 2:2");
}

static void phases(void **state)
{
    begin(false);
    send_to(1);
    first_use_waited();
    record_enter(2);
    send_to(2);
    send_to(1);
    record_enter(0);
    send_to(3);
    record_enter(2);
    send_to(3);
    assert_orders("1:1 1:1@2 2:1@2 3:2 3:2@2");
}

/* No rank counts as a partner until the first message goes out again. */
static void borders(void **state)
{
    begin(false);
    for (int k = 0; k < 5; k++) {
        send_to(1);
        first_use_waited();
        first_use_nobody(TYPE_P2P, 8);
        first_use_waited();
        send_to(2);
        first_use_waited();
    }
    send_to(3);
    assert_orders("1:1 2:3 3:4");
    begin(false);
    first_use_nobody(TYPE_P2P, 8);
    first_use_waited();
    send_to(1);
    assert_orders("1:2");
    begin(false);
    for (int k = 0; k < 100; k++) {
        first_use_nobody(TYPE_P2P, 8);
        first_use_waited();
    }
    send_to(1);
    first_use_waited();
    first_use_nobody(TYPE_P2P, 8);
    first_use_waited();
    send_to(2);
    assert_orders("1:9 2:11");
}

static void large_ones_wait(void **state)
{
    struct call_stats stats = {0};

    begin(false);
    send_of(TYPE_P2P, 1, 65535);
    assert_ptr_equal(first_use_sent(&stats), &stats);
    send_of(TYPE_P2P, 2, 65536);
    first_use_sent(&stats);
    send_to(3);
    assert_ptr_equal(first_use_done(&stats), &stats);
    send_to(4);
    assert_orders("1:1 2:1 3:2 4:3");
}

static void more_than_there_are(void **state)
{
    struct messages messages;

    begin(false);
    for (uint32_t to = 8; to < 400; to++) {
        send_to(to);
        first_use_waited();
    }
    messages = end();
    assert_int_equal(messages.n, 392);
    for (uint32_t i = 0; i < 392; i++)
        assert_int_equal(messages.message[i].order, i < 254 ? i + 1 : 255);
    messages_clear(&messages);
}

static void *wait_and_send(void *to)
{
    if (to)
        send_to(*(uint32_t *)to);
    else
        first_use_waited();
    return NULL;
}

static void run_thread(uint32_t *to)
{
    pthread_t thread;

    assert_ok(pthread_create(&thread, NULL, wait_and_send, to));
    pthread_join(thread, NULL);
}

/* Of one it is known also where there may be several. */
static void threads(void **state)
{
    uint32_t to = 3;

    begin(true);
    send_to(1);
    first_use_waited();
    run_thread(NULL); /* nothing was sent since */
    send_to(2);
    assert_orders("1:1 2:2");
    begin(true);
    send_to(1);
    first_use_waited();
    run_thread(&to);
    send_to(4);
    record_enter(2);
    send_to(4);
    assert_orders("1:0 3:0 4:0 4:0@2");
    begin(true);
    send_to(1);
    run_thread(NULL);
    assert_orders("1:0");
}

/* Both know it, or neither does; the earlier stage is the pair's. */
static void merged(void **state)
{
    struct message one[] = {{.to = 1, .order = 4}, {.to = 2, .order = 3}};
    struct message other[] = {{.to = 1, .order = 2}, {.to = 2, .order = 0}};
    struct messages messages = {malloc(sizeof(one)), 2};

    assert_non_null(messages.message);
    memcpy(messages.message, one, sizeof(one));
    assert_ok(messages_merge(&messages, other, 2));
    assert_int_equal(messages.message[0].order, 2);
    assert_int_equal(messages.message[1].order, 0);
    messages_clear(&messages);
}

static int hear(void *arg,
                const struct message_order *order,
                struct mapcore_error *err)
{
    char *text = arg;

    (void)err;
    snprintf(text + strlen(text), 256 - strlen(text), "%s %u %u %u;",
             order->type, order->from, order->to, order->stage);
    return 0;
}

static void written_and_read(void **state)
{
    struct message all[] = {
        {.from = 0, .to = 1, .order = 2, .count = 1, .bytes = 1},
        {.from = 0, .to = 2, .order = 1, .size_class = 3},
        {.from = 0, .to = 2, .order = 1, .size_class = 4},
        {.from = 0, .to = 3, .order = 2},
        {.from = 0, .to = 3, .order = 1, .phase = 2},
        {.from = 2, .to = 0, .order = 255},
        {.type = TYPE_RMA, .from = 1, .to = 0, .order = 1},
        {.type = TYPE_RMA, .from = 1, .to = 2, .order = 0},
    };
    const struct scratch *scratch = *state;
    const struct gathered gathered = {
        .messages = {all, sizeof(all) / sizeof(*all)}};
    struct profile_part part = {scratch->root, &gathered, 4, 0, true};
    uint16_t stages[NTYPES];
    struct mapcore_error err;
    char heard[256] = "", line[80] = "";
    struct text *read = NULL;
    FILE *file;

    assert_ok(profile_part_write(stages, &part, &err));
    assert_int_equal(stages[TYPE_P2P], 255);
    assert_int_equal(stages[TYPE_RMA], 0);
    assert_ok(text_open(&read, at(scratch, "messages.phase1"), &err));
    assert_ok(message_order_read(read, 4, hear, heard));
    assert_string_equal(heard, "p2p 0 2 0;p2p 0 1 1;p2p 0 3 1;p2p 2 0 254;");
    text_close(read);
    assert_non_null(file = fopen(at(scratch, "messages.phase1"), "r"));
    while (fgets(line, sizeof(line), file) && line[0] == '#')
        ;
    assert_string_equal(line, "p2p 0 1 0 1 1\n");
    fclose(file);
    part.phase = 2;
    assert_ok(profile_part_write(stages, &part, &err));
    assert_int_equal(stages[TYPE_P2P], 1);
    part.phase = PHASES_ALL;
    assert_ok(profile_part_write(stages, &part, &err));
    assert_int_equal(stages[TYPE_P2P], 0);
}

static void refused(void **state)
{
    static const struct {
        const char *line, *error;
    } row[] = {
        {"#order p2p 0 255 1", "m:1: there are 255 stages, counted from 0"},
        {"#order p2p 0 4294967296 1",
         "m:1: expected: #order type from stage to ..."},
        {"#order p2p 0 1", "m:1: expected: #order type from stage to ..."},
        {"#order p2p 0", "m:1: expected: #order type from stage to ..."},
        {"#order ", "m:1: expected: #order type from stage to ..."},
        {"#order p2p 0 1 2 x", "m:1: expected: #order type from stage to ..."},
        {"#order p2p 4 1 2", "m:1: there are 4 tasks, counted from 0"},
        {"\n#order p2p 0 1 2 4", "m:2: there are 4 tasks, counted from 0"},
    };

    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
        struct mapcore_error err = {""};
        char heard[256] = "";
        struct text *text = NULL;

        assert_ok(text_open_memory(&text, "m", row[i].line, strlen(row[i].line),
                                   &err));
        assert_true(message_order_read(text, 4, hear, heard) < 0);
        assert_string_equal(err.text, row[i].error);
        text_close(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_and_iterations),
        cmocka_unit_test(sizes),
        cmocka_unit_test(types),
        cmocka_unit_test(phases),
        cmocka_unit_test(borders),
        cmocka_unit_test(large_ones_wait),
        cmocka_unit_test(more_than_there_are),
        cmocka_unit_test(threads),
        cmocka_unit_test(merged),
        ON_DISK(written_and_read),
        cmocka_unit_test(refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
