/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_graph_tools.c - task graphs from what other tools leave: NumPy's arrays,
 * GraphML, Open MPI's monitoring, IPM, TAU, NCCL Inspector; and what is wrong
 * with such files */
#include "config.h"

#include "graph/csr.h"
#include "graph/file/file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scratch.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NPY      MAPCORE_GRAPH_NPY
#define GRAPHML  MAPCORE_GRAPH_GRAPHML
#define IPM      MAPCORE_GRAPH_IPM
#define OMPI     MAPCORE_GRAPH_MONITORING
#define TAU      MAPCORE_GRAPH_TAU
#define NCCL     MAPCORE_GRAPH_NCCL
#define OTF2     MAPCORE_GRAPH_OTF2
#define INTEL    MAPCORE_GRAPH_INTEL

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

struct told_case {
    enum mapcore_graph_format format;
    const char *file, *expected;
};

static void expect_told(const struct told_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_string_equal(
            told(cases[i].format, "f", cases[i].file, strlen(cases[i].file)),
            cases[i].expected);
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

    (void)state;
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

    (void)state;
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

#define OF(edges) "<graphml><graph>" edges "</graph></graphml>"
#define KEY       "<key id='w' for='edge' attr.name='weight'/>"
#define NODES     "<node id='n0'/><node id='n1'/>"

#if HAVE_EXPAT
static void graphml_is_read(void **state)
{
    static const struct told_case cases[] = {
        {GRAPHML, OF(NODES "<edge source='n0' target='n1'/>"), "2; 0 1 1;"},
        {MAPCORE_GRAPH_ANY,
         "<?xml version='1.0'?>" OF(
             KEY NODES "<edge source='n1' target='n0'><data key='w'> 1e3 "
                       "</data></edge><edge source='n0' target='n1'><data "
                       "key='x'>9</data><data key='w'>1.0</data></edge>"),
         "2; 0 1 1001;"},
        /* Ids that are ranks count; others stand in their order. */
        {GRAPHML,
         OF("<node id='2'/><node id='0'/><node id='1'/><edge source='2' "
            "target='0'/>"),
         "3; 0 2 1;"},
        {GRAPHML,
         OF("<node id='b'/><node id='5'/><node id='a'/><edge source='a' "
            "target='b'/>"),
         "3; 0 2 1;"},
        /* Bytes are bytes, whatever the weight. */
        {GRAPHML,
         OF(KEY "<key id='b' for='edge' attr.name='bytes'/>" NODES
                "<edge source='n0' target='n1'><data key='w'>3</data><data "
                "key='b'>70</data></edge>"),
         "2; 0 1 70;"},
    };
    static const struct told_case bad[] = {
        {GRAPHML, "<svg/>", "f:1: XML of <svg>, not GraphML"},
        {GRAPHML, OF(""), "f: a graph without nodes"},
        {GRAPHML, "<graphml>\n<graph>" NODES, "f:2: not XML: no element found"},
        {GRAPHML, OF(NODES "<node id='n0'/>"), "f:1: node 'n0' is there twice"},
        {GRAPHML, OF(NODES "<edge source='n0' target='x'/>"),
         "f: an edge names the node 'x', which is not there"},
        {GRAPHML, OF(NODES "\n<edge source='n0'/>"),
         "f:2: a <edge> without target"},
        {GRAPHML,
         OF(KEY NODES "\n\n<edge source='n0' target='n1'><data key='w'>nan"
                      "</data></edge>"),
         "f:3: 'nan' is no number of bytes"},
        {GRAPHML,
         OF(KEY NODES "<edge source='n0' target='n1'><data key='w'>-4"
                      "</data></edge>"),
         "f:1: '-4' is no number of bytes"},
        {GRAPHML, OF(NODES "<hyperedge/>"),
         "f:1: hyperedges are no pairs of tasks"},
        {GRAPHML, "<!DOCTYPE graphml [<!ENTITY a 'b'>]>\n" OF(NODES "&a;"),
         "f:1: it declares the entity 'a': such files are not read"},
        {MAPCORE_GRAPH_ANY, "<svg/>",
         "f: XML, but neither GraphML nor a report of IPM"},
    };

    (void)state;
    expect_told(cases, COUNT(cases));
    expect_told(bad, COUNT(bad));
}

/* What Expat reads anew with each chunk until it ends; text is no such token.
 */
static void long_tokens_are_refused(void **state)
{
    static const struct {
        const char *head, *tail, *answer;
    } cases[] = {
        {"<graphml><!--", "--><graph>" NODES "</graph></graphml>",
         "f:1: a comment, element or other token of more than 1048576 bytes"},
        {"<graphml x='", "'><graph>" NODES "</graph></graphml>",
         "f:1: a comment, element or other token of more than 1048576 bytes"},
        {"<graphml>", "<graph>" NODES "</graph></graphml>", "2;"},
    };
    const size_t n = (size_t)5 << 18;
    char *text = malloc(n + 100);

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < COUNT(cases); i++) {
        memset(text, 'x', n);
        memcpy(text, cases[i].head, strlen(cases[i].head));
        strcpy(text + n, cases[i].tail);
        assert_string_equal(told(GRAPHML, "f", text, strlen(text)),
                            cases[i].answer);
    }
    free(text);
}

