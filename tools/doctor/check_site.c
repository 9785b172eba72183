/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* check_site.c - the site file, and the network that a launch would see */
#include "config.h"

#include "tools/doctor/checks.h"

#include "base/text.h"
#include "tools/common/subprocess.h"
#include "tools/doctor/cluster_plan.h"
#include "tools/doctor/shared_file.h"
#include "tools/doctor/trial.h"
#include "tools/site/site.h"

#include <inttypes.h>
#include <string.h>

/* Names of nodes that are shown, of those without a place. */
#define NAMES_MOST 6

#define DESCRIBE                                                               \
    "describe the network in the site file, topomap.json(5), or in "           \
    "topology.conf"

static void say_site_file(struct doctor_report *report,
                          const struct site_file *site)
{
    struct mapcore_error why;

    if (!site->path)
        doctor_say(report, VERDICT_OK, "site file", NULL,
                   "there is none (" TOPOMAP_SITEFILE
                   "): all is as by default");
    else if (shared_file_check_use(site->path, false, &why) < 0)
        doctor_say(report, VERDICT_WRONG, "site file",
                   "it is read as the user who runs srun: chmod a+rX", "%s",
                   why.text);
    else if (shared_file_check_trust(site->path, &why) < 0)
        doctor_say(report, VERDICT_WRONG, "site file",
                   "it says what every launch does: only root may change it",
                   "%s", why.text);
    else
        doctor_say(report, VERDICT_OK, "site file", NULL, "%s", site->path);
}

/* What `topomap topology check` prints: nodes without a place a line each, and
 * for each topology a line on all of its nodes. */
static void say_places(struct doctor_report *report, const char *text)
{
    static const char tail[] = " is not in the topology";
    struct buffer names = {0};
    struct mapcore_error why;
    unsigned missing = 0;

    for (size_t n; *text != '\0'; text += n + (text[n] != '\0')) {
        n = strcspn(text, "\n");
        if (n > sizeof(tail) - 1 && strncmp(text + n - (sizeof(tail) - 1), tail,
                                            sizeof(tail) - 1) == 0) {
            int length = (int)(n - (sizeof(tail) - 1));

            if (++missing <= NAMES_MOST)
                buffer_printf(&names, &why, "%s%.*s", missing > 1 ? " " : "",
                              length, text);
            continue;
        }
        doctor_say(report, missing > 0 ? VERDICT_WRONG : VERDICT_OK, "network",
                   missing > 0 ? "a job with one of them is not placed: add "
                                 "them to the description"
                               : NULL,
                   "%.*s%s%s%s", (int)n, text,
                   missing > 0 ? "\nwithout a place: " : "",
                   names.bytes ? names.bytes : "",
                   missing > NAMES_MOST ? " ..." : "");
        buffer_clear(&names);
        missing = 0;
    }
}

static void check_places(struct doctor_report *report,
                         const char *self,
                         const char *config,
                         bool is_described)
{
    struct process_output run;
    struct mapcore_error why;
    size_t n;

    if (trial_words(&run, 2 * CHILD_SECONDS, &why, self, "topology", "check",
                    config ? "--config" : NULL, config, NULL) < 0) {
        doctor_say(report, VERDICT_WRONG, "network", NULL, "%s", why.text);
        return;
    }
    if (run.said.n > 0) {
        const char *line = trial_last_line(&n, &run);

        doctor_say(report, is_described ? VERDICT_WRONG : VERDICT_WARNING,
                   "network",
                   DESCRIBE "; without it all nodes count as equally "
                            "far apart",
                   "%.*s", (int)n, line);
    } else if (run.out.bytes) {
        say_places(report, run.out.bytes);
    }
    process_output_clear(&run);
}

static void say_speeds(struct doctor_report *report,
                       const struct json_node *root,
                       struct mapcore_error *why)
{
    const char *topology;
    struct json_node speeds;
    uint64_t links;

