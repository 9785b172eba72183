/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hwnode.c - the inside of a host; the only file of the mapper that includes
 * hwloc */
#include "config.h"

#include "topo/hwnode.h"

#include "topo/node_levels.h"

#include "base/array.h"
#include "base/file_read.h"
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What reading may take: thousands of times what XML of a node of 4,096 threads
 * does. */
#define READ_SECONDS 10
#define READ_BYTES   ((rlim_t)1 << 29)

enum {
    /* A few times what any node has: hwloc takes longer than a quadratic of
     * them, three seconds for these. */
    NODE_THREADS_MOST = 4096,
    NAMED_LEVELS = 8,
    LEVEL_NAME = 56,
};

/* The leaves of a tree of nlevels levels that each part something: group[i *
 * nlevels + l] is the object of level l that holds leaf i, level 0 below the
 * root, the last one the leaf itself. */
struct leaves {
    uint32_t n, nlevels;
    uint32_t *group;
    /* What the objects of a level are, those of further levels without:
     * "NUMANode L3". */
    char name[NAMED_LEVELS][LEVEL_NAME];
};

struct mapcore_hwnode {
    struct leaves cores, threads;
};

/* Adds a word, if there is room for it. */
static void add_name(char *name, const char *word)
{
    const size_t n = strlen(name);

    if (n + strlen(word) + 2 <= LEVEL_NAME)
        snprintf(name + n, LEVEL_NAME - n, "%s%s", n > 0 ? " " : "", word);
}

/* Depths that have as many objects as the one that is kept are the same to us,
 * and so is memory that hangs there. */
static void name_level(char *name, hwloc_topology_t topology, int depth)
{
    const unsigned n = hwloc_get_nbobjs_by_depth(topology, depth);

    for (int d = depth; d < hwloc_topology_get_depth(topology) &&
                        hwloc_get_nbobjs_by_depth(topology, d) == n;
         d++) {
        hwloc_obj_t object = hwloc_get_obj_by_depth(topology, d, 0);
        char word[24];

        if (!object || object->type == HWLOC_OBJ_PU)
            continue;
        /* A group that memory hangs at is hwloc's own, made for that. */
        if ((object->type != HWLOC_OBJ_GROUP || object->memory_arity == 0) &&
            hwloc_obj_type_snprintf(word, sizeof(word), object, 0) > 0)
            add_name(name, word);
        if (object->memory_arity > 0)
            add_name(name, "NUMA");
    }
    if (name[0] == '\0')
        add_name(name, "PU");
}

/* The leaves of a type; each level above is that of the ancestors at one depth,
 * and is left out where it has no more objects than the one above. */
static int set_leaves(struct leaves *out,
                      hwloc_topology_t topology,
                      int depth,
                      struct mapcore_error *err)
{
    unsigned n = hwloc_get_nbobjs_by_depth(topology, depth), last = 1;
    int *kept = array_alloc((size_t)depth + 1, sizeof(*kept), err);

    if (!kept)
        return MAPCORE_ENOMEM;
    for (int d = 1; d <= depth; d++) {
        unsigned count = hwloc_get_nbobjs_by_depth(topology, d);

        if (count > last)
            kept[out->nlevels++] = d;
        last = count > last ? count : last;
    }
    out->n = n;
    out->group = array_alloc(n, (out->nlevels + 1) * sizeof(*out->group), err);
    for (unsigned i = 0; out->group && i < n; i++) {
        hwloc_obj_t leaf = hwloc_get_obj_by_depth(topology, depth, i);

        for (uint32_t l = 0; l < out->nlevels; l++) {
            hwloc_obj_t at = leaf;

            while (at->depth > kept[l])
                at = at->parent;
            out->group[(size_t)i * out->nlevels + l] = at->logical_index;
        }
    }
    for (uint32_t l = 0; l < out->nlevels && l < NAMED_LEVELS; l++)
        name_level(out->name[l], topology, kept[l]);
    free(kept);
    return out->group ? 0 : MAPCORE_ENOMEM;
}

