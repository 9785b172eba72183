/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_slots_scale.c - slots of 65,536 ranks on 4,096 nodes: how long they get,
 * and what happens to a file of them is noticed */
#include "config.h"

#include "unit.h"

#include "base/rng.h"
#include "plugin/handoff/handoff_file.h"

#include <fcntl.h>
#include <unistd.h>

enum {
    JOB = 12,
    STEP = 3,
    NODES = 4096,
    PER_NODE = 16,
    RANKS = NODES * PER_NODE,
    REGULAR_MOST = 4096, /* bytes */
};

struct scale {
    uint32_t host[RANKS], slot[RANKS];
    char home[32];
    char *slots, *plan, *path;
};

static struct mapcore_plan plan_of(struct scale *scale)
{
    return (struct mapcore_plan){.ntasks = RANKS,
                                 .nhosts = NODES,
                                 .outcome = MAPCORE_PLAN_PLACED,
                                 .host = scale->host,
                                 .slot = scale->slot};
}

/* Blocks of 2x2x2x2 of a lattice of 16^4, as an embedding of a grid has them;
 * nodes of the other half of it have their two packages the other way round. */
static void make_regular(struct scale *scale)
{
    for (uint32_t r = 0; r < RANKS; r++) {
        uint32_t node = 0, slot = 0;

        for (int i = 0; i < 4; i++) {
            uint32_t x = r >> 4 * i & 15;

            node |= x / 2 << 3 * i;
            slot |= (x & 1) << i;
        }
        scale->host[r] = node;
        scale->slot[r] = node < NODES / 2 ? slot : slot ^ 8;
    }
}

static void make_irregular(struct scale *scale)
{
    struct rng rng;

    rng_init(&rng, 7, 0, 0);
    for (uint32_t r = 0; r < RANKS; r++) {
        scale->host[r] = r / PER_NODE;
        scale->slot[r] = r % PER_NODE;
    }
    for (uint32_t i = RANKS; i > 1; i--) {
        uint32_t j = rng_below(&rng, i), host = scale->host[j],
                 slot = scale->slot[j];

        scale->host[j] = scale->host[i - 1];
        scale->slot[j] = scale->slot[i - 1];
        scale->host[i - 1] = host;
        scale->slot[i - 1] = slot;
    }
}

static int write_slots(struct scale *scale)
{
    const struct handoff_place place = {NULL, scale->home, {JOB, STEP, NULL}};
    struct mapcore_plan plan = plan_of(scale);

    if (slot_text_format(&scale->slots, &plan, NULL) < 0)
        return 1;
    if (strlen(scale->slots) <= HANDOFF_MOST)
        return !(scale->plan = strdup(scale->slots));
    return handoff_file_write(&scale->path, "slots", scale->slots, &place,
                              NULL) < 0 ||
           handoff_file_name(&scale->plan, scale->slots, scale->path, NULL) < 0;
}

/* What a task of a node does. */
static int read_slots(uint32_t slot[PER_NODE],
                      const struct scale *scale,
                      uint32_t node)
{
    char *text = NULL;
    int error = handoff_file_read(&text, scale->plan, NULL);

    if (error == 0)
        error = slot_text_parse(slot, PER_NODE, text, strlen(text), NODES, node,
                                NULL);
    free(text);
    return error;
}

static void check_nodes(const struct scale *scale)
{
    for (uint32_t node = 0; node < NODES; node += 255) {
        uint32_t slot[PER_NODE], n = 0;

        assert_ok(read_slots(slot, scale, node));
        for (uint32_t r = 0; r < RANKS; r++)
            if (scale->host[r] == node)
                assert_int_equal(slot[n++], scale->slot[r]);
        assert_int_equal(n, PER_NODE);
    }
}

static int set_up(void **state)
{
    struct scale *scale = calloc(1, sizeof(*scale));

    if (!scale)
        return -1;
    *state = scale;
    strcpy(scale->home, "/tmp/test_slots.XXXXXX");
    return mkdtemp(scale->home) ? 0 : -1;
}

static int tear_down(void **state)
{
    struct scale *scale = *state;
    char folder[64];

    if (scale->path)
        unlink(scale->path);
    snprintf(folder, sizeof(folder), "%s/.cache/topomap", scale->home);
    rmdir(folder);
    *strrchr(folder, '/') = '\0';
    rmdir(folder);
    rmdir(scale->home);
    free(scale->slots);
    free(scale->plan);
    free(scale->path);
    free(scale);
    return 0;
}

static void regular_slots_are_short(void **state)
{
    struct scale *scale = *state;

    make_regular(scale);
    assert_ok(write_slots(scale));
    assert_null(scale->path);
    assert_true(strlen(scale->plan) < REGULAR_MOST);
    check_nodes(scale);
}

static void irregular_slots_are_a_file(void **state)
{
    struct scale *scale = *state;

    make_irregular(scale);
    assert_ok(write_slots(scale));
    assert_non_null(scale->path);
    assert_true(strlen(scale->plan) < REGULAR_MOST);
    check_nodes(scale);
}

static void put(const char *path, const char *text, size_t n)
{
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, n), n);
    assert_ok(close(fd));
}

/* Every node refuses it: one that goes on would mix two layouts. */
static void assert_refused(const struct scale *scale)
{
    for (uint32_t node = 0; node < NODES; node += 1365) {
        uint32_t slot[PER_NODE];

        assert_true(read_slots(slot, scale, node) < 0);
    }
}

static void a_damaged_file_is_refused(void **state)
{
    struct scale *scale = *state;
    struct mapcore_plan plan = plan_of(scale);
    char *other = NULL;
    size_t n;

    make_irregular(scale);
    assert_ok(write_slots(scale));
    n = strlen(scale->slots);
    for (size_t i = 0; i < 64; i++) { /* a bit flipped */
        size_t at = i * (n - 1) / 63;

        scale->slots[at] ^= (char)(1 << i % 7);
        put(scale->path, scale->slots, n);
        assert_refused(scale);
        scale->slots[at] ^= (char)(1 << i % 7);
    }
    for (size_t i = 1; i < 64; i++) { /* cut */
        put(scale->path, scale->slots, n - (i < 32 ? i : i * n / 64));
        assert_refused(scale);
    }
    put(scale->path, "", 0);
    assert_refused(scale);
    /* That of another plan for the same step, whole in itself. */
    for (uint32_t r = 0; r < RANKS; r++)
        scale->slot[r] = PER_NODE - 1 - scale->slot[r];
    assert_ok(slot_text_format(&other, &plan, NULL));
    put(scale->path, other, strlen(other));
    free(other);
    assert_refused(scale);
    for (uint32_t r = 0; r < RANKS; r++)
        scale->slot[r] = PER_NODE - 1 - scale->slot[r];
    /* More than any plan has, with the right end. */
    assert_ok(truncate(scale->path, 0));
    assert_ok(truncate(scale->path, (off_t)1 << 34));
    assert_refused(scale);
    put(scale->path, scale->slots, n);
    check_nodes(scale);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(regular_slots_are_short, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(irregular_slots_are_a_file, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_file_is_refused, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
