/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_history.c - lines of the history: what is written is read, nothing is
 * longer than a line may be, and the two of a step become one */
#include "config.h"

#include "scratch.h"

#include "profiles/history/history_evaluation.h"
#include "profiles/history/history_file.h"

#include <dirent.h>
#include <glob.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct history_line launch_of(uint32_t job, double at_s)
{
    struct history_line line;

    history_line_begin(&line);
    line.event = strdup(HISTORY_LAUNCH);
    line.time = strdup("2026-11-22T17:34:34Z");
    line.at_s = at_s;
    line.job = job;
    line.program = strdup("app");
    line.outcome = strdup(HISTORY_PLACED);
    line.why = strdup("app's 16 ranks placed");
    line.ntasks = 16;
    line.links_before = 4;
    line.links_after = 0;
    return line;
}

static struct history_line end_of(uint32_t job,
                                  double at_s,
                                  const char *outcome)
{
    struct history_line line;

    history_line_begin(&line);
    line.event = strdup(HISTORY_END);
    line.time = strdup("2026-11-22T17:35:34Z");
    line.at_s = at_s;
    line.job = job;
    line.outcome = strdup(outcome);
    line.why = strdup("srun's");
    line.asked = strdup("site");
    line.program = strdup("/opt/app");
    line.nnodes = 8;
    line.seconds = 60;
    return line;
}

static char *format(struct history_line line)
{
    char *text = NULL;

    assert_ok(history_line_format(&text, &line, NULL));
    history_line_clear(&line);
    return text;
}

static void test_written_is_read(void **state)
{
    struct history_line line;
    char *text = format(launch_of(7, 1.5)), *again;

    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    assert_ok(history_line_parse(&line, text, strlen(text) - 1, NULL));
    assert_true(line.links_after >= 0 && line.links_after <= 0);
    assert_true(line.seconds < 0); /* 0 links are known, seconds are not */
    again = format(line);
    assert_string_equal(text, again);
    free(text);
    free(again);
}

static void test_long_texts_are_cut(void **state)
{
    struct history_line line = launch_of(7, 1.5);
    char *text;

    free(line.why);
    line.why = malloc(100001);
    /* Two bytes each, and a cut would fall between them. */
    for (size_t i = 0; i < 100000; i += 2)
        memcpy(line.why + i, i == 0 ? "aa" : "\xc3\xa9", 2);
    line.why[1] = 'b';
    line.why[100000] = '\0';
    text = format(line);
    assert_true(strlen(text) < HISTORY_LINE_MOST);
    assert_non_null(strstr(text, "...\""));
    assert_null(strstr(text, "\xef\xbf\xbd"));
    assert_ok(history_line_parse(&line, text, strlen(text) - 1, NULL));
    assert_true(strlen(line.why) <= HISTORY_TEXT_MOST);
    history_line_clear(&line);
    free(text);
}

static void test_bad_lines_are_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "{",
        "[]",
        "{\"format\": 1}",
        "{\"format\": 9, \"event\": \"end\", \"time\": \"\", \"at_s\": 1, "
        "\"job\": 1, \"step\": 1}",
        "{\"format\": 1, \"event\": \"other\", \"time\": \"\", \"at_s\": 1, "
        "\"job\": 1, \"step\": 1}",
        "{\"format\": 1, \"event\": \"end\", \"time\": \"\", \"at_s\": 1, "
        "\"job\": -1, \"step\": 1}",
    };
    struct history_line line;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_true(history_line_parse(&line, bad[i], strlen(bad[i]), NULL) <
                    0);
}

/* Adds a line to the text of a history. */
static void add(char **text, struct history_line line)
{
    char *more = format(line), *both;

    assert_true(asprintf(&both, "%s%s", *text ? *text : "", more) > 0);
    free(more);
    free(*text);
    *text = both;
}

/* Adds a text as a file, which is user's or (NULL) of no user. */
static void read_text(struct history *history,
                      const char *text,
                      const char *user,
                      const char *needle)
{
    const struct history_filter filter = {.needle = needle};
    const int fd = memfd_create("history", MFD_CLOEXEC);

    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_ok(history_add_fd(history, fd, user, 0, &filter));
}