    if (json_get_string(&topology, root, "topology", why) < 0 ||
        json_get_u64(&links, root, "nlinks", why) < 0 ||
        json_get_array(&speeds, root, "capacities", why) < 0)
        doctor_say(report, VERDICT_WRONG, "links", NULL, "%s", why->text);
    else if (json_count(&speeds) > 0)
        doctor_say(report, VERDICT_OK, "links", NULL,
                   "%" PRIu64 " links, of different capacities", links);
    else
        doctor_say(report, VERDICT_OK, "links", NULL,
                   "%" PRIu64 " links, which count as equally fast; where they "
                   "are not, topomap.json(5) takes capacities",
                   links);
}

static void check_speeds(struct doctor_report *report,
                         const char *self,
                         const char *config)
{
    struct process_output run;
    struct mapcore_error why;
    struct json *json = NULL;
    struct json_node root;

    if (trial_words(&run, 2 * CHILD_SECONDS, &why, self, "topology", "show",
                    "--json", config ? "--config" : NULL, config, NULL) < 0)
        return; /* check_places has said so */
    if (trial_is_good(&run)) {
        if (json_open_memory(&json, "topomap topology show", run.out.bytes,
                             run.out.n, &why) == 0 &&
            json_root(&root, json, &why) == 0)
            say_speeds(report, &root, &why);
        else
            doctor_say(report, VERDICT_WRONG, "links", NULL, "%s", why.text);
        json_close(json);
    }
    process_output_clear(&run);
}

/* A second and more before the search begins is lost to it. */
static void check_time(struct doctor_report *report,
                       const char *self,
                       const char *config)
{
    struct cluster_plan plan;
    struct mapcore_error why;

    if (cluster_plan_try(&plan, self, config, &why) < 0) {
        doctor_say(report, VERDICT_UNTRIED, "time", NULL,
                   "no plan of the whole cluster: %s", why.text);
        return;
    }
    doctor_say(report,
               plan.other_s > plan.budget_s / 2 ? VERDICT_WARNING : VERDICT_OK,
               "time",
               plan.other_s > plan.budget_s / 2
                   ? "give launches more, by time_s in the site file: it is "
                     "gone before the search begins"
                   : NULL,
               "%" PRIu32 " ranks on all %" PRIu32 " nodes of partition %s: "
               "%.3f s of search and %.3f s for all else, of the %.3g s that a "
               "plan may take",
               plan.ntasks, plan.nnodes, plan.partition, plan.search_s,
               plan.other_s, plan.budget_s);
}

/* What the lines below find is not what launches go by all the time. */
static void say_kept(struct doctor_report *report, const struct site_file *site)
{
    if (site->topology_kept_s > 0)
        doctor_say(report, VERDICT_OK, "network", NULL,
                   "a user's launches go by what slurmctld told one of them in "
                   "the last %.0f s (topology_kept_s)",
                   site->topology_kept_s);
    else
        doctor_say(report, VERDICT_OK, "network", NULL,
                   "each launch asks slurmctld (topology_kept_s)");
}

void check_site(struct doctor_report *report,
                const struct installation *installation)
{
    const char *config = installation->site_file;
    struct site_file *site = NULL;
    struct mapcore_error why;

    if (site_read(&site, config, &why) < 0) {
        doctor_say(report, VERDICT_WRONG, "site file",
                   "until then launches are as without topomap", "%s",
                   why.text);
        return;
    }
    say_site_file(report, site);
    if (!site->topology.value)
        say_kept(report, site);
    if (installation->answers) {
        check_places(report, installation->self, config,
                     site->topology.value != NULL);
        check_speeds(report, installation->self, config);
        check_time(report, installation->self, config);
    } else {
        doctor_say(report, VERDICT_UNTRIED, "network", NULL,
                   "which nodes there are, and how they are connected, Slurm "
                   "does not tell");
    }
    site_close(site);
}