#define TASK(r, n) "<task mpi_rank=\"" r "\" mpi_size=\"" n "\" >\n"
#define SENT(call, bytes, to, count)                                           \
    "<hent key=\"0\" call=\"MPI_" call "\" bytes=\"" bytes "\" orank=\"" to    \
    "\" count=\"" count "\" >1 1 1</hent>\n"
#define END        "</task>\n"
#define JOB(tasks) "<ipm_job_profile>\n" tasks "</ipm_job_profile>"

static void ipm_is_read(void **state)
{
    static const struct told_case cases[] = {
        {MAPCORE_GRAPH_ANY,
         JOB(TASK("0", "2") SENT("Isend", "4096", "1", "10")
                 SENT("Irecv", "4096", "1", "10") SENT("Bcast", "8", "1", "1")
                     END TASK("1", "2") SENT("Sendrecv", "7", "-1", "2") END),
         "2; 0 1 40974;"},
    };
    static const struct told_case bad[] = {
        {IPM, JOB(TASK("0", "2") SENT("Send", "1", "1", "1") END),
         "f: 1 of 2 tasks in it"},
        {IPM, JOB(TASK("0", "1") END),
         "f: no message from task to task in it (is it a report with "
         "IPM_LOG=full? collectives alone say no pairs)"},
        {IPM, JOB(TASK("2", "2") END),
         "f:2: a task of mpi_rank 2 and mpi_size 2"},
        {IPM, JOB(TASK("0", "2") SENT("Send", "1", "2", "1") END),
         "f:3: orank '2' of 2 tasks"},
        {IPM, JOB(TASK("0", "2") SENT("Send", "1", "-1", "1") END),
         "f:3: orank '-1' of 2 tasks"},
        {IPM, JOB(TASK("0", "2") SENT("Send", "-1", "1", "1") END),
         "f:3: bytes of <hent> is '-1', no whole number"},
        {IPM,
         JOB(TASK("0", "2") SENT("Send", "99999999999", "1", "9999999999999")
                 END),
         "f:3: with this line the bytes of all edges exceed 2^63"},
        {IPM, "<ipm_job_profile>\n" TASK("0", "2"),
         "f:3: not XML: no element found"},
        {IPM, JOB(""), "f: no task in it"},
        {IPM, "<svg/>", "f:1: XML of <svg>, not IPM's"},
    };

    (void)state;
    expect_told(cases, COUNT(cases));
    expect_told(bad, COUNT(bad));
}
#else
static void graphml_is_read(void **state)
{
    (void)state;
    assert_string_equal(told(GRAPHML, "f", OF(NODES), strlen(OF(NODES))),
                        "f: it is XML, and this topomap was built without "
                        "expat, which reads it");
}

static void long_tokens_are_refused(void **state)
{
    graphml_is_read(state);
}

static void ipm_is_read(void **state)
{
    graphml_is_read(state);
}
#endif

#define P2P   "# POINT TO POINT\n"
#define COLL  "# COLLECTIVES\n"
#define WORLD "D\tMPI_COMM_WORLD\tprocs: 0,1\n"

