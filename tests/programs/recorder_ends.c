/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorder_ends.c - a ring message, and then an end of a given kind:
 *   normal [STATUS]   MPI_Finalize, exit with STATUS
 *   abort             rank 1 calls MPI_Abort(7)
 *   no-finalize       exit without MPI_Finalize
 *   no-folder         the current folder is removed first
 *   no-stderr         stderr is a pipe without a reader
 *   locale            decimal commas, where the system has them
 *   limit             no file may grow (RLIMIT_FSIZE)
 *   late SECONDS      the last task comes late to MPI_Finalize
 *   no-mpi            calls nothing of MPI
 *   file PATH         writes PATH by collective MPI I/O */
#define _GNU_SOURCE
#include <locale.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int prepare(const char *how)
{
    if (strcmp(how, "no-folder") == 0) {
        char folder[] = "/tmp/recorder-ends-XXXXXX";
        return mkdtemp(folder) && chdir(folder) == 0 && rmdir(folder) == 0;
    }
    if (strcmp(how, "no-stderr") == 0) {
        int ends[2];
        if (pipe(ends) < 0 || dup2(ends[1], STDERR_FILENO) < 0)
            return 0;
        close(ends[0]);
        close(ends[1]);
    }
    if (strcmp(how, "limit") == 0) {
        const struct rlimit none = {0, 0};
        return setrlimit(RLIMIT_FSIZE, &none) == 0;
    }
    if (strcmp(how, "locale") == 0 && !setlocale(LC_ALL, "de_DE.UTF-8"))
        setlocale(LC_ALL, "");
    return 1;
}

static void write_file(const char *path, int rank)
{
    char block[1000];
    MPI_File file;
    MPI_Datatype scattered;
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    memset(block, 'a' + rank, sizeof(block));
    MPI_Type_vector(10, 100, 100 * size, MPI_BYTE, &scattered);
    MPI_Type_commit(&scattered);
    if (MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY,
                      MPI_INFO_NULL, &file) != MPI_SUCCESS)
        return;
    MPI_File_set_view(file, 100 * rank, MPI_BYTE, scattered, "native",
                      MPI_INFO_NULL);
    MPI_File_write_all(file, block, sizeof(block), MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Type_free(&scattered);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "normal";
    const char *argument = argc > 2 ? argv[2] : "0";
    int rank, size, word = 0, got;

    if (strcmp(how, "no-mpi") == 0) {
        printf("no MPI\n");
        return 3;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Sendrecv(&word, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (rank == 0) {
        printf("rank 0 of %d\n", size);
        fflush(stdout);
    }
    if (!prepare(how))
        MPI_Abort(MPI_COMM_WORLD, 9);
    if (strcmp(how, "abort") == 0) {
        sleep(1); /* rank 0's line is through */
        if (rank == 1)
            MPI_Abort(MPI_COMM_WORLD, 7);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (strcmp(how, "no-finalize") == 0)
        exit(0);
    if (strcmp(how, "late") == 0 && rank == size - 1)
        sleep((unsigned)strtoul(argument, NULL, 10));
    if (strcmp(how, "file") == 0)
        write_file(argument, rank);
    MPI_Finalize();
    return strcmp(how, "normal") == 0 ? (int)strtol(argument, NULL, 10) : 0;
}
