/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nccl.c - counts what NCCL or RCCL says that it sends, in memory that
 * slurmstepd has made ready: a row for each communicator, operation, algorithm
 * and peer. Nothing is handed over at the end, and nothing waits */
#include "config.h"

#include "commprof/nccl/nccl_abi.h"

#include "commprof/count/keep.h"
#include "commprof/count/messages.h"
#include "commprof/count/nccl_rows.h"
#include "commprof/settings.h"
#include "profiles/collectives/algorithm.h"

#include "base/array.h"
#include "base/table64.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* One rank of a communicator; row[nrows], by the rows' keys. */
struct context {
    struct nccl_comm *comm;
    struct table64 at;
    struct nccl_row **row;
    size_t nrows, capacity;
};

enum { CHUNK_ROWS = 64, ANCESTORS_MOST = 32 };

/* Of the process, and of all that its contexts have. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool has_begun, counts;
static uint32_t ncomms;
static struct nccl_row *chunk;
static size_t chunk_used;
static uint64_t deadline = UINT64_MAX;

static uint64_t clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---- the region */

/* Of /proc/PID/stat, "PID (NAME) S PARENT ..."; 0: not known. */
static pid_t parent_of(pid_t pid)
{
    char path[64], text[512], *end;
    ssize_t n;
    int fd, parent = 0;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        return 0;
    n = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    if ((end = strrchr(text, ')')))
        (void)sscanf(end + 1, " %*c %d", &parent);
    return parent;
}

/* The file of regions, in this process or in that of the task, above it: what
 * starts workers, as torchrun does, closes what they did not open. */
static int open_regions(int fd,
                        unsigned long long device,
                        unsigned long long inode)
{
    char path[64] = "/proc/self/fd/";
    pid_t pid = getpid();
    struct stat st;

    for (int i = 0; i < ANCESTORS_MOST && pid > 1; i++, pid = parent_of(pid)) {
        snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
        if (stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
            (unsigned long long)st.st_dev == device &&
            (unsigned long long)st.st_ino == inode)
            return pid == getpid() ? fd : open(path, O_RDWR | O_CLOEXEC);
    }
    return -1;
}

/* The recorder of MPI, in this process or another one of the task, and
 * slurmstepd know by it that more has been counted than is in that region. */
static void mark_task(int fd, unsigned long long offset)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *at =
        mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);

    if (at == MAP_FAILED)
        return;
    __atomic_fetch_or(&((struct kept_head *)at)->ended, KEPT_NCCL,
                      __ATOMIC_RELAXED);
    munmap(at, page);
}

/* COMMPROF_KEEP_NCCL: "FD OFFSET DEVICE INODE TASK", of the first of the task's
 * KEPT_NCCL_REGIONS and of its own one. False: all are taken, or there are
 * none. */
static bool take_region(void)
{
    const char *text = getenv("COMMPROF_KEEP_NCCL");
    unsigned long long offset, device, inode, task;
    char place[128];
    int fd;

    if (!text ||
        sscanf(text, "%d %llu %llu %llu %llu", &fd, &offset, &device, &inode,
               &task) != 5 ||
        (fd = open_regions(fd, device, inode)) < 0)
        return false;
    for (int i = 0; i < KEPT_NCCL_REGIONS; i++) {
        snprintf(place, sizeof(place), "%d %llu %llu %llu", fd,
                 offset + (unsigned long long)i * KEPT_REGION, device, inode);
        keep_begin(place);
        if (keep_head->used > 0) {
            mark_task(fd, task);
            return true;
        }
    }
    return false;
}

static bool read_number(uint32_t *out, const char *name)
{
    const char *text = getenv(name);

    return text && sscanf(text, "%u", out) == 1;
}

/* Whose the rows are: the task is that of Slurm which the process belongs to,
 * also where a launcher inside it has numbered its workers. */