static void test_two_lines_are_one_step(void **state)
{
    struct history history = {0};
    char *text = NULL;

    add(&text, end_of(7, 61, HISTORY_UNCHANGED));
    add(&text, launch_of(7, 1));
    add(&text, launch_of(7, 100)); /* the job was requeued */
    add(&text, end_of(7, 160, HISTORY_FAILED));
    add(&text,
        end_of(9, 50, HISTORY_UNSUPPORTED)); /* nothing was asked at launch */
    read_text(&history, text, "ada", "\"job\": ");
    free(text);
    history_join(&history);
    assert_int_equal(history.n, 3);
    assert_int_equal(history.broken, 0);
    assert_string_equal(history.step[0].user, "ada");
    assert_string_equal(history.step[0].program, "app");
    assert_string_equal(history.step[0].outcome, HISTORY_PLACED);
    assert_string_equal(history.step[0].asked, "site");
    assert_int_equal(history.step[0].nnodes, 8);
    assert_true(history.step[0].seconds > 59);
    assert_string_equal(history.step[1].outcome, HISTORY_UNSUPPORTED);
    /* Planned, and then the plan did not arrive. */
    assert_string_equal(history.step[2].outcome, HISTORY_FAILED);
    assert_string_equal(history.step[2].why, "srun's");
    history_clear(&history);
}

/* Lines with and without a user in one stream, as syslog has them, and two
 * clusters with one number of a job. */
static void test_lines_without_a_user_are_joined(void **state)
{
    struct history history = {0};
    char *text = NULL;

    for (uint32_t i = 0; i < 200; i++) {
        const uint32_t job = 1 + i * 37 % 200;
        struct history_line launch = launch_of(job, job),
                            end = end_of(job, job + 60, HISTORY_UNCHANGED);

        if (i % 3 != 0)
            launch.user = strdup(i % 2 ? "ada" : "bob");
        if (i % 3 == 1)
            end.user = strdup(launch.user);
        add(&text, end);
        add(&text, launch);
    }
    for (unsigned i = 0; i < 2; i++) {
        struct history_line launch = launch_of(900, 1000 + i),
                            end = end_of(900, 1060 + i, HISTORY_UNCHANGED);

        launch.user = strdup(i ? "ada" : "bob");
        end.user = strdup(i ? "ada" : "bob");
        add(&text, launch);
        add(&text, end);
    }
    read_text(&history, text, NULL, NULL);
    /* A file that is put aside meanwhile is read twice. */
    read_text(&history, text, NULL, NULL);
    free(text);
    history_join(&history);
    assert_int_equal(history.n, 202);
    for (size_t i = 0; i < history.n; i++)
        assert_true(history.step[i].seconds > 0);
    history_clear(&history);
}

static void test_what_is_broken_is_counted(void **state)
{
    static const char *const text =
        "{\"format\": 1, \"event\": \"lau\n\n"
        "Nov 22 host topomap[1]: {\"format\": 1, \"event\": \"end\", \"time\": "
        "\"\", \"at_s\": 1, \"job\": 1, \"step\": 1}\nno line";
    struct history history = {0};

    read_text(&history, text, NULL, NULL);
    history_join(&history);
    assert_int_equal(history.n, 1);
    assert_int_equal(history.broken, 2);
    history_clear(&history);
}

