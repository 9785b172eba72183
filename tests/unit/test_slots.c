/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_slots.c - the slots that are handed to the tasks, whole, wrong and
 * mutated; and what else goes with them */
#include "config.h"

#include "unit.h"

#include "base/fnv.h"
#include "base/rng.h"
#include "base/text.h"
#include "plugin/handoff/handoff.h"
#include "plugin/handoff/handoff_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    JOB = 12,
    STEP = 3,
    MUTATIONS = 20000,
};

/* ntasks ranks shuffled over hosts of those counts. */
static struct mapcore_plan shuffled(const uint32_t *counts,
                                    uint32_t nhosts,
                                    uint64_t seed)
{
    struct mapcore_plan plan = {.nhosts = nhosts,
                                .outcome = MAPCORE_PLAN_PLACED};
    struct rng rng;
    uint32_t n = 0;

    for (uint32_t h = 0; h < nhosts; h++)
        plan.ntasks += counts[h];
    plan.host = calloc(plan.ntasks, 4);
    plan.slot = calloc(plan.ntasks, 4);
    for (uint32_t h = 0; h < nhosts; h++)
        for (uint32_t s = 0; s < counts[h]; s++, n++) {
            plan.host[n] = h;
            plan.slot[n] = s;
        }
    rng_init(&rng, seed, 0, 0);
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = rng_below(&rng, i), host = plan.host[j],
                 slot = plan.slot[j];

        plan.host[j] = plan.host[i - 1];
        plan.slot[j] = plan.slot[i - 1];
        plan.host[i - 1] = host;
        plan.slot[i - 1] = slot;
    }
    return plan;
}

static void forget(struct mapcore_plan *plan)
{
    free(plan->host);
    free(plan->slot);
}

/* Each host reads the slots of its own ranks, ascending. */
static void check_all_hosts(const char *text,
                            const struct mapcore_plan *plan,
                            const uint32_t *counts)
{
    for (uint32_t h = 0; h < plan->nhosts; h++) {
        uint32_t slot[64], n = 0;

        assert_ok(slot_text_parse(slot, counts[h], text, strlen(text),
                                  plan->nhosts, h, NULL));
        for (uint32_t r = 0; r < plan->ntasks; r++)
            if (plan->host[r] == h)
                assert_int_equal(slot[n++], plan->slot[r]);
        assert_int_equal(n, counts[h]);
    }
}

static void each_host_reads_its_own_share(void **state)
{
    static const uint32_t counts[] = {2, 4, 1, 0, 3, 4, 2};

    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct mapcore_plan plan = shuffled(counts, COUNT(counts), seed);
        char *text = NULL;

        assert_ok(slot_text_format(&text, &plan, NULL));
        check_all_hosts(text, &plan, counts);
        free(text);
        forget(&plan);
    }
}

static void repeated_patterns_stay_short(void **state)
{
    uint32_t host[4000], slot[4000];
    struct mapcore_plan plan = {
        .ntasks = 4000,
        .nhosts = 1000,
        .outcome = MAPCORE_PLAN_PLACED,
        .host = host,
        .slot = slot,
    };
    char *text = NULL;

    for (uint32_t r = 0; r < 4000; r++) {
        host[r] = r / 4;
        slot[r] = r / 4 < 500 ? r % 4 : 3 - r % 4;
    }
    assert_ok(slot_text_format(&text, &plan, NULL));
    text[strlen(text) - 16] = '\0';
    assert_string_equal(text, "2 0..3/3,2,1,0 0*500,1*500 ");
    free(text);
}

/* body and a right checksum, read as host 1 of 2 with 2 tasks. */
static int parse_signed(const char *body, struct mapcore_error *err)
{
    char text[512];
    uint32_t slot[2];

    snprintf(text, sizeof(text), "%s%016" PRIx64, body,
             fnv1a(body, strlen(body)));
    return slot_text_parse(slot, 2, text, strlen(text), 2, 1, err);
}

static void wrong_slots_are_refused(void **state)
{
    static const struct {
        const char *body;
        int error;
    } cases[] = {
        {"2 0,1/1,0 0,1 ", 0},
        {"2 0,1 0*2 ", 0},
        {"1 12.3 2 4 0,1 0*2 ", MAPCORE_EVERSION},
        {"2 0,1 0*3 ", MAPCORE_ERANGE},
        {"2 0,1 0 ", MAPCORE_ERANGE},
        {"2 0,1 0,1 ", MAPCORE_EPARSE},
        {"2 0,1/ 0,1 ", MAPCORE_ERANGE},
        {"2 0,1/0 0,1 ", MAPCORE_ERANGE},
        {"2 0,1/0..2 0,1 ", MAPCORE_ERANGE},
        {"2 0,1/0,2 0,1 ", MAPCORE_EPARSE},
        {"2 0,1/1,1 0,1 ", MAPCORE_EPARSE},
        {"2 0,1 ", MAPCORE_EPARSE},
        {"2 0,1", MAPCORE_EPARSE},
        {"2 ", MAPCORE_EVERSION},
        {"x ", MAPCORE_EVERSION},
        {"", MAPCORE_EPARSE},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mapcore_error err = {.text = ""};

        assert_int_equal(parse_signed(cases[i].body, &err), cases[i].error);
        assert_int_equal(strlen(err.text) > 0, cases[i].error != 0);
    }
}