static bool keep_whose(void)
{
    static char text[SETTINGS_WHOSE];
    uint32_t rank, ntasks;
    char *kept;
    size_t n;

    if (!read_number(&rank, "SLURM_PROCID") ||
        !read_number(&ntasks, "SLURM_STEP_NUM_TASKS") || !settings_read())
        return false;
    if (settings.seconds > 0)
        deadline = clock_ns() + (uint64_t)settings.seconds * 1000000000;
    n = settings_whose(text, sizeof(text), rank, ntasks, "nccl", "1");
    settings_clear();
    if (n == 0 || !(kept = keep_alloc(KEPT_TEXT, n + 1)))
        return false;
    memcpy(kept, text, n);
    keep_head->rank = rank;
    keep_head->ntasks = ntasks;
    keep_head->began = (int64_t)time(NULL);
    keep_head->began_ns = keep_head->last_ns = keep_head->since_ns = clock_ns();
    keep_head->is_active = true;
    keep_ready();
    return true;
}

/* ---- rows */

static uint64_t row_key(const struct nccl_row *row)
{
    return (uint64_t)row->peer << 32 | (uint64_t)row->size_class << 16 |
           (uint64_t)row->algorithm << 8 | row->type;
}

static struct nccl_row *make_row(struct context *context,
                                 const struct nccl_row *as)
{
    uint32_t at;

    if (!chunk || chunk_used == CHUNK_ROWS) {
        chunk = keep_alloc(KEPT_NCCL_ROWS, CHUNK_ROWS * sizeof(*chunk));
        chunk_used = 0;
    }
    if (!chunk ||
        array_reserve(&context->row, &context->capacity, context->nrows + 1,
                      sizeof(struct nccl_row *), NULL) < 0 ||
        table64_put(&at, &context->at, row_key(as), (uint32_t)context->nrows,
                    NULL) < 0)
        return NULL;
    context->row[context->nrows++] = &chunk[chunk_used];
    chunk[chunk_used] = *as;
    __atomic_store_n(&chunk[chunk_used].is_used, 1, __ATOMIC_RELEASE);
    return &chunk[chunk_used++];
}

/* One call more, of these bytes, of what is. */
static void count(struct context *context,
                  const struct nccl_row *what,
                  uint64_t bytes)
{
    const uint64_t now = clock_ns();
    struct nccl_row *row;
    uint32_t at;

    if (now >= deadline)
        return;
    pthread_mutex_lock(&mutex);
    at = table64_find(&context->at, row_key(what));
    row = at == MAPCORE_NONE ? make_row(context, what) : context->row[at];
    if (row) {
        row->calls++;
        row->bytes = record_sum(row->bytes, bytes);
    }
    keep_head->last_ns = now;
    pthread_mutex_unlock(&mutex);
}

static uint32_t natural(int number)
{
    return number > 0 ? (uint32_t)number : 0;
}

/* "ncclBfloat16", "ncclFloat8e4m3", "ncclUint64": the first number is that of
 * its bits. */
static uint64_t bytes_of(const char *datatype, size_t n)
{
    const char *digits = datatype ? strpbrk(datatype, "0123456789") : NULL;

    return digits ? record_product(strtoul(digits, NULL, 10) / 8, n) : 0;
}

static void count_collective(struct context *context,
                             const struct nccl_collective *event)
{
    static const struct {
        const char *operation;
        enum call_type type;
    } types[] = {{"AllReduce", TYPE_ALLREDUCE},
                 {"AllGather", TYPE_ALLGATHER},
                 {"ReduceScatter", TYPE_REDUCE_SCATTER_BLOCK},
                 {"Broadcast", TYPE_BCAST},
                 {"Reduce", TYPE_REDUCE},
                 {"AlltoAll", TYPE_ALLTOALL},
                 {"Gather", TYPE_GATHER},
                 {"Scatter", TYPE_SCATTER}};
    enum algorithm_library library = ALGORITHM_LIBRARIES;
    struct nccl_row what = {.comm = context->comm->number};
    size_t i = 0;

    while (i < sizeof(types) / sizeof(types[0]) &&
           (!event->operation ||
            strcmp(event->operation, types[i].operation) != 0))
        i++;
    if (i == sizeof(types) / sizeof(types[0]))
        return;
    if (event->algorithm)
        library = algorithm_reported(event->algorithm);
    /* Of one that is not known yet, a ring is the most likely. */
    if (library == ALGORITHM_LIBRARIES)
        library = ALGORITHM_RING;
    what.type = (uint8_t)types[i].type;
    what.algorithm = (uint8_t)library;
    what.peer = natural(event->root);
    count(context, &what, bytes_of(event->datatype, event->count));
}

