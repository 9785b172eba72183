/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* steps.c - tells the steps that can be mapped from those that cannot, by what
 * srun shows of them */
#include "config.h"

#include "steps.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Slurm's SLURM_INTERACTIVE_STEP .. SLURM_MAX_NORMAL_STEP_ID are above this. */
#define FIRST_SPECIAL_STEP 0xfffffff0U
#define COMMAND_LINE_MOST  65536

bool steps_is_special(uint32_t step)
{
    return step >= FIRST_SPECIAL_STEP;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* What mpirun and mpiexec start by srun on each node: a daemon places its own
 * ranks. */
static bool is_launcher(const char *program)
{
    static const char *const names[] = {
        "orted",   "prted",         "hydra_pmi_proxy", "hydra_bstrap_proxy",
        "mpiexec", "mpiexec.hydra", "mpirun",          "pmi_proxy",
        "prterun", "mpispawn",
    };

    program = last_part(program);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(program, names[i]) == 0)
            return true;
    return false;
}

/* srun's hook runs for one component of such a step, whichever comes first, and
 * its ranks have been copied for MPI by then. */
static bool has_components(spank_t spank)
{
    const char *total = getenv("SLURM_NTASKS");
    uint32_t ntasks;

    return total &&
           spank_get_item(spank, S_JOB_TOTAL_TASK_COUNT, &ntasks) ==
               ESPANK_SUCCESS &&
           strtoul(total, NULL, 10) != ntasks;
}

static bool asks_for_gpus(const char *word)
{
    if (strncmp(word, "-G", 2) == 0 || strncmp(word, "--gpus", 6) == 0)
        return true;
    return (strncmp(word, "--gres", 6) == 0 ||
            strncmp(word, "--tres-per-task", 15) == 0 ||
            strncmp(word, "gpu", 3) == 0) &&
           strstr(word, "gpu");
}

bool steps_has_gpus(spank_t spank)
{
    static const char *const names[] = {
        "SLURM_GPUS",          "SLURM_GPUS_PER_NODE",  "SLURM_GPUS_PER_SOCKET",
        "SLURM_GPUS_PER_TASK", "SLURM_NTASKS_PER_GPU", "SLURM_GPUS_ON_NODE",
        "SLURM_JOB_GPUS",
    };
    char words[COMMAND_LINE_MOST];
    char **argv = NULL;
    int argc = 0, nwords = 0;
    ssize_t n = 0;
    bool found = false;
    int fd;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (getenv(names[i]))
            return true;
    /* srun keeps its options to itself: its command line before the program. */
    fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, words, sizeof(words) - 1);
        close(fd);
    }
    words[n > 0 ? n : 0] = '\0';
    spank_get_item(spank, S_JOB_ARGV, &argc, &argv);
    for (ssize_t i = 0; i < n; i++)
        nwords += words[i] == '\0';
    for (char *word = words; nwords-- > argc; word += strlen(word) + 1)
        found = found || asks_for_gpus(word);
    return found;
}

const char *steps_left_alone(spank_t spank, const struct options *options)
{
    char **argv = NULL;
    int argc = 0;

    if (spank_get_item(spank, S_JOB_ARGV, &argc, &argv) != ESPANK_SUCCESS ||
        argc < 1 || !argv || !argv[0])
        return "srun does not say what it starts: nothing is done";
    if (is_launcher(argv[0]))
        return "mpirun's own daemons are left alone; start the program with "
               "srun to have it mapped";
    if (has_components(spank))
        return "a step of several components is left alone";
    if (steps_has_gpus(spank) && options->mode == OPTIONS_AUTO &&
        !options->typed)
        return "";
    return NULL;
}

const char *steps_nothing_to_move(const struct layout *layout)
{
    if (layout->ntasks == 1)
        return "one task: nothing to move";
    if (layout->nhosts == 1)
        return "one node: nothing to move";
    return NULL;
}

static bool in_list(const char *list, const char *word, size_t n)
{
    while (list && *list) {
        size_t length = strcspn(list, ",+:");

        if (length == n && strncmp(list, word, n) == 0)
            return true;
        list += length + (list[length] != '\0');
    }
    return false;
}

bool steps_mpi_allows(const char *list, struct mapcore_error *err)
{
    /* srun sets it when it loads the MPI plugin, by --mpi or MpiDefault. */
    const char *type = getenv("SLURM_MPI_TYPE");
    size_t n = type ? strlen(type) : 0;

    if (!type) {
        error_set(err, MAPCORE_ENOTSUP, "srun does not tell its MPI type");
        return false;
    }
    /* pmix_v4 is pmix. */
    if (in_list("none,pmi2,openmpi", type, n) ||
        strncmp(type, "pmix", strlen("pmix")) == 0 || in_list(list, type, n))
        return true;
    error_set(err, MAPCORE_ENOTSUP,
              "ranks are not moved under --mpi=%.32s (only none, pmi2, pmix%s"
              "%.64s)",
              type, list && *list ? ", " : "", list ? list : "");
    return false;
}

bool steps_bound_by_user(void)
{
    static const char *const kinds[] = {"map_cpu",   "mask_cpu", "map_ldom",
                                        "mask_ldom", "none",     "rank"};
    const char *type = getenv("SLURM_CPU_BIND_TYPE");

    for (size_t i = 0; type && i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strstr(type, kinds[i]))
            return true;
    return false;
}

static char *search_path(const char *name)
{
    const char *path = getenv("PATH");
    char candidate[PATH_MAX];

    while (path && *path) {
        size_t length = strcspn(path, ":");
        int n = snprintf(candidate, sizeof(candidate), "%.*s/%s", (int)length,
                         length > 0 ? path : ".", name);

        if (n > 0 && (size_t)n < sizeof(candidate) &&
            access(candidate, X_OK) == 0)
            return realpath(candidate, NULL);
        path += length + (path[length] == ':');
    }
    errno = ENOENT;
    return NULL;
}

int steps_program(char **out,
                  spank_t spank,
                  const char *exe,
                  struct mapcore_error *err)
{
    char **argv = NULL;
    int argc = 0;
    const char *name = exe;

    if (!name &&
        spank_get_item(spank, S_JOB_ARGV, &argc, &argv) == ESPANK_SUCCESS &&
        argc > 0)
        name = argv[0];
    if (!name)
        return error_set(err, MAPCORE_ENOENT, "no program");
    *out = strchr(name, '/') || exe ? realpath(name, NULL) : search_path(name);
    if (!*out)
        return error_set(err, MAPCORE_ENOENT, "%s: %s", name, strerror(errno));
    return 0;
}
