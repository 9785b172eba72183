/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_graph_files.c - matrices and lists of edges, recognised and read; what
 * is wrong with them; all of them written and read back */
#include "config.h"

#include "mapfixture.h"
#include "scratch.h"

#include <sys/resource.h>

struct good {
    enum mapcore_graph_format format;
    uint32_t ntasks;
    const char *file, *expected;
};

static void expect_good(const struct good *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct mapcore_graph_reading how = {cases[i].format,
                                                  cases[i].ntasks};
        struct mapcore_error err = {""};
        struct mapcore_graph *graph = NULL;
        char text[400];
        int code = mapcore_graph_parse(&graph, "f", cases[i].file,
                                       strlen(cases[i].file), &how, &err);

        if (code < 0)
            fail_msg("case %zu: %s", i, err.text);
        assert_string_equal(text_of(graph, text, sizeof(text)),
                            cases[i].expected);
        mapcore_graph_destroy(graph);
    }
}

struct bad {
    enum mapcore_graph_format format;
    uint32_t ntasks;
    const char *file;
    int code;
    const char *why;
};

static void expect_bad(const struct bad *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct mapcore_graph_reading how = {cases[i].format,
                                                  cases[i].ntasks};
        struct mapcore_error err = {""};
        struct mapcore_graph *graph = NULL;
        int code = mapcore_graph_parse(&graph, "f", cases[i].file,
                                       strlen(cases[i].file), &how, &err);

        assert_string_equal(err.text, cases[i].why);
        assert_int_equal(code, cases[i].code);
        assert_null(graph);
    }
}

#define METIS MAPCORE_GRAPH_METIS
#define MTX   MAPCORE_GRAPH_MTX
#define EDGES MAPCORE_GRAPH_EDGES
#define DENSE MAPCORE_GRAPH_DENSE
#define ANY   MAPCORE_GRAPH_ANY

#define TRIANGLE "4 3 001\n2 7 3 8\n1 7 3 9\n1 8 2 9\n\n"
#define UNIT     "4 3 001\n2 1 3 1\n1 1 3 1\n1 1 2 1\n\n"

/* The first weight of a task is its load; without weights there are none. */
static void loads_are_read(void **state)
{
    static const struct {
        enum mapcore_graph_format format;
        const char *file;
        uint32_t load[2];
    } cases[] = {
        {METIS, "2 1 011 2\n7 9 2 5\n8 9 1 5\n", {7, 8}},
        {METIS, "2 1 010\n7 2\n5000000000 1\n", {7, UINT32_MAX}},
        {METIS, "2 1 001\n2 5\n1 5\n", {0, 0}},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct mapcore_graph_reading how = {cases[i].format, 0};
        struct mapcore_graph *graph;

        assert_ok(mapcore_graph_parse(&graph, "f", cases[i].file,
                                      strlen(cases[i].file), &how, NULL));
        if (cases[i].load[0] == 0)
            assert_null(graph->load);
        else
            assert_memory_equal(graph->load, cases[i].load,
                                sizeof(cases[i].load));
        mapcore_graph_destroy(graph);
    }
}

#define BANNER "%%MatrixMarket matrix "

