/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_words.c - reads of a synthetic description what hwloc has no bound on */
#include "config.h"

#include "topo/node_words.h"

#include "base/error_set.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* hwloc has a bit for each up to the largest. */
enum { INDEX_MOST = 65535 };

/* Whether the counts of a synthetic description, "package:2 core:8", multiply
 * to no more than that. What stands between brackets counts nothing new. */
static bool is_small(const char *description)
{
    uint64_t product = 1, count;
    const char *p = description;
    char *end;

    while (*p != '\0' && product <= NODE_THREADS_MOST) {
        if (*p == '(' || *p == '[') {
            p += strcspn(p, ")]");
            continue;
        }
        if (*p < '0' || *p > '9') {
            p++;
            continue;
        }
        /* Not the 3 of L3:2. */
        bool is_name =
            p > description && ((p[-1] | 32) >= 'a' && (p[-1] | 32) <= 'z');
        count = strtoul(p, &end, 0);
        if (!is_name && count > 1 &&
            (__builtin_mul_overflow(product, count, &product)))
            return false;
        p = end;
    }
    return product <= NODE_THREADS_MOST;
}

/* "indexes=0,2,1,3": each once; other forms, such as 2*2:1*2, repeat numbers.
 */
static int check_indexes(const char *list, struct mapcore_error *err)
{
    const size_t n = strcspn(list, ") ");
    const int shown = n < 40 ? (int)n : 40;
    const bool is_list = strspn(list, "0123456789,") >= n;
    uint8_t *seen = calloc(INDEX_MOST + 1, 1);
    int error = seen ? 0 : error_set(err, MAPCORE_ENOMEM, "no memory");

    for (const char *p = list; error == 0 && p < list + n;) {
        char *end;
        unsigned long index;

        if (*p < '0' || *p > '9') {
            p++;
            continue;
        }
        index = strtoul(p, &end, 10);
        if (index > INDEX_MOST)
            error = error_set(err, MAPCORE_ERANGE,
                              "indexes=%.*s: %d is the largest index", shown,
                              list, INDEX_MOST);
        else if (is_list && seen[index]++)
            error = error_set(err, MAPCORE_EINVAL,
                              "indexes=%.*s: %lu is there twice", shown, list,
                              index);
        p = end;
    }
    free(seen);
    return error;
}

int node_words_check(const char *description, struct mapcore_error *err)
{
    static const char word[] = "indexes=";
    int error = is_small(description)
                    ? 0
                    : error_set(err, MAPCORE_ERANGE,
                                "a node \"%.64s\" has more than %d hardware "
                                "threads",
                                description, NODE_THREADS_MOST);

    for (const char *p = description;
         error == 0 && (p = strcasestr(p, word)) != NULL; p++)
        error = check_indexes(p + strlen(word), err);
    return error;
}
