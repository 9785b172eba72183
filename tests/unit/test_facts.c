/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_facts.c - what srun tells `topomap plan` */
#include "config.h"

#include "unit.h"

#include "launch/facts.h"
#include "launch/wire.h"

static char program[] = "/home/u/my app";
static char nodelist[] = "n[0-2,7]";
static char topology[] = "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[0-7]";
static uint32_t task_counts[] = {2, 2, 2, 1};
static uint32_t baseline[] = {0, 0, 1, 1, 2, 2, 3};

static struct mapcore_facts make_facts(void)
{
    return (struct mapcore_facts){
        .program = program,
        .ntasks = 7,
        .nhosts = 4,
        .nodelist = nodelist,
        .counts = task_counts,
        .baseline = baseline,
        .topology = topology,
    };
}

#define TEXT                                                                   \
    "topomap-facts 1\nprogram /home/u/my app\nntasks 7\nnodelist n[0-2,7]\n"   \
    "tasks-per-node 2(x3),1\nbaseline 0*2,1*2,2*2,3\n"

static void facts_are_written_as_documented(void **state)
{
    struct mapcore_facts facts = make_facts();
    char *text = NULL;

    assert_ok(mapcore_facts_format(&text, &facts, NULL));
    assert_string_equal(text,
                        TEXT "topology\nSwitchName=s0 Level=0 LinkSpeed=1 "
                             "Nodes=n[0-7]\nend\n");
    free(text);
    facts.topology = NULL;
    assert_ok(mapcore_facts_format(&text, &facts, NULL));
    assert_string_equal(text, TEXT "end\n");
    free(text);
}

