/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_kept.c - what a task counts in memory that outlives it comes back whole;
 * and what no longer is as it was written is refused */
#include "config.h"

#include "scratch.h"

#include "profiles/commprof/count/group.h"
#include "profiles/commprof/count/keep.h"
#include "profiles/commprof/count/record.h"
#include "profiles/commprof/count/regions.h"
#include "tools/profile/recorded/recorded.h"

#include "base/file_read.h"
#include "base/rng.h"

#include <inttypes.h>
#include <sys/mman.h>

enum { RANK = 3, NTASKS = 100000 };
static char path[] = "/tmp/topomap-kept-XXXXXX";

/* A file in memory of two regions; the place of the second. */
static int make_file(char *place, size_t size)
{
    struct stat st;
    int fd = memfd_create("test", MFD_CLOEXEC);

    assert_true(fd >= 0);
    assert_ok(ftruncate(fd, (off_t)(2 * KEPT_REGION)));
    assert_ok(fstat(fd, &st));
    snprintf(place, size, "%d %" PRIu64 " %llu %llu", fd, KEPT_REGION,
             (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
    return fd;
}

static void say_whose(void)
{
    char text[256];
    int n = snprintf(text, sizeof(text),
                     "rank %d\nntasks %d\nprogram /bin/true\nname test\nhost "
                     "n0\nmpi none\njob 1.0\nuser me\nlarge 500000\n",
                     RANK, NTASKS);
    char *kept = keep_alloc(KEPT_TEXT, (size_t)n + 1);

    assert_non_null(kept);
    memcpy(kept, text, (size_t)n);
    keep_head->rank = RANK;
    keep_head->ntasks = NTASKS;
    keep_ready();
}

/* One message of 100 bytes to each of n tasks, and an allreduce of three. */
static void count(uint32_t n)
{
    const uint32_t member[] = {7, RANK, 9};
    struct group *group;

    assert_true(record_begin(RANK, false, false, 0));
    assert_non_null(group = group_get(member, 3));
    say_whose();
    for (uint32_t i = 0; i < n; i++) {
        record_calls(record_stats(TYPE_P2P), 1);
        record_message(record_stats(TYPE_P2P), RANK + 1 + i, 100, OUTGOING);
    }
    record_calls(record_stats_sized(TYPE_ALLREDUCE, 3), 1);
    record_collective(group_collective(group, TYPE_ALLREDUCE, 0, 0), 8);
    keep_head->last_ns = keep_head->began_ns + 5000000000;
}

static void end(bool is_done)
{
    record_end();
    group_clear();
    record_clear();
    keep_end(is_done);
}

/* What slurmstepd writes of the region. */
static void save(int fd)
{
    struct kept_head head;
    char *bytes;

    assert_int_equal(pread(fd, &head, sizeof(head), (off_t)KEPT_REGION),
                     sizeof(head));
    assert_true(head.magic == KEPT_MAGIC && head.state == KEPT_COUNTING);
    bytes = malloc((size_t)head.used);
    assert_non_null(bytes);
    assert_int_equal(pread(fd, bytes, (size_t)head.used, (off_t)KEPT_REGION),
                     head.used);
    put_file(path, bytes, (size_t)head.used);
    free(bytes);
}

static int take(struct recorded *recorded)
{
    struct buffer bytes = {0};
    int error;

    assert_ok(file_read_all(&bytes, path, FILE_REGULAR, RECORDED_MOST, NULL));
    error = recorded_take_kept(recorded, path, bytes.bytes, bytes.n);
    buffer_clear(&bytes);
    return error;
}

static void check(uint32_t n)
{
    const uint32_t words[] = {3, 7, RANK, 9};
    struct mapcore_error err = {""};
    struct recorded recorded = {.err = &err};

    if (take(&recorded) < 0)
        fail_msg("%s", err.text);
    assert_ok(recorded_check(&recorded, path));
    assert_int_equal(recorded.nfound, 1);
    assert_int_equal(recorded.found[0], RANK);
    assert_int_equal(recorded.subject.ntasks, NTASKS);
    assert_int_equal(recorded.nlost, 0);
    assert_true(recorded.subject.elapsed_ns == 5000000000);
    assert_true(recorded.subject.active_ns == 5000000000);
    assert_int_equal(recorded.all.messages.n, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct message *m = &recorded.all.messages.message[i];
        assert_int_equal(m->from, RANK);
        assert_int_equal(m->to, RANK + 1 + i);
        assert_int_equal(m->count, 1);
        assert_int_equal(m->bytes, 100);
    }
    assert_int_equal(recorded.all.nstats, 2);
    assert_int_equal(recorded.all.stats[0].calls, n);
    assert_int_equal(recorded.all.stats[1].size, 3);
    assert_int_equal(recorded.all.nrecords,
                     4 + sizeof(struct collective) / sizeof(uint32_t));
    assert_memory_equal(recorded.all.records, words, sizeof(words));
    assert_int_equal(recorded.all.times.ntasks, 1);
    assert_int_equal(recorded.all.times.span[TYPE_P2P].most_task, RANK);
    recorded_clear(&recorded);
}

static void come_back(uint32_t n)
{
    char place[128];
    int fd = make_file(place, sizeof(place));

    keep_begin(place);
    count(n);
    save(fd);
    end(false);
    check(n);
    close(fd);
}

static void few_rows_come_back(void **state)
{
    come_back(10);
}

static void rows_of_several_segments_come_back(void **state)
{
    come_back(90000); /* 2.2 MB */
}

/* Rows of a region are of the number that its name has among all tasks; a name
 * that no recorder writes is refused. */
static void regions_come_back_by_name(void **state)
{
    char place[128], *written;
    int fd = make_file(place, sizeof(place));
    struct mapcore_error err = {""};
    struct recorded recorded = {.err = &err};

    keep_begin(place);
    assert_true(record_begin(RANK, false, false, 0));
    say_whose();
    assert_true(regions_begin("solve it"));
    record_calls(record_stats(TYPE_P2P), 1);
    record_message(record_stats(TYPE_P2P), RANK + 1, 100, OUTGOING);
    save(fd);
    region_names_phase(&recorded.all.regions, "other");
    assert_int_equal(take(&recorded), 0);
    assert_int_equal(recorded.all.messages.n, 1);
    assert_int_equal(recorded.all.messages.message[0].phase, PHASES_LEVELS + 1);
    assert_int_equal(recorded.all.stats[0].phase, PHASES_LEVELS + 1);
    assert_string_equal(recorded.all.regions.name[1], "solve_it");
    recorded_clear(&recorded);

    written = (char *)(uintptr_t)regions_names()->name[0];
    written[5] = '/';
    save(fd);
    recorded = (struct recorded){.err = &err};
    assert_int_equal(take(&recorded), MAPCORE_EPARSE);
    recorded_clear(&recorded);
    regions_clear();
    end(true);
    close(fd);
}

static void what_is_handed_over_is_gone(void **state)
{
    char place[128];
    struct kept_head head;
    int fd = make_file(place, sizeof(place));

    for (int i = 0; i < 2; i++) { /* one program after the other */
        keep_begin(place);
        count(10);
        assert_int_equal(keep_head->lost, 0);
        end(true);
        assert_int_equal(pread(fd, &head, sizeof(head), (off_t)KEPT_REGION),
                         sizeof(head));
        assert_true(head.magic == 0 && head.state == KEPT_FREE);
    }
    keep_begin(place);
    count(10);
    end(false); /* as if it had been killed: it stays */
    keep_begin(place);
    assert_true(record_begin(RANK, false, false, 0));
    assert_int_equal(keep_head->lost, 1); /* the heap's */
    end(true);
    assert_int_equal(pread(fd, &head, sizeof(head), (off_t)KEPT_REGION),
                     sizeof(head));
    assert_true(head.magic == KEPT_MAGIC && head.state == KEPT_COUNTING);
    close(fd);
}

static void no_other_file_is_written_to(void **state)
{
    char place[128];
    int fd = make_file(place, sizeof(place)), other;
    struct stat st;

    for (int i = 0; i < 4; i++) {
        static const char *const bad[] = {NULL, "", "3", "99 0 1 1"};
        keep_begin(bad[i]);
        count(10);
        assert_true(keep_head->lost > 0);
        end(false);
    }
    keep_begin(place);
    /* The program closes it, and opens a file of its own. */
    assert_true((other = memfd_create("other", MFD_CLOEXEC)) >= 0);
    assert_ok(ftruncate(other, (off_t)(2 * KEPT_REGION)));
    assert_int_equal(dup2(other, fd), fd);
    count(90000);
    assert_true(keep_head->lost > 0);
    end(false);
    assert_ok(fstat(other, &st));
    assert_int_equal(st.st_blocks, 0);
    close(other);
    close(fd);
}

/* Cut at each length and changed at random: refused, or believed as far as it
 * can be, and never more than there are tasks. */
static void what_is_broken_does_no_harm(void **state)
{
    char place[128];
    static char whole[1 << 16], bytes[1 << 16];
    struct mapcore_error err = {""};
    struct rng rng;
    int fd = make_file(place, sizeof(place));
    FILE *file;
    size_t n, refused = 0;

    keep_begin(place);
    count(10);
    save(fd);
    end(false);
    close(fd);
    assert_non_null(file = fopen(path, "r"));
    n = fread(whole, 1, sizeof(whole), file);
    fclose(file);
    assert_true(n > 1000 && n < sizeof(whole));
    rng_init(&rng, 1, 0, 0);
    for (size_t i = 0; i < 2000; i++) {
        struct recorded recorded = {.err = &err};
        size_t size = i < 200 ? i * n / 200 : n;
        memcpy(bytes, whole, n);
        for (size_t k = 0; i >= 200 && k < 1 + i % 8; k++)
            bytes[rng_below(&rng, (uint32_t)n)] ^=
                (char)(1 + rng_below(&rng, 255));
        put_file(path, bytes, size);
        if (take(&recorded) < 0)
            refused++;
        else
            for (size_t k = 0; k < recorded.all.messages.n; k++)
                assert_true(recorded.all.messages.message[k].to <
                            recorded.subject.ntasks);
        recorded_clear(&recorded);
    }
    assert_true(refused >= 199); /* the empty file has no owner */
}

static int make_path(void **state)
{
    int fd = mkstemp(path);

    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_rows_come_back),
        cmocka_unit_test(rows_of_several_segments_come_back),
        cmocka_unit_test(regions_come_back_by_name),
        cmocka_unit_test(what_is_handed_over_is_gone),
        cmocka_unit_test(no_other_file_is_written_to),
        cmocka_unit_test(what_is_broken_does_no_harm),
    };

    return cmocka_run_group_tests(tests, make_path, remove_path);
}