/* hwloc wants every synthetic description to end in hardware threads. */
static int set_synthetic(hwloc_topology_t topology, const char *description)
{
    char whole[1024];
    int n = snprintf(whole, sizeof(whole), "%s%s", description,
                     strcasestr(description, "pu:") ? "" : " pu:1");

    if (n <= 0 || (size_t)n >= sizeof(whole) || description[0] == '\0')
        return -1;
    return hwloc_topology_set_synthetic(topology, whole);
}

static int read_tree(struct mapcore_hwnode *node,
                     hwloc_topology_t topology,
                     const char *description,
                     struct mapcore_error *err)
{
    int failed, error, cores, threads;

    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    if (description[0] == '<')
        failed = hwloc_topology_set_xmlbuffer(topology, description,
                                              (int)strlen(description) + 1);
    else
        failed = set_synthetic(topology, description);
    if (failed || hwloc_topology_load(topology) < 0)
        return error_set(err, MAPCORE_EINVAL,
                         "hwloc does not understand the node \"%.64s\"",
                         description);
    threads = hwloc_get_type_depth(topology, HWLOC_OBJ_PU);
    cores = hwloc_get_type_depth(topology, HWLOC_OBJ_CORE);
    if (cores < 0)
        cores = threads;
    /* XML may speak of a node without any. */
    if (threads < 0 || hwloc_get_nbobjs_by_depth(topology, threads) == 0 ||
        hwloc_get_nbobjs_by_depth(topology, cores) == 0)
        return error_set(err, MAPCORE_EINVAL,
                         "a node without hardware threads, or cores");
    error = set_leaves(&node->threads, topology, threads, err);
    return error < 0 ? error : set_leaves(&node->cores, topology, cores, err);
}

/* What stands below alone in each is the same to us; threads are named where
 * there is nothing else. */
static void name_dealt(char *name, const struct node_levels *levels, uint32_t l)
{
    add_name(name, levels->name[l]);
    for (l++; l + 1 < levels->n && levels->count[l] == 1; l++)
        add_name(name, levels->name[l]);
    if (l + 1 == levels->n && levels->count[l] == 1 && levels->core == l)
        add_name(name, levels->name[l]);
}

/* The leaves of one level, as set_leaves finds them in a tree of hwloc's. */
static int deal_leaves(struct leaves *out,
                       const struct node_levels *levels,
                       uint32_t last,
                       struct mapcore_error *err)
{
    uint32_t below[sizeof(levels->count) / sizeof(levels->count[0])];

    out->n = 1;
    for (uint32_t l = 0; l <= last; l++)
        out->n *= levels->count[l];
    for (uint32_t l = 0, inside = out->n; l <= last; l++) {
        inside /= levels->count[l];
        if (levels->count[l] == 1)
            continue;
        if (out->nlevels < NAMED_LEVELS)
            name_dealt(out->name[out->nlevels], levels, l);
        below[out->nlevels++] = inside;
    }
    out->group =
        array_alloc(out->n, (out->nlevels + 1) * sizeof(*out->group), err);
    for (uint32_t i = 0; out->group && i < out->n; i++)
        for (uint32_t l = 0; l < out->nlevels; l++)
            out->group[(size_t)i * out->nlevels + l] = i / below[l];
    return out->group ? 0 : MAPCORE_ENOMEM;
}

static int deal_levels(struct mapcore_hwnode *node,
                       const struct node_levels *levels,
                       struct mapcore_error *err)
{
    int error = deal_leaves(&node->threads, levels, levels->n - 1, err);

    return error < 0 ? error
                     : deal_leaves(&node->cores, levels, levels->core, err);
}

/* What a reader that works apart sends first; the groups of cores and threads
 * follow when error is 0. */
struct hw_answer {
    int error;
    struct mapcore_error err;
    struct leaves cores, threads; /* without group */
};

static size_t group_bytes(const struct leaves *leaves)
{
    return (size_t)leaves->n * leaves->nlevels * sizeof(*leaves->group);
}

