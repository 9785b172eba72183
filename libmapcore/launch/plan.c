/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan.c - a plan, and its wire form as `topomap plan` writes it */
#include "config.h"

#include "launch/plan.h"

#include "base/error_set.h"
#include "base/fnv.h"
#include "base/printable.h"
#include "launch/runs.h"
#include "launch/wire.h"

#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static const char *const decisions[] = {
    [MAPCORE_PLAN_BY_NOTHING] = "nothing",
    [MAPCORE_PLAN_BY_LINK_TIME] = "slowest-link",
    [MAPCORE_PLAN_BY_HOP_BYTES] = "hop-bytes",
    [MAPCORE_PLAN_BY_MAX_HOP_BYTES] = "maximum-hop-bytes",
    [MAPCORE_PLAN_BY_INSIDE] = "inside-hop-bytes",
    [MAPCORE_PLAN_BY_TIME] = "time",
};
static const char *const outcomes[] = {
    [MAPCORE_PLAN_FAILED] = "failed",
    [MAPCORE_PLAN_PLACED] = "placed",
    [MAPCORE_PLAN_UNCHANGED] = "unchanged",
    [MAPCORE_PLAN_UNRECORDED] = "unrecorded",
    [MAPCORE_PLAN_UNCONCERNED] = "unconcerned",
};
const char *mapcore_plan_outcome_name(enum mapcore_plan_outcome outcome)
{
    return (size_t)outcome < sizeof(outcomes) / sizeof(*outcomes)
               ? outcomes[outcome]
               : NULL;
}

const char *mapcore_plan_decision_name(enum mapcore_plan_decision decision)
{
    return (size_t)decision < sizeof(decisions) / sizeof(*decisions)
               ? decisions[decision]
               : NULL;
}

void mapcore_plan_destroy(struct mapcore_plan *plan)
{
    if (!plan)
        return;
    free(plan->reason);
    free(plan->tree);
    free(plan->found);
    free(plan->network);
    free(plan->host);
    free(plan->slot);
    free(plan);
}

/* One line whatever it was made of. */
static void write_text(FILE *file, const char *word, const char *text)
{
    fprintf(file, "%s ", word);
    printable_write(file, text ? text : "");
    fputc('\n', file);
}

static void write_numbers(FILE *file, const struct mapcore_plan *plan)
{
    fprintf(file, "ntasks %" PRIu32 "\nnhosts %" PRIu32 "\n", plan->ntasks,
            plan->nhosts);
    fprintf(file, "hops-per-byte %.17g %.17g\n", plan->hops_per_byte[0],
            plan->hops_per_byte[1]);
    fprintf(file, "off-node-bytes %" PRIu64 " %" PRIu64 "\n",
            plan->off_node_bytes[0], plan->off_node_bytes[1]);
    fprintf(file, "max-link-bytes %.17g %.17g\n", plan->max_link_bytes[0],
            plan->max_link_bytes[1]);
    fprintf(file, "decided-by %s %.17g %.17g\n", decisions[plan->decided_by],
            plan->decided[0], plan->decided[1]);
    fprintf(file, "milliseconds %.17g %.17g %.17g\n", plan->milliseconds[0],
            plan->milliseconds[1], plan->milliseconds[2]);
}

int mapcore_plan_format(char **out,
                        const struct mapcore_plan *plan,
                        struct mapcore_error *err)
{
    char *hosts = NULL, *slots = NULL, *text = NULL;
    size_t n = 0;
    FILE *file = NULL;
    locale_t c_locale = (locale_t)0, previous = (locale_t)0;
    int error = MAPCORE_OK;

    if (plan->outcome == MAPCORE_PLAN_PLACED) {
        error = runs_format(&hosts, plan->host, plan->ntasks, err);
        if (error == 0)
            error = runs_format(&slots, plan->slot, plan->ntasks, err);
        if (error < 0)
            goto out;
    }
    c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    file = open_memstream(&text, &n);
    if (c_locale == (locale_t)0 || !file) {
        error = error_set(err, MAPCORE_ENOMEM, "no memory for a plan");
        goto out;
    }
    previous = uselocale(c_locale);
    fprintf(file, "topomap-plan %d\noutcome %s", PLAN_VERSION,
            outcomes[plan->outcome]);
    if (plan->record_s > 0)
        fprintf(file, " record %" PRIu32, plan->record_s);
    else if (plan->times_mpi)
        fputs(" time", file);
    fputc('\n', file);
    write_text(file, "reason", plan->reason);
    if (plan->tree)
        write_text(file, "tree", plan->tree);
    if (plan->found)
        write_text(file, "found", plan->found);
    if (plan->network)
        write_text(file, "network", plan->network);
    write_numbers(file, plan);
    if (plan->outcome == MAPCORE_PLAN_PLACED)
        fprintf(file, "hosts %s\nslots %s\n", hosts, slots);
    uselocale(previous);
    if (fflush(file) == 0)
        fprintf(file, PLAN_END_WORD "%016" PRIx64 "\n", fnv1a(text, n));
    if (fclose(file) != 0) {
        error = error_set(err, MAPCORE_ENOMEM, "no memory for a plan");
        file = NULL;
        goto out;
    }
    file = NULL;
    *out = text;
    text = NULL;
out:
    if (file)
        fclose(file);
    if (c_locale != (locale_t)0)
        freelocale(c_locale);
    free(text);
    free(hosts);
    free(slots);
    return error;
}