static void matrices_are_read(void **state)
{
    static const struct good cases[] = {
        /* Entries of a whole-number matrix are bytes from row to column. */
        {MTX, 0,
         BANNER "coordinate integer general\n% x\n\n4 4 5\n1 2 3\n2 1 4\n"
                "1 3 8\n3 2 -9\n4 4 100\n",
         TRIANGLE},
        {ANY, 0,
         "%%matrixmarket MATRIX Coordinate Integer Symmetric\n3 3 2\n"
         "2 1 5\n3 3 7\n",
         "3 1 001\n2 10\n1 10\n\n"},
        /* Others count 8 bytes an entry that is not 0. */
        {MTX, 0,
         BANNER "coordinate real general\n3 3 4\n1 2 -1.5e-3\n2 1 .5D0\n"
                "2 3 0.0e7\n1 1 3\n",
         "3 1 001\n2 16\n1 16\n\n"},
        {MTX, 0, BANNER "coordinate pattern symmetric\n3 3 2\n2 1\n3 1\n",
         "3 2 001\n2 16 3 16\n1 16\n1 16\n"},
        {MTX, 0, BANNER "coordinate real skew-symmetric\n2 2 1\n2 1 -7.\n",
         "2 1 001\n2 16\n1 16\n"},
        {MTX, 0,
         BANNER "coordinate complex hermitian\n3 3 2\n2 1 0 -1\n3 1 0 0.\n",
         "3 1 001\n2 16\n1 16\n\n"},
        {MTX, 0, BANNER "array integer general\n2 2\n1\n2\n3\n4\n",
         "2 1 001\n2 5\n1 5\n"},
        {MTX, 0, BANNER "array integer symmetric\n2 2\n1\n2\n3\n",
         "2 1 001\n2 4\n1 4\n"},
        {MTX, 0, BANNER "array integer skew-symmetric\n3 3\n-1 0\n2\n",
         "3 2 001\n2 2\n1 2 3 4\n2 4\n"},
        {MTX, 0, BANNER "array real general\n2 2\n1\n0\n1e-300\n1\n",
         "2 1 001\n2 8\n1 8\n"},
        /* Blocks: row i of five to task i * 2 / 5, so rows 1 to 3 and 4 to 5;
           what stays in one costs nothing. */
        {MTX, 2,
         BANNER "coordinate pattern general\n5 5 4\n1 3\n2 5\n4 1\n4 5\n",
         "2 1 001\n2 16\n1 16\n"},
        {MTX, 5, BANNER "coordinate pattern general\n5 5 0\n",
         "5 0 001\n\n\n\n\n\n"},
        {MTX, 1, BANNER "coordinate pattern general\n5 5 1\n1 5\n",
         "1 0 001\n\n"},
    };

    expect_good(cases, COUNT(cases));
}

static void bad_matrices_are_told(void **state)
{
    static const struct bad cases[] = {
        {MTX, 0, "", MAPCORE_EPARSE,
         "f: the first line does not begin with %%MatrixMarket"},
        {MTX, 0, "1 1 0\n", MAPCORE_EPARSE,
         "f: the first line does not begin with %%MatrixMarket"},
        {MTX, 0, "%%MatrixMarket vector\n", MAPCORE_EPARSE,
         "f:1: this Matrix Market file's object is 'vector'"},
        {MTX, 0, BANNER "dense\n", MAPCORE_EPARSE,
         "f:1: this Matrix Market file's format is 'dense'"},
        {MTX, 0, BANNER "array pattern general\n", MAPCORE_EPARSE,
         "f:1: this Matrix Market file's field is 'pattern'"},
        {MTX, 0, BANNER "coordinate real\n", MAPCORE_EPARSE,
         "f:1: this Matrix Market file's symmetry is ''"},
        {MTX, 0, BANNER "coordinate real general\n% x\n", MAPCORE_EPARSE,
         "f: the file ends before the size of the matrix"},
        {MTX, 0, BANNER "coordinate real general\n3 3\n", MAPCORE_EPARSE,
         "f:2: number of entries is missing"},
        {MTX, 0, BANNER "coordinate real general\n3 4 0\n", MAPCORE_EPARSE,
         "f:2: a matrix of 3 rows and 4 columns is no graph of tasks"},
        {MTX, 0, BANNER "coordinate real general\n0 0 0\n", MAPCORE_EPARSE,
         "f:2: a matrix without rows"},
        {MTX, 0, BANNER "array real general\n3 3 9\n", MAPCORE_EPARSE,
         "f:2: more numbers than the size of the matrix"},
        {MTX, 0, BANNER "coordinate real general\n4294967295 4294967295 0\n",
         MAPCORE_ERANGE, "f:2: too many rows"},
        {MTX, 0,
         BANNER "coordinate real general\n4000000000 4000000000 1\n"
                "1 2 1\n",
         MAPCORE_ERANGE,
         "f: 4000000000 tasks, but only 1 edge: that cannot be meant"},
        {MTX, 4, BANNER "coordinate real general\n3 3 0\n", MAPCORE_EINVAL,
         "f:2: 4 tasks cannot share 3 rows"},
        {MTX, 0, BANNER "coordinate real general\n3 3 2\n1 2 1\n",
         MAPCORE_EPARSE,
         "f:3: the header speaks of 2 entries, the file ends after 1"},
        {MTX, 0, BANNER "coordinate real general\n3 3 1\n1 2 1\n1 3 1\n",
         MAPCORE_EPARSE, "f:4: a line behind the last entry of the matrix"},
        {MTX, 0, BANNER "coordinate real general\n3 3 1\n0 2 1\n",
         MAPCORE_EPARSE, "f:3: entry (0, 2) of a matrix of 3 rows"},
        {MTX, 0, BANNER "coordinate real general\n3 3 1\n1 4 1\n",
         MAPCORE_EPARSE, "f:3: entry (1, 4) of a matrix of 3 rows"},
        {MTX, 0, BANNER "coordinate real general\n3 3 1\n1 2 nan\n",
         MAPCORE_EPARSE, "f:3: 'nan' is no entry of the matrix"},
        {MTX, 0, BANNER "coordinate real general\n3 3 1\n1 2 1e\n",
         MAPCORE_EPARSE, "f:3: '1e' is no entry of the matrix"},
        {MTX, 0, BANNER "coordinate real general\n3 3 1\n1 2 1 1\n",
         MAPCORE_EPARSE, "f:3: more than one entry of the matrix"},
        {MTX, 0, BANNER "coordinate integer general\n3 3 1\n1 2 1.5\n",
         MAPCORE_EPARSE, "f:3: entry '1.5' is not a whole number"},
        {MTX, 0,
         BANNER "coordinate integer general\n3 3 2\n1 2 9223372036854775807\n"
                "1 3 1\n",
         MAPCORE_ERANGE,
         "f:4: with this line the bytes of all edges exceed 2^63"},
        {MTX, 0,
         BANNER "coordinate integer symmetric\n3 3 1\n"
                "2 1 9223372036854775808\n",
         MAPCORE_ERANGE,
         "f:3: with this line the bytes of all edges exceed 2^63"},
        {MTX, 0, BANNER "array real general\n2 2\n1\n2\n3\n", MAPCORE_EPARSE,
         "f: the file ends after 3 entries, in column 2 of 2"},
        {MTX, 0, BANNER "array real general\n2 2\n1\n2\n3\n4 5\n",
         MAPCORE_EPARSE, "f:6: more entries than the matrix has"},
    };

    expect_bad(cases, COUNT(cases));
}