static bool is_permutation(const uint32_t *slot, uint32_t n)
{
    uint64_t seen = 0;

    for (uint32_t i = 0; i < n; i++)
        if (slot[i] < n)
            seen |= UINT64_C(1) << slot[i];
    return seen == (UINT64_C(1) << n) - 1;
}

/* After any change: no crash, and what is accepted is a permutation. Half of
 * the texts get a right checksum again, so that the parser behind it is met. */
static void mutated_slots_never_give_a_wrong_permutation(void **state)
{
    static const uint32_t counts[] = {2, 4, 1, 3, 4, 2};
    static const char letters[] = "0123456789,.*/ x-";
    struct mapcore_plan plan = shuffled(counts, COUNT(counts), 7);
    char *text = NULL, copy[512];
    struct rng rng;
    size_t n, accepted = 0;

    assert_ok(slot_text_format(&text, &plan, NULL));
    n = strlen(text);
    assert_true(n < sizeof(copy));
    rng_init(&rng, 1, 2, 3);
    for (int i = 0; i < MUTATIONS; i++) {
        uint32_t slot[4] = {9, 9, 9, 9}, host = rng_below(&rng, 6);
        uint32_t changes = 1 + rng_below(&rng, 3);
        size_t length = rng_below(&rng, 8) ? n : rng_below(&rng, (uint32_t)n);

        memcpy(copy, text, n + 1);
        while (changes-- > 0)
            copy[rng_below(&rng, (uint32_t)n)] =
                letters[rng_below(&rng, sizeof(letters) - 1)];
        if (i % 2 && length == n)
            snprintf(copy + n - 16, 17, "%016" PRIx64, fnv1a(copy, n - 16));
        if (slot_text_parse(slot, counts[host], copy, length, 6, host, NULL) ==
            0) {
            accepted++;
            assert_true(is_permutation(slot, counts[host]));
        } else {
            assert_int_equal(slot[0], 9);
        }
    }
    assert_true(accepted > 0);
    free(text);
    forget(&plan);
}

static void words_of_another_step_do_not_count(void **state)
{
    const struct handoff sent = {.typed = true, .strict = true};
    const struct handoff failed = {.verbose = true, .failure = "no profile"};
    const struct handoff dry = {.dry_run = true};
    struct handoff got;
    char text[64];

    handoff_format(text, sizeof(text), &sent, JOB, STEP);
    assert_string_equal(text, "12.3 t-s-");
    assert_true(handoff_parse(&got, text, JOB, STEP));
    assert_true(got.typed && !got.verbose && got.strict && !got.failure);
    assert_false(handoff_parse(&got, text, JOB, 33));
    assert_false(handoff_parse(&got, text, 1, STEP));
    assert_false(handoff_parse(&got, "12.3 t", JOB, STEP));
    assert_false(handoff_parse(&got, "12.3", JOB, STEP));
    assert_false(handoff_parse(&got, "", JOB, STEP));
    handoff_format(text, sizeof(text), &failed, JOB, STEP);
    assert_true(handoff_parse(&got, text, JOB, STEP));
    assert_string_equal(got.failure, "no profile");
    assert_false(got.dry_run);
    handoff_format(text, 13, &failed, JOB, STEP);
    assert_string_equal(text, "12.3 -v-- no");
    handoff_format(text, sizeof(text), &dry, JOB, STEP);
    assert_true(handoff_parse(&got, text, JOB, STEP));
    assert_true(got.dry_run && !got.strict && !got.failure);
}

static void values_are_found_by_their_word(void **state)
{
    const char *text = "recorder /x/a b.so\ncatalogue /c\nprogram\n";
    char *value;

    value = text_value(text, "recorder");
    assert_string_equal(value, "/x/a b.so");
    free(value);
    value = text_value(text, "catalogue");
    assert_string_equal(value, "/c");
    free(value);
    assert_null(text_value(text, "program"));
    assert_null(text_value(text, "x"));
    assert_null(text_value("", "x"));
}

/* A text longer than an environment string, ended by a checksum. */
static char *long_slots(void)
{
    char *text = malloc(HANDOFF_MOST + 100);

    assert_non_null(text);
    memset(text, '1', HANDOFF_MOST + 99);
    memcpy(text + HANDOFF_MOST + 99 - 17, " 0123456789abcdef", 18);
    return text;
}