/* A text for a shell may have anything in it. */
static void words_come_back_as_they_were(void **state)
{
    static char bash[] = "bash", option[] = "-c",
                text[] = "a\\n\nend\nword \\\\", empty[] = "";
    char *words[] = {bash, option, text, empty, NULL};
    struct mapcore_facts facts = make_facts(), *back = NULL;
    char *wire = NULL;

    facts.words = words;
    facts.nwords = 4;
    assert_ok(mapcore_facts_format(&wire, &facts, NULL));
    assert_non_null(strstr(wire, "\nword bash\nword -c\nword a\\"));
    assert_ok(mapcore_facts_parse(&back, "facts", wire, strlen(wire), NULL));
    assert_int_equal(back->nwords, 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(back->words[i], words[i]);
    assert_null(back->words[4]);
    assert_non_null(back->topology);
    mapcore_facts_destroy(back);
    free(wire);
}

static void a_network_on_request_is_none_yet(void **state)
{
    struct mapcore_facts facts = make_facts(), *back = NULL;
    char *text = NULL;

    facts.on_request = facts.by_rank = true;
    assert_ok(mapcore_facts_format(&text, &facts, NULL));
    assert_string_equal(text, TEXT "slots by rank\ntopology on request\nend\n");
    assert_ok(mapcore_facts_parse(&back, "facts", text, strlen(text), NULL));
    assert_true(back->on_request && back->by_rank);
    assert_null(back->topology);
    mapcore_facts_destroy(back);
    free(text);
}

static void an_answer_has_lines_or_none_or_is_none(void **state)
{
    static const struct {
        const char *text;
        const char *lines; /* NULL: no answer */
        int error;
    } rows[] = {
        {"topology\na\nb\nend\n", "a\nb\n", 0},
        {"topology\nend\n", "", 0},
        {"end\n", NULL, 0},
        {"", NULL, MAPCORE_EPARSE},
        {"topology\na\n", NULL, MAPCORE_EPARSE},
        {"a\nend\n", NULL, MAPCORE_EPARSE},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *text = rows[i].text;
        char *lines = NULL;

        assert_int_equal(facts_parse_answer(&lines, text, strlen(text), NULL),
                         rows[i].error);
        assert_int_equal(lines != NULL, rows[i].lines != NULL);
        if (lines)
            assert_string_equal(lines, rows[i].lines);
        free(lines);
    }
}

static void facts_come_back_as_they_were(void **state)
{
    struct mapcore_facts facts = make_facts(), *back = NULL;
    char *text = NULL;

    assert_ok(mapcore_facts_format(&text, &facts, NULL));
    assert_ok(mapcore_facts_parse(&back, "facts", text, strlen(text), NULL));
    assert_string_equal(back->program, program);
    assert_string_equal(back->nodelist, nodelist);
    assert_int_equal(back->ntasks, 7);
    assert_int_equal(back->nhosts, 4);
    assert_memory_equal(back->counts, task_counts, sizeof(task_counts));
    assert_memory_equal(back->baseline, baseline, sizeof(baseline));
    assert_int_equal(strncmp(back->topology, topology, strlen(topology)), 0);
    mapcore_facts_destroy(back);
    free(text);
}

static void facts_that_cannot_be_a_line_are_refused(void **state)
{
    char broken[] = "/tmp/a\nb", empty[] = "", *text = NULL;
    struct mapcore_facts facts = make_facts();

    facts.program = broken;
    assert_int_equal(mapcore_facts_format(&text, &facts, NULL), MAPCORE_EINVAL);
    facts.program = empty;
    assert_int_equal(mapcore_facts_format(&text, &facts, NULL), MAPCORE_EINVAL);
    assert_null(text);
}

static void wrong_facts_name_their_line(void **state)
{
    static const struct {
        const char *text;
        int error;
        const char *place;
    } cases[] = {
        {"", MAPCORE_EPARSE, "f:"},
        {"topomap-facts 2\n", MAPCORE_EVERSION, "f:1:"},
        {"topomap-facts 1\nntasks 3\n", MAPCORE_EPARSE, "f:2:"},
        {"topomap-facts 1\nprogram a\nntasks x\n", MAPCORE_ERANGE, "f:3:"},
        {"topomap-facts 1\nprogram a\033[2J\nntasks 1\n", MAPCORE_EPARSE,
         "f:2: the program 'a?[2J' has a control character"},
        {"topomap-facts 1\nprogram a\nntasks 2\nnodelist n0,n0\n",
         MAPCORE_EINVAL, "f:4:"},
        {"topomap-facts 1\nprogram a\nntasks 1\nnodelist n[0-\n",
         MAPCORE_EPARSE, "f:4:"},
        {"topomap-facts 1\nprogram a\nntasks 3\nnodelist n[0-1]\n"
         "tasks-per-node 2(x2)\n",
         MAPCORE_EPARSE, "f:5:"},
        {"topomap-facts 1\nprogram a\nntasks 4\nnodelist n[0-1]\n"
         "tasks-per-node 2(x3)\n",
         MAPCORE_EPARSE, "f:5:"},
        {"topomap-facts 1\nprogram a\nntasks 4\nnodelist n[0-1]\n"
         "tasks-per-node 2,2,\n",
         MAPCORE_EPARSE, "f:5:"},
        {"topomap-facts 1\nprogram a\nntasks 4\nnodelist n[0-1]\n"
         "tasks-per-node 18446744073709551615,2\n",
         MAPCORE_EPARSE, "f:5:"},
        {"topomap-facts 1\nprogram a\nntasks 4294967294\nnodelist n\n"
         "tasks-per-node 4294967294\nbaseline 0*4294967294\nend\n",
         MAPCORE_ERANGE, "f:6:"},
        {"topomap-facts 1\nprogram a\nntasks 4\nnodelist n[0-1]\n"
         "tasks-per-node 2(x2)\nbaseline 0*3,1\n",
         MAPCORE_ERANGE, "f:6:"},
        {"topomap-facts 1\nprogram a\nntasks 4\nnodelist n[0-1]\n"
         "tasks-per-node 2(x2)\nbaseline 0*2,2*2\n",
         MAPCORE_ERANGE, "f:6:"},
        {"topomap-facts 1\nprogram a\nntasks 4\nnodelist n[0-1]\n"
         "tasks-per-node 2(x2)\nbaseline 0*2,1*2\n",
         MAPCORE_EPARSE, "f:"},
        {"topomap-facts 1\nprogram a\nntasks 4\nnodelist n[0-1]\n"
         "tasks-per-node 2(x2)\nbaseline 0*2,1*2\ntopology\nSwitchName=x\n",
         MAPCORE_EPARSE, "f:"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mapcore_facts *facts = NULL;
        struct mapcore_error err = {.text = ""};

        assert_int_equal(mapcore_facts_parse(&facts, "f", cases[i].text,
                                             strlen(cases[i].text), &err),
                         cases[i].error);
        assert_null(facts);
        assert_int_equal(
            strncmp(err.text, cases[i].place, strlen(cases[i].place)), 0);
    }
}

static void every_cut_is_refused(void **state)
{
    struct mapcore_facts facts = make_facts(), *back = NULL;
    char *text = NULL;

    assert_ok(mapcore_facts_format(&text, &facts, NULL));
    for (size_t n = 0; n + 1 < strlen(text); n++) {
        assert_true(mapcore_facts_parse(&back, "f", text, n, NULL) < 0);
        assert_null(back);
    }
    free(text);
}

static void a_shell_can_say_the_same(void **state)
{
    static const char *const words[] = {"--graph", "it's",  "--name", "{a,b}",
                                        "--time",  "2.000", NULL};
    struct mapcore_facts facts = make_facts();
    char *command = NULL;

    assert_ok(plan_command(&command, &facts, words, NULL));
    assert_string_equal(command,
                        "--program '/home/u/my app' --ntasks 7 --nodelist "
                        "'n[0-2,7]' --tasks-per-node '2(x3),1' --graph "
                        "'it'\\''s' --name '{a,b}' --time 2.000");
    free(command);
}

static void a_shell_is_told_the_command_as_typed(void **state)
{
    static char bash[] = "bash", option[] = "-c", typed[] = "./app 'x'\n\\",
                empty[] = "";
    static const char *const no_words[] = {NULL};
    char *words[] = {bash, option, typed, empty, NULL};
    struct mapcore_facts facts = make_facts();
    char *command = NULL;

    facts.words = words;
    facts.nwords = 4;
    assert_ok(plan_command(&command, &facts, no_words, NULL));
    assert_string_equal(command,
                        "--ntasks 7 --nodelist 'n[0-2,7]' --tasks-per-node "
                        "'2(x3),1' -- bash -c './app '\\''x'\\''\n\\' ''");
    free(command);
}

/* Block is what a shell need not say; any other layout it must. */
static void a_layout_other_than_block_is_said(void **state)
{
    static const struct {
        uint32_t baseline[7];
        const char *said;
    } rows[] = {
        {{0, 0, 1, 1, 2, 2, 3}, NULL},
        {{0, 1, 2, 3, 0, 1, 2}, " --baseline 0..3,0..2"},
        {{0, 0, 2, 2, 1, 1, 3}, " --baseline '0*2,2*2,1*2,3'"},
        {{3, 0, 0, 1, 1, 2, 2}, " --baseline '3,0*2,1*2,2*2'"},
    };
    static const char *const no_words[] = {NULL};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct mapcore_facts facts = make_facts();
        uint32_t layout[7];
        char *command = NULL;

        memcpy(layout, rows[i].baseline, sizeof(layout));
        facts.baseline = layout;
        assert_ok(plan_command(&command, &facts, no_words, NULL));
        if (!rows[i].said)
            assert_null(strstr(command, "--baseline"));
        else
            assert_non_null(strstr(command, rows[i].said));
        free(command);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_written_as_documented),
        cmocka_unit_test(a_network_on_request_is_none_yet),
        cmocka_unit_test(an_answer_has_lines_or_none_or_is_none),
        cmocka_unit_test(facts_come_back_as_they_were),
        cmocka_unit_test(words_come_back_as_they_were),
        cmocka_unit_test(facts_that_cannot_be_a_line_are_refused),
        cmocka_unit_test(wrong_facts_name_their_line),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(a_shell_can_say_the_same),
        cmocka_unit_test(a_shell_is_told_the_command_as_typed),
        cmocka_unit_test(a_layout_other_than_block_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
