/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* driver.c - driver PART [RANK [TASKS]]: one call after another, as rank 1 of a
 * world of 8 that is none; ends by MPI_Abort, where the recorder leaves its
 * rows */
#include "fakempi.h"

#include <commprof.h>

#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int buffer[64];
static const MPI_Comm world = MPI_COMM_WORLD;

static void p2p(void)
{
    MPI_Send(buffer, 3, MPI_INT, 5, 0, world);
    MPI_Send(buffer, 3, MPI_INT, MPI_PROC_NULL, 0, world);
    MPI_Send(buffer, 0, MPI_INT, 2, 0, world);
    MPI_Send(MPI_BOTTOM, 2, fake_type(0), 5, 0, world); /* of 40 bytes */
    MPI_Send(buffer, 2000000000, MPI_DOUBLE, 5, 0, world);
    MPI_Recv(buffer, 3, MPI_INT, 5, 0, world, MPI_STATUS_IGNORE);
    MPI_Sendrecv(buffer, 1, MPI_DOUBLE, 0, 0, buffer, 9, MPI_DOUBLE, 3, 0,
                 world, MPI_STATUS_IGNORE);
}

/* 900 ns of which two requests are point-to-point and one is a reduction. */
static void waitall(void)
{
    MPI_Request request[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL,
                              MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Isend(buffer, 1, MPI_INT, 2, 0, world, &request[0]);
    MPI_Isend(buffer, 1, MPI_INT, 3, 0, world, &request[1]);
    MPI_Iallreduce(buffer, buffer, 2, MPI_INT, MPI_SUM, fake_handle(2),
                   &request[3]);
    fake_takes_ns = 900;
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
}

/* Polling finds nothing, then the reduction, then the message. */
static void testsome(void)
{
    MPI_Request request[2];
    int n, index[2];
    MPI_Isend(buffer, 1, MPI_INT, 2, 0, world, &request[0]);
    MPI_Iallreduce(buffer, buffer, 2, MPI_INT, MPI_SUM, fake_handle(2),
                   &request[1]);
    fake_takes_ns = 100;
    static const unsigned done[] = {0, 2, 1}; /* bits */
    for (size_t i = 0; i < sizeof(done) / sizeof(*done); i++) {
        fake_done = done[i];
        MPI_Testsome(2, request, &n, index, MPI_STATUSES_IGNORE);
    }
}

/* Starts of 50 ns, three of a message and one of both. */
static void persistent(void)
{
    MPI_Request request[2];
    MPI_Send_init(buffer, 4, MPI_INT, 6, 0, world, &request[0]);
    MPI_Bcast_init(buffer, 5, MPI_INT, 1, fake_handle(2), MPI_INFO_NULL,
                   &request[1]);
    fake_takes_ns = 50;
    for (int i = 0; i < 3; i++)
        MPI_Start(&request[0]);
    MPI_Startall(2, request);
}

/* Phase 1, 2 and 3; a level of other tools; nothing; phase 1 again. What is
 * started counts where it is started, and is waited for where that happens. */
static void phases(void)
{
    MPI_Request request;

    fake_takes_ns = 10;
    MPI_Send_init(buffer, 4, MPI_INT, 6, 0, world, &request);
    MPI_Send(buffer, 1, MPI_INT, 5, 0, world);
    MPI_Bcast(buffer, 5, MPI_INT, 1, fake_handle(2));
    MPI_Pcontrol(2);
    MPI_Send(buffer, 2, MPI_INT, 5, 0, world);
    MPI_Bcast(buffer, 5, MPI_INT, 1, fake_handle(2));
    MPI_Pcontrol(3);
    MPI_Start(&request);
    MPI_Pcontrol(1000);
    MPI_Start(&request);
    MPI_Pcontrol(0);
    MPI_Send(buffer, 2, MPI_INT, 5, 0, world);
    MPI_Pcontrol(1);
    MPI_Send(buffer, 1, MPI_INT, 5, 0, world);
}

static void send_to(int peer)
{
    MPI_Send(buffer, 1, MPI_INT, peer, 0, world);
}

/* To 2 outside of all, to 3 in solve, to 4 in what is inside of it, to 5 in
 * phase 2, which names itself there. */
static void regions(void)
{
    char name[] = "solve";

    send_to(2);
    commprof_region_begin(name);
    name[0] = 'X'; /* it was copied */
    send_to(3);
    commprof_region_begin("halo, 2\n");
    send_to(4);
    commprof_region_end(NULL);
    send_to(3);
    MPI_Pcontrol(2);
    send_to(5);
    commprof_region_end("solve");
    send_to(2);
    /* Never begun; begun and not ended inside of what ends. */
    commprof_region_end("solve");
    commprof_region_end("nobody");
    commprof_region_begin("solve");
    commprof_region_begin("12");
    commprof_region_end("solve");
    send_to(2);
    /* No names: nothing happens. */
    MPI_Pcontrol(COMMPROF_REGION_BEGIN, (char *)8);
    MPI_Pcontrol(COMMPROF_REGION_BEGIN, (char *)-1L);
    MPI_Pcontrol(COMMPROF_REGION_BEGIN, NULL);
    send_to(2);
    commprof_region_begin(
        ".a-name-that-is-much-longer-than-any-name-should-be");
    send_to(6);
    commprof_region_end("");
}

/* More names than there is room for, deeper than there is, and a million
 * levels, most of which mean nothing: to 2 outside of all. */
static void regions_many(void)
{
    char name[16];

    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof(name), "r%d", i);
        commprof_region_begin(name);
        send_to(i < 32 ? 3 : 2);
        commprof_region_end(name);
    }
    for (int i = 0; i < 100000; i++)
        commprof_region_begin("r0");
    send_to(3);
    for (int i = 0; i < 100001; i++)
        commprof_region_end("r0");
    send_to(2);
    for (int i = 0; i < 1000000; i++)
        MPI_Pcontrol(i % 2000 < 1000 ? -1 - i : 32 + i);
    MPI_Pcontrol(INT_MIN);
    MPI_Pcontrol(INT_MAX);
    send_to(2);
}