static void send_all(int fd, const void *bytes, size_t n)
{
    for (const char *at = bytes; n > 0;) {
        ssize_t sent = write(fd, at, n);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            _exit(1);
        at += sent;
        n -= (size_t)sent;
    }
}

static void bound(int resource, rlim_t most)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur > most) {
        limit.rlim_cur = most;
        (void)setrlimit(resource, &limit);
    }
}

/* Runs in a process of its own, which hwloc may bring down. */
_Noreturn static void answer_apart(int fd, const char *description)
{
    struct hw_answer answer = {.err = {""}};
    struct mapcore_hwnode node = {.cores = {0}};
    hwloc_topology_t topology;
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bound(RLIMIT_CORE, 0);
    bound(RLIMIT_CPU, READ_SECONDS);
    if (!SANITIZER_MAPS_TERABYTES)
        bound(RLIMIT_AS, READ_BYTES);
    if (null >= 0) /* what hwloc, or the C library at its end, would say */
        dup2(null, STDERR_FILENO);
    answer.error =
        hwloc_topology_init(&topology) < 0
            ? error_set(&answer.err, MAPCORE_ENOMEM, "hwloc: no memory")
            : read_tree(&node, topology, description, &answer.err);
    answer.cores = node.cores;
    answer.threads = node.threads;
    answer.cores.group = answer.threads.group = NULL;
    send_all(fd, &answer, sizeof(answer));
    if (answer.error == 0) {
        send_all(fd, node.cores.group, group_bytes(&node.cores));
        send_all(fd, node.threads.group, group_bytes(&node.threads));
    }
    _exit(0);
}

static int take_answer(struct mapcore_hwnode *node,
                       const struct buffer *bytes,
                       int status,
                       const char *what,
                       struct mapcore_error *err)
{
    const bool is_late = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
    struct hw_answer answer;
    const char *at;
    size_t ncores, nthreads;

    if (bytes->n >= sizeof(answer))
        memcpy(&answer, bytes->bytes, sizeof(answer));
    if (bytes->n < sizeof(answer) ||
        (answer.error == 0 && bytes->n != sizeof(answer) +
                                              group_bytes(&answer.cores) +
                                              group_bytes(&answer.threads)))
        return error_set(err, MAPCORE_EINVAL,
                         is_late ? "hwloc takes too long to read %s"
                                 : "hwloc cannot read %s: it crashes, or wants "
                                   "more memory than there is",
                         what);
    if (answer.error < 0)
        return error_set(err, answer.error, "%s", answer.err.text);
    at = bytes->bytes + sizeof(answer);
    ncores = group_bytes(&answer.cores);
    nthreads = group_bytes(&answer.threads);
    node->cores = answer.cores;
    node->threads = answer.threads;
    node->cores.group = array_copy(at, ncores, 1, err);
    node->threads.group = array_copy(at + ncores, nthreads, 1, err);
    return node->cores.group && node->threads.group ? 0 : MAPCORE_ENOMEM;
}

/* hwloc is not made for XML that somebody has changed: 2.9 crashes on some, and
 * takes minutes or gigabytes for some synthetic descriptions. So it reads in a
 * copy of this process, which may die. */
static int read_apart(struct mapcore_hwnode *node,
                      const char *description,
                      struct mapcore_error *err)
{
    struct buffer bytes = {0};
    int ends[2], status = 0, error;
    pid_t pid;

    if (strlen(description) > MAPCORE_HWNODE_XML_MOST)
        return error_set(err, MAPCORE_ERANGE,
                         "the node's XML has more than %d MiB",
                         (int)(MAPCORE_HWNODE_XML_MOST >> 20));
    if (pipe2(ends, O_CLOEXEC) < 0)
        return error_set(err, MAPCORE_EIO, "cannot make a pipe: %s",
                         strerror(errno));
    pid = fork();
    if (pid == 0)
        answer_apart(ends[1], description);
    close(ends[1]);
    error = pid < 0 ? error_set(err, MAPCORE_EIO, "cannot fork: %s",
                                strerror(errno))
                    : file_read_rest(&bytes, ends[0], "hwloc", READ_BYTES, err);
    close(ends[0]);
    /* Where children are not waited for, by inheritance, the answer has to do.
     */
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (error == 0)
        error = take_answer(
            node, &bytes, status,
            description[0] == '<' ? "the node's XML" : "the node", err);
    buffer_clear(&bytes);
    return error;
}

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

