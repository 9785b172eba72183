/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_json.c - JSON read: what is refused, and in which words; JSON written */
#include "config.h"

#include "json/json_fields.h"
#include "json/json_text.h"

#include "scratch.h"

#include <float.h>
#include <locale.h>
#include <math.h>

/* What all documents here report to. */
static struct mapcore_error err;

static struct json *parse(const char *text)
{
    struct json *json = NULL;

    if (json_open_memory(&json, "f.json", text, strlen(text), &err) < 0)
        fail_msg("%s: %s", text, err.text);
    return json;
}

static int get_u64(uint64_t *out, const struct json_node *root, const char *key)
{
    const struct json_field field = {key, JSON_U64, 0, JSON_NEEDED};

    return json_read_fields(out, root, &field, 1);
}

static int get_double(double *out,
                      const struct json_node *root,
                      const char *key)
{
    const struct json_field field = {key, JSON_DOUBLE, 0, JSON_NEEDED};

    return json_read_fields(out, root, &field, 1);
}

static void test_not_json(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "f.json:1: the file ends in the middle"},
        {"  \n ", "f.json:2: the file ends in the middle"},
        {"{\"a\": 1", "the file ends in the middle"},
        {"{\"a\": 1,\n\n \"b\": }", "f.json:3: not JSON"},
        {"{\"a\": 1} x", "not JSON"},
        {"{\"a\": 1}{}", "not JSON"},
        {"{\"a\": 1,}", "not JSON"},
        {"{a: 1}", "not JSON"},
        {"{\"a\": 01}", "not JSON"},
        {"{\"a\": 0x1}", "not JSON"},
        {"{\"a\": \"\xff\"}", "not JSON"},
        {"{\"a\": 1} /* c */ }", "not JSON"},
        {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "deeper than 32 levels"},
        {"\177ELF", "not JSON"},
    };
    struct json *json = NULL;

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        int rc = json_open_memory(&json, "f.json", bad[i].text,
                                  strlen(bad[i].text), &err);

        if (rc != MAPCORE_EPARSE || json || !strstr(err.text, bad[i].says))
            fail_msg("%s: %d %s", bad[i].text, rc, rc < 0 ? err.text : "");
    }
    assert_int_equal(json_open_memory(&json, "f", "{\0}", 3, &err),
                     MAPCORE_EPARSE);
    assert_int_equal(
        json_open_memory(&json, "f", "{}", JSON_BYTES_MAX + 1, &err),
        MAPCORE_ERANGE);
}

static void test_root_must_be_an_object(void **state)
{
    struct json *json = parse(" [1]\n");
    struct json_node root;

    assert_int_equal(json_root(&root, json), MAPCORE_EPARSE);
    assert_string_equal(err.text, "f.json: expected an object, not an array");
    json_close(json);
    json = parse("null");
    assert_int_equal(json_root(&root, json), MAPCORE_EPARSE);
    json_close(json);
}

static void test_values(void **state)
{
    struct json *json = parse(
        "{\"n\": 18446744073709551614, \"d\": -2.5e3, \"s\": \"a\\u00e4\","
        "\"t\": true, \"o\": {\"z\": null}, \"a\": [1, {\"x\": 7}],"
        "\"i\": 3, \"m\": 4294967295}");
    static const char *const keys[] = {"n", "d", "s", "t", "o", "a", "i"};
    struct json_node root, node;
    const char *string;
    uint64_t n;
    uint32_t m;
    double d;
    bool t;

    assert_ok(json_root(&root, json));
    assert_ok(get_u64(&n, &root, "n"));
    assert_true(n == UINT64_MAX - 1);
    assert_int_equal(json_get_u32(&m, &root, "n"), MAPCORE_ERANGE);
    assert_string_equal(err.text, "f.json:1: key n: too large");
    assert_ok(json_get_u32(&m, &root, "m"));
    assert_true(m == UINT32_MAX);
    assert_ok(get_double(&d, &root, "d"));
    assert_true(d == -2500.0);
    assert_ok(get_double(&d, &root, "i"));
    assert_true(d == 3.0);
    assert_ok(json_get_string(&string, &root, "s"));
    assert_string_equal(string, "a\xc3\xa4");
    assert_ok(json_get(&node, &root, "t"));
    assert_ok(json_as_bool(&t, &node));
    assert_true(t);
    assert_ok(json_get_object(&node, &root, "o"));
    assert_false(json_has(&node, "z"));
    assert_ok(json_get_array(&node, &root, "a"));
    assert_int_equal(json_count(&node), 2);
    assert_ok(json_at(&node, &node, 1));
    assert_int_equal(get_u64(&n, &node, "y"), MAPCORE_EPARSE);
    assert_string_equal(err.text, "f.json:1: key a[1].y: missing");
    assert_int_equal(json_get_string(&string, &node, "x"), MAPCORE_EPARSE);
    assert_string_equal(
        err.text, "f.json:1: key a[1].x: expected a string, not a number");
    assert_int_equal(json_only(&root, keys, 7), MAPCORE_EPARSE);
    assert_string_equal(err.text, "f.json:1: key m: not known here");
    json_close(json);
}