/* IPM's regions, by COMMPROF_PCONTROL. */
static void regions_ipm(void)
{
    MPI_Pcontrol(1, "solve");
    send_to(3);
    MPI_Pcontrol(0, "an event");
    send_to(3);
    MPI_Pcontrol(-1, "solve");
    send_to(2);
    MPI_Pcontrol(2, "solve");
    send_to(5);
    MPI_Pcontrol(1, (char *)8);
    send_to(2);
}

static void failing(void)
{
    fake_result = MPI_ERR_OTHER;
    MPI_Send(buffer, 3, MPI_INT, 5, 0, world);
    MPI_Bcast(buffer, 3, MPI_INT, 0, world);
}

/* Over tasks 6, 1 and 4: this one is rank 1 there. */
static void collectives(void)
{
    const MPI_Comm part = fake_handle(2);
    const int counts[3] = {1, 2, 4}, zero[3] = {0};
    MPI_Alltoallv(buffer, counts, zero, MPI_INT, buffer, counts, zero, MPI_INT,
                  part);
    MPI_Bcast(buffer, 5, MPI_INT, 1, part);
    MPI_Bcast(buffer, 5, MPI_INT, 0, part);
    MPI_Reduce(buffer, buffer, 7, MPI_INT, MPI_SUM, 2, part);
    MPI_Allgather(MPI_IN_PLACE, 99, MPI_DOUBLE, buffer, 2, MPI_CHAR, part);
    MPI_Allgatherv(MPI_IN_PLACE, 99, MPI_DOUBLE, buffer, counts, zero, MPI_CHAR,
                   part);
    MPI_Scan(buffer, buffer, 1, MPI_CHAR, MPI_SUM, part);
    MPI_Scatterv(buffer, counts, zero, MPI_CHAR, buffer, 1, MPI_CHAR, 1, part);
    MPI_Reduce_scatter(buffer, buffer, counts, MPI_CHAR, MPI_SUM, part);
    MPI_Neighbor_alltoall(buffer, 1, MPI_CHAR, buffer, 1, MPI_CHAR, part);
    MPI_Barrier(part);
    MPI_Allreduce(buffer, buffer, 1, MPI_INT, MPI_SUM, world); /* large */
    MPI_Barrier(world);
}

