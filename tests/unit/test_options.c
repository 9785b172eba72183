/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_options.c - what was asked of a launch, and which launches are touched
 */
#include "config.h"

#include "unit.h"

#include "plugin/srun/lookup.h"

#include "launch/plan_words.h"
#include "plugin/policy.h"

static void modes_and_keys_are_read(void **state)
{
    struct options options;

    assert_ok(options_parse(&options, "auto", NULL));
    assert_int_equal(options.mode, OPTIONS_AUTO);
    assert_true(!options.no_bind && !options.verbose && !options.strict &&
                !options.dry_run && !options.help && !options.typed &&
                !options.cpus);
    assert_null(options.graph);
    assert_ok(
        options_parse(&options,
                      "profile,name=a.b-1,exe=/x/y,recorder=r.so,time=0.5,"
                      "seed=18446744073709551615,graph=p2p,bind=off,verbose,"
                      "strict,dry-run,cpus,help",
                      NULL));
    assert_int_equal(options.mode, OPTIONS_PROFILE);
    assert_string_equal(options.name, "a.b-1");
    assert_string_equal(options.exe, "/x/y");
    assert_string_equal(options.recorder, "r.so");
    assert_null(options_recorder_word(&options));
    assert_string_equal(options.seed, "18446744073709551615");
    assert_string_equal(options.graph, "p2p");
    assert_true(options.seconds == 0.5);
    assert_true(options.no_bind && options.verbose && options.strict &&
                options.dry_run && options.help && options.cpus);
    assert_ok(options_parse(
        &options, "profile,recorder=openmpi,seconds=600,every=60", NULL));
    assert_string_equal(options_recorder_word(&options), "openmpi");
    assert_string_equal(options.record_seconds, "600");
    assert_string_equal(options.record_every, "60");
    assert_true(options_parse(&options, "profile,seconds=1.5", NULL) < 0);
    assert_true(options_parse(&options, "profile,every=0", NULL) < 0);
    assert_true(options_parse(&options, "auto,every=60", NULL) < 0);
    assert_true(options_parse(&options, "auto,seconds=60", NULL) < 0);
    assert_ok(options_parse(&options, "auto,record,every=60", NULL));
    assert_ok(options_parse(&options, "off,bind=on", NULL));
    assert_int_equal(options.mode, OPTIONS_OFF);
    assert_false(options.no_bind);
}

static void observing_takes_no_key_that_acts(void **state)
{
    static const char *const refused[] = {"report=r", "bind=on",  "env=nodes",
                                          "parallel", "cpus",     "strict",
                                          "dry-run",  "plan-only"};
    struct options options;

    assert_ok(
        options_parse(&options,
                      "observe,time=3,seed=4,graph=p2p,name=n,exe=/x,"
                      "recorder=mpich,seconds=9,every=3,record,catalogue=/c,"
                      "mpi=x,scale=off,unit=rank,pin=off,verbose",
                      NULL));
    assert_int_equal(options.mode, OPTIONS_AUTO);
    assert_true(options.observe && options.learn && options.record);
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct mapcore_error err = {.text = ""};
        char text[64], word[16];

        snprintf(text, sizeof(text), "observe,time=3,%s", refused[i]);
        snprintf(word, sizeof(word), "no %.*s:", (int)strcspn(refused[i], "="),
                 refused[i]);
        assert_int_equal(options_parse(&options, text, &err), MAPCORE_EINVAL);
        assert_int_equal(options.mode, OPTIONS_OFF);
        assert_non_null(strstr(err.text, word));
        snprintf(text, sizeof(text), "auto,%s", refused[i]);
        assert_ok(options_parse(&options, text, NULL));
    }
}