static void monitoring_is_read(void **state)
{
    static const struct told_case cases[] = {
        {MAPCORE_GRAPH_ANY,
         P2P
         "E\t0\t1\t4 bytes\t1 msgs sent\t0,1\n"
         "I\t0\t1\t8 bytes\t1 msgs sent\n# OSC\n"
         "S\t0\t1\t1 bytes\t1 msgs sent\nR\t0\t1\t2 bytes\t1 msgs sent\n" COLL
         "C\t0\t1\t900 bytes\t1 msgs sent\n" WORLD
         "O2A\t0\t0 bytes\t0 msgs sent\n" P2P COLL WORLD,
         "2; 0 1 15;"},
        /* Releases without headings. */
        {MAPCORE_GRAPH_ANY, "E 0 1 4 bytes 1 msgs sent\n", "2; 0 1 4;"},
        {OMPI, P2P "E 0 1 4 bytes\n" COLL "D\tmine\tprocs: 0,1,2\n",
         "2; 0 1 4;"},
    };
    static const struct told_case bad[] = {
        {OMPI, "E 0 1 4 bytes\nE 0 x 4 bytes\n",
         "f:2: task 'x' is not a whole number"},
        {OMPI, "E 0 1 4 bytes\nE 0 1 -4 bytes\n",
         "f:2: number of bytes -4 is negative"},
        {OMPI, "E 0 1 4", "f:1: 'bytes' is missing: is the line cut short?"},
        {OMPI, P2P "E 0 1 4 bytes\n",
         "f:2: the file ends before its part of collectives: is it cut short?"},
        {OMPI, P2P COLL WORLD,
         "f: what 1 of 2 tasks sent: name the folder with the files of all, or "
         "put them behind one another"},
        {OMPI, WORLD "E 0 2 4 bytes\n",
         "f:2: task 2, but MPI_COMM_WORLD has 2 tasks"},
        {OMPI, "E 0 2 4 bytes\n" WORLD,
         "f:2: MPI_COMM_WORLD of 2 tasks, but task 2 sent or received"},
        {OMPI, WORLD "D\tMPI_COMM_WORLD\tprocs: 0,1,2\n",
         "f:2: MPI_COMM_WORLD of 3 tasks, and before of 2: files of two runs?"},
        {OMPI, "hello\n",
         "f:1: 'hello' begins no line of Open MPI's monitoring"},
        {OMPI, "", "f: no tasks in it"},
    };

    (void)state;
    expect_told(cases, COUNT(cases));
    expect_told(bad, COUNT(bad));
}

#define TAU_HEAD "1 templated_functions_MULTI_TIME\n\"main\" 1 0 1 1 0\n"
#define TAU_SENT "\"Message size sent to node "