int mapcore_hwnode_create(struct mapcore_hwnode **out,
                          const char *description,
                          struct mapcore_error *err)
{
    struct mapcore_hwnode *node = array_alloc(1, sizeof(*node), err);
    struct node_levels levels;
    int error;

    if (!node)
        return MAPCORE_ENOMEM;
    if (node_levels_read(&levels, description, NODE_THREADS_MOST))
        error = deal_levels(node, &levels, err);
    else if (description[0] != '<' && !is_small(description))
        error = error_set(err, MAPCORE_ERANGE,
                          "a node \"%.64s\" has more than %d hardware threads",
                          description, NODE_THREADS_MOST);
    else
        error = read_apart(node, description, err);
    if (error < 0)
        mapcore_hwnode_destroy(node);
    else
        *out = node;
    return error;
}

void mapcore_hwnode_destroy(struct mapcore_hwnode *node)
{
    if (!node)
        return;
    free(node->cores.group);
    free(node->threads.group);
    free(node);
}

/* The leaves that nslots slots are dealt over. */
static const struct leaves *leaves_of(const struct mapcore_hwnode *node,
                                      uint32_t nslots)
{
    return nslots > node->cores.n ? &node->threads : &node->cores;
}

/* The objects that hold a slot. */
static const uint32_t *groups_of(const struct leaves *leaves,
                                 uint32_t nslots,
                                 uint32_t slot)
{
    const uint32_t n = nslots < leaves->n ? nslots : leaves->n;

    return leaves->group +
           (uint64_t)(slot % n) * leaves->n / n * leaves->nlevels;
}

uint32_t mapcore_hwnode_distance(const struct mapcore_hwnode *node,
                                 uint32_t nslots,
                                 uint32_t a,
                                 uint32_t b)
{
    const struct leaves *leaves = leaves_of(node, nslots);
    const uint32_t *x = groups_of(leaves, nslots, a);
    const uint32_t *y = groups_of(leaves, nslots, b);
    uint32_t common = 0;

    while (common < leaves->nlevels && x[common] == y[common])
        common++;
    return 2 * (leaves->nlevels - common);
}

void mapcore_hwnode_object(char *text,
                           const struct mapcore_hwnode *node,
                           uint32_t nslots,
                           uint32_t slot,
                           uint32_t steps)
{
    const struct leaves *leaves = leaves_of(node, nslots);
    const uint32_t up = steps / 2;
    const uint32_t level = up < leaves->nlevels ? leaves->nlevels - up : 0;

    snprintf(text, MAPCORE_HWNODE_TEXT, "%s %u",
             level < NAMED_LEVELS ? leaves->name[level] : "level",
             leaves->nlevels > 0
                 ? (unsigned)groups_of(leaves, nslots, slot)[level]
                 : 0u);
}

/* "L3" of "NUMA L3". */
static bool has_word(const char *name, const char *word)
{
    const size_t n = strlen(word);

    for (; *name; name += strcspn(name, " "), name += *name == ' ')
        if (strncasecmp(name, word, n) == 0 && strchr(" ", name[n]))
            return true;
    return false;
}

uint32_t mapcore_hwnode_object_number(const struct mapcore_hwnode *node,
                                      uint32_t nslots,
                                      uint32_t slot,
                                      const char *type)
{
    const struct leaves *leaves = leaves_of(node, nslots);

    for (uint32_t l = 0; l < leaves->nlevels && l < NAMED_LEVELS; l++)
        if (has_word(leaves->name[l], type))
            return groups_of(leaves, nslots, slot)[l];
    return 0;
}
