/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* peers.c - which MPI started this process, and its module: topomap itself
 * is linked to none, so that it starts quickly, and where there is none */
#include "config.h"

#include "tools/mpi/peers.h"

#include "base/error_set.h"
#include "base/text.h"
#include "tools/common/installed.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {"mpich", "openmpi"};
enum { MPICH, OPENMPI };

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);

    return value && *value != '\0';
}

/* Tasks of this step, by Slurm; 1 where it says nothing. */
static uint64_t slurm_number(const char *variable, uint64_t otherwise)
{
    const char *value = getenv(variable);
    uint64_t number;

    return value && text_parse_u64(value, &number) ? number : otherwise;
}

/* The module of that MPI; empty where it was not built. */
static int find_module(struct buffer *out,
                       const char *name,
                       struct mapcore_error *err)
{
    char file[64];
    int error;

    snprintf(file, sizeof(file), "exchange-%s.so", name);
    error = installed_path(out, TOPOMAP_PROBEDIR, file, err);
    if (error == 0 && access(out->bytes, R_OK) != 0)
        buffer_clear(out);
    return error;
}

/* The names of MPIs to try, by what their launchers set: PMIx starts both. */
static int guess(const char *out[2])
{
    int first = MPICH;

    if (is_set("OMPI_COMM_WORLD_SIZE") || is_set("PMIX_NAMESPACE"))
        first = OPENMPI;
    else if (!is_set("PMI_FD") && !is_set("PMI_PORT") && !is_set("PMI_RANK"))
        return 0;
    out[0] = names[first];
    out[1] = names[1 - first];
    return 2;
}

/* *path: of the module to load, or empty: this process is alone. */
static int choose(struct buffer *path,
                  const char *which,
                  struct mapcore_error *err)
{
    const char *wanted[2] = {which};
    int n = which ? 1 : guess(wanted), error = 0;

    if (which && strchr(which, '/'))
        return buffer_printf(path, "%s", which);
    for (int i = 0; error == 0 && i < n && path->n == 0; i++)
        error = find_module(path, wanted[i], err);
    if (error == 0 && n > 0 && path->n == 0)
        return error_set(err, MAPCORE_ENOENT,
                         "topomap was built without this MPI%s%.100s: build "
                         "exchange_mpi.c, and name it by --mpi FILE",
                         which ? ", " : "", which ? which : "");
    return error;
}

static int load(const struct exchange_calls **out,
                const char *path,
                struct mapcore_error *err)
{
    /* Global: Open MPI's own modules look for its names. */
    void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    const struct exchange_calls *calls =
        module ? dlsym(module, EXCHANGE_SYMBOL) : NULL;

    if (!calls || calls->version != EXCHANGE_VERSION)
        return error_set(err, MAPCORE_ENOENT, "%.200s: %.200s", path,
                         module ? "no module of topomap, or of another version"
                                : dlerror());
    *out = calls;
    return 0;
}

int peers_begin(struct peers *out, const char *which, struct mapcore_error *err)
{
    uint64_t ntasks = slurm_number("SLURM_STEP_NUM_TASKS", 1);
    struct buffer path = {.err = err};
    int error = choose(&path, which, err);

    *out =
        (struct peers){.rank = (int)slurm_number("SLURM_PROCID", 0), .size = 1};
    if (error == 0 && path.n == 0 && ntasks > 1)
        error = error_set(err, MAPCORE_EINVAL,
                          "this step has %llu tasks, but no MPI has started "
                          "them: name one by --mpi of srun (srun --mpi=list)",
                          (unsigned long long)ntasks);
    if (error == 0 && path.n > 0)
        error = load(&out->calls, path.bytes, err);
    if (error == 0 && path.n > 0)
        out->calls->begin(&out->rank, &out->size);
    else if (error == 0)
        out->rank = 0;
    if (error == 0 && out->size == 1 && ntasks > 1 &&
        !is_set("OMPI_COMM_WORLD_SIZE") && !is_set("PMI_PORT")) {
        out->rank = (int)slurm_number("SLURM_PROCID", 0);
        error = error_set(err, MAPCORE_EINVAL,
                          "this step has %llu tasks, and for %.200s each is "
                          "alone: another MPI has started them (--mpi)",
                          (unsigned long long)ntasks, path.bytes);
    }
    buffer_clear(&path);
    return error;
}

void peers_end(const struct peers *peers)
{
    if (peers->calls)
        peers->calls->end();
}

void peers_gather(const struct peers *peers, void *all, const void *own, int n)
{
    if (peers->calls)
        peers->calls->gather(all, own, n);
    else
        memcpy(all, own, (size_t)n);
}

void peers_tell(const struct peers *peers, void *bytes, int n, int from)
{
    if (peers->calls)
        peers->calls->tell(bytes, n, from);
}