static void edge_lists_are_read(void **state)
{
    static const struct good cases[] = {
        /* Both directions and repetitions add up; loops are left out. */
        {EDGES, 0, "tasks 4\n0 1 3\n1 0 4\n0,2,8 # x\n2;1;9\n% y\n3 3 100\n",
         TRIANGLE},
        {EDGES, 0, "source target bytes\r\n0 1 7\r\n0 2 8\r\n1 2 9\r\n3 3\r\n",
         TRIANGLE},
        {EDGES, 0, "\"from\",\"to\"\n0,1\n0,2\n1,2\n3,0,0\n", UNIT},
        {EDGES, 4, "0 1\n0 2\n1 2\n", UNIT},
        {EDGES, 4, "tasks 4\n0 1\n0 2\n1 2\n", UNIT},
        {EDGES, 0, "tasks 2\n", "2 0 001\n\n\n"},
        /* Columns by their names; numbers as spreadsheets write them. */
        {ANY, 0,
         "\"src\",\"dst\",\"count\",\"bytes\"\n0,1,5,7\n0,2,5,8\n2,1,5,9\n"
         "3,3,1,1\n",
         TRIANGLE},
        {EDGES, 4, "Bytes To x From\n7 0 9 1\n8 0 9 2\n9 1 9 2\n", TRIANGLE},
        {EDGES, 4, "0 1 7.0\n0 2 0.8e1\n1 2 8.5\n", TRIANGLE},
        {EDGES, 4, "0 1 0.1\n0 2 1\n1 2 1e0\n", UNIT},
        {ANY, 4, "rank,peer,count,nbytes\n0,1,1,7\n0,2,1,8\n1,2,1,9\n",
         TRIANGLE},
        {ANY, 4, "task,size,src,dst,bytes\n0,1,0,1,7\n0,1,0,2,8\n0,1,1,2,9\n",
         TRIANGLE},
        {EDGES, 0, "0 0\n", "1 0 001\n\n"},
    };

    expect_good(cases, COUNT(cases));
}

