/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_printable.c - text of others on a terminal: control characters are seen,
 * not obeyed, and letters stay whole */
#include "config.h"

#include "unit.h"

#include "base/error_set.h"
#include "base/printable.h"

static const struct {
    const char *raw, *shown;
} pairs[] = {
    {"", ""},
    {"plain text, ~", "plain text, ~"},
    {"a\nb\tc\r", "a?b?c?"},
    {"\x1b[2J\x1b]52;c;cm0gLXJmIH4=\x07", "?[2J?]52;c;cm0gLXJmIH4=?"},
    {"\x7f", "?"},
    /* C1 as UTF-8: one character, one mark. CSI, and the last of them. */
    {"..\xc2\x9b"
     "31m\xc2\x9f.",
     "..?31m?."},
    {"\xc2\xa0", "\xc2\xa0"},
    /* Letters whose second byte alone would be a control character. */
    {"\xc3\xa9 \xc3\x80 \xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
     "\xc3\xa9 \xc3\x80 \xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"},
    /* No UTF-8: C1 of Latin-1 goes, its letters stay. */
    {"\x9b"
     "31m \xe9t\xe9",
     "?31m \xe9t\xe9"},
    /* Overlong, cut short, a surrogate. */
    {"\xc1\x9b \xe2\x82", "\xc1? \xe2?"},
    {"\xed\xa0\x80", "\xed\xa0?"},
};

static void control_characters_are_marked(void **state)
{
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        char *text = strdup(pairs[i].raw), *written = NULL;
        size_t n = 0;
        FILE *file = open_memstream(&written, &n);

        assert_non_null(text);
        assert_non_null(file);
        printable_clean(text);
        assert_string_equal(text, pairs[i].shown);
        assert_int_equal(printable_write(file, pairs[i].raw),
                         strlen(pairs[i].shown));
        assert_ok(fclose(file));
        assert_string_equal(written, pairs[i].shown);
        free(written);
        free(text);
    }
}

static void messages_are_clean(void **state)
{
    struct mapcore_error err;

    error_set(&err, MAPCORE_EPARSE, "weight '%s' is no number",
              "\x1b]0;owned\x07\xc2\x9b");
    assert_string_equal(err.text, "weight '?]0;owned?\?' is no number");
}

static void characters_are_taken_apart(void **state)
{
    static const struct {
        const char *text, *escape;
        size_t length;
        uint32_t code;
    } good[] = {
        {"\x7f", "\\u007f", 1, 0x7f},
        {"\xc2\x80", "\\u0080", 2, 0x80},
        {"\xdf\xbf", "\\u07ff", 2, 0x7ff},
        {"\xe0\xa0\x80", "\\u0800", 3, 0x800},
        {"\xef\xbf\xbf", "\\uffff", 3, 0xffff},
        {"\xf0\x90\x80\x80", "\\ud800\\udc00", 4, 0x10000},
        {"\xf4\x8f\xbf\xbf", "\\udbff\\udfff", 4, 0x10ffff},
    };
    static const char *const bad[] = {
        "\x80",         "\xc0\x80",         "\xc1\xbf",         "\xc3",
        "\xe0\x9f\xbf", "\xed\xa0\x80",     "\xe2\x82",         "\xf5",
        "\xe2(\xa1",    "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xff"};
    char escape[UTF8_ESCAPE];

    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        assert_int_equal(utf8_length(good[i].text), good[i].length);
        assert_int_equal(utf8_code_point(good[i].text, good[i].length),
                         good[i].code);
        utf8_escape(escape, good[i].text, good[i].length);
        assert_string_equal(escape, good[i].escape);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_int_equal(utf8_length(bad[i]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_characters_are_marked),
        cmocka_unit_test(messages_are_clean),
        cmocka_unit_test(characters_are_taken_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
