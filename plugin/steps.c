/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* steps.c - the step as srun shows it: its handle, its environment, its command
 * line */
#include "config.h"

#include "steps.h"

#include "launch/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMAND_LINE_MOST 65536

static bool is_folder(const char *base, const char *below)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof(path), "%s%s/.", base, below);

    return n > 0 && (size_t)n < sizeof(path) && access(path, X_OK) == 0;
}

/* The rule of catalogue_user_root, and the site's. */
static bool some_catalogue(const struct site *site)
{
    const char *own = getenv("TOPOMAP_CATALOGUE");
    const char *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");

    for (int i = 0; i < site->ncatalogues; i++)
        if (is_folder(site->catalogue[i], ""))
            return true;
    if (own && *own)
        return is_folder(own, "");
    if (data && *data)
        return is_folder(data, "/topomap");
    return home && *home && is_folder(home, "/.local/share/topomap");
}

int steps_check_options(const struct options *options,
                        const struct site *site,
                        struct mapcore_error *err)
{
    bool profile = options->mode == OPTIONS_PROFILE;
    bool is_file = options->graph && options_is_file(options->graph);
    const char *const files[] = {
        is_file ? options->graph : NULL,
        options->exe,
        profile ? options->recorder : NULL,
        site->config,
    };

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (files[i] && access(files[i], R_OK) < 0)
            return error_set(err, MAPCORE_ENOENT, "%s: %s", files[i],
                             strerror(errno));
    /* A site file may name catalogues, and only `topomap` reads it. */
    if (!profile && !is_file && !site->config &&
        access(TOPOMAP_SITEFILE, R_OK) < 0 && !some_catalogue(site))
        return error_set(err, MAPCORE_ENOENT,
                         "there is no catalogue, neither the user's own nor "
                         "the site's: record a profile with "
                         "--topomap=profile first");
    return 0;
}

/* srun calls its hook once for all components of such a step, with the one that
 * comes first, and has copied the ranks for MPI by then. */
static bool has_components(spank_t spank)
{
    const char *total = getenv("SLURM_NTASKS");
    uint32_t ntasks;

    return total &&
           spank_get_item(spank, S_JOB_TOTAL_TASK_COUNT, &ntasks) ==
               ESPANK_SUCCESS &&
           strtoul(total, NULL, 10) != ntasks;
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
    int argc = 0, fd;
    ssize_t n = 0;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (getenv(names[i]))
            return true;
    /* srun keeps its options to itself: its own command line. */
    if ((fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC)) < 0)
        return false;
    n = read(fd, words, sizeof(words));
    close(fd);
    return n > 0 &&
           spank_get_item(spank, S_JOB_ARGV, &argc, &argv) == ESPANK_SUCCESS &&
           policy_asks_for_gpus(words, (size_t)n, argc);
}

const char *steps_left_alone(spank_t spank, const struct options *options)
{
    char **argv = NULL;
    int argc = 0;

    if (spank_get_item(spank, S_JOB_ARGV, &argc, &argv) != ESPANK_SUCCESS ||
        argc < 1 || !argv || !argv[0])
        return "srun does not say what it starts: nothing is done";
    if (policy_is_launcher(argv[0]))
        return "the daemons of mpirun are left alone: start the program by "
               "srun itself";
    if (has_components(spank))
        return "a step of several components is left alone";
    if (options->mode == OPTIONS_AUTO && !options->typed &&
        steps_has_gpus(spank))
        return "";
    return NULL;
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
        return error_set(err, MAPCORE_ENOENT, "srun names no program");
    *out = exe || strchr(name, '/') ? realpath(name, NULL) : search_path(name);
    if (!*out)
        return error_set(err, MAPCORE_ENOENT, "%s: %s", name, strerror(errno));
    return 0;
}
