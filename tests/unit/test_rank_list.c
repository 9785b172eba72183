/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_rank_list.c - what programs read of where their ranks went */
#include "unit.h"

#include "plugin/srun/rank_list.h"

static void nodes_are_numbered_by_their_lowest_rank(void **state)
{
    const uint32_t host[] = {2, 2, 0, 3, 0, 3};
    const struct rank_list list = {"n[0-4]", 6, 5, host};
    struct rank_texts texts;

    assert_ok(rank_list_make(&texts, &list, NULL));
    assert_string_equal(texts.master, "n2");
    assert_string_equal(texts.nodes, "1,3,0,2,4");
    assert_string_equal(texts.list, "n[2,0,3,1,4]");
    assert_string_equal(texts.ranks, "0 n2\n1 n2\n2 n0\n3 n3\n4 n0\n5 n3\n");
    rank_texts_clear(&texts);
}

static void another_number_of_nodes_is_refused(void **state)
{
    const uint32_t host[] = {0, 1};
    const struct rank_list few = {"n0", 2, 2, host}, bad = {"n[", 2, 2, host};
    struct rank_texts texts;

    assert_int_equal(rank_list_make(&texts, &few, NULL), MAPCORE_EINVAL);
    rank_texts_clear(&texts);
    assert_true(rank_list_make(&texts, &bad, NULL) < 0);
    assert_true(!texts.master && !texts.nodes && !texts.list && !texts.ranks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_numbered_by_their_lowest_rank),
        cmocka_unit_test(another_number_of_nodes_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
