/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_network.c - the network that slurmctld knows, for a launch: what it
 * has told before, as long as that is young and has the job's nodes in it; else
 * srun is asked, which asks slurmctld */
#include "config.h"

#include "tools/plan/planner/planner.h"

#include "base/buffer.h"
#include "launch/wire.h"
#include "profiles/catalogue/catalogue.h"
#include "tools/inputs/foreign.h"
#include "tools/plan/launch_facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was told before. */
struct before {
    char *lines; /* owned; NULL: nothing, or nothing for these nodes */
    double age_s;
    struct mapcore_topo *topo; /* NULL: Slurm has none */
};

/* What network-readers.py made of them is kept for the next launch. */
static int open_lines(struct mapcore_topo **out,
                      char **lines,
                      struct mapcore_error *err)
{
    int error = foreign_network_read(out, lines, "Slurm's topology", err);

    return error == MAPCORE_ENOTSUP ? 0 : error;
}

/* A node that has come since has to be asked for. */
static bool has_hosts(const struct mapcore_topo *topo,
                      const struct hosts *hosts)
{
    struct mapcore_error ignored;
    uint32_t host;

    for (size_t i = 0; topo && i < hosts->n; i++)
        if (mapcore_topo_find_host(&host, topo, hosts->name[i], &ignored) ==
            MAPCORE_ENOENT)
            return false;
    return true;
}

static void forget(struct before *before)
{
    mapcore_topo_destroy(before->topo);
    free(before->lines);
    *before = (struct before){.lines = NULL};
}

static void look_back(struct before *before,
                      struct planner *planner,
                      const char *of)
{
    struct plan_sources *sources = &planner->sources;
    struct mapcore_error ignored;

    if ((!sources->own_root &&
         catalogue_user_root(&sources->own_root, &ignored) < 0) ||
        network_cache_read(&before->lines, &before->age_s, sources->own_root,
                           of, &ignored) < 0)
        return;
    if (open_lines(&before->topo, &before->lines, &ignored) < 0 ||
        !has_hosts(before->topo, &planner->machine.hosts))
        forget(before);
}

/* *lines stays NULL where slurmctld does not answer. */
static int ask(char **lines, struct mapcore_error *err)
{
    struct buffer text = {0};
    int error = 0;

    if (fputs(FACTS_REQUEST, stdout) < 0 || fflush(stdout) != 0)
        return error_set(err, MAPCORE_EIO, "srun cannot be asked");
    error = launch_facts_read_lines(&text, err);
    if (error == 0)
        error = facts_parse_answer(lines, text.bytes ? text.bytes : "", text.n,
                                   err);
    buffer_clear(&text);
    return error;
}

static void describe_age(struct planner *planner, double age_s, const char *why)
{
    struct plan_machine *machine = &planner->machine;
    const double age = fabs(age_s);

    snprintf(machine->network_from, sizeof(machine->network_from),
             "Slurm's topology as of %.0f %s ago%s", age < 120 ? age : age / 60,
             age < 120 ? "s" : "min", why);
    machine->source = machine->network_from;
}

int planner_ask_network(struct planner *planner, struct mapcore_error *err)
{
    struct plan_machine *machine = &planner->machine;
    const double most = planner->sources.site->topology_kept_s;
    struct before before = {.lines = NULL};
    char of[NETWORK_CACHE_OF];
    bool is_known = network_cache_of(of);
    int error = 0;

    if (is_known)
        look_back(&before, planner, of);
    if (!before.lines || fabs(before.age_s) >= most)
        error = ask(&planner->facts->topology, err);
    if (error == 0 && planner->facts->topology) {
        error = open_lines(&machine->topo, &planner->facts->topology, err);
        machine->is_told_now = error == 0 && is_known && most > 0;
    } else if (error == 0 && before.lines) {
        machine->topo = before.topo;
        before.topo = NULL;
        describe_age(planner, before.age_s,
                     fabs(before.age_s) >= most ? ": slurmctld does not answer"
                                                : "");
    }
    forget(&before);
    return error;
}

void planner_keep_network(const struct planner *planner)
{
    char of[NETWORK_CACHE_OF];

    if (planner->machine.is_told_now && planner->sources.own_root &&
        network_cache_of(of))
        (void)network_cache_write(planner->sources.own_root, of,
                                  planner->facts->topology, NULL);
}