/* To 2 and 3, and one more task of another world. */
static void inter(void)
{
    const MPI_Comm both = fake_handle(3);
    MPI_Send(buffer, 1, MPI_INT, 1, 0, both);
    MPI_Send(buffer, 1, MPI_INT, 2, 0, both);
    MPI_Bcast(buffer, 2, MPI_INT, MPI_ROOT, both);
    MPI_Bcast(buffer, 2, MPI_INT, MPI_PROC_NULL, both);
}

static void onesided(void)
{
    const MPI_Win win = fake_handle(2);
    MPI_Put(buffer, 2, MPI_INT, 0, 0, 2, MPI_INT, win);
    MPI_Get(buffer, 4, MPI_INT, 2, 0, 4, MPI_INT, win);
    MPI_Put(buffer, 2, MPI_INT, MPI_PROC_NULL, 0, 2, MPI_INT, win);
    MPI_Fetch_and_op(buffer, buffer, MPI_INT, 0, 0, MPI_NO_OP, win);
}

static void ring(void)
{
    MPI_Send(buffer, 1, MPI_DOUBLE, (fake_comm[0].rank + 1) % 8, 0, world);
}

static long peak_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/status", "r");

    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "VmHWM: %ld", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib;
}

/* Many peers, over four types; the end is MPI_Finalize, of a task that sends
 * what it has to another. Prints the bytes of memory for each pair of peer and
 * type that this took at the worst time. */
static void peers(void)
{
    const int n = fake_comm[0].size;
    long before;

    MPI_Send(buffer, 1, MPI_INT, 0, 0, world); /* the table of ranks is there */
    before = peak_kib();
    for (int i = 0; i < n; i++)
        MPI_Send(buffer, 1, MPI_INT, i, 0, world);
    MPI_Alltoall(buffer, 1, MPI_INT, buffer, 1, MPI_INT, world);
    MPI_Allgather(buffer, 1, MPI_INT, buffer, 1, MPI_INT, world);
    MPI_Bcast(buffer, 1, MPI_INT, fake_comm[0].rank, world);
    MPI_Finalize();
    printf("%ld\n", (peak_kib() - before) * 1024 / (4L * n));
    exit(0);
}

static void killed(void)
{
    p2p();
    raise(SIGKILL);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"p2p", p2p},
                 {"waitall", waitall},
                 {"testsome", testsome},
                 {"persistent", persistent},
                 {"phases", phases},
                 {"regions", regions},
                 {"regions_many", regions_many},
                 {"regions_ipm", regions_ipm},
                 {"failing", failing},
                 {"collectives", collectives},
                 {"inter", inter},
                 {"onesided", onesided},
                 {"ring", ring},
                 {"peers", peers},
                 {"killed", killed}};
    fake_comm[0] = (struct fake_comm){
        .rank = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1,
        .size = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 8,
        .member = {0, 1, 2, 3, 4, 5, 6, 7}};
    fake_comm[1] = (struct fake_comm){.size = 1, .member = {1}};
    fake_comm[2] = (struct fake_comm){.rank = 1,
                                      .size = 3,
                                      .member = {6, 1, 4},
                                      .below = MPI_PROC_NULL,
                                      .above = 2};
    fake_comm[3] = (struct fake_comm){.rank = 0,
                                      .size = 1,
                                      .member = {1},
                                      .remote_size = 3,
                                      .remote = {2, 3, 9}};
    fake_type_size[0] = 40;
    MPI_Init(&argc, &argv);
    for (size_t i = 0; argc > 1 && i < sizeof(parts) / sizeof(*parts); i++)
        if (strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    return MPI_Abort(world, 0);
}