static void test_lines(void **state)
{
    static const char text[] = "\n{ \"a\": 1,\n"
                               "  \"b{\\\"[\": [ \"]\", {} ],\n"
                               "  \"c\": [ 1,\n"
                               "         { \"x\": \"}\\\\\",\n"
                               "           \"y\": 2 },\n"
                               "         [ [],\n"
                               "           3 ] ],\n"
                               "  \"d\" :\n"
                               "    null,\n"
                               "  \"a\": true }\n";
    static const struct {
        const char *where;
        size_t line;
    } rows[] = {{"", 2},
                {"a", 11},
                {"b{\\\"", 2},
                {"c", 4},
                {"c[0]", 4},
                {"c[1]", 5},
                {"c[1].x", 5},
                {"c[1].y", 6},
                {"c[2]", 7},
                {"c[2][1]", 8},
                {"d", 10},
                {"e", 2},
                {"c[1].z", 5},
                {"c[3]", 4},
                {"c[2][2].x", 7},
                {"a.b", 11},
                {"c.x", 4},
                {"d[0]", 10},
                {"c[99999999999]", 4},
                {"c[", 4},
                {"[0]", 2}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (json_line(text, rows[i].where) != rows[i].line)
            fail_msg("%s: %zu, not %zu", rows[i].where,
                     json_line(text, rows[i].where), rows[i].line);
    assert_int_equal(json_line("{ \"a\": [", "a[0]"), 1);
    assert_int_equal(json_line("\n{ \"a\\", "a"), 2);
}

static void test_numbers_refused(void **state)
{
    static const struct {
        const char *text;
        int u64, real;
    } number[] = {
        {"-1", MAPCORE_EPARSE, 0},
        {"-0.5", MAPCORE_EPARSE, 0},
        {"1.5", MAPCORE_EPARSE, 0},
        {"1e3", MAPCORE_EPARSE, 0},
        {"18446744073709551615", MAPCORE_ERANGE, 0},
        {"18446744073709551616", MAPCORE_ERANGE, 0},
        {"99999999999999999999999999", MAPCORE_ERANGE, 0},
        {"-99999999999999999999999999", MAPCORE_EPARSE, 0},
        {"1e400", MAPCORE_EPARSE, MAPCORE_EPARSE},
        {"NaN", MAPCORE_EPARSE, MAPCORE_EPARSE},
        {"Infinity", MAPCORE_EPARSE, MAPCORE_EPARSE},
        {"-Infinity", MAPCORE_EPARSE, MAPCORE_EPARSE},
        {"\"5\"", MAPCORE_EPARSE, MAPCORE_EPARSE},
        {"true", MAPCORE_EPARSE, MAPCORE_EPARSE},
        {"null", MAPCORE_EPARSE, MAPCORE_EPARSE},
        {"[5]", MAPCORE_EPARSE, MAPCORE_EPARSE},
    };
    struct json_node root;
    char text[100];

    for (size_t i = 0; i < sizeof(number) / sizeof(*number); i++) {
        struct json *json = NULL;
        uint64_t n;
        double d;

        snprintf(text, sizeof(text), "{\"x\": %s}", number[i].text);
        if (json_open_memory(&json, "f", text, strlen(text), &err) < 0) {
            /* json-c itself refuses numbers that do not fit. */
            assert_true(number[i].u64 != 0);
            continue;
        }
        assert_ok(json_root(&root, json));
        if (get_u64(&n, &root, "x") != number[i].u64 ||
            get_double(&d, &root, "x") != number[i].real)
            fail_msg("%s", number[i].text);
        json_close(json);
    }
}

static void test_strings_with_nul(void **state)
{
    struct json *json = parse("{\"s\": \"a\\u0000b\"}");
    struct json_node root;
    const char *string;

    assert_ok(json_root(&root, json));
    assert_int_equal(json_get_string(&string, &root, "s"), MAPCORE_EPARSE);
    assert_non_null(strstr(err.text, "NUL"));
    json_close(json);
}

static void test_files(void **state)
{
    const char *path = at(*state, "f.json");
    struct json *json = NULL;

    assert_int_equal(json_open(&json, path, &err), MAPCORE_EIO);
    assert_int_equal(json_open(&json, at(*state, ""), &err), MAPCORE_EIO);
    put_text(path, "{}\n");
    assert_ok(json_open(&json, path, &err));
    assert_string_equal(json_name(json), path);
    json_close(json);
    json = NULL;
    put_text(path, "");
    assert_int_equal(json_open(&json, path, &err), MAPCORE_EPARSE);
    assert_ok(truncate(path, (off_t)JSON_BYTES_MAX + 1));
    assert_int_equal(json_open(&json, path, &err), MAPCORE_ERANGE);
    assert_non_null(strstr(err.text, "longer than 16 MiB"));
    assert_null(json);
}

static void write_all(FILE *file)
{
    struct json_writer w;

    json_writer_start(&w, file);
    json_begin_object(&w, NULL);
    json_put_string(&w, "s",
                    "q\"b\\\n\x01\x7f\xc3\xa4\xff\xed\xa0\x80\xc2\x9b"
                    "\xf0\x9f\x98\x80.");
    json_put_string(&w, "none", NULL);
    json_begin_array(&w, "a");
    json_put_u64(&w, NULL, UINT64_MAX);
    json_put_double(&w, NULL, 0.1);
    json_put_double(&w, NULL, -DBL_MAX);
    json_put_double(&w, NULL, (double)NAN);
    json_begin_object(&w, NULL);
    json_end_object(&w);
    json_end_array(&w);
    json_begin_array(&w, "e");
    json_end_array(&w);
    json_put_bool(&w, "t", true);
    json_put_null(&w, "z");
    json_end_object(&w);
    assert_ok(json_writer_end(&w, &err));
}

static void test_writer(void **state)
{
    static const char *const locale[] = {"C", "de_DE.UTF-8"};
    char *text = NULL;
    size_t n = 0;

    for (size_t i = 0; i < 2; i++) {
        FILE *file = open_memstream(&text, &n);

        assert_non_null(file);
        setlocale(LC_ALL, locale[i]);
        write_all(file);
        setlocale(LC_ALL, "C");
        fclose(file);
        assert_string_equal(
            text, "{\n"
                  "  \"s\": \"q\\\"b\\\\\\n\\u0001\\u007f\\u00e4"
                  "\\ufffd\\ufffd\\ufffd\\ufffd\\u009b\\ud83d\\ude00.\",\n"
                  "  \"none\": null,\n"
                  "  \"a\": [\n"
                  "    18446744073709551615,\n"
                  "    0.1,\n"
                  "    -1.7976931348623157e+308,\n"
                  "    null,\n"
                  "    {}\n"
                  "  ],\n"
                  "  \"e\": [],\n"
                  "  \"t\": true,\n"
                  "  \"z\": null\n"
                  "}\n");
        json_close(parse(text));
        free(text);
    }
}

static void test_writer_on_a_full_disk(void **state)
{
    FILE *file = fopen("/dev/full", "w");
    struct json_writer w;

    if (!file)
        skip();
    json_writer_start(&w, file);
    json_begin_array(&w, NULL);
    json_end_array(&w);
    assert_int_equal(json_writer_end(&w, &err), MAPCORE_EIO);
    assert_non_null(strstr(err.text, "No space left"));
    fclose(file);
}

static void test_writer_without_memory(void **state)
{
    struct json_writer w;

    json_writer_start(&w, NULL);
    json_begin_object(&w, NULL);
    json_put_u64(&w, "a", 1);
    json_put_double(&w, "b", 1);
    json_put_string(&w, "c", "text");
    assert_int_equal(json_writer_end(&w, &err), MAPCORE_ENOMEM);
}

struct thing {
    char *name, *note;
    const char *word;
    uint32_t small;
    uint64_t large;
    double number, amount, share;
    bool truth;
};

static const struct json_field thing_fields[] = {
    {"name", JSON_STRING, offsetof(struct thing, name), JSON_NEEDED},
    {"note", JSON_STRING, offsetof(struct thing, note), JSON_WRITTEN},
    {"word", JSON_BORROWED, offsetof(struct thing, word), JSON_OPTIONAL},
    {"small", JSON_U32, offsetof(struct thing, small), JSON_OPTIONAL},
    {"large", JSON_U64, offsetof(struct thing, large), JSON_WRITTEN},
    {"number", JSON_DOUBLE, offsetof(struct thing, number), JSON_OPTIONAL},
    {"amount", JSON_AMOUNT, offsetof(struct thing, amount), JSON_OPTIONAL},
    {"share", JSON_SHARE, offsetof(struct thing, share), JSON_OPTIONAL},
    {"truth", JSON_BOOL, offsetof(struct thing, truth), JSON_OPTIONAL},
};
#define NTHING (sizeof(thing_fields) / sizeof(thing_fields[0]))

static void expect_written(const struct thing *thing, const char *text)
{
    struct json_writer writer;
    char *bytes = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&bytes, &n);

    assert_non_null(file);
    json_writer_start(&writer, file);
    json_begin_object(&writer, NULL);
    json_write_fields(&writer, thing, thing_fields, NTHING);
    /* It ends the object, too. */
    assert_ok(json_writer_end(&writer, &err));
    fclose(file);
    assert_string_equal(bytes, text);
    free(bytes);
}

