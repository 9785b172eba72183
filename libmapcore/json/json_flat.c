/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* json_flat.c - an object of plain values read by a table without json-c, which
 * takes ten times as long: of millions of lines */
#include "config.h"

#include "json/json_fields.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In what follows a reader gives NULL for all that is unusual. */
static const char *skip(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')
        at++;
    return at;
}

/* Behind the closing quote of what begins behind the opening one. */
static const char *end_string(const char *at)
{
    while ((unsigned char)(*at - ' ') < 0x5f && *at != '"' && *at != '\\')
        at++;
    return *at == '"' ? at + 1 : NULL;
}

/* A number of JSON. One of 15 digits or so is a quotient of two that are exact,
 * and so the nearest. */
static const char *take_number(double *out, bool *is_whole, const char *at)
{
    const char *begin = at + (*at == '-'), *end = begin, *point = NULL;
    uint64_t digits = 0;
    char copy[40];

    for (; (*end >= '0' && *end <= '9') || (*end == '.' && !point); end++)
        if (*end == '.')
            point = end;
        else if (end - begin < 18)
            digits = 10 * digits + (uint64_t)(*end - '0');
    *is_whole = !point && *at != '-';
    if (end == begin || point == begin || point == end - 1 ||
        (begin[0] == '0' && end > begin + 1 && point != begin + 1))
        return NULL;
    if (end - begin < 18 && digits < (UINT64_C(1) << 53) && *end != 'e' &&
        *end != 'E') {
        *out = (double)digits;
        if (point)
            *out /= pow(10, (double)(end - point - 1));
    } else {
        const size_t n = strspn(begin, "0123456789.eE+-");

        if (n >= sizeof(copy))
            return NULL;
        memcpy(copy, begin, n);
        copy[n] = '\0';
        if (!text_parse_double(copy, out))
            return NULL;
        *is_whole = false;
        end = begin + n;
    }
    if (*at == '-')
        *out = -*out;
    return end;
}

static const char *take_value(void *member, enum json_kind kind, const char *at)
{
    const char *begin = at, *end;
    bool is_whole;
    double number;

    if (*at == '"') {
        if (kind != JSON_STRING || !(end = end_string(at + 1)))
            return NULL;
        *(char **)member = strndup(begin + 1, (size_t)(end - begin - 2));
        return *(char **)member ? end : NULL;
    }
    if (kind == JSON_BOOL) {
        *(bool *)member = *at == 't';
        return strncmp(at, "true", 4) == 0    ? at + 4
               : strncmp(at, "false", 5) == 0 ? at + 5
                                              : NULL;
    }
    if (!(end = take_number(&number, &is_whole, at)))
        return NULL;
    if (kind == JSON_U32 && is_whole && number <= UINT32_MAX)
        *(uint32_t *)member = (uint32_t)number;
    else if (kind == JSON_U64 && is_whole)
        *(uint64_t *)member = (uint64_t)number;
    else if (kind == JSON_DOUBLE || (kind == JSON_AMOUNT && number >= 0))
        *(double *)member = number;
    else
        return NULL;
    return end;
}

/* The field of a key that ends at its quote; they mostly come in the order of
 * the table. */
static size_t find(const char *key,
                   size_t n,
                   size_t guess,
                   const struct json_field *fields,
                   size_t nfields)
{
    for (size_t k = 0; k < nfields; k++) {
        const size_t i = (guess + k) % nfields;

        if (strncmp(fields[i].key, key, n) == 0 && fields[i].key[n] == '\0')
            return i;
    }
    return nfields;
}

bool json_read_flat(void *out,
                    const char *text,
                    const struct json_field *fields,
                    size_t nfields,
                    bool is_head)
{
    uint64_t needed = 0, seen = 0;
    const char *at = skip(text);
    size_t next = 0;

    for (size_t i = 0; i < nfields; i++)
        needed |= (uint64_t)(fields[i].need == JSON_NEEDED) << i;
    if (*at != '{')
        return false;
    do {
        const char *key = skip(at + 1), *end;
        size_t i;

        if (*key != '"' || !(end = end_string(key + 1)))
            return false;
        i = find(key + 1, (size_t)(end - key - 2), next, fields, nfields);
        at = skip(end);
        if (*at != ':' || (i < nfields && (seen >> i & 1)))
            return false;
        at = skip(at + 1);
        if (i < nfields) {
            at = take_value((char *)out + fields[i].offset, fields[i].kind, at);
            seen |= UINT64_C(1) << i;
            next = i + 1;
        } else if (*at == '"') {
            at = end_string(at + 1);
        } else {
            double number;
            bool is_whole;

            at = *at == 't' || *at == 'f' ? take_value(&is_whole, JSON_BOOL, at)
                                          : take_number(&number, &is_whole, at);
        }
        if (!at)
            return false;
        if (is_head && (seen & needed) == needed)
            return true;
        at = skip(at);
    } while (*at == ',');
    return (seen & needed) == needed && *at == '}' && *skip(at + 1) == '\0';
}