static void long_slots_go_through_a_private_file(void **state)
{
    char home[] = "/tmp/test_slots.XXXXXX", wanted[128];
    char *slots = long_slots(), *out = NULL, *path = NULL, *back = NULL;
    struct stat status;

    assert_non_null(mkdtemp(home));
    snprintf(wanted, sizeof(wanted),
             "file 0123456789abcdef %s/.cache/topomap/slots-12.3", home);
    for (int i = 0; i < 2; i++) { /* the second one after the first is gone */
        const struct handoff_place place = {NULL, home, {JOB, STEP, NULL}};

        if (i == 1)
            assert_ok(unlink(strrchr(wanted, ' ') + 1));
        assert_ok(handoff_file_write(&path, "slots", slots, &place, NULL));
        assert_ok(handoff_file_name(&out, slots, path, NULL));
        assert_string_equal(out, wanted);
        assert_ok(stat(path, &status));
        assert_int_equal(status.st_mode & 07777, 0600);
        assert_ok(handoff_file_read(&back, out, NULL));
        assert_string_equal(back, slots);
        free(back);
        free(path);
        free(out);
    }
    out = strdup(wanted);
    out[5] = 'f'; /* another digest */
    assert_int_equal(handoff_file_read(&back, out, NULL), MAPCORE_ETRUST);
    assert_ok(unlink(out + strlen("file 0123456789abcdef ")));
    assert_int_equal(handoff_file_read(&back, out, NULL), MAPCORE_EIO);
    assert_int_equal(handoff_file_read(&back, "file 0123", NULL),
                     MAPCORE_EPARSE);
    assert_int_equal(
        handoff_file_read(&back, "file 0123456789abcdef /dev/null", NULL),
        MAPCORE_ETRUST);
    free(out);
    free(slots);
    snprintf(wanted, sizeof(wanted), "%s/.cache/topomap", home);
    assert_ok(rmdir(wanted));
    *strrchr(wanted, '/') = '\0';
    assert_ok(rmdir(wanted));
    assert_ok(rmdir(home));
}

/* A month old, and older. */
static void make_old(const char *folder, const char *name)
{
    const struct timespec when[2] = {{.tv_sec = time(NULL) - 31 * 86400},
                                     {.tv_sec = time(NULL) - 31 * 86400}};
    char path[128];
    int fd;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_ok(futimens(fd, when));
    close(fd);
}

static void what_a_killed_srun_left_goes_after_a_month(void **state)
{
    static const struct {
        const char *name;
        bool goes;
    } rows[] = {
        {"ranks-7.0", true},
        {"ranks-4294967295.12", true},
        {"ranks-7.0.old", false},
        {"ranks-7", false},
        {"ranks-.0", false},
        {"ranks-7.", false},
        {"slots-7.0", false}, /* another kind */
        {"ranks-7.0-a%2Fb-1", true},
        {"ranks-7-0-a", false},
        {"notes", false},
    };
    char home[] = "/tmp/test_slots.XXXXXX", folder[64], path[128], *kept = NULL;
    const struct handoff_place place = {home, NULL, {JOB, STEP, "a"}};

    assert_non_null(mkdtemp(home));
    snprintf(folder, sizeof(folder), "%s/topomap", home);
    assert_ok(mkdir(folder, 0700));
    for (size_t i = 0; i < COUNT(rows); i++)
        make_old(folder, rows[i].name);
    snprintf(path, sizeof(path), "%s/ranks-9.0", folder); /* a young one */
    close(open(path, O_WRONLY | O_CREAT, 0600));
    snprintf(path, sizeof(path), "%s/ranks-8.0", folder); /* a link */
    assert_ok(symlink("notes", path));
    assert_ok(handoff_file_write(&kept, "ranks", "0 n0\n", &place, NULL));
    assert_ok(unlink(kept));
    free(kept);
    for (size_t i = 0; i < COUNT(rows); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, rows[i].name);
        if (unlink(path) == 0 ? rows[i].goes : !rows[i].goes)
            fail_msg("%s", rows[i].name);
    }
    snprintf(path, sizeof(path), "%s/ranks-8.0", folder);
    assert_ok(unlink(path));
    snprintf(path, sizeof(path), "%s/ranks-9.0", folder);
    assert_ok(unlink(path));
    assert_ok(rmdir(folder));
    assert_ok(rmdir(home));
}

