/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_mpi_rows.c - rows of mpi_probe.c: what is one world, and on what MPI,
 * Slurm and the kernel may disagree; under which --mpi there is no world */
#include "config.h"

#include "tools/doctor/mpi/mpi_rows.h"
#include "tools/plan/gain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define P "topomap-mpi-probe "

/* Output, and the sentences: of parsing, of the world, of the comparison. */
static const struct {
    const char *text, *parse, *world, *findings;
} cases[] = {
    /* As it should be, ranks in any order, other lines between. */
    {P "2 4 2 n0 h0 0\nhello\n" P "0 4 0 n0 h0 0\n" P "1 4 1 n1 h1 1\n" P
       "3 4 3 n1 h1 1\n",
     "", "", ""},
    {"", "", "no rank answers", ""},
    {P "0 4 0 n0 h0 0\n" P "2 4 2 n0 h0 0\n", "",
     "a rank 2 of 4 answers where 4 were started", ""},
    {P "0 4 0 n0 h0 0\n" P "1 4 1 n0 h0 0\n", "", "2 of 4 ranks answer", ""},
    {P "0 1 0 n0 h0 0\n" P "0 1 1 n0 h0 0\n" P "0 1 2 n1 h1 0\n" P
       "0 1 3 n1 h1 0\n",
     "", "it starts as 4 programs of one rank each", ""},
    {P "0 4 0 n0\n",
     "the program says '0 4 0 n0', which is no row of "
     "mpi_probe.c's",
     "", ""},
    {P "0 4 0 n0 h0 0 x\n",
     "the program says '0 4 0 n0 h0 0 x', which is no "
     "row of mpi_probe.c's",
     "", ""},
    {P "0 5 0 n h 0\n" P "1 5 1 n h 0\n" P "2 5 2 n h 0\n" P "3 5 3 n h 0\n" P
       "4 5 4 n h 0\n",
     "more than 4 ranks answer", "", ""},
    /* MPI has not heard of the move: 0 and 1 side by side. */
    {P "0 4 0 n0 h0 0\n" P "1 4 1 n1 h1 0\n" P "2 4 2 n0 h0 2\n" P
       "3 4 3 n1 h1 2\n",
     "", "",
     "MPI takes ranks 0 and 1 to share memory; Slurm runs them on n0 and n1\n"
     "MPI takes ranks 0 and 2 to share no memory; Slurm runs both on n0\n"
     "MPI takes ranks 1 and 3 to share no memory; Slurm runs both on n1\n"
     "MPI takes ranks 2 and 3 to share memory; Slurm runs them on n0 and n1\n"},
    /* MPI counts otherwise than Slurm. */
    {P "0 4 0 n0 h0 0\n" P "1 4 2 n1 h1 1\n" P "2 4 1 n0 h0 0\n" P
       "3 4 - n1 h1 1\n",
     "", "",
     "rank 1 of MPI is rank 2 of Slurm\n"
     "rank 2 of MPI is rank 1 of Slurm\n"
     "rank 3 has no SLURM_PROCID\n"},
    {P "0 4 0 n0 h0 0\n" P "1 4 1 n1 h1 1\n" P "2 4 2 n0 h1 0\n" P
       "3 4 3 n1 h1 1\n",
     "", "",
     "ranks 0 and 2 are both on n0 for Slurm, and on h0 and h1 for the "
     "kernel\n"},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct mapcore_error err = {.text = ""};
        struct buffer findings = {0};
        struct mpi_rows rows;
        int error = mpi_rows_parse(&rows, cases[i].text, &err);

        assert_string_equal(err.text, cases[i].parse);
        if (error < 0)
            continue;
        error = mpi_rows_check_world(&rows, &err);
        assert_string_equal(err.text, cases[i].world);
        if (error < 0)
            continue;
        assert_int_equal(mpi_rows_compare(&findings, &rows, &err), 0);
        assert_string_equal(findings.bytes ? findings.bytes : "",
                            cases[i].findings);
        buffer_clear(&findings);
    }
}

static void test_places(void **state)
{
    struct buffer text = {0};
    struct mapcore_error err;
    struct mpi_rows rows;

    (void)state;
    assert_int_equal(mpi_rows_parse(&rows, cases[0].text, &err), 0);
    assert_true(mpi_rows_are_pair(&rows, 0, 2));
    assert_true(mpi_rows_are_pair(&rows, 1, 3));
    assert_false(mpi_rows_are_pair(&rows, 0, 1));
    assert_int_equal(mpi_rows_describe(&text, &rows, &err), 0);
    assert_string_equal(text.bytes, "0 2 on n0, 1 3 on n1");
    buffer_clear(&text);
    /* All four on one node are no pair. */
    strcpy(rows.row[1].node, "n0");
    assert_false(mpi_rows_are_pair(&rows, 0, 2));
}

/* Recorded under pmi2 or pmix, started under none. */
static void test_lost_mpi(void **state)
{
    static const struct {
        const char *recorded, *now;
        bool lost;
    } types[] = {
        {"pmi2", "none", true},    {"pmix", "none", true},
        {"pmix_v4", "none", true}, {"pmi2", "openmpi", true},
        {"pmi2", "", true},        {"pmi2", "pmi2", false},
        {"pmi2", "pmix", false},   {"pmix", "weird", false},
        {"none", "none", false},   {"weird", "none", false},
        {"pmixed", "none", false}, {"pmix_v4\n", "none", false},
        {NULL, "none", false},     {"pmi2", NULL, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
        assert_int_equal(mpi_type_is_lost(types[i].recorded, types[i].now),
                         types[i].lost);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_lost_mpi),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