/* What is written is what was read, with any of it left out. */
static void test_a_table_reads_what_it_writes(void **state)
{
    static const char *const texts[] = {
        "{\n  \"name\": \"a\",\n  \"note\": \"b\",\n  \"word\": \"c\",\n"
        "  \"small\": 1,\n  \"large\": 18446744073709551614,\n"
        "  \"number\": -0.5,\n  \"amount\": 0,\n  \"share\": 0.25,\n"
        "  \"truth\": true\n}\n",
        "{\n  \"name\": \"\",\n  \"note\": null,\n  \"large\": 0\n}\n",
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        struct thing thing = {.amount = -1};
        struct json *json = parse(texts[i]);
        struct json_node root;

        assert_ok(json_root(&root, json));
        assert_ok(json_read_fields(&thing, &root, thing_fields, NTHING));
        assert_ok(json_only_fields(&root, thing_fields, NTHING));
        expect_written(&thing, texts[i]);
        free(thing.name);
        free(thing.note);
        json_close(json);
    }
}

/* What json-c 0.18 is given, also where this machine has another json-c. */
static void test_json_in_ascii(void **state)
{
    static const struct {
        const char *text, *ascii;
    } pairs[] = {
        {"{\"a\": 1}\n", "{\"a\": 1}\n"},
        {"[\"jos\xc3\xa9\", \"\xe2\x82\xac\"]",
         "[\"jos\\u00e9\", \"\\u20ac\"]"},
        {"\"\xf0\x9f\x98\x80\"", "\"\\ud83d\\ude00\""},
        {"\"\\\\\xc3\xa9\"", "\"\\\\\\u00e9\""},
        /* Not made right by it. */
        {"\"\\\xc3\xa9\"", "\"\\\xc3\xa9\""},
        {"\"\xff\xc3\"", "\"\xff\xc3\""},
        {"\xc3", "\xc3"},
        {"", ""},
    };

    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        struct buffer out = {.err = &err};

        assert_ok(json_ascii(&out, pairs[i].text, strlen(pairs[i].text)));
        assert_string_equal(out.bytes, pairs[i].ascii);
        buffer_clear(&out);
    }
}

