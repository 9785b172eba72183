/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_tables.c - buckets, tables keyed by numbers, sets of names, tallies,
 * budgets */
#include "config.h"

#include "unit.h"

#include "base/bucket.h"
#include "base/budget.h"
#include "base/name_set.h"
#include "base/rng.h"
#include "base/table64.h"
#include "grid/tally.h"

static void items_stand_by_owner_in_order(void **state)
{
    const uint32_t owner[] = {2, 0, 2, 4, 0, 2};
    const uint32_t expected[] = {1, 4, 0, 2, 5, 3};
    const uint32_t starts[] = {0, 2, 2, 5, 5, 6};
    uint32_t first[6] = {9, 9, 9, 9, 9, 9}, item[6];

    bucket_items(first, item, owner, 6, 5);
    assert_memory_equal(first, starts, sizeof(starts));
    assert_memory_equal(item, expected, sizeof(expected));
    memset(first, 0xff, sizeof(first));
    bucket_starts(first, owner, 6, 5);
    assert_memory_equal(first, starts, sizeof(starts));
    /* Nothing, and without an owner. */
    first[0] = 9;
    bucket_items(first, item, owner, 0, 0);
    assert_int_equal(first[0], 0);
}

/* Owners that stand in no array: here, the items' last digits. */
static void ends_become_starts(void **state)
{
    uint32_t first[11] = {0}, item[100];

    for (uint32_t i = 0; i < 100; i++)
        first[i % 10]++;
    bucket_ends(first, 10);
    for (uint32_t k = 0; k <= 10; k++)
        assert_int_equal(first[k], k < 10 ? 10 * (k + 1) : 100);
    for (uint32_t i = 100; i-- > 0;)
        item[--first[i % 10]] = i;
    for (uint32_t k = 0; k <= 10; k++)
        assert_int_equal(first[k], 10 * k);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(item[i], i / 10 + i % 10 * 10);
}

/* Keys that differ only high up, too. */
static void numbers_are_found_by_their_keys(void **state)
{
    struct table64 table = {0};
    struct mapcore_error err;
    uint32_t out;

    assert_int_equal(table64_find(&table, 0), MAPCORE_NONE);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_ok(table64_put(&out, &table, (uint64_t)i << 50, i, &err));
        assert_int_equal(out, i);
    }
    assert_int_equal(table.n, 1000);
    assert_true(table.capacity >= 2 * table.n);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(table64_find(&table, (uint64_t)i << 50), i);
        assert_ok(table64_put(&out, &table, (uint64_t)i << 50, 7777, &err));
        assert_int_equal(out, i);
    }
    assert_int_equal(table.n, 1000);
    assert_int_equal(table64_find(&table, 1), MAPCORE_NONE);
    table64_clear(&table);
    assert_int_equal(table64_find(&table, 0), MAPCORE_NONE);
}

/* As hashes of what is really looked for may be: alike. */
static void a_key_may_have_several_values(void **state)
{
    struct table64 table = {0};
    struct mapcore_error err;
    bool seen[300] = {false};
    uint32_t i, n = 0;
    size_t at = 0;

    assert_int_equal(table64_next(&table, 5, &at), MAPCORE_NONE);
    for (i = 0; i < 300; i++)
        assert_ok(table64_add(&table, i % 2 ? 5 : i, i, &err));
    for (at = 0; (i = table64_next(&table, 5, &at)) != MAPCORE_NONE; n++) {
        assert_in_range(i, 1, 299);
        assert_int_equal(i % 2, 1);
        assert_false(seen[i]);
        seen[i] = true;
    }
    assert_int_equal(n, 150);
    at = 0;
    assert_int_equal(table64_next(&table, 298, &at), 298);
    assert_int_equal(table64_next(&table, 298, &at), MAPCORE_NONE);
    table64_clear(&table);
}

static void reserved_places_are_there(void **state)
{
    struct table64 table = {0};
    struct mapcore_error err;

    assert_ok(table64_reserve(&table, 1000, &err));
    size_t capacity = table.capacity;
    for (uint32_t i = 0; i < 1000; i++)
        assert_ok(table64_add(&table, i, i, &err));
    assert_int_equal(table.capacity, capacity);
    assert_int_equal(table64_reserve(&table, SIZE_MAX / 4, &err),
                     MAPCORE_ENOMEM);
    assert_int_equal(table64_find(&table, 999), 999);
    table64_clear(&table);
}