/* Row i, column j: from i to j; both ways add up, the diagonal does not. */
static void matrices_of_all_numbers(void **state)
{
    static const char two[] = "2 1 001\n2 9\n1 9\n";
    static const char five[] = "5 3 001\n2 12 5 1\n1 12\n4 3\n3 3\n1 1\n";
    static const struct good cases[] = {
        {DENSE, 0, "0 4\n5 0\n", two},
        {DENSE, 2, "# me\n\n7,4 % you\n5;1\n", two},
        {DENSE, 0, "0.0\t4.000e+00\r\n4.6\t0\r\n", two},
        {DENSE, 1, "12\n", "1 0 001\n\n"},
        {ANY, 0, "# dense\n0 9\n0 0\n", two},
        {ANY, 5, "0 5 0 0 1\n7 0 0 0 0\n0 0 0 3 0\n0 0 0 9 0\n0 0 0 0 0\n",
         five},
        {ANY, 0,
         "0.00e+00,5,0,0,1\n7,0,0,0,0\n0,0,0,3,0\n0,0,0,9,0\n0,0,0,0,0\n",
         five},
    };
    static const struct bad wrong[] = {
        {DENSE, 0, "", MAPCORE_EPARSE, "f: no numbers in it"},
        {DENSE, 0, "0 1\n", MAPCORE_EPARSE,
         "f: 1 row of 2 numbers: no square matrix"},
        {DENSE, 0, "0 1\n1\n", MAPCORE_EPARSE,
         "f:2: 1 number in a row, but the first row has 2"},
        {DENSE, 0, "0 1\n1 0\n1 1\n", MAPCORE_EPARSE,
         "f:3: more rows than the 2 numbers in each"},
        {DENSE, 0, "0 x\n1 0\n", MAPCORE_EPARSE,
         "f:1: 'x' is no number of bytes"},
        {DENSE, 0, "0 -1\n1 0\n", MAPCORE_EPARSE,
         "f:1: '-1' is no number of bytes"},
        {DENSE, 0, "0 nan\n1 0\n", MAPCORE_EPARSE,
         "f:1: 'nan' is no number of bytes"},
        {DENSE, 0, "0 9223372036854775807\n9 0\n", MAPCORE_ERANGE,
         "f:2: with this line the bytes of all edges exceed 2^63"},
        {DENSE, 3, "0 1\n1 0\n", MAPCORE_EINVAL, "f has 2 tasks, not 3"},
        {ANY, 0, ",a,b,c,d,e\n", MAPCORE_EPARSE, "f: no edges in it"},
    };

    expect_good(cases, COUNT(cases));
    expect_bad(wrong, COUNT(wrong));
}