static void test_a_table_refuses(void **state)
{
    static const struct {
        const char *text, *says;
        int error;
    } bad[] = {
        {"{}", "key name: missing", MAPCORE_EPARSE},
        {"{\"name\": null}", "key name: missing", MAPCORE_EPARSE},
        {"{\"name\": 1}", "key name: expected a string", MAPCORE_EPARSE},
        {"{\"name\": \"a\", \"small\": 4294967296}", "too large",
         MAPCORE_ERANGE},
        {"{\"name\": \"a\", \"amount\": -1}", "not negative", MAPCORE_EPARSE},
        {"{\"name\": \"a\",\n\"share\": 1.5}", "f.json:2: key share: not from",
         MAPCORE_EPARSE},
        {"{\"name\": \"a\", \"truth\": 1}", "true or false", MAPCORE_EPARSE},
        {"{\"name\": \"a\", \"other\": 1}", "key other: not known here",
         MAPCORE_EPARSE},
        {"{\"name\": \"a\", \"smal\": 1}",
         "key smal: not known here, did you mean \"small\"?", MAPCORE_EPARSE},
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct thing thing = {0};
        struct json *json = parse(bad[i].text);
        struct json_node root;
        int error;

        assert_ok(json_root(&root, json));
        error = json_read_fields(&thing, &root, thing_fields, NTHING);
        if (error == 0)
            error = json_only_fields(&root, thing_fields, NTHING);
        if (error != bad[i].error || !strstr(err.text, bad[i].says))
            fail_msg("%s: %d %s", bad[i].text, error, err.text);
        free(thing.name);
        json_close(json);
    }
}