/* Most lines are read without json-c: what it makes of them is the same. */
static void test_flat_lines_are_those_of_json(void **state)
{
    static const struct {
        const char *members;
        bool is_good;
    } rows[] = {
        {"\"job\": 1, \"step\": 0", true},
        {"\"job\":1,\"step\":0 , \"seconds\":0.1, \"plan_ms\": 1.5e3", true},
        {"\"job\": 4294967295, \"step\": 0, \"seconds\": 12345.678901234567",
         true},
        {"\"job\": 1, \"step\": 0, \"recorded\": true, \"else\": false", true},
        {"\"job\": 1, \"step\": 0, \"why\": null, \"more\": [1, 2]", true},
        {"\"job\": 1, \"step\": 0, \"why\": \"\\u00e4\", \"user\": \"\xc3\xa4\"",
         true},
        {"\"job\": 1, \"step\": 0, \"hops_per_byte_before\": -1", false},
        {"\"job\": 4294967296, \"step\": 0", false},
        {"\"job\": 1.5, \"step\": 0", false},
        {"\"job\": \"1\", \"step\": 0", false},
        {"\"job\": 01, \"step\": 0", false},
        {"\"job\": 1, \"step\": 0, \"seconds\": 1.", false},
        {"\"job\": 1, \"step\": 0,", false},
        {"\"job\": 1, \"step\": 0, \"recorded\": tru", false},
        {"\"job\": 1, \"step\": 0, \"why\": \"\xff\"", false},
        {"\"job\": 1", false},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char *said[2] = {NULL, NULL};

        for (int k = 0; k < 2; k++) {
            struct history_line line;
            char *text;

            /* An escape is json-c's. */
            assert_true(asprintf(&text,
                                 "{\"format\": 1, \"event\": \"end\", "
                                 "\"time\": \"\", \"at_s\": "
                                 "1795000002.885821, %s%s}",
                                 k ? "\"x\": \"\\n\", " : "",
                                 rows[i].members) > 0);
            if (history_line_parse(&line, text, strlen(text), NULL) == 0) {
                said[k] = format(line);
            }
            free(text);
        }
        /* json-c takes some numbers that are none. */
        assert_int_equal(said[0] != NULL, said[1] != NULL);
        assert_true(said[0] || !rows[i].is_good);
        if (said[0])
            assert_string_equal(said[0], said[1]);
        free(said[0]);
        free(said[1]);
    }
}

static void *scratch;
static struct own_folder *own;

static void begin(void)
{
    assert_ok(scratch_setup(&scratch));
    assert_ok(own_folder_open(&own, at(scratch, ""), OWN_FOLDER_LOG, NULL));
}

static void end(void)
{
    own_folder_close(own);
    scratch_teardown(&scratch);
}

/* How many maps the folder has. */
static unsigned count_maps(void)
{
    DIR *dir = opendir(at(scratch, ""));
    const struct dirent *entry;
    unsigned n = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir)))
        n += strncmp(entry->d_name, HISTORY_MAPS, strlen(HISTORY_MAPS)) == 0;
    closedir(dir);
    return n;
}

/* Small ones, of which very many are no 16 MiB. */
static void test_maps_are_bounded(void **state)
{
    enum { OLD = HISTORY_MAPS_COUNT + 500, NEW = 200 };
    char name[32];
    char *text = NULL;
    size_t n;

    begin();
    for (unsigned i = 0; i < OLD; i++) {
        snprintf(name, sizeof(name), HISTORY_MAPS "%u.0-1", i);
        put_text(at(scratch, name), "");
    }
    for (unsigned i = 0; i < NEW; i++) {
        snprintf(name, sizeof(name), HISTORY_MAPS "%u.0-2", i);
        assert_ok(history_keep_map(own, name, "text", NULL));
    }
    assert_true(count_maps() >= HISTORY_MAPS_COUNT - 1 &&
                count_maps() <= HISTORY_MAPS_COUNT + NEW);
    assert_ok(history_read_map(&text, &n, own, name, NULL));
    free(text);
    end();
}

/* Users write into the site's folder, and do not see what is in it. */
static void test_users_write_into_a_log(void **state)
{
    static const unsigned modes[] = {01733, 03773, 01777};
    pid_t pid;
    int status;

    if (geteuid() != 0)
        skip();
    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
        begin();
        assert_ok(chmod(at(scratch, ""), modes[i]));
        if ((pid = fork()) == 0) {
            struct own_folder *log = NULL;

            if (setresgid(65534, 65534, 65534) < 0 ||
                setresuid(65534, 65534, 65534) < 0 ||
                own_folder_open(&log, at(scratch, ""), OWN_FOLDER_LOG, NULL) <
                    0 ||
                history_append(log, "x\n", 2, NULL) < 0)
                _exit(1);
            _exit(0);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
        end();
    }
}

#define NODES "nodes-4711.2-here"

/* Masks become numbers; of a node that tells nonsense, or not all, its ranks'
 * CPUs are not known. */
