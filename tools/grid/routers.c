/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* routers.c - the routers of a 3-D torus, and the nodes at each that may be
 * used */
#include "config.h"

#include "tools/grid/routers.h"

#include "alloc/file/hosts_file.h"
#include "base/array.h"
#include "base/bucket.h"
#include "tools/inputs/inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct option_row routers_rows[] = {
    {OPTION_TAKES("topology", "SPEC", struct routers_source, topology),
     .required = true},
    {OPTION_TAKES("nodelist", "NODES", struct routers_source, nodelist)},
    {OPTION_TAKES("nodefile", "FILE", struct routers_source, nodefile)},
    {OPTION_NAMED("from-job", struct routers_source, from_job)},
    {OPTION_TAKES("exclude", "NODES", struct routers_source, exclude)},
    {.name = NULL},
};

bool routers_take_periodic(bool *periodic, uint32_t n, const char *text)
{
    bool commas = n > 1 && strlen(text) == 2 * (size_t)n - 1;

    if (!commas && strlen(text) != n)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        char digit = text[commas ? 2 * i : i];

        if ((digit != '0' && digit != '1') ||
            (commas && i + 1 < n && text[2 * i + 1] != ','))
            return false;
        periodic[i] = digit == '1';
    }
    return true;
}

int routers_check_options(const struct routers_source *source,
                          const char *command)
{
    if ((source->nodefile != NULL) + (source->nodelist != NULL) +
            (source->from_job ? 1 : 0) >
        1)
        return tool_usage(command, "only one of --nodelist, --nodefile and "
                                   "--from-job can say which nodes there are");
    return TOOL_OK;
}

static int find_all(uint32_t **host,
                    uint32_t *n,
                    const struct mapcore_topo *topo,
                    struct mapcore_error *err)
{
    *n = mapcore_topo_nhosts(topo);
    *host = array_alloc(*n, sizeof(**host), err);
    if (!*host)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < *n; h++)
        (*host)[h] = h;
    return 0;
}

static int find_listed(uint32_t **host,
                       uint32_t *n,
                       const struct mapcore_topo *topo,
                       const struct routers_source *source,
                       struct mapcore_error *err)
{
    const char *job = NULL;

    if (source->nodefile)
        return hosts_file_read(host, n, topo, source->nodefile, err);
    if (source->nodelist)
        return inputs_find_nodes(host, n, topo, source->nodelist, "--nodelist",
                                 err);
    if (!source->from_job)
        return find_all(host, n, topo, err);
    job = getenv("SLURM_JOB_NODELIST");
    if (!job || *job == '\0')
        return error_set(err, MAPCORE_ENOENT,
                         "--from-job: SLURM_JOB_NODELIST is not set: this is "
                         "no job");
    return inputs_find_nodes(host, n, topo, job, "SLURM_JOB_NODELIST", err);
}

static int take_shape(struct routers *out,
                      struct topo_shape *shape,
                      const char *spec)
{
    uint64_t routers = 1;

    topo_shape(shape, out->topo);
    if (shape->kind != TOPO_TORUS || shape->ndims != 3)
        return error_set(out->err, MAPCORE_EINVAL,
                         "%.200s is no torus or mesh of three dimensions: %s",
                         spec, mapcore_topo_describe(out->topo));
    for (int i = 0; i < 3; i++) {
        out->dims[i] = shape->dims[i];
        out->wraps[i] = shape->ring[i] != UINT32_MAX;
        out->ring[i] = out->wraps[i] ? shape->dims[i] : 0;
        out->capacity[i] =
            mapcore_topo_has_capacities(out->topo) ? shape->capacity[i] : 1;
        out->along[i] = shape->along[i];
        routers *= shape->dims[i];
    }
    if (routers > INT32_MAX)
        return error_set(out->err, MAPCORE_ERANGE, "more than %d routers",
                         INT32_MAX);
    out->nrouters = (uint32_t)routers;
    return 0;
}

/* Takes the hosts of drop out of out->host. */
static int leave_out(struct routers *out, const uint32_t *drop, uint32_t ndrop)
{
    bool *gone =
        array_alloc(mapcore_topo_nhosts(out->topo), sizeof(*gone), out->err);
    uint32_t n = 0;

    if (!gone)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < ndrop; i++)
        gone[drop[i]] = true;
    for (uint32_t i = 0; i < out->nnodes; i++)
        if (!gone[out->host[i]])
            out->host[n++] = out->host[i];
    out->nnodes = n;
    free(gone);
    if (n == 0)
        return error_set(out->err, MAPCORE_EINVAL,
                         "no node is left to be used");
    return 0;
}

/* Counting sort of the nodes by router. */
static int sort_nodes(struct routers *out, const struct topo_shape *shape)
{
    uint32_t *first =
        array_alloc((size_t)out->nrouters + 1, sizeof(*first), out->err);

    out->first = first;
    out->router = array_alloc(out->nnodes, sizeof(*out->router), out->err);
    out->node = array_alloc(out->nnodes, sizeof(*out->node), out->err);
    if (!first || !out->router || !out->node)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < out->nnodes; i++) {
        const uint32_t *x = shape->coordinates + (size_t)out->host[i] * 3;

        out->router[i] = x[0] + out->dims[0] * (x[1] + out->dims[1] * x[2]);
    }
    bucket_items(first, out->node, out->router, out->nnodes, out->nrouters);
    for (uint32_t r = 0; r < out->nrouters; r++)
        if (first[r + 1] - first[r] > out->most)
            out->most = first[r + 1] - first[r];
    return 0;
}

int routers_open(struct routers *out, const struct routers_source *source)
{
    struct routers made = {.err = out->err};
    struct topo_shape shape;
    uint32_t *drop = NULL, ndrop = 0;
    int error;

    if ((error = inputs_open_topology(&made.topo, source->topology, out->err)) <
            0 ||
        (error = take_shape(&made, &shape, source->topology)) < 0 ||
        (error = find_listed(&made.host, &made.nnodes, made.topo, source,
                             out->err)) < 0 ||
        (source->exclude && *source->exclude != '\0' &&
         (error = inputs_find_nodes(&drop, &ndrop, made.topo, source->exclude,
                                    "--exclude", out->err)) < 0) ||
        (error = leave_out(&made, drop, ndrop)) < 0 ||
        (error = sort_nodes(&made, &shape)) < 0)
        goto out;
    *out = made;
    made = (struct routers){0};
out:
    free(drop);
    routers_clear(&made);
    return error;
}

void routers_clear(struct routers *routers)
{
    free(routers->host);
    free(routers->router);
    free(routers->first);
    free(routers->node);
    mapcore_topo_destroy(routers->topo);
    *routers = (struct routers){0};
}

double routers_carry(const struct routers *routers, uint32_t axis, uint32_t n)
{
    uint32_t size = routers->dims[axis];
    double most = routers->capacity[axis];

    for (uint32_t start = 0; routers->along[axis] && n < size && start < size;
         start++) {
        double least = INFINITY;

        if (!routers->wraps[axis] && start + n > size)
            break;
        for (uint32_t k = 0; k + 1 < n; k++)
            least = fmin(least, routers->along[axis][(start + k) % size]);
        most = least < INFINITY ? fmax(most, least) : most;
    }
    return most;
}

void routers_place(uint32_t at[3],
                   const struct routers *routers,
                   uint32_t router)
{
    for (int i = 0; i < 3; i++) {
        at[i] = router % routers->dims[i];
        router /= routers->dims[i];
    }
}