static void a_file_is_told_from_a_mode(void **state)
{
    struct options options;

    assert_ok(options_parse(&options, "app.graph,seed=2", NULL));
    assert_int_equal(options.mode, OPTIONS_AUTO);
    assert_string_equal(options.graph, "app.graph");
    assert_ok(options_parse(&options,
                            "llm:tp=2,pp=4,unit=4,pin=0+3@n5,plan-only", NULL));
    assert_string_equal(options.graph, "llm:tp=2,pp=4");
    assert_string_equal(options.unit, "4");
    assert_string_equal(options.pin, "0+3@n5");
    assert_true(options.dry_run);
    assert_ok(options_parse(&options, "ring:8,seed=2", NULL));
    assert_string_equal(options.graph, "ring:8");
    assert_string_equal(options.seed, "2");
    assert_ok(options_parse(&options, "./app", NULL));
    assert_string_equal(options.graph, "./app");
    assert_ok(options_parse(&options, "auto,parallel", NULL));
    assert_true(options.parallel);
    assert_ok(options_parse(&options, "plan:/x/y,strict", NULL));
    assert_false(options.parallel);
    assert_int_equal(options.mode, OPTIONS_AUTO);
    assert_string_equal(options.graph, "plan:/x/y");
    assert_true(options.strict);
    assert_string_equal(graph_word_plan("plan:/x/y"), "/x/y");
    assert_null(graph_word_plan("plan"));
    assert_false(graph_word_is_file("plan:x/y.graph"));
    assert_true(graph_word_is_file("x/y"));
    assert_true(graph_word_is_file("x.graph"));
    assert_true(graph_word_is_file("x.grf"));
    assert_true(graph_word_is_file("x.mtx"));
    assert_true(graph_word_is_file("x.edges"));
    assert_false(graph_word_is_file(".graph"));
    assert_false(graph_word_is_file("graph"));
    assert_false(graph_word_is_file("p2p"));
}

static void what_is_not_known_is_refused_with_what_is(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "auto, learn, observe, profile, off"},
        {"on", "\"on\" is not one of auto, learn, observe, profile, off"},
        {"Auto", "\"Auto\" is not one of its words, did you mean \"auto\"?"},
        {"auto ", "\"auto \" is not one of its words, did you mean \"auto\"?"},
        {"atuo,strict",
         "\"atuo\" is not one of its words, did you mean \"auto\""},
        {"auto,stric", "is not one of its words, did you mean \"strict\"?"},
        {"auto,untit=node", "is not one of its words, did you mean \"unit\"?"},
        {"model.csv", "or help; a file of another name: ./model.csv"},
        {"auto,", "time=SECONDS"},
        {"auto,fast", "\"fast\""},
        {"auto,,strict", "time=SECONDS"},
        {"auto,time", "\"time\": time wants seconds up to 3600, or auto"},
        {"auto,time=", "\"time=\": time wants"},
        {"auto,time=0", "\"time=0\": time wants"},
        {"auto,time=-1", "time=-1"},
        {"auto,time=nan", "time=nan"},
        {"auto,time=1e9", "time=1e9"},
        {"auto,seed=-1", "\"seed=-1\": seed wants a whole number from 1"},
        {"auto,seed=1x", "seed=1x"},
        {"auto,seed=0", "seed=0"},
        {"auto,bind=maybe", "\"bind=maybe\": bind wants on or off"},
        {"auto,verbose=1", "\"verbose=1\": verbose wants no value"},
        {"auto,name=../x", "\"name=../x\": name wants a name of letters"},
        {"auto,name=.x", "name=.x"},
        {"auto,graph=", "\"graph=\": graph wants a value"},
        {"auto,unit=0", "\"unit=0\": unit wants rank, node or"},
        {"auto,pin=x", "\"pin=x\": pin wants ranks"},
        {"profile,seconds=1.5", "\"seconds=1.5\": seconds wants whole seconds"},
        {"profile,seconds=1000001", "seconds from 1 to 1000000"},
        {"profile,every=0", "\"every=0\": every wants whole seconds from 1"},
        {"profile,every=18446744073709551617", "every wants whole seconds"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mapcore_error err = {.text = ""};
        struct options options;

        assert_int_equal(options_parse(&options, cases[i].text, &err),
                         MAPCORE_EINVAL);
        assert_int_equal(options.mode, OPTIONS_OFF);
        assert_non_null(strstr(err.text, cases[i].says));
        assert_true((strstr(err.text, "is not one of") != NULL) ==
                    (strstr(err.text, " wants ") == NULL));
    }
}