static void test_cpus_are_gathered(void **state)
{
    static const char *const expected[] = {"0 0-3\n2 63-64\n", "1 0\n",
                                           "5 0,2,4-5,7\n", "8 8\n"};
    char *cpus = NULL;
    size_t n = 0;
    struct history_cpus_step step = {.name = {4711, 2, "here"}}, there;

    begin();
    step.folder = own;
    assert_int_equal(history_cpus_keep(&step, "cpus-4711.2-1", NULL),
                     MAPCORE_ENOENT);
    history_cpus_begin(&step);
    put_text(at(scratch, NODES "/node-9"), "8 0x1\n");
    history_cpus_begin(&step); /* a job of that number before */
    put_text(at(scratch, NODES "/node-0"), "0 0xf\n2 0x18000000000000000\n");
    put_text(at(scratch, NODES "/node-1"), "1 0x1\n3 0x\n4 0x2\n");
    put_text(at(scratch, NODES "/node-2"), "5 0xb5\n6 xyz\n7 0x1\n");
    put_text(at(scratch, NODES "/node-3"), "8 0x100\n9 0x0\n");
    put_text(at(scratch, NODES "/node-4"), "9 0x10\n6 0x3"); /* cut short */
    there = step; /* a step of that number, of another cluster on this home */
    there.name.cluster = "there";
    history_cpus_begin(&there);
    assert_int_equal(history_cpus_keep(&there, "cpus-4711.2-2", NULL),
                     MAPCORE_ENOENT);
    assert_ok(history_cpus_keep(&step, "cpus-4711.2-1", NULL));
    assert_int_equal(access(at(scratch, NODES), F_OK), -1);
    assert_ok(history_read_map(&cpus, &n, own, "cpus-4711.2-1", NULL));
    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
        assert_non_null(strstr(cpus, expected[i]));
    assert_int_equal(n, strlen("0 0-3\n2 63-64\n1 0\n5 0,2,4-5,7\n8 8\n"));
    free(cpus);
    assert_int_equal(history_read_map(&cpus, &n, own, "../cpus-1", NULL),
                     MAPCORE_EINVAL);
    end();
}

enum { RUNS = 3 };

/* Of app on 16 ranks; its strings are static. */
static struct history_evaluation evaluation_of(struct history_line run[RUNS])
{
    static char program[] = "app", identity[] = "named", placed[] = "placed",
                verdict[] = "faster", graph[] = "sum";
    struct history_evaluation made;

    history_evaluation_begin(&made);
    made.of.program = program;
    made.of.identity = identity;
    made.of.ntasks = 16;
    made.of.nnodes = 2;
    made.verdict = verdict;
    made.graph = graph;
    made.pairs = 12;
    made.gain = -0.25;
    made.n = RUNS;
    made.run = run;
    for (uint32_t i = 0; i < RUNS; i++) {
        history_line_begin(&run[i]);
        run[i].at_s = 100.0 * i + 0.25;
        run[i].job = i + 1;
        run[i].outcome = placed;
        run[i].seconds = 10;
    }
    return made;
}

static void test_evaluations_are_kept(void **state)
{
    struct history_line run[RUNS], step = launch_of(2, 100.25), other;
    const struct history_evaluation made = evaluation_of(run);
    struct history_evaluation read, *all = NULL;
    struct history history = {.n = 1, .capacity = 1};
    size_t n;

    begin();
    assert_int_equal(history_evaluation_read(&read, own, &made.of, NULL),
                     MAPCORE_ENOENT);
    assert_ok(history_evaluation_write(&made, own, NULL));
    assert_ok(history_evaluation_read(&read, own, &made.of, NULL));
    assert_string_equal(read.verdict, "faster");
    assert_string_equal(read.graph, "sum");
    assert_true(read.gain >= -0.25 && read.gain <= -0.25 && isnan(read.low));
    assert_int_equal(read.n, RUNS);
    assert_true(history_evaluation_has(&read, &run[1]));
    /* The history has the second of the three by itself. */
    history.step = malloc(sizeof(step));
    assert_non_null(history.step);
    history.step[0] = step;
    assert_ok(history_add_forgotten(&history, &read));
    assert_int_equal(history.n, RUNS);
    assert_false(history.step[0].forgotten);
    assert_true(history.step[1].forgotten && history.step[2].forgotten);
    assert_int_equal(history.step[2].job, 3);
    assert_string_equal(history.step[2].program, "app");
    history_clear(&history);
    history_evaluation_clear(&read);
    /* Another number of nodes is another one. */
    other = made.of;
    other.nnodes = 4;
    assert_int_equal(history_evaluation_read(&read, own, &other, NULL),
                     MAPCORE_ENOENT);
    assert_ok(history_evaluations_read(&all, &n, own, NULL));
    assert_int_equal(n, 1);
    history_evaluations_clear(all, n);
    end();
}