static void test_items(void **state)
{
    struct json *json =
        parse("{\"n\": [7, 0, 4294967295], \"b\": [true, false],"
              "\"s\": [\"x\", \"yz\"],\n\"bad\": [1, -1], "
              "\"none\": []}");
    struct json_node root, array;
    uint32_t n[3] = {0};
    bool b[2] = {false, true};
    const char *s[2];

    assert_ok(json_root(&root, json));
    assert_ok(json_get_array(&array, &root, "n"));
    assert_ok(json_read_items(n, &array, JSON_U32, 3));
    assert_true(n[0] == 7 && n[1] == 0 && n[2] == UINT32_MAX);
    assert_int_equal(json_read_items(n, &array, JSON_U32, 2), MAPCORE_EPARSE);
    assert_string_equal(err.text,
                        "f.json:1: key n: expected 2 elements, not 3");
    assert_int_equal(json_read_items(b, &array, JSON_BOOL, 3), MAPCORE_EPARSE);
    assert_ok(json_get_array(&array, &root, "b"));
    assert_ok(json_read_items(b, &array, JSON_BOOL, 2));
    assert_true(b[0] && !b[1]);
    assert_ok(json_get_array(&array, &root, "s"));
    assert_ok(json_read_items(s, &array, JSON_BORROWED, 2));
    assert_string_equal(s[0], "x");
    assert_string_equal(s[1], "yz");
    assert_ok(json_get_array(&array, &root, "bad"));
    assert_int_equal(json_read_items(n, &array, JSON_U32, 2), MAPCORE_EPARSE);
    assert_non_null(strstr(err.text, "f.json:2: key bad[1]: "));
    assert_ok(json_get_array(&array, &root, "none"));
    assert_ok(json_read_items(n, &array, JSON_U32, 0));
    assert_int_equal(json_read_items(n, &root, JSON_U32, 0), MAPCORE_EPARSE);
    json_close(json);
}

static void test_formats(void **state)
{
    static const struct {
        const char *text;
        int error;
    } cases[] = {
        {"{\"format\": 1}", 0},
        {"{\"format\": 2}", 0},
        {"{\"format\": 3}", MAPCORE_EVERSION},
        {"{\"format\": 0}", MAPCORE_EPARSE},
        {"{\"format\": \"1\"}", MAPCORE_EPARSE},
        {"{}", MAPCORE_EPARSE},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct json *json = parse(cases[i].text);
        struct json_node root;

        assert_ok(json_root(&root, json));
        assert_int_equal(json_check_format(&root, 2), cases[i].error);
        json_close(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_json),
        cmocka_unit_test(test_root_must_be_an_object),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_numbers_refused),
        cmocka_unit_test(test_strings_with_nul),
        ON_DISK(test_files),
        cmocka_unit_test(test_writer),
        cmocka_unit_test(test_a_table_reads_what_it_writes),
        cmocka_unit_test(test_json_in_ascii),
        cmocka_unit_test(test_a_table_refuses),
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_writer_on_a_full_disk),
        cmocka_unit_test(test_writer_without_memory),
    };

    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