static void bad_edge_lists_are_told(void **state)
{
    static const struct bad cases[] = {
        {EDGES, 0, "", MAPCORE_EPARSE, "f: no edges in it"},
        {EDGES, 0, "# 0 1 2\n", MAPCORE_EPARSE, "f: no edges in it"},
        {EDGES, 0, "0\n", MAPCORE_EPARSE, "f:1: task is missing"},
        {EDGES, 0, "#include <mpi.h>\n\n/* Hello. */\nint main(void)\n",
         MAPCORE_EPARSE,
         "f:3: no number: no task graph of a format that mapcore-graph(5) "
         "has"},
        {EDGES, 0, "int main(void)\n{\n", MAPCORE_EPARSE,
         "f:2: no number: no task graph of a format that mapcore-graph(5) "
         "has"},
        {EDGES, 0, "0 1 2 3\n", MAPCORE_EPARSE,
         "f:1: more than two tasks and their bytes (a matrix of all "
         "numbers is the format dense)"},
        {EDGES, 0, "0 1\nx 1\n", MAPCORE_EPARSE,
         "f:2: task 'x' is not a whole number"},
        {EDGES, 0, "0 -1\n", MAPCORE_EPARSE, "f:1: task -1 is negative"},
        {EDGES, 0, "0 1 1e30\n", MAPCORE_EPARSE,
         "f:1: number of bytes '1e30' is not a whole number"},
        {EDGES, 0, "0 1 nan\n", MAPCORE_EPARSE,
         "f:1: number of bytes 'nan' is not a whole number"},
        {EDGES, 0, "0 1 -0.5\n", MAPCORE_EPARSE,
         "f:1: number of bytes -0.5 is negative"},
        {EDGES, 0, "src dst n bytes\n0 1\nx 1 1 1\n", MAPCORE_EPARSE,
         "f:3: task 'x' is not a whole number"},
        {EDGES, 0, "src dst n\n0 1 2 3\n", MAPCORE_EPARSE,
         "f:2: more than two tasks and their bytes (a matrix of all "
         "numbers is the format dense)"},
        {EDGES, 0, "0 1 4\nC 0 1\n", MAPCORE_EPARSE,
         "f:2: task 'C' is not a whole number"},
        {EDGES, 0, "0 4294967294\n", MAPCORE_ERANGE,
         "f:1: task 4294967294 is too large"},
        {EDGES, 0, "0 4294967296\n", MAPCORE_ERANGE,
         "f:1: task 4294967296 is too large"},
        {EDGES, 0, "0 1 18446744073709551616\n", MAPCORE_ERANGE,
         "f:1: number of bytes 18446744073709551616 is too large"},
        {EDGES, 0, "0 1 9223372036854775808\n", MAPCORE_ERANGE,
         "f:1: with this line the bytes of all edges exceed 2^63"},
        {EDGES, 0, "0 1 9223372036854775807\n1 2 1\n", MAPCORE_ERANGE,
         "f:2: with this line the bytes of all edges exceed 2^63"},
        {EDGES, 0, "0 4000000000\n", MAPCORE_ERANGE,
         "f: 4000000001 tasks, but only 1 edge: that cannot be meant"},
        {EDGES, 0, "tasks 4000000000\n", MAPCORE_ERANGE,
         "f: 4000000000 tasks, but only 0 edges: that cannot be meant"},
        {EDGES, 0, "tasks 0\n", MAPCORE_EPARSE, "f:1: a graph without tasks"},
        {EDGES, 0, "tasks x\n", MAPCORE_EPARSE,
         "f:1: number of tasks 'x' is not a whole number"},
        {EDGES, 0, "tasks 2 3\n", MAPCORE_EPARSE,
         "f:1: more than the number of tasks"},
        {EDGES, 0, "tasks 2\n0 1\n1 2\n", MAPCORE_EINVAL,
         "f:3: task 2, but the tasks are 0 to 1"},
        {EDGES, 2, "0 1\n1 2\n", MAPCORE_EINVAL,
         "f:2: task 2, but the tasks are 0 to 1"},
        {EDGES, 3, "tasks 2\n0 1\n", MAPCORE_EINVAL, "f has 2 tasks, not 3"},
    };

    expect_bad(cases, COUNT(cases));
}

#define NODES_AND_SLOTS                                                        \
    "f:1: nodes and slots, each once: a mapping, not a task graph (an option " \
    "says that it is edges)"

#define FOREIGN                                                                \
    "f: of another tool: topomap convert --to metis makes a task graph of it"