/* Each of its bytes changed in turn, and each beginning of it. */
static void test_broken_evaluations_are_refused(void **state)
{
    char path[128];
    static char text[4096];
    struct history_line run[RUNS];
    const struct history_evaluation made = evaluation_of(run);
    struct history_evaluation read;
    size_t n, nread = 0;
    glob_t found;
    FILE *file;

    begin();
    assert_ok(history_evaluation_write(&made, own, NULL));
    assert_ok(glob(at(scratch, HISTORY_EVALUATIONS "*"), 0, NULL, &found));
    snprintf(path, sizeof(path), "%s", found.gl_pathv[0]);
    globfree(&found);
    assert_non_null(file = fopen(path, "r"));
    n = fread(text, 1, sizeof(text), file);
    fclose(file);
    for (size_t i = 0; i < 2 * n; i++) {
        assert_non_null(file = fopen(path, "w"));
        fwrite(text, 1, i % n, file);
        if (i < n) {
            fputc(text[i] ^ 1, file);
            fwrite(text + i + 1, 1, n - i - 1, file);
        }
        fclose(file);
        if (history_evaluation_read(&read, own, &made.of, NULL) == 0) {
            nread++;
            history_evaluation_clear(&read);
        }
    }
    /* Digits may be others. */
    assert_true(nread < n / 2);
    end();
}

/* How many files of lines the folder has that are the user's, all with that
 * mode. */
static unsigned count_own(unsigned mode)
{
    const char *name;
    DIR *dir = NULL;
    unsigned n = 0;

    while ((name = own_folder_next(&dir, own))) {
        struct stat st;

        if (strncmp(name, HISTORY_STEPS, strlen(HISTORY_STEPS)) != 0)
            continue;
        assert_ok(own_folder_stat(&st, own, name));
        if (st.st_uid != geteuid())
            continue;
        assert_int_equal(st.st_mode & 07777, mode);
        n++;
    }
    return n;
}

/* Strangers read no lines, after any umask and any earlier version; with
 * the set-group bit of a sticky folder that group does. */
static void test_lines_are_the_users(void **state)
{
    const mode_t before = umask(0);

    begin();
    for (int i = 0; i < 2; i++)
        assert_ok(history_append(own, "{}\n", 3, NULL));
    assert_int_equal(count_own(0600), 1);
    assert_ok(chmod(at(scratch, ""), 03733));
    umask(0077);
    assert_ok(history_append(own, "{}\n", 3, NULL));
    assert_int_equal(count_own(0640), 1);
    end();
    umask(before);
}

/* The lines of a user whose name another has taken are not lost. */
static void test_a_name_may_be_taken(void **state)
{
    char host[65] = "", name[128];
    struct history history = {.n = 0};

    if (geteuid() != 0)
        skip();
    begin();
    assert_ok(gethostname(host, sizeof(host) - 1));
    host[strcspn(host, ".")] = '\0';
    snprintf(name, sizeof(name), HISTORY_STEPS "0-%s", host);
    put_text(at(scratch, name), "forged\n");
    assert_ok(fchownat(own_folder_fd(own), name, 65534, 65534, 0));
    assert_ok(history_append(own, "{}\n", 3, NULL));
    assert_int_equal(count_own(0600), 1);
    assert_ok(history_add_folder(&history, own,
                                 &(struct history_filter){.needle = NULL}));
    assert_int_equal(history.refused, 1);
    assert_int_equal(history.broken, 1); /* "{}", and not the forged one */
    history_clear(&history);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_are_the_users),
        cmocka_unit_test(test_a_name_may_be_taken),
        cmocka_unit_test(test_written_is_read),
        cmocka_unit_test(test_long_texts_are_cut),
        cmocka_unit_test(test_bad_lines_are_refused),
        cmocka_unit_test(test_two_lines_are_one_step),
        cmocka_unit_test(test_lines_without_a_user_are_joined),
        cmocka_unit_test(test_what_is_broken_is_counted),
        cmocka_unit_test(test_flat_lines_are_those_of_json),
        cmocka_unit_test(test_maps_are_bounded),
        cmocka_unit_test(test_users_write_into_a_log),
        cmocka_unit_test(test_cpus_are_gathered),
        cmocka_unit_test(test_evaluations_are_kept),
        cmocka_unit_test(test_broken_evaluations_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
