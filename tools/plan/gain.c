/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gain.c - whether ranks are worth moving */
#include "config.h"

#include "tools/plan/gain.h"

#include "topo/shape.h"

#include <string.h>

static bool is_less(struct gain *gain,
                    enum mapcore_plan_decision by,
                    double before,
                    double after,
                    double least)
{
    if (!(before > 0) || after > before * (1 - least))
        return false;
    gain->by = by;
    gain->before = before;
    gain->after = after;
    return true;
}

bool gain_is_longer(double time, double than)
{
    return time > than * (1 + 1e-9);
}

struct gain gain_find(const struct mapcore_result *result,
                      enum mapcore_choice choice,
                      const double estimate[2])
{
    const struct mapcore_metrics *before = &result->baseline;
    const struct mapcore_metrics *after = &result->metrics;
    struct gain gain = {.by = MAPCORE_PLAN_BY_NOTHING,
                        .before = before->max_link_time,
                        .after = after->max_link_time};

    if (after->max_link_time > before->max_link_time ||
        gain_is_longer(estimate[1], estimate[0])) {
        gain.is_slower = true;
        return gain;
    }
    if (is_less(&gain, MAPCORE_PLAN_BY_LINK_TIME, before->max_link_time,
                after->max_link_time, GAIN_LEAST) ||
        after->avg_hop_bytes > before->avg_hop_bytes ||
        is_less(&gain, MAPCORE_PLAN_BY_HOP_BYTES, before->avg_hop_bytes,
                after->avg_hop_bytes, GAIN_LEAST) ||
        (choice == MAPCORE_CHOOSE_PARETO &&
         is_less(&gain, MAPCORE_PLAN_BY_MAX_HOP_BYTES, before->max_hop_bytes,
                 after->max_hop_bytes, GAIN_LEAST)))
        return gain;
    is_less(&gain, MAPCORE_PLAN_BY_INSIDE,
            result->baseline_inside.avg_inside_hop_bytes,
            result->inside.avg_inside_hop_bytes, GAIN_LEAST);
    return gain;
}

double gain_least_on(const struct mapcore_topo *topo,
                     enum mapcore_routing routing,
                     bool is_latent)
{
    static const double tree = 0.15, latent_tree = 0.3, spread = 0.1;
    struct topo_shape shape;

    topo_shape(&shape, topo);
    return (shape.kind == TOPO_TREE || shape.kind == TOPO_LAYERS) &&
                   mapcore_topo_diameter(topo) > 2
               ? (is_latent ? latent_tree : tree)
           : routing != MAPCORE_ROUTING_STATIC ? spread
                                               : GAIN_LEAST;
}

struct gain gain_find_by_time(const struct mapcore_result *result,
                              const double estimate[2],
                              double least)
{
    struct gain gain = {.by = MAPCORE_PLAN_BY_NOTHING,
                        .before = estimate[0],
                        .after = estimate[1]};

    gain.is_slower = gain_is_longer(estimate[1], estimate[0]);
    if (!gain.is_slower &&
        !is_less(&gain, MAPCORE_PLAN_BY_TIME, estimate[0], estimate[1], least))
        is_less(&gain, MAPCORE_PLAN_BY_INSIDE,
                result->baseline_inside.avg_inside_hop_bytes,
                result->inside.avg_inside_hop_bytes, GAIN_LEAST);
    return gain;
}

/* pmix_v4 is pmix. Others may be a site's own, of which nothing is known. */
static bool tells_ranks(const char *type)
{
    static const char version[] = "pmix_v";
    const size_t n = strlen(version);

    return strcmp(type, "pmi2") == 0 || strcmp(type, "pmix") == 0 ||
           (strncmp(type, version, n) == 0 &&
            type[n + strspn(type + n, "0123456789")] == '\0');
}

bool mpi_type_is_lost(const char *recorded, const char *now)
{
    /* openmpi is an old name of none. */
    return recorded && now && tells_ranks(recorded) &&
           (strcmp(now, "") == 0 || strcmp(now, "none") == 0 ||
            strcmp(now, "openmpi") == 0);
}