static void tau_is_read(void **state)
{
    static const char good[] =
        TAU_HEAD "0 aggregates\n3 userevents\n# eventname\n" TAU_SENT
                 "0\" 4 9 1 2.5 40\n" TAU_SENT "0 : main\" 4 9 1 2.5 40\n"
                 "\"Heap\" 1 1 1 1 1\n";
    static const struct {
        const char *name, *file, *expected;
    } cases[] = {
        {"d/profile.1.0.0", good, "2; 0 1 10;"},
        {"profile.x", good,
         "profile.x: TAU's files are called profile.NODE.CONTEXT.THREAD, which "
         "says whose they are"},
        {"profile.0.0.0", "hello\n",
         "profile.0.0.0: not a profile of TAU, whose first line says how many "
         "templated_functions there are"},
        {"profile.0.0.0", TAU_HEAD,
         "profile.0.0.0: no communication matrix in it: TAU records one with "
         "TAU_COMM_MATRIX=1"},
        {"profile.0.0.0", TAU_HEAD "2 userevents\n# x\n\"Heap\" 1 1 1 1 1\n",
         "profile.0.0.0:5: the file ends before all of its user events: is it "
         "cut short?"},
        {"profile.0.0.0",
         TAU_HEAD "1 userevents\n" TAU_SENT "1\" nan 1 1 1 1\n",
         "profile.0.0.0:4: 'nan' is no number of messages or bytes"},
        {"profile.0.0.0", TAU_HEAD "1 userevents\n" TAU_SENT "1\" 1 1 1\n",
         "profile.0.0.0:4: '' is no number of messages or bytes"},
        {"profile.0.0.0",
         TAU_HEAD "1 userevents\n" TAU_SENT "1\" 1e18 1 1 1e9 1\n",
         "profile.0.0.0:4: more bytes or tasks than there can be"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(
            told(TAU, cases[i].name, cases[i].file, strlen(cases[i].file)),
            cases[i].expected);
}

#define NCCL_LINE(id, rank, n, coll, size)                                     \
    "{\"header\":{\"id\":\"" id "\",\"rank\":" rank ",\"n_ranks\":" n          \
    "},\"coll_perf\":{\"coll\":\"" coll "\",\"coll_msg_size_bytes\":" size     \
    "}}\n"

/* As formats 4.3 and later have it: whose they are stands in front. */
#define NCCL_DUMP(id, rank, n)                                                 \
    "{\"header\":{\"id\":\"" id "\",\"rank\":" rank ",\"n_ranks\":" n          \
    "},\"dump_stats\":{\"coll_records\":1}}\n"
#define NCCL_COLL(coll, size)                                                  \
    "{\"coll_perf\":{\"coll\":\"" coll "\",\"coll_msg_size_bytes\":" size "}}\n"
#define NCCL_P2P(what, peer, size)                                             \
    "{\"p2p_perf\":{\"p2p\":\"" what "\",\"p2p_peer\":" peer                   \
    ",\"p2p_msg_size_bytes\":" size "}}\n"

static void nccl_is_read(void **state)
{
    static const struct told_case cases[] = {
        /* A process of two GPUs: 2 (n - 1) / n of 100, each way. */
        {MAPCORE_GRAPH_ANY,
         NCCL_LINE("a", "0", "2", "AllReduce", "100")
             NCCL_LINE("a", "1", "2", "AllReduce", "100"),
         "2; 0 1 200;"},
        {NCCL,
         NCCL_LINE("a", "0", "2", "Broadcast", "100")
             NCCL_LINE("a", "1", "2", "Broadcast", "100"),
         "2; 0 1 100;"},
        {NCCL, NCCL_LINE("a", "0", "2", "AllReduce", "100"),
         "f: rank 1 of the 2 of communicator a is missing or there twice: name "
         "the folder with the files of all processes of one run"},
        {NCCL,
         NCCL_LINE("a", "0", "2", "AllReduce", "100")
             NCCL_LINE("a", "1", "2", "AllReduce", "100")
                 NCCL_LINE("b", "0", "1", "AllReduce", "1"),
         "f: a process is several ranks, and which of them it is in "
         "communicator b is not said"},
        {NCCL, NCCL_LINE("a", "2", "2", "AllReduce", "1"), "f:1: rank 2 of 2"},
        {NCCL, "\n" NCCL_LINE("a", "-1", "2", "AllReduce", "1"),
         "f:2: key header.rank: expected a number that is not negative"},
        {NCCL,
         NCCL_LINE("a", "0", "2", "AllReduce", "1")
             NCCL_LINE("a", "0", "3", "AllReduce", "1"),
         "f:2: communicator a of 3 ranks, and before of 2"},
        {NCCL, NCCL_LINE("a", "0", "1", "SendRecv", "1"),
         "f: only sends and receives, of which this NCCL Inspector does not "
         "say to whom"},
        {MAPCORE_GRAPH_ANY,
         NCCL_DUMP("a", "0", "3") NCCL_COLL("Broadcast", "10") NCCL_P2P(
             "Send", "2", "5") NCCL_P2P("Send", "2", "6")
             NCCL_P2P("Recv", "1", "9") NCCL_DUMP("a", "1", "3") NCCL_COLL(
                 "Broadcast",
                 "10") "{\"proxy_trace\":{\"peer\":2}}\n" NCCL_DUMP("a", "2",
                                                                    "3"),
         "3; 0 1 10; 0 2 11; 1 2 10;"},
        {NCCL, NCCL_COLL("Broadcast", "10"), "f:1: key header: missing"},
        {NCCL, NCCL_DUMP("a", "0", "1") NCCL_P2P("Send", "1", "5"),
         "f:2: peer 1 of 1 ranks"},
        {NCCL,
         NCCL_DUMP("a", "0", "2") NCCL_P2P("Send", "-1", "5")
             NCCL_DUMP("a", "1", "2"),
         "f: only sends and receives, of which this NCCL Inspector does not "
         "say to whom"},
        {NCCL,
         NCCL_DUMP("a", "0", "2") NCCL_P2P("Send", "1", "9223372036854775807")
             NCCL_P2P("Send", "1", "1"),
         "f:3: with this line the bytes of all edges exceed 2^63"},
        {NCCL, "", "f: no collective in it"},
    };

    (void)state;
    expect_told(cases, COUNT(cases));
    /* json-c words what is cut short. */
    assert_non_null(
        strstr(told(NCCL, "f", "{\"header\":{\"id\"", 15), "f:1: "));
}

#define OTF2_HEAD "\n=== OTF2-PRINT ===\n"
#define OTF2_EVENTS                                                            \
    "Event          Location  Timestamp  Attributes\n-----\nENTER 0 1 Region\n"
#define OTF2_SEND(from, to, bytes)                                             \
    "MPI_SEND  " from "  11  Receiver: 0 (\"T <1>\" <" to                      \
    ">), Communicator: \"W\" <0>, Tag: 5, Length: " bytes "\n"
#define OTF2_RANKS                                                                \
    "LOCATION  7  Name: \"a, Group: <x> 9\" <6>, Type: CPU_THREAD, # Events: 8, " \
    "Group: \"R <0>\" <20>\n"                                                     \
    "LOCATION  8  Name: \"b\" <6>, Type: CPU_THREAD, # Events: 8, Group: "        \
    "\"R\" <21>\n"                                                                \
    "LOCATION  9  Name: \"c\" <6>, Type: CPU_THREAD, # Events: 8, Group: "        \
    "\"R\" <20>\n"                                                                \
    "GROUP  0  Name: \"\" <8>, Type: COMM_LOCATIONS, Paradigm: MPI, Flags: "      \
    "NONE, 2 Members: \"b\" <8>, \"a\" <7>\n"

static void otf2_is_read(void **state)
{
    static const struct told_case cases[] = {
        /* Ranks by the order of MPI's locations, threads by their process. */
        {OTF2,
         OTF2_HEAD OTF2_RANKS OTF2_EVENTS OTF2_SEND("8", "7", "5000000000")
             OTF2_SEND("9", "8", "3"),
         "2; 0 1 5000000003;"},
        /* Told by its first words; without definitions locations are ranks. */
        {MAPCORE_GRAPH_ANY,
         OTF2_HEAD OTF2_EVENTS OTF2_SEND(
             "0", "2",
             "4") "MPI_ISEND 1 2 Receiver: 0 (\"a\" <0>), Communicator: \"W\" <0>, "
                  "Tag: 6, Length: 64, Request: 7\nMPI_ISEND_COMPLETE 1 2 Request: "
                  "7\nMPI_RECV 2 3 Sender: 0 (\"a\" <0>), Communicator: \"W\" <0>, "
                  "Tag: 5, Length: 4\n",
         "3; 0 1 64; 0 2 4;"},
        {OTF2, OTF2_HEAD OTF2_RANKS OTF2_EVENTS, "2;"},
        {OTF2, OTF2_HEAD OTF2_RANKS OTF2_EVENTS OTF2_SEND("8", "5", "1"),
         "f:10: location 5 is no rank of MPI: the trace is to be printed by "
         "otf2-print -A"},
        {OTF2, OTF2_HEAD OTF2_EVENTS OTF2_SEND("0", "1", "-4"),
         "f:6: '-4' is no number of bytes"},
        {OTF2, OTF2_HEAD OTF2_EVENTS "MPI_SEND  0  11  Receiver: 1 (\"Ma",
         "f:6: a send without a receiver or a length: is the line cut short?"},
        {OTF2, OTF2_HEAD OTF2_EVENTS OTF2_HEAD OTF2_EVENTS,
         "f:8: a second trace in one file"},
        {OTF2, OTF2_HEAD OTF2_EVENTS "LEAVE 0 20\n",
         "f: no ranks of MPI in it"},
        {OTF2, "OTF2\1\2\3",
         "f: no events in it: not what otf2-print -A prints"},
        {OTF2, "LOCATION  Name: \"a\"\n",
         "f:1: a location without a number or a group"},
        {OTF2,
         OTF2_HEAD OTF2_EVENTS OTF2_SEND("0", "1", "9223372036854775807")
             OTF2_SEND("0", "2", "9223372036854775807"),
         "f:7: with this line the bytes of all edges exceed 2^63"},
    };
    const struct mapcore_graph_reading how = {.format = MAPCORE_GRAPH_ANY};
    struct mapcore_graph *graph = NULL;
    struct mapcore_error err;

    (void)state;
    expect_told(cases, COUNT(cases));
    /* What otf2-print made of a trace that OTF2 has written. */
    assert_int_equal(
        mapcore_graph_read(&graph, TEST_DATA "/tools/otf2.txt", &how, &err), 0);
    assert_int_equal(graph->ntasks, 4);
    assert_true(graph->total ==
                2 * 5000000000 + 1000 + 1001 + 1002 + 1003 + 4 * 64);
    mapcore_graph_destroy(graph);
}

#define INTEL_TIMES ":1:2:3:4:5:6"

static void intel_is_read(void **state)
{
    static const struct told_case cases[] = {
        {INTEL,
         "0:36:1:1000:0:5" INTEL_TIMES
         "\n0x1 : 36 : 0x2 : 10 : 0 : 2" INTEL_TIMES
         "\r\n\n1:40:0xfffffffe:8:4:100" INTEL_TIMES
         "\n1:41:4294967295:8:4:100" INTEL_TIMES "\n3:1::::7" INTEL_TIMES "\n",
         "4; 0 1 5000; 1 2 20;"},
        {INTEL, "0:36:1:1000:0:5:1:2:3",
         "f:1: expected 12 fields between colons, as stftool "
         "--print-statistics prints them"},
        {INTEL, "0:36:1:1000:0:5:1" INTEL_TIMES,
         "f:1: expected 12 fields between colons, as stftool "
         "--print-statistics prints them"},
        {INTEL, "-1:36:1:1000:0:5" INTEL_TIMES, "f:1: '-1' is no process"},
        {INTEL, "0:36:1:1e3:0:5" INTEL_TIMES,
         "f:1: a receiver, a size or a count that is no number"},
        {INTEL, "0:36:1:4000000000:0:18446744073709551615" INTEL_TIMES,
         "f:1: more bytes than there can be"},
        {INTEL, "0:36::::5" INTEL_TIMES,
         "f: no message between two processes in it"},
        {INTEL, "", "f: no message between two processes in it"},
    };

    (void)state;
    expect_told(cases, COUNT(cases));
}

static void mpip_says_no_pairs(void **state)
{
    static const struct told_case cases[] = {
        {MAPCORE_GRAPH_ANY, "@ mpiP\n@ Command : ./app\n",
         "f: mpiP's report says how much each task sends, but not to whom: no "
         "task graph can be made of it"},
    };

    (void)state;
    expect_told(cases, COUNT(cases));
}

/* Files that the tools have written, all of a run: tests/golden/tools. */
static void folders_are_read(void **state)
{
    static const struct {
        enum mapcore_graph_format format;
        const char *folder;
        uint32_t ntasks;
        uint64_t bytes;
    } cases[] = {
        {OMPI, TEST_DATA "/tools/ompi-monitoring", 4, 52216},
        {TAU, TEST_DATA "/tools/tau", 3, 122880},
        {NCCL, TEST_DATA "/tools/nccl", 4, 6061},
    };
    struct mapcore_error err = {""};

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct mapcore_graph_reading how = {.format = cases[i].format};
        struct mapcore_graph *graph = NULL;

        if (mapcore_graph_read(&graph, cases[i].folder, &how, &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(graph->ntasks, cases[i].ntasks);
        assert_int_equal(graph->total, cases[i].bytes);
        mapcore_graph_destroy(graph);
        graph = NULL;
        assert_int_equal(mapcore_graph_read(&graph, at(*state, ""), &how, &err),
                         MAPCORE_ENOENT);
        assert_null(graph);
    }
}

/* What IPM itself wrote: 1000 bytes ten times to the next of four ranks, 50 ten
 * times with rank 3 - r, 77777 from 0 to 3; it keeps three bits of a size. */
static void ipm_of_a_run_is_read(void **state)
{
    const struct mapcore_graph_reading how = {.format = MAPCORE_GRAPH_ANY};
    static const uint64_t want[4][4] = {{0, 8960, 0, 75456},
                                        {8960, 0, 9920, 0},
                                        {0, 9920, 0, 8960},
                                        {75456, 0, 8960, 0}};
    struct mapcore_graph *graph = NULL;
    struct mapcore_error err = {""};

    (void)state;
    if (mapcore_graph_read(&graph, TEST_DATA "/tools/ipm-2.0.6.xml", &how,
                           &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(graph->ntasks, 4);
    assert_int_equal(graph->total, 103296);
    for (uint32_t t = 0; t < 4; t++)
        for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++)
            assert_int_equal(graph->bytes[i], want[t][graph->task[i]]);
    mapcore_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_of_numpy_are_read),
        cmocka_unit_test(bad_arrays_are_told),
        cmocka_unit_test(graphml_is_read),
        cmocka_unit_test(long_tokens_are_refused),
        cmocka_unit_test(ipm_is_read),
        cmocka_unit_test(ipm_of_a_run_is_read),
        cmocka_unit_test(monitoring_is_read),
        cmocka_unit_test(tau_is_read),
        cmocka_unit_test(nccl_is_read),
        cmocka_unit_test(otf2_is_read),
        cmocka_unit_test(intel_is_read),
        cmocka_unit_test(mpip_says_no_pairs),
        cmocka_unit_test_setup_teardown(folders_are_read, scratch_setup,
                                        scratch_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