/* Nor do steps of one number take each other's, nor a link's. */
static void clusters_of_one_home_have_files_of_their_own(void **state)
{
    static const struct {
        const char *cluster, *name;
    } rows[] = {
        {"here", "ranks-12.3-here"},
        {"there", "ranks-12.3-there"},
        {"there", "ranks-12.3-there-1"},
        {"../a b\n", "ranks-12.3-%2E%2E%2Fa%20b%0A"},
        {"link", "ranks-12.3-link-1"},
        {NULL, "ranks-12.3"},
    };
    char home[] = "/tmp/test_slots.XXXXXX", folder[64], path[128];
    char *kept[COUNT(rows)], text[256] = "";

    assert_non_null(mkdtemp(home));
    snprintf(folder, sizeof(folder), "%s/topomap", home);
    assert_ok(mkdir(folder, 0700));
    snprintf(path, sizeof(path), "%s/ranks-12.3-link", folder);
    assert_ok(symlink("../foreign", path));
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct handoff_place place = {
            home, NULL, {JOB, STEP, rows[i].cluster}};

        assert_ok(
            handoff_file_write(&kept[i], "ranks", rows[i].name, &place, NULL));
        assert_string_equal(strrchr(kept[i], '/') + 1, rows[i].name);
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        FILE *file = fopen(kept[i], "r");

        assert_non_null(file);
        assert_non_null(fgets(text, sizeof(text), file));
        assert_string_equal(text, rows[i].name);
        fclose(file);
        assert_ok(unlink(kept[i]));
        free(kept[i]);
    }
    assert_ok(unlink(path));
    assert_ok(rmdir(folder));
    assert_ok(rmdir(home));
}

static void short_slots_are_handed_on_themselves(void **state)
{
    char *back = NULL;

    assert_ok(handoff_file_read(&back, "2 x", NULL));
    assert_string_equal(back, "2 x");
    free(back);
}

static void without_a_home_there_is_no_file(void **state)
{
    static const struct handoff_place places[] = {
        {"", NULL, {JOB, STEP, NULL}}, {NULL, "/dev/null", {JOB, STEP, NULL}}};
    char *path = NULL;

    for (size_t i = 0; i < COUNT(places); i++)
        assert_int_equal(
            handoff_file_write(&path, "slots", "x", &places[i], NULL),
            MAPCORE_EIO);
    assert_null(path);
}

static void variables_are_written_over_where_there_is_room(void **state)
{
    static const struct {
        const char *name, *value;
        const char *after[2]; /* NULL: nothing has changed */
    } rows[] = {
        {"MASKS", "0x2,0x1", {"MASKS=0x2,0x1", "X="}},
        {"MASKS", "", {"MASKS=", "X="}},
        {"MASKS", "0x10,0x20", {NULL}},
        {"MASK", "1", {NULL}},
        {"MASKSS", "1", {NULL}},
        {"X", "1", {NULL}},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[2][16] = {"MASKS=0x1,0x2", "X="};
        char *const env[] = {text[0], text[1], NULL};
        const bool fits = rows[i].after[0] != NULL;
        char before[sizeof(text)];

        memcpy(before, text, sizeof(text));
        assert_int_equal(
            handoff_env_write_over(env, rows[i].name, rows[i].value), fits);
        for (size_t k = 0; fits && k < 2; k++)
            assert_string_equal(env[k], rows[i].after[k]);
        if (!fits)
            assert_memory_equal(text, before, sizeof(text));
    }
}

static void variables_are_read_in_one_pass(void **state)
{
    static const char *const names[] = {"OUR_A", "OUR_AB", "OUR_C", "OUR_D"};
    char text[][16] = {"A=no",  "OUR_AB=2=3",   "OUR_A=1", "OUR_",
                       "OUR_D", "OUR_A=second", "OUR_C="};
    const char *values[4];
    char *env[8] = {NULL};

    for (size_t i = 0; i < 7; i++)
        env[i] = text[i];
    handoff_env_read(values, names, 4, "OUR_", env);
    assert_string_equal(values[0], "1");
    assert_string_equal(values[1], "2=3");
    assert_string_equal(values[2], "");
    assert_null(values[3]);
    handoff_env_read(values, names, 4, "OUR_", env + 7);
    assert_null(values[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_host_reads_its_own_share),
        cmocka_unit_test(repeated_patterns_stay_short),
        cmocka_unit_test(wrong_slots_are_refused),
        cmocka_unit_test(mutated_slots_never_give_a_wrong_permutation),
        cmocka_unit_test(words_of_another_step_do_not_count),
        cmocka_unit_test(values_are_found_by_their_word),
        cmocka_unit_test(long_slots_go_through_a_private_file),
        cmocka_unit_test(what_a_killed_srun_left_goes_after_a_month),
        cmocka_unit_test(clusters_of_one_home_have_files_of_their_own),
        cmocka_unit_test(short_slots_are_handed_on_themselves),
        cmocka_unit_test(without_a_home_there_is_no_file),
        cmocka_unit_test(variables_are_written_over_where_there_is_room),
        cmocka_unit_test(variables_are_read_in_one_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
