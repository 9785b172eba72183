/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi_types.c - looks for a word in srun --mpi=list, whose lines differ between
 * versions of Slurm */
#include "config.h"

#include "tools/doctor/mpi/mpi_types.h"

#include "tools/doctor/trial.h"

#include <stdbool.h>
#include <string.h>

#define BETWEEN " \t\r\n,"

static bool has_word(const struct buffer *text, const char *word)
{
    const char *at = text->bytes;

    for (size_t n; at && *(at += strspn(at, BETWEEN)) != '\0'; at += n) {
        n = strcspn(at, BETWEEN);
        if (strlen(word) == n && strncmp(at, word, n) == 0)
            return true;
    }
    return false;
}

/* On stdout, or, up to Slurm 20.11, on stderr. */
static bool names(const struct process_output *run, const char *type)
{
    return has_word(&run->out, type) || has_word(&run->said, type);
}

int mpi_types_check(const char *type, struct mapcore_error *err)
{
    char srun[] = "srun", list[] = "--mpi=list";
    char *const words[] = {srun, list, NULL};
    struct process_output run;
    int error = trial_run(&run, 0, words, err);

    if (error < 0)
        return error;
    /* none is in every list. */
    if (names(&run, "none") && !names(&run, type))
        error = error_set(err, MAPCORE_ENOENT,
                          "this Slurm has no MPI type '%.64s': srun --mpi=list "
                          "names those that it has",
                          type);
    process_output_clear(&run);
    return error;
}