/* A receive is a call, too, whose bytes its sender counts. */
static void count_p2p(struct context *context, const struct nccl_p2p *event)
{
    const bool is_send =
        event->operation && strcmp(event->operation, "Send") == 0;
    const uint64_t bytes =
        is_send ? bytes_of(event->datatype, event->count) : 0;
    struct nccl_row what = {.comm = context->comm->number, .type = TYPE_P2P};

    if (event->peer < 0)
        return;
    what.peer = is_send ? (uint32_t)event->peer : context->comm->rank;
    what.size_class =
        bytes > 0 ? (uint8_t)(64 - __builtin_clzll(bytes)) : (uint8_t)0;
    count(context, &what, bytes);
}

/* ---- what NCCL calls */

static int begin(void **context, int *mask, struct nccl_comm comm)
{
    struct context *made = NULL;

    *context = NULL;
    pthread_mutex_lock(&mutex);
    if (!has_begun) {
        has_begun = true;
        counts = take_region() && keep_whose();
    }
    if (counts && (made = calloc(1, sizeof(*made))))
        made->comm = keep_alloc(KEPT_NCCL_COMM, sizeof(*made->comm));
    if (made && made->comm) {
        comm.number = ncomms++;
        *made->comm = comm;
        *mask = NCCL_COLLECTIVE | NCCL_P2P;
        *context = made;
    } else {
        /* The mask is that of all communicators. */
        if (!counts)
            *mask = 0;
        free(made);
    }
    pthread_mutex_unlock(&mutex);
    return NCCL_SUCCESS;
}

static int begin_3(void **context, int *mask)
{
    return begin(context, mask, (struct nccl_comm){0});
}

static int begin_4(void **context,
                   int *mask,
                   const char *name,
                   uint64_t id,
                   NCCL_COMM)
{
    (void)name, (void)nodes, (void)logger;
    return begin(context, mask,
                 (struct nccl_comm){
                     .id = id, .rank = natural(rank), .size = natural(size)});
}

static int begin_5(void **context,
                   uint64_t id,
                   int *mask,
                   const char *name,
                   NCCL_COMM)
{
    return begin_4(context, mask, name, id, nodes, size, rank, logger);
}

/* No event has a handle: NCCL stops none, and tells of no state. */
static int start(void *context,
                 void **handle,
                 uint64_t type,
                 const struct nccl_collective *collective,
                 const struct nccl_p2p *p2p)
{
    *handle = NULL;
    if (context && type == NCCL_COLLECTIVE)
        count_collective(context, collective);
    else if (context && type == NCCL_P2P)
        count_p2p(context, p2p);
    return NCCL_SUCCESS;
}

/* Only the events name the communicator. */
static int start_3(void *context, void **handle, struct nccl_event *event)
{
    const uint8_t type = event->type.narrow;
    struct context *of = context;

    if (of && (type == NCCL_COLLECTIVE || type == NCCL_P2P) &&
        __atomic_load_n(&of->comm->id, __ATOMIC_ACQUIRE) == 0) {
        of->comm->rank = natural(event->rank);
        __atomic_store_n(&of->comm->id, event->of_3.whose.id, __ATOMIC_RELEASE);
    }
    return start(context, handle, type, &event->of_3.collective,
                 &event->of_3.p2p);
}

static int start_4(void *context, void **handle, struct nccl_event *event)
{
    return start(context, handle, event->type.narrow, &event->collective,
                 &event->p2p);
}

static int start_5(void *context, void **handle, struct nccl_event *event)
{
    return start(context, handle, event->type.wide, &event->collective,
                 &event->p2p);
}

static int stop(void *handle)
{
    (void)handle;
    return NCCL_SUCCESS;
}

static int record(void *handle, int state, void *arguments)
{
    (void)handle, (void)state, (void)arguments;
    return NCCL_SUCCESS;
}

/* What it has counted stays in the region. */
static int finalize(void *context)
{
    struct context *of = context;

    if (of) {
        table64_clear(&of->at);
        free(of->row);
        free(of);
    }
    return NCCL_SUCCESS;
}

#define TABLE(version)                                                         \
    extern const struct nccl_profiler_##version ncclProfiler_v##version;       \
    __attribute__((visibility("default")))                                     \
    const struct nccl_profiler_##version ncclProfiler_v##version = {           \
        "topomap", begin_##version, start_##version, stop, record, finalize}
TABLE(3);
TABLE(4);
TABLE(5);