static void a_text_that_is_too_long_is_refused(void **state)
{
    struct options options;
    char text[OPTIONS_TEXT_MAX + 1];

    memset(text, 'a', OPTIONS_TEXT_MAX);
    text[OPTIONS_TEXT_MAX] = '\0';
    assert_int_equal(options_parse(&options, text, NULL), MAPCORE_EINVAL);
    text[OPTIONS_TEXT_MAX - 1] = '\0';
    memcpy(text, "auto,exe=", 9);
    assert_ok(options_parse(&options, text, NULL));
    assert_int_equal(strlen(options.exe), OPTIONS_TEXT_MAX - 10);
}

static void the_site_says_its_part(void **state)
{
    char a[] = "catalogue=/a", b[] = "catalogue=/b", c[] = "config=/c",
         d[] = "default=learn,seed=2", e[] = "time=0.25", f[] = "mpi=x,y",
         g[] = "program=/p", h[] = "log=/l", wrong[] = "colour=red",
         near[] = "catalogue=a", own[] = "config=c", late[] = "time=never",
         off[] = "disabled", strange[] = "disabled=no";
    char *all[] = {a, b, c, d, e, f, g, h},
         *bad[] = {wrong, a, late, near, own}, *disabled[] = {off, d, strange};
    struct mapcore_error err;
    struct plugstack plugstack;
    struct options options;

    assert_ok(plugstack_parse(&plugstack, 0, NULL, NULL));
    assert_true(plugstack.seconds == 2 && !plugstack.by_default);
    assert_ok(plugstack_parse(&plugstack, 8, all, NULL));
    assert_int_equal(plugstack.ncatalogues, 2);
    assert_string_equal(plugstack.catalogue[1], "/b");
    assert_string_equal(plugstack.config, "/c");
    assert_string_equal(plugstack.mpi, "x,y");
    assert_string_equal(plugstack.program, "/p");
    assert_string_equal(plugstack.log, "/l");
    assert_true(plugstack.seconds == 0.25 && plugstack.by_default);
    assert_ok(options_default(&options, &plugstack, NULL, NULL));
    assert_true(options.mode == OPTIONS_AUTO && options.learn);
    assert_int_equal(plugstack_parse(&plugstack, 3, bad, &err), MAPCORE_EINVAL);
    assert_non_null(strstr(err.text, "time=never"));
    assert_int_equal(plugstack.ncatalogues, 1);
    assert_true(plugstack.seconds == 2);
    /* A relative path would be another file for each job. */
    for (int i = 3; i < 5; i++) {
        assert_int_equal(plugstack_parse(&plugstack, 1, bad + i, &err),
                         MAPCORE_EINVAL);
        assert_non_null(strstr(err.text, bad[i]));
        assert_true(plugstack.ncatalogues == 0 && !plugstack.config);
    }
    assert_null(options_forbidden(&options, &plugstack));
    assert_int_equal(plugstack_parse(&plugstack, 3, disabled, &err),
                     MAPCORE_EINVAL);
    assert_non_null(strstr(err.text, "disabled=no"));
    assert_ok(plugstack_parse(&plugstack, 2, disabled, &err));
    assert_non_null(options_forbidden(&options, &plugstack));
}

