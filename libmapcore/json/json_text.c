/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* json_text.c - JSON without a byte above 0x7f: json-c 0.18 takes every one for
 * invalid in its strict mode, which 0.17 and 0.19 do not; and in which line a
 * value stands: once something is wrong with it the text is walked through */
#include "config.h"

#include "json/json_text.h"

#include "base/printable.h"

#include <stdbool.h>
#include <string.h>

int json_ascii(struct buffer *out, const char *bytes, size_t n)
{
    char escape[UTF8_ESCAPE], character[5];
    bool is_escaped = false;
    size_t plain = 0; /* where what is copied as it is begins */

    for (size_t i = 0; i < n;) {
        size_t length = 1;

        if ((unsigned char)bytes[i] >= 0x80 && !is_escaped) {
            size_t most = n - i < 4 ? n - i : 4;

            memcpy(character, bytes + i, most);
            character[most] = '\0';
            length = utf8_length(character);
        }
        if (length > 1) {
            buffer_append(out, bytes + plain, i - plain);
            utf8_escape(escape, character, length);
            buffer_append(out, escape, strlen(escape));
            plain = i + length;
        }
        is_escaped = bytes[i] == '\\' && !is_escaped;
        i += length > 0 ? length : 1;
    }
    return buffer_append(out, bytes + plain, n - plain);
}

/* The text is known to be JSON: strings and brackets end. All the same nothing
 * goes beyond its NUL. */

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static const char *skip_string(const char *at)
{
    for (at++; *at != '\0' && *at != '"'; at++)
        if (*at == '\\' && at[1] != '\0')
            at++;
    return *at != '\0' ? at + 1 : at;
}

static const char *skip_value(const char *at)
{
    size_t depth = 0;

    do {
        at = skip_blanks(at);
        if (*at == '"') {
            at = skip_string(at);
        } else if (*at == '{' || *at == '[') {
            depth++;
            at++;
        } else if (*at == '}' || *at == ']') {
            depth--;
            at++;
        } else if (*at == ',' || *at == ':') {
            at++;
        } else {
            at += strcspn(at, ",:{}[] \t\r\n\"");
        }
    } while (depth > 0 && *at != '\0');
    return at;
}

/* The member's value, of several the last, as json-c has it; NULL: none. */
static const char *find_member(const char *object, const char *key, size_t n)
{
    const char *found = NULL, *at = skip_blanks(object + 1);

    while (*at == '"') {
        const char *name = at + 1;
        bool is_it;

        at = skip_string(at);
        is_it = (size_t)(at - 1 - name) == n && memcmp(name, key, n) == 0;
        at = skip_blanks(at);
        at = skip_blanks(at + (*at == ':'));
        if (is_it)
            found = at;
        at = skip_blanks(skip_value(at));
        at = skip_blanks(at + (*at == ','));
    }
    return found;
}

static const char *find_element(const char *array, size_t i)
{
    const char *at = skip_blanks(array + 1);

    for (; i > 0 && *at != ']' && *at != '\0'; i--) {
        at = skip_blanks(skip_value(at));
        at = skip_blanks(at + (*at == ','));
    }
    return *at == ']' || *at == '\0' ? NULL : at;
}

/* One step of the way; *where goes on behind it. */
static const char *step(const char *at, const char **where)
{
    const char *name = *where + (**where == '.');
    size_t n = strcspn(name, ".["), i = 0;

    if (*name != '[') {
        *where = name + n;
        return *at == '{' ? find_member(at, name, n) : NULL;
    }
    for (name++; *name >= '0' && *name <= '9'; name++)
        i = 10 * i + (size_t)(*name - '0');
    *where = name + (*name == ']');
    return *at == '[' ? find_element(at, i) : NULL;
}

size_t json_line(const char *text, const char *where)
{
    const char *at = skip_blanks(text), *next;
    size_t line = 1;

    while (*where != '\0' && (next = step(at, &where)))
        at = next;
    for (const char *c = text; c < at; c++)
        line += *c == '\n';
    return line;
}