static void names_are_numbered_as_they_come(void **state)
{
    struct name_set names = {0};
    struct mapcore_error err;
    char name[20];
    uint32_t out;

    assert_int_equal(name_set_find(&names, "n0"), MAPCORE_NONE);
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < 500; i++) {
            snprintf(name, sizeof(name), "n%u", i);
            assert_ok(name_set_add(&out, &names, name, &err));
            assert_int_equal(out, i);
        }
    assert_int_equal(names.n, 500);
    assert_int_equal(name_set_find(&names, "n499"), 499);
    assert_string_equal(names.name[499], "n499");
    assert_int_equal(name_set_find(&names, "n500"), MAPCORE_NONE);
    assert_int_equal(name_set_find(&names, ""), MAPCORE_NONE);
    assert_ok(name_set_add(&out, &names, "", &err));
    assert_int_equal(name_set_find(&names, ""), 500);
    name_set_clear(&names);
    assert_int_equal(names.n, 0);
}

static void hosts_are_there_once(void **state)
{
    const char *const twice[] = {"a", "b", "a"}, *const empty[] = {"a", ""};
    struct name_set names = {0};
    struct mapcore_error err;

    assert_ok(name_set_add_all(&names, twice, 2, &err));
    assert_int_equal(names.n, 2);
    name_set_clear(&names);
    assert_int_equal(name_set_add_all(&names, twice, 3, &err), MAPCORE_EINVAL);
    assert_string_equal(err.text, "host a is there twice");
    name_set_clear(&names);
    assert_int_equal(name_set_add_all(&names, empty, 2, &err), MAPCORE_EINVAL);
    assert_string_equal(err.text, "host 1 has an empty name");
    name_set_clear(&names);
}

/* Beside counting in an array. */
static void tallies_count_and_sort(void **state)
{
    enum { KEYS = 700 };
    uint64_t edges[KEYS] = {0}, bytes[KEYS] = {0};
    struct tally tally = {0};
    struct mapcore_error err;
    struct rng rng;
    size_t n = 0;

    assert_null(tally_find(&tally, 0));
    rng_init(&rng, 1, 2, 3);
    for (int i = 0; i < 5000; i++) {
        uint32_t key = rng_below(&rng, KEYS), more = rng_below(&rng, 100);

        edges[key] += 1;
        bytes[key] += more;
        assert_ok(tally_add(&tally, (uint64_t)key << 32, more, &err));
    }
    assert_ok(tally_add_many(&tally, 0, 10, 3, &err));
    edges[0] += 10;
    bytes[0] += 3;
    for (uint32_t key = 0; key < KEYS; key++) {
        const struct tally_cell *cell = tally_find(&tally, (uint64_t)key << 32);

        n += edges[key] > 0;
        assert_int_equal(!cell, edges[key] == 0);
        if (cell) {
            assert_int_equal(cell->edges, edges[key]);
            assert_int_equal(cell->bytes, bytes[key]);
        }
    }
    assert_int_equal(tally.n, n);
    assert_null(tally_find(&tally, 1));
    tally_sort(&tally);
    for (size_t c = 1; c < tally.n; c++)
        assert_true(tally.cell[c - 1].key < tally.cell[c].key);
    tally_clear(&tally);
    tally_sort(&tally);
    assert_int_equal(tally.n, 0);
}

static void budgets_end_and_are_given_back(void **state)
{
    atomic_size_t budget;

    atomic_init(&budget, 2);
    assert_true(budget_take(&budget));
    assert_true(budget_take(&budget));
    assert_false(budget_take(&budget));
    budget_give_back(&budget);
    assert_true(budget_take(&budget));
    assert_false(budget_take(&budget));
}

static void hosts_are_found_by_their_first_part(void **state)
{
    const char *const hosts[] = {"a.x", "b.x", "b.y", "b.z", "c", "10.0.0.1"};
    struct name_set names = {0};
    struct mapcore_error err;
    uint32_t other;

    assert_ok(name_set_add_all(&names, hosts, 6, &err));
    assert_int_equal(name_set_find_first(&names, "a", &other), 0);
    assert_int_equal(other, MAPCORE_NONE);
    assert_int_equal(name_set_find_first(&names, "b", &other) + other, 1 + 2);
    /* However many there are of one, two are kept. */
    assert_int_equal(names.firsts.n, 3);
    assert_int_equal(name_set_find_first(&names, "c", &other), MAPCORE_NONE);
    assert_int_equal(name_set_find_first(&names, "10", &other), MAPCORE_NONE);
    assert_int_equal(name_set_find_first(&names, "a.x", &other), MAPCORE_NONE);
    name_set_clear(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_stand_by_owner_in_order),
        cmocka_unit_test(ends_become_starts),
        cmocka_unit_test(numbers_are_found_by_their_keys),
        cmocka_unit_test(a_key_may_have_several_values),
        cmocka_unit_test(reserved_places_are_there),
        cmocka_unit_test(names_are_numbered_as_they_come),
        cmocka_unit_test(hosts_are_there_once),
        cmocka_unit_test(hosts_are_found_by_their_first_part),
        cmocka_unit_test(tallies_count_and_sort),
        cmocka_unit_test(budgets_end_and_are_given_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
