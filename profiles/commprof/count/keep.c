/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* keep.c - blocks one after the other in a mapped file that lives in memory, so
 * that no storage can make a call wait, and none can be full */
#include "config.h"

#include "commprof/count/keep.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Mapped at once: little, for those who live under `ulimit -v`. */
enum { SEGMENT = 1 << 20, PAGE = 1 << 16, ALIGN = 8 };

static struct kept_head own;
struct kept_head *keep_head = &own;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int fd;
    unsigned long long device, inode;
    uint64_t offset; /* of the region in the file */
    char *base;      /* of the segment that is being filled; NULL: the heap */
    uint64_t from;   /* its place in the region */
    size_t size;
} region = {.fd = -1};

/* What the heap had to give, freed together. */
struct heap_block {
    struct heap_block *next;
    uint64_t memory[];
};
static struct heap_block *heap;

/* The program may have closed the descriptor, and its number be another file's
 * by now. */
static bool is_ours(void)
{
    struct stat st;

    return fstat(region.fd, &st) == 0 &&
           (unsigned long long)st.st_dev == region.device &&
           (unsigned long long)st.st_ino == region.inode && st.st_size >= 0 &&
           region.offset % KEPT_REGION == 0 &&
           (uint64_t)st.st_size >= region.offset + KEPT_REGION;
}

static bool open_region(const char *place)
{
    unsigned long long offset;
    char more;

    if (!place || sscanf(place, "%d %llu %llu %llu%c", &region.fd, &offset,
                         &region.device, &region.inode, &more) != 4)
        return false;
    region.offset = offset;
    return is_ours();
}

/* Of the region, at `from`, whole pages. */
static char *map(uint64_t from, size_t size)
{
    void *base = is_ours()
                     ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
                            region.fd, (off_t)(region.offset + from))
                     : MAP_FAILED;

    return base == MAP_FAILED ? NULL : base;
}

/* Two programs that a script runs at once cannot share a region; one that comes
 * after another has handed over its rows finds it empty again. */
static bool take(struct kept_head *head)
{
    uint32_t expected = KEPT_FREE;

    return __atomic_compare_exchange_n(&head->state, &expected, KEPT_TAKEN,
                                       false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

void keep_begin(const char *place)
{
    struct kept_head *head;

    memset(&own, 0, sizeof(own));
    keep_head = &own;
    region.base = NULL;
    if (!open_region(place) || !(region.base = map(0, SEGMENT)))
        return;
    head = (struct kept_head *)(void *)region.base;
    if (!take(head)) {
        munmap(region.base, SEGMENT);
        region.base = NULL;
        return;
    }
    /* What the program starts itself is no task. */
    fcntl(region.fd, F_SETFD, FD_CLOEXEC);
    head->used = (sizeof(*head) + ALIGN - 1) / ALIGN * ALIGN;
    region.from = 0;
    region.size = SEGMENT;
    keep_head = head;
}

static void close_block(uint64_t at, enum kept_kind kind, size_t size)
{
    struct kept_block *block =
        (struct kept_block *)(void *)(region.base + (at - region.from));

    block->size = (uint32_t)size;
    block->kind = kind;
    __atomic_store_n(&keep_head->used, at + sizeof(*block) + size,
                     __ATOMIC_RELEASE);
}

/* A new segment, which holds a block of at least these bytes. */
static bool add_segment(size_t needed)
{
    const uint64_t at = keep_head->used, next = region.from + region.size;
    const size_t size =
        needed <= SEGMENT ? SEGMENT : (needed + PAGE - 1) / PAGE * PAGE;
    char *base = next + size <= KEPT_REGION ? map(next, size) : NULL;

    if (!base)
        return false;
    if (at < next)
        close_block(at, KEPT_SKIP, next - at - sizeof(struct kept_block));
    region.base = base;
    region.from = next;
    region.size = size;
    return true;
}

void *keep_alloc(enum kept_kind kind, size_t size)
{
    const size_t whole = (size + ALIGN - 1) / ALIGN * ALIGN;
    const size_t needed = whole + sizeof(struct kept_block);
    void *memory = NULL;

    pthread_mutex_lock(&mutex);
    if (region.base && whole <= UINT32_MAX / 2 && size <= whole &&
        (needed <= region.from + region.size - keep_head->used ||
         add_segment(needed))) {
        const uint64_t at = keep_head->used;
        memory = region.base + (at - region.from) + sizeof(struct kept_block);
        close_block(at, kind, whole);
    } else {
        struct heap_block *block = calloc(1, sizeof(*block) + whole);
        if (block) {
            block->next = heap;
            heap = block;
            memory = block->memory;
        }
        keep_head->lost++;
    }
    pthread_mutex_unlock(&mutex);
    return memory;
}

void keep_ready(void)
{
    if (keep_head == &own)
        return;
    keep_head->magic = KEPT_MAGIC;
    __atomic_store_n(&keep_head->state, KEPT_COUNTING, __ATOMIC_RELEASE);
}

/* The hole reads as zeros: the region is free again. */
void keep_end(bool is_done)
{
    if (is_done && keep_head != &own) {
        keep_head->magic = 0;
        if (is_ours())
            fallocate(region.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                      (off_t)region.offset, (off_t)KEPT_REGION);
    }
    keep_head = &own;
    region.base = NULL;
    while (heap) {
        struct heap_block *next = heap->next;
        free(heap);
        heap = next;
    }
}