static void formats_are_told_apart(void **state)
{
    static const struct good cases[] = {
        {ANY, 0, "4 3\n2 3\n1 3\n1 2\n\n", UNIT},
        {ANY, 0, "% c\n\n4 3 001\n2 7 3 8\n1 7 3 9\n1 8 2 9\n\n", TRIANGLE},
        {ANY, 0, "4 3 10 1\n50 2 3\n50 1 3\n50 1 2\n50\n", UNIT},
        {ANY, 0, "2 1 1\n2 5\n1 5\n", "2 1 001\n2 5\n1 5\n"},
        {ANY, 0, "# edges\n3 3\n0 1\n0 2\n1 2\n", UNIT},
        {ANY, 0, "0 1 7\n0 2 8\n1 2 9\n3 3\n", TRIANGLE},
        {ANY, 0, "1 2 9\n0 2 8\n0 1 7\n3 3\n", TRIANGLE},
        {ANY, 0, "3 1 700\n", "4 1 001\n\n4 700\n\n2 700\n"},
        {ANY, 0, "1 3 100\n", "4 1 001\n\n4 100\n\n2 100\n"},
        {ANY, 0, "3,1\n", "4 1 001\n\n4 1\n\n2 1\n"},
        {ANY, 0, "tasks 2\n", "2 0 001\n\n\n"},
        /* What may be nodes and slots, but need not. */
        {EDGES, 0, "0 0\n", "1 0 001\n\n"},
        {EDGES, 0, "0 0\n0 1\n", "2 1 001\n2 1\n1 1\n"},
        {ANY, 0, "0 0 0\n0 1\n", "2 1 001\n2 1\n1 1\n"},
        {ANY, 0, "0,0\n0,1\n", "2 1 001\n2 1\n1 1\n"},
        {ANY, 0, "tasks 2\n0 0\n0 1\n", "2 1 001\n2 1\n1 1\n"},
        {ANY, 0, "0 0\n0 1\n0 1\n", "2 1 001\n2 2\n1 2\n"},
        {ANY, 0, "# star\n1 0\n2 0\n", "3 2 001\n2 1 3 1\n1 1\n1 1\n"},
        {ANY, 0, "0 1\n1 2\n", "3 2 001\n2 1\n1 1 3 1\n2 1\n"},
        {ANY, 0, "0 0\n0 1\n1 0\n1 1\n1 2\n2 1\n2 2\n",
         "3 2 001\n2 2\n1 2 3 2\n2 2\n"},
        {ANY, 0, "1 0\n\n", "1 0 001\n\n"},
        {ANY, 0, "0 1\n", "2 1 001\n2 1\n1 1\n"},
        {ANY, 0, "2 2\n1 0\n", "3 1 001\n2 1\n1 1\n\n"},
        {ANY, 0, "a b\n1 0\n", "2 1 001\n2 1\n1 1\n"},
        {ANY, 0, BANNER "coordinate pattern general\n1 1 0\n", "1 0 001\n\n"},
    };
    static const struct bad wrong[] = {
        {ANY, 0, "", MAPCORE_EPARSE, "f: empty, not a task graph"},
        {ANY, 0, "0\n2 2\n0 000\n1 1\n1 0\n", MAPCORE_ENOTSUP, FOREIGN},
        {MAPCORE_GRAPH_SCOTCH, 0, "0\n", MAPCORE_ENOTSUP, FOREIGN},
        {MAPCORE_GRAPH_NPY, 0, "", MAPCORE_ENOTSUP, FOREIGN},
        {(enum mapcore_graph_format)64, 0, "", MAPCORE_ENOTSUP, FOREIGN},
        {ANY, 0, "\n% x\n", MAPCORE_EPARSE, "f: empty, not a task graph"},
        {METIS, 0, "0 0\n", MAPCORE_EPARSE, "f:1: a graph without tasks"},
        {ANY, 0, "0 0\n", MAPCORE_EPARSE, NODES_AND_SLOTS},
        {ANY, 0, "0 1 # x\n\n2 0\n0 0\n2 1\n", MAPCORE_EPARSE, NODES_AND_SLOTS},
        {ANY, 4, "1 1\n2 0\n1 0\n2 1\n", MAPCORE_EPARSE, NODES_AND_SLOTS},
        {ANY, 0, "# topomap convert: nodes and slots\n0 8\n1 0\n",
         MAPCORE_EPARSE,
         "f:1: a mapping, as topomap convert writes it, and not a task graph"},
        {ANY, 0, "# topomap eval: block\n0 0\n1 0\n", MAPCORE_EPARSE,
         "f:1: a mapping, as topomap eval writes it, and not a task graph"},
        {ANY, 5, "4 3\n2 3\n1 3\n1 2\n\n", MAPCORE_EINVAL,
         "f has 4 tasks, not 5"},
        {METIS, 0, "1 2 9\n", MAPCORE_EPARSE,
         "f:1: format '9' is not made of up to three digits 0 or 1"},
        {ANY, 0, "2 2 001\n2 5\n1 5\n", MAPCORE_EPARSE,
         "f:3: the header speaks of 2 edges, the rows hold 1"},
        {ANY, 0, "0 x 5\n", MAPCORE_EPARSE,
         "f:1: task 'x' is not a whole number"},
        {ANY, 0, "0 1 1.5x\n", MAPCORE_EPARSE,
         "f:1: number of bytes '1.5x' is not a whole number"},
        {ANY, 0, "1 3 1x3\n", MAPCORE_EPARSE,
         "f:1: number of bytes '1x3' is not a whole number"},
    };

    expect_good(cases, COUNT(cases));
    expect_bad(wrong, COUNT(wrong));
}

/* Random graphs, with isolated tasks and without edges, through every format,
 * named and recognised, from a file. */