/* A default stops or silences no job of a user who did not type it. */
static void a_default_can_harm_nobody(void **state)
{
    static const struct {
        const char *text, *refused; /* NULL: it may stand in a default */
    } cases[] = {
        {"off", NULL},
        {"auto,time=1,seed=2,catalogue=/c,mpi=x,bind=off,scale=off", NULL},
        {"learn,unit=rank,pin=off,parallel,cpus,verbose,time=auto", NULL},
        {"observe,time=1,seed=2,catalogue=/c,unit=rank,pin=off,verbose", NULL},
        {"observe,name=x", "no default takes name,"},
        {"observe,strict", "observe takes no strict:"},
        {"observed", "not 'observed'"},
        {"auto,dry-run", "no default takes dry-run,"},
        {"learn,plan-only", "no default takes plan-only,"},
        {"auto,strict", "no default takes strict,"},
        {"auto,help", "no default takes help,"},
        {"auto,report=r.html", "no default takes report,"},
        {"auto,record", "no default takes record,"},
        {"auto,record,seconds=9", "no default takes seconds,"},
        {"auto,record,every=9", "no default takes every,"},
        {"auto,recorder=mpich", "no default takes recorder,"},
        {"auto,graph=p2p", "no default takes graph,"},
        {"auto,name=x", "no default takes name,"},
        {"auto,unit=node,exe=/x,seed=3", "no default takes exe,"},
        {"off,bind=on", "expected off, auto, learn, observe or one of these"},
        {"profile", "expected off, auto, learn, observe or one of these"},
        {"plan:/x", "not 'plan:/x'"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mapcore_error err = {.text = ""}, said = {.text = ""};
        char argument[128], *argv[] = {argument};
        struct plugstack plugstack;
        int error = options_check_default(cases[i].text, &err);

        assert_int_equal(error, cases[i].refused ? MAPCORE_EINVAL : 0);
        snprintf(argument, sizeof(argument), "default=%s", cases[i].text);
        assert_int_equal(plugstack_parse(&plugstack, 1, argv, &said), error);
        assert_true(plugstack.says_default);
        if (!cases[i].refused)
            continue;
        assert_non_null(strstr(err.text, cases[i].refused));
        assert_non_null(strstr(said.text, err.text));
        assert_null(plugstack.by_default);
    }
}

static void strict_options_are_checked_early(void **state)
{
    static const struct {
        const char *text;
        const char *own; /* catalogue */
        const char *site_file;
        const char *catalogue;
        const char *refused; /* NULL: it is not */
    } cases[] = {
        {"auto", "/", "/x", NULL, NULL},
        {"auto", "/x", "/x", NULL, "no catalogue"},
        {"auto", NULL, "/x", NULL, "no catalogue"},
        {"auto", NULL, "/dev/null", NULL, NULL},
        {"auto", NULL, "/x", "/", NULL},
        {"auto", NULL, "/x", "/x", "no catalogue"},
        {"/dev/null", NULL, "/x", NULL, NULL},
        {"/x/y.graph", "/", "/x", NULL, "/x/y.graph: No such"},
        {"auto,exe=/x", "/", "/x", NULL, "/x: No such"},
        {"profile", NULL, "/x", NULL, NULL},
        {"profile,recorder=/x", NULL, "/x", NULL, "/x: No such"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct plugstack plugstack = {.ncatalogues = cases[i].catalogue ? 1 : 0,
                                      .catalogue = {cases[i].catalogue}};
        struct mapcore_error err = {.text = ""};
        struct options options;
        const struct lookup_strict check = {&options, &plugstack,
                                            cases[i].site_file};

        unsetenv("XDG_DATA_HOME");
        unsetenv("HOME");
        setenv("TOPOMAP_CATALOGUE", cases[i].own ? cases[i].own : "", 1);
        assert_ok(options_parse(&options, cases[i].text, NULL));
        assert_int_equal(lookup_options(&check, 60, &err) < 0,
                         cases[i].refused != NULL);
        if (cases[i].refused)
            assert_non_null(strstr(err.text, cases[i].refused));
    }
}

static void an_option_of_sruns_is_not_the_programs(void **state)
{
    static const char line[] =
        "srun\0--async\0-N4\0--bcast=/x\0--gres-flags\0app\0--async-not\0-l";
    static const struct {
        const char *option;
        int nprogram;
        bool is_there;
    } cases[] = {
        {"--async", 3, true},  {"-N4", 3, true},      {"--bcast", 3, true},
        {"-l", 3, false},      {"-l", 0, true},       {"--gres", 3, false},
        {"--async", 7, false}, {"--async", 9, false},
    };
    struct policy_words words;

    for (size_t i = 0; i < COUNT(cases); i++) {
        words = policy_own_words(line, sizeof(line), cases[i].nprogram);
        assert_int_equal(policy_has_option(&words, cases[i].option),
                         cases[i].is_there);
    }
    assert_null(words.program);
    words = policy_own_words(line, 0, 0);
    assert_false(policy_has_option(&words, "--async") || words.program);
    words = policy_own_words(line, sizeof(line), 3);
    assert_string_equal(words.program, "app");
}

static void topomap_in_the_environment_is_before_the_sites_default(void **state)
{
    const struct plugstack off = {0}, automatic = {.by_default = "auto"};
    const struct plugstack ranks = {.by_default = "auto,unit=rank,pin=off"};
    struct mapcore_error err;
    struct options options;

    assert_ok(options_default(&options, &automatic, NULL, NULL));
    assert_true(options.mode == OPTIONS_AUTO && !options.typed &&
                options.standing);
    assert_string_equal(options.unit, "node");
    assert_string_equal(options.pin, "0");
    assert_true(options_move_nodes(&options));
    assert_ok(options_default(&options, &ranks, NULL, NULL));
    assert_string_equal(options.unit, "rank");
    assert_string_equal(options.pin, "off");
    assert_false(options_move_nodes(&options));
    assert_ok(options_default(&options, &off, "", NULL));
    assert_true(options.mode == OPTIONS_OFF && !options.typed);
    assert_ok(options_default(&options, &automatic, "off", NULL));
    assert_true(options.mode == OPTIONS_OFF && options.typed);
    assert_ok(options_default(&options, &off, "auto,seed=3", NULL));
    assert_true(options.mode == OPTIONS_AUTO && options.typed &&
                options.standing);
    assert_true(!options.unit && !options.pin);
    assert_int_equal(options_default(&options, &automatic, "atuo", &err),
                     MAPCORE_EINVAL);
    assert_int_equal(options.mode, OPTIONS_OFF);
    assert_non_null(strstr(err.text, "did you mean \"auto\"?"));
    assert_int_equal(options_default(&options, &automatic, "help", &err),
                     MAPCORE_EINVAL);
    assert_true(options.mode == OPTIONS_OFF && !options.help);
}

static void the_planner_is_told_what_was_asked_for(void **state)
{
    static const char *const expected[] = {
        "--seed", "7",        "--graph", "p2p",    "--catalogue",
        "/mine",  "--config", "/c",      "--time", "1.500",
    };
    char texts[PLUGSTACK_CATALOGUES + 1][32], config[] = "config=/c";
    char *argv[PLUGSTACK_CATALOGUES + 2] = {config};
    const char *words[OPTIONS_WORDS];
    struct options options;
    struct plugstack plugstack;
    size_t n = COUNT(expected);

    /* One catalogue more than are kept. */
    for (int i = 0; i <= PLUGSTACK_CATALOGUES; i++) {
        snprintf(texts[i], sizeof(texts[i]), "catalogue=/%d", i);
        argv[i + 1] = texts[i];
    }
    assert_ok(options_parse(
        &options, "auto,exe=/x,graph=p2p,seed=7,catalogue=/mine", NULL));
    plugstack_parse(&plugstack, PLUGSTACK_CATALOGUES + 2, argv, NULL);
    options_words(words, &options, &plugstack, "1.500");
    for (size_t i = 0; i < n; i++)
        assert_string_equal(words[i], expected[i]);
    for (int i = 0; i < PLUGSTACK_CATALOGUES; i++) {
        assert_string_equal(words[n++], "--site-catalogue");
        assert_string_equal(words[n++], strchr(texts[i], '/'));
    }
    assert_null(words[n]);
}

static void only_some_mpi_types_let_ranks_move(void **state)
{
    static const struct {
        const char *type, *list;
        bool allowed;
    } cases[] = {
        {"none", NULL, true},    {"pmi2", NULL, true},
        {"pmix", NULL, true},    {"pmix_v4", NULL, true},
        {"openmpi", NULL, true}, {"cray_shasta", NULL, true},
        {"pmi", NULL, false},    {"none,pmi2", NULL, false},
        {"", NULL, false},       {NULL, NULL, false},
        {"pmi", "x,pmi", true},  {"pmi", "pmi2,xpmi", false},
        {"x", "x", true},        {"pmixed", NULL, false},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(policy_check_mpi(cases[i].type, cases[i].list, NULL),
                         cases[i].allowed ? 0 : MAPCORE_ENOTSUP);
}

static void gpus_are_seen_in_sruns_own_words(void **state)
{
    static const struct {
        const char *words;
        size_t n;
        int nprogram;
        bool gpus;
    } cases[] = {
#define WORDS(text) text, sizeof(text)
        {WORDS("srun\0-n4\0./a"), 1, false},
        {WORDS("srun\0-G4\0./a"), 1, true},
        {WORDS("srun\0--gpus-per-task=1\0./a"), 1, true},
        {WORDS("srun\0--gres=gpu:2\0./a"), 1, true},
        {WORDS("srun\0--gres\0gpu:2\0./a"), 1, true},
        {WORDS("srun\0--gres=craynetwork:1\0./a"), 1, false},
        {WORDS("srun\0--tres-per-task=gres/gpu:1\0./a"), 1, true},
        {WORDS("srun\0-n4\0./a\0--gpus\0-G"), 3, false},
        {WORDS("srun\0-w\0gpunode1\0./a"), 1, false},
        {"", 0, 1, false},
        {WORDS("srun"), 9, false},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct policy_words words =
            policy_own_words(cases[i].words, cases[i].n, cases[i].nprogram);

        assert_int_equal(policy_asks_for_gpus(&words), cases[i].gpus);
    }
}

static void steps_that_are_nobodys_ranks_are_known(void **state)
{
    assert_true(policy_is_special(0xfffffffbU)); /* SLURM_BATCH_SCRIPT */
    assert_true(policy_is_special(0xfffffffaU)); /* SLURM_INTERACTIVE_STEP */
    assert_false(policy_is_special(0));
    assert_true(policy_is_launcher("/usr/bin/orted"));
    assert_true(policy_is_launcher("hydra_bstrap_proxy"));
    assert_false(policy_is_launcher("/orted/app"));
    assert_true(policy_bound_by_user("quiet,mask_cpu:"));
    assert_true(policy_bound_by_user("verbose,none"));
    assert_false(policy_bound_by_user("quiet,cores"));
    assert_false(policy_bound_by_user(NULL));
}

/* A thousandth of the job's time, within what the site says. */
static void test_auto_time(void **state)
{
    struct plugstack plugstack = {.seconds = 2};
    struct options options;

    assert_ok(options_parse(&options, "auto,time=auto", NULL));
    assert_true(options.auto_time);
    plugstack.seconds = 300;
    assert_true(options_seconds(&options, &plugstack, 0) == 30);
    options.typed = true;
    assert_true(options_seconds(&options, &plugstack, 0) == 300);
    plugstack.seconds = 2;
    assert_true(options_seconds(&options, &plugstack, 3600) == 3.6);
    assert_true(options_seconds(&options, &plugstack, 60) == 2);
    assert_true(options_seconds(&options, &plugstack, 0) == 10.8);
    assert_true(options_seconds(&options, &plugstack, 1e6) == 30);
    plugstack.auto_most = 5;
    assert_true(options_seconds(&options, &plugstack, 1e6) == 5);
    plugstack.seconds = 8;
    assert_true(options_seconds(&options, &plugstack, 1e6) == 8);
    assert_ok(options_parse(&options, "auto,time=auto,time=3", NULL));
    assert_true(options_seconds(&options, &plugstack, 1e6) == 3);
    assert_true(options_parse(&options, "auto,time=automatic", NULL) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_auto_time),
        cmocka_unit_test(modes_and_keys_are_read),
        cmocka_unit_test(observing_takes_no_key_that_acts),
        cmocka_unit_test(a_file_is_told_from_a_mode),
        cmocka_unit_test(what_is_not_known_is_refused_with_what_is),
        cmocka_unit_test(a_text_that_is_too_long_is_refused),
        cmocka_unit_test(the_site_says_its_part),
        cmocka_unit_test(a_default_can_harm_nobody),
        cmocka_unit_test(strict_options_are_checked_early),
        cmocka_unit_test(an_option_of_sruns_is_not_the_programs),
        cmocka_unit_test(
            topomap_in_the_environment_is_before_the_sites_default),
        cmocka_unit_test(the_planner_is_told_what_was_asked_for),
        cmocka_unit_test(only_some_mpi_types_let_ranks_move),
        cmocka_unit_test(gpus_are_seen_in_sruns_own_words),
        cmocka_unit_test(steps_that_are_nobodys_ranks_are_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
