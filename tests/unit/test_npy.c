/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_npy.c - task graphs from NumPy's arrays, and what is wrong with such
 * files */
#include "config.h"

#include "unit.h"

#include "graph/csr.h"
#include "graph/file/file.h"

#include <math.h>

#define NPY MAPCORE_GRAPH_NPY

/* "ntasks; a b bytes; ..." of the graph, or what is wrong. */
static const char *told(enum mapcore_graph_format format,
                        const char *name,
                        const char *bytes,
                        size_t n)
{
    static char text[800];
    const struct mapcore_graph_reading how = {.format = format};
    struct mapcore_graph *graph = NULL;
    struct mapcore_error err = {""};
    size_t at;

    if (mapcore_graph_parse(&graph, name, bytes, n, &how, &err) < 0) {
        assert_null(graph);
        snprintf(text, sizeof(text), "%s", err.text);
        return text;
    }
    at = (size_t)snprintf(text, sizeof(text), "%u;", graph->ntasks);
    for (uint32_t t = 0; t < graph->ntasks; t++)
        for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++)
            if (graph->task[i] > t)
                at += (size_t)snprintf(text + at, sizeof(text) - at,
                                       " %u %u %llu;", t, graph->task[i],
                                       (unsigned long long)graph->bytes[i]);
    mapcore_graph_destroy(graph);
    return text;
}

/* An array: its header's words, and n elements of the bytes at `element`. */
static const char *npy(size_t *n,
                       const char *words,
                       const void *element,
                       size_t nbytes)
{
    static char file[512];
    size_t length = strlen(words);

    memcpy(file, "\x93NUMPY\x01\x00", 8);
    file[8] = (char)length;
    file[9] = 0;
    memcpy(file + 10, words, length);
    memcpy(file + 10 + length, element, nbytes);
    *n = 10 + length + nbytes;
    return file;
}

#define SHAPE2 "'fortran_order': False, 'shape': (2, 2), }\n"

static void arrays_of_numpy_are_read(void **state)
{
    static const double f8[] = {9, 600.4, 0.25, 9};
    static const uint8_t be2[] = {0, 0, 1, 2, 0, 1, 0, 0}; /* 258, 1 */
    static const int8_t i1[] = {0, 5, 6, 0};
    static const float f4[] = {0, 1e6f, 0, 0};
    static const struct {
        const char *words;
        const void *element;
        size_t n;
        const char *expected;
    } cases[] = {
        {"{'descr': '<f8', " SHAPE2, f8, sizeof(f8), "2; 0 1 601;"},
        {"{'descr': '>i2', " SHAPE2, be2, sizeof(be2), "2; 0 1 259;"},
        {"{'descr': '>u2', 'fortran_order': True, 'shape': (2, 2), }", be2,
         sizeof(be2), "2; 0 1 259;"},
        {"{'descr': '|i1', " SHAPE2, i1, sizeof(i1), "2; 0 1 11;"},
        {"{'descr': '|b1', " SHAPE2, i1, sizeof(i1), "2; 0 1 11;"},
        {"{'descr': '<f4', " SHAPE2, f4, sizeof(f4), "2; 0 1 1000000;"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }", f8, 8,
         "1;"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t n;
        const char *file =
            npy(&n, cases[i].words, cases[i].element, cases[i].n);

        assert_string_equal(told(NPY, "f", file, n), cases[i].expected);
        assert_string_equal(told(MAPCORE_GRAPH_ANY, "f", file, n),
                            cases[i].expected);
        /* Cut anywhere, it is told; so is a byte more. */
        for (size_t cut = 0; cut < n; cut++)
            assert_non_null(strstr(told(NPY, "f", file, cut), "f: "));
        assert_non_null(strstr(told(NPY, "f", file, n + 1), "longer than"));
    }
}

static void bad_arrays_are_told(void **state)
{
    static const double nan[] = {0, 1, (double)NAN, 0}, less[] = {0, -1, 0, 0},
                        more[] = {0, 1e30, 0, 0};
    static const int16_t i2[] = {0, 0, -3, 0};
    static const struct {
        const char *words;
        const void *element;
        size_t n;
        const char *expected;
    } cases[] = {
        {"{'descr': '<f8', " SHAPE2, nan, sizeof(nan),
         "f: element [1, 0] is nan, and no number of bytes"},
        {"{'descr': '<f8', " SHAPE2, less, sizeof(less),
         "f: element [0, 1] is -1, and no number of bytes"},
        {"{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }", less,
         sizeof(less), "f: element [1, 0] is -1, and no number of bytes"},
        {"{'descr': '<f8', " SHAPE2, more, sizeof(more),
         "f: element [0, 1] is 1e+30, and no number of bytes"},
        {"{'descr': '<i2', " SHAPE2, i2, sizeof(i2),
         "f: element [1, 0] is -3, and no number of bytes"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }", less,
         sizeof(less),
         "f: an array of NumPy of 1 dimension, not two: a matrix of tasks by "
         "tasks is wanted"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }", less, 8,
         "f: an array of NumPy of 0 dimensions, not two: a matrix of tasks by "
         "tasks is wanted"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 2), }", less,
         sizeof(less),
         "f: an array of NumPy of 3 dimensions, not two: a matrix of tasks by "
         "tasks is wanted"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 4), }", less,
         sizeof(less),
         "f: an array of NumPy of 1 by 4: no square matrix of tasks"},
        {"{'descr': '<c16', " SHAPE2, less, sizeof(less),
         "f: an array of '<c16': only whole numbers of 1 to 8 bytes and floats "
         "of 4 or 8 are read"},
        {"{'descr': '|O', " SHAPE2, less, sizeof(less),
         "f: an array of '|O': only whole numbers of 1 to 8 bytes and floats "
         "of 4 or 8 are read"},
        {"{'descr': [('a', '<i4')], " SHAPE2, less, sizeof(less),
         "f: an array of NumPy of records, which is no matrix of bytes"},
        {"{}", less, sizeof(less),
         "f: an array of NumPy whose header tells no order"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': "
         "(4294967294, 4294967294), }",
         less, sizeof(less),
         "f: an array of NumPy of 4294967294 by 4294967294: no square matrix "
         "of tasks"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': "
         "(4294967293, 4294967293), }",
         less, 8,
         "f: it ends after 1 of its 18446744047939747849 elements: cut short?"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t n;
        const char *file =
            npy(&n, cases[i].words, cases[i].element, cases[i].n);

        assert_string_equal(told(NPY, "f", file, n), cases[i].expected);
    }
    assert_string_equal(told(NPY, "f", "NUMPY 1 2", 9),
                        "f: not an array as numpy.save writes it");
    assert_string_equal(told(NPY, "f", "\x93NUMPY\x09\x00xx", 10),
                        "f: an array in version 9 of NumPy's format, and this "
                        "program knows 1 to 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_of_numpy_are_read),
        cmocka_unit_test(bad_arrays_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