static void written_files_read_back(void **state)
{
    for (uint32_t i = 0; i < 40; i++) {
        struct mapcore_edge edges[300];
        struct mapcore_graph *graph, *again;
        uint32_t n = 1 + i * 3;
        size_t nedges = i % 5 == 0 ? 0 : 300;
        struct rng rng;

        rng_init(&rng, 5, i, 0);
        for (size_t e = 0; e < nedges; e++)
            edges[e] =
                (struct mapcore_edge){rng_below(&rng, n), rng_below(&rng, n),
                                      rng_next(&rng) >> (20 + i)};
        assert_ok(mapcore_graph_create(&graph, n, edges, nedges, NULL));
        for (int f = MAPCORE_GRAPH_ANY; f <= MAPCORE_GRAPH_NPY; f++) {
            const char *path = at(*state, "g");
            const struct mapcore_graph_reading how = {
                i % 2 ? (enum mapcore_graph_format)f : MAPCORE_GRAPH_ANY,
                i % 3 ? n : 0};
            struct mapcore_error err = {""};
            FILE *file;
            int error;

            file = fopen(path, "w");
            assert_ok(mapcore_graph_write(graph, (enum mapcore_graph_format)f,
                                          file, NULL));
            fclose(file);
            error = mapcore_graph_read(&again, path, &how, &err);
            if (f == MAPCORE_GRAPH_SCOTCH || f == MAPCORE_GRAPH_NPY) {
                assert_int_equal(error, MAPCORE_ENOTSUP);
                continue;
            }
            if (error < 0)
                fail_msg("%s", err.text);
            assert_int_equal(again->ntasks, n);
            assert_int_equal(again->total, graph->total);
            assert_memory_equal(again->row, graph->row,
                                (n + 1) * sizeof(size_t));
            if (graph->row[n] > 0) {
                assert_memory_equal(again->task, graph->task,
                                    graph->row[n] * sizeof(uint32_t));
                assert_memory_equal(again->bytes, graph->bytes,
                                    graph->row[n] * sizeof(uint64_t));
            }
            mapcore_graph_destroy(again);
        }
        mapcore_graph_destroy(graph);
    }
}

static void failures_of_files_are_told(void **state)
{
    struct mapcore_graph *graph = NULL;
    struct mapcore_error err;
    FILE *full = fopen("/dev/full", "w");

    assert_int_equal(mapcore_graph_read(&graph, at(*state, "none"), NULL, &err),
                     MAPCORE_EIO);
    assert_int_equal(mapcore_graph_read(&graph, at(*state, ""), NULL, &err),
                     MAPCORE_EIO);
    assert_int_equal(
        mapcore_graph_parse(&graph, "f", "2 1\n\0\n", 6, NULL, &err),
        MAPCORE_EPARSE);
    assert_string_equal(err.text, "f:2: a NUL byte: this is not a text file");
    assert_null(graph);
    assert_non_null(full);
    assert_ok(mapcore_graph_create(&graph, 2, NULL, 0, NULL));
    for (int f = MAPCORE_GRAPH_ANY; f <= MAPCORE_GRAPH_NPY; f++)
        assert_int_equal(mapcore_graph_write(
                             graph, (enum mapcore_graph_format)f, full, &err),
                         MAPCORE_EIO);
    fclose(full);
    mapcore_graph_destroy(graph);
}

/* No header makes a reader allocate what the file does not hold. */
static void headers_allocate_nothing(void **state)
{
    static const char *const files[] = {
        BANNER "coordinate real general\n1000000000 1000000000 4000000000\n"
               "1 2 3\n",
        BANNER "array real general\n4000000000 4000000000\n1 2 3\n",
        BANNER "coordinate real general\n4000000000 4000000000 1\n1 2 3\n",
        "tasks 4000000000\n0 1 2\n",
        "0 4000000000 2\n",
    };
    struct rusage before, after;

    getrusage(RUSAGE_SELF, &before);
    for (size_t i = 0; i < COUNT(files); i++) {
        struct mapcore_graph *graph = NULL;
        struct mapcore_error err;

        assert_true(mapcore_graph_parse(&graph, "f", files[i], strlen(files[i]),
                                        NULL, &err) < 0);
        assert_null(graph);
    }
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 16 * 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_are_read),
        cmocka_unit_test(matrices_are_read),
        cmocka_unit_test(bad_matrices_are_told),
        cmocka_unit_test(edge_lists_are_read),
        cmocka_unit_test(bad_edge_lists_are_told),
        cmocka_unit_test(matrices_of_all_numbers),
        cmocka_unit_test(formats_are_told_apart),
        cmocka_unit_test(headers_allocate_nothing),
        ON_DISK(written_files_read_back),
        ON_DISK(failures_of_files_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
