/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site.c - the site file: where catalogues are, how long a plan may take; the
 * network is read by network.c */
#include "config.h"

#include "tools/site/site.h"

#include "base/array.h"
#include "launch/defaults.h"
#include "plugin/options.h"
#include "tools/common/bounds.h"
#include "tools/site/network.h"
#include "json/json_fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where the site does not say it: what a main loop shows in ten minutes it does
 * not show in an hour; a profile of 16,384 tasks is some ten megabytes. */
enum {
    TOPOLOGY_KEPT_S = 600,
    LEARN_MINUTES = 10,
    LEARN_MINUTES_MOST = 10000,
    LEARN_CATALOGUE_MB = 1024,
};

struct site_file {
    struct json *json; /* NULL when there is no file */
    uint64_t format;
    struct json_node catalogue_list;
    const char **catalogues;
    size_t ncatalogues;
    double time_s, time_auto_most_s, improve_s, topology_kept_s, nic_rate,
        memory_rate;
    struct mapcore_message_costs message;
    uint64_t plan_memory_mb, learn_tasks, learn_minutes, catalogue_mb;
    bool plan_cache, job_comment, learn_mpi_time;
    const char *node, *by_default, *mpi, *log;
    struct json_node ports;    /* the same */
    struct json_node topology; /* without a value when there is none */
};

#define FIELD(key, kind, member, need)                                         \
    {                                                                          \
        key, kind, offsetof(struct site_file, member), need                    \
    }

static const struct json_field fields[] = {
    FIELD("format", JSON_U64, format, JSON_NEEDED),
    FIELD("catalogues", JSON_ARRAY, catalogue_list, JSON_OPTIONAL),
    FIELD("time_s", JSON_DOUBLE, time_s, JSON_OPTIONAL),
    FIELD("time_auto_most_s", JSON_DOUBLE, time_auto_most_s, JSON_OPTIONAL),
    /* Of earlier site files; nothing is improved after a launch. */
    FIELD("improve_s", JSON_DOUBLE, improve_s, JSON_OPTIONAL),
    FIELD("topology_kept_s", JSON_DOUBLE, topology_kept_s, JSON_OPTIONAL),
    FIELD("plan_memory_mb", JSON_U64, plan_memory_mb, JSON_OPTIONAL),
    FIELD("learn_tasks", JSON_U64, learn_tasks, JSON_OPTIONAL),
    FIELD("learn_minutes", JSON_U64, learn_minutes, JSON_OPTIONAL),
    FIELD("learn_mpi_time", JSON_BOOL, learn_mpi_time, JSON_OPTIONAL),
    FIELD("catalogue_mb", JSON_U64, catalogue_mb, JSON_OPTIONAL),
    FIELD("plan_cache", JSON_BOOL, plan_cache, JSON_OPTIONAL),
    FIELD("default", JSON_BORROWED, by_default, JSON_OPTIONAL),
    FIELD("mpi", JSON_BORROWED, mpi, JSON_OPTIONAL),
    FIELD("log", JSON_BORROWED, log, JSON_OPTIONAL),
    FIELD("job_comment", JSON_BOOL, job_comment, JSON_OPTIONAL),
    FIELD("node", JSON_BORROWED, node, JSON_OPTIONAL),
    FIELD("nic_rate", JSON_DOUBLE, nic_rate, JSON_OPTIONAL),
    FIELD("memory_rate", JSON_DOUBLE, memory_rate, JSON_OPTIONAL),
    FIELD("nic_message_s", JSON_DOUBLE, message.nic, JSON_OPTIONAL),
    FIELD("task_message_s", JSON_DOUBLE, message.task, JSON_OPTIONAL),
    FIELD("memory_latency_s",
          JSON_DOUBLE,
          message.memory_latency,
          JSON_OPTIONAL),
    FIELD("nic_latency_s", JSON_DOUBLE, message.nic_latency, JSON_OPTIONAL),
    FIELD("hop_latency_s", JSON_DOUBLE, message.hop_latency, JSON_OPTIONAL),
    FIELD("ports", JSON_ARRAY, ports, JSON_OPTIONAL),
    FIELD("topology", JSON_OBJECT, topology, JSON_OPTIONAL),
};
#define NFIELDS (sizeof(fields) / sizeof(fields[0]))

static int read_catalogues(struct site_file *site, struct mapcore_error *err)
{
    const struct json_node *array = &site->catalogue_list;
    size_t n = json_count(array);
    struct json_node item;
    int error;

    site->catalogues = array_alloc(n, sizeof(*site->catalogues), err);
    if (!site->catalogues)
        return MAPCORE_ENOMEM;
    error = json_read_items(site->catalogues, array, JSON_BORROWED, n, err);
    for (size_t i = 0; error == 0 && i < n; i++, site->ncatalogues++)
        if (site->catalogues[i][0] != '/' &&
            (error = json_at(&item, array, i, err)) == 0)
            return json_error(&item, err, MAPCORE_EPARSE,
                              "expected an absolute path");
    return error;
}

static int check_time(const struct site_file *site,
                      const struct json_node *root,
                      struct mapcore_error *err)
{
    if (!json_has(root, "time_s") ||
        (site->time_s > 0 && site->time_s <= DEFAULTS_SECONDS_MOST))
        return 0;
    return json_error(root, err, MAPCORE_EPARSE,
                      "time_s: expected seconds above 0, at most %d",
                      DEFAULTS_SECONDS_MOST);
}

static int check_auto_time(const struct site_file *site,
                           const struct json_node *root,
                           struct mapcore_error *err)
{
    if (!json_has(root, "time_auto_most_s") ||
        (site->time_auto_most_s > 0 &&
         site->time_auto_most_s <= DEFAULTS_SECONDS_MOST))
        return 0;
    return json_error(root, err, MAPCORE_EPARSE,
                      "time_auto_most_s: expected seconds above 0, at most %d",
                      DEFAULTS_SECONDS_MOST);
}

static int check_topology_kept(const struct site_file *site,
                               const struct json_node *root,
                               struct mapcore_error *err)
{
    if (site->topology_kept_s >= 0 &&
        site->topology_kept_s <= SITE_TOPOLOGY_KEPT_MOST)
        return 0;
    return json_error(root, err, MAPCORE_EPARSE,
                      "topology_kept_s: expected seconds from 0 to %d",
                      SITE_TOPOLOGY_KEPT_MOST);
}

static int check_memory(const struct site_file *site,
                        const struct json_node *root,
                        struct mapcore_error *err)
{
    if (!json_has(root, "plan_memory_mb") ||
        (site->plan_memory_mb > 0 &&
         site->plan_memory_mb <= BOUNDS_MEMORY_MB_MOST))
        return 0;
    return json_error(root, err, MAPCORE_EPARSE,
                      "plan_memory_mb: expected MiB above 0, at most %d",
                      BOUNDS_MEMORY_MB_MOST);
}

static int check_learning(const struct site_file *site,
                          const struct json_node *root,
                          struct mapcore_error *err)
{
    if (site->learn_minutes > 0 && site->learn_minutes <= LEARN_MINUTES_MOST)
        return 0;
    return json_error(root, err, MAPCORE_EPARSE,
                      "learn_minutes: expected minutes above 0, at most %d",
                      LEARN_MINUTES_MOST);
}

static int check_rates(const struct site_file *site,
                       const struct json_node *root,
                       struct mapcore_error *err)
{
    if (json_has(root, "nic_rate") && !(site->nic_rate > 0))
        return json_error(root, err, MAPCORE_EPARSE,
                          "nic_rate: expected a number above 0");
    if (json_has(root, "memory_rate") && !(site->memory_rate > 0))
        return json_error(root, err, MAPCORE_EPARSE,
                          "memory_rate: expected a number above 0");
    return 0;
}

/* More than a second is another unit. */
static int check_messages(const struct site_file *site,
                          const struct json_node *root,
                          struct mapcore_error *err)
{
    const struct {
        const char *key;
        double seconds;
    } all[] = {{"nic_message_s", site->message.nic},
               {"task_message_s", site->message.task},
               {"memory_latency_s", site->message.memory_latency},
               {"nic_latency_s", site->message.nic_latency},
               {"hop_latency_s", site->message.hop_latency}};

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct json_node node;
        int error;

        if (all[i].seconds >= 0 && all[i].seconds <= 1)
            continue;
        error = json_get(&node, root, all[i].key, err);
        return error < 0 ? error
                         : json_error(&node, err, MAPCORE_EPARSE,
                                      "expected seconds from 0 to 1");
    }
    return 0;
}

static int check_default(const struct site_file *site,
                         const struct json_node *root,
                         struct mapcore_error *err)
{
    struct mapcore_error why;

    return !site->by_default ||
                   options_check_default(site->by_default, &why) == 0
               ? 0
               : json_error(root, err, MAPCORE_EPARSE, "default: %s", why.text);
}

int site_check_log(const char *log, struct mapcore_error *err)
{
    return log[0] == '/' || strcmp(log, "syslog") == 0
               ? 0
               : error_set(err, MAPCORE_EINVAL,
                           "expected syslog or the absolute path of a folder, "
                           "not '%.80s'",
                           log);
}

static int check_log(const struct site_file *site,
                     const struct json_node *root,
                     struct mapcore_error *err)
{
    struct mapcore_error why;

    return !site->log || site_check_log(site->log, &why) == 0
               ? 0
               : json_error(root, err, MAPCORE_EPARSE, "log: %s", why.text);
}

static int read_root(struct site_file *site, struct mapcore_error *err)
{
    struct json_node root;
    int error;

    /* The format first: a later one may have keys that we do not know. */
    if ((error = json_root(&root, site->json, err)) < 0 ||
        (error = json_get_u64(&site->format, &root, "format", err)) < 0)
        return error;
    if (site->format != 1)
        return error_set(err, MAPCORE_EVERSION,
                         "%s: format %llu, and this program knows format 1",
                         json_name(site->json),
                         (unsigned long long)site->format);
    if ((error = json_only_fields(&root, fields, NFIELDS, err)) < 0 ||
        (error = json_read_fields(site, &root, fields, NFIELDS, err)) < 0 ||
        (error = check_time(site, &root, err)) < 0 ||
        (error = check_auto_time(site, &root, err)) < 0 ||
        (error = check_topology_kept(site, &root, err)) < 0 ||
        (error = check_default(site, &root, err)) < 0 ||
        (error = check_log(site, &root, err)) < 0 ||
        (error = check_learning(site, &root, err)) < 0 ||
        (error = check_memory(site, &root, err)) < 0 ||
        (error = check_rates(site, &root, err)) < 0 ||
        (error = check_messages(site, &root, err)) < 0)
        return error;
    return site->catalogue_list.value ? read_catalogues(site, err) : 0;
}

int site_read(struct site_file **out,
              const char *path,
              struct mapcore_error *err)
{
    struct site_file *site = array_alloc(1, sizeof(*site), err);
    int error = 0;

    if (!site)
        return MAPCORE_ENOMEM;
    site->plan_cache = true;
    site->topology_kept_s = TOPOLOGY_KEPT_S;
    site->learn_minutes = LEARN_MINUTES;
    site->catalogue_mb = LEARN_CATALOGUE_MB;
    if (path || access(TOPOMAP_SITEFILE, F_OK) == 0 ||
        (errno != ENOENT && errno != ENOTDIR)) {
        error = json_open(&site->json, path ? path : TOPOMAP_SITEFILE, err);
        if (error == 0)
            error = read_root(site, err);
    }
    if (error < 0) {
        site_close(site);
        return error;
    }
    *out = site;
    return 0;
}

void site_close(struct site_file *site)
{
    if (!site)
        return;
    free(site->catalogues);
    json_close(site->json);
    free(site);
}

const char *site_path(const struct site_file *site)
{
    return site->json ? json_name(site->json) : NULL;
}

const char *const *site_catalogues(const struct site_file *site, size_t *n)
{
    *n = site->ncatalogues;
    return site->catalogues;
}

double site_time(const struct site_file *site)
{
    return site->time_s;
}

double site_time_most(const struct site_file *site)
{
    return site->time_auto_most_s;
}

double site_topology_kept(const struct site_file *site)
{
    return site->topology_kept_s;
}

uint64_t site_memory(const struct site_file *site)
{
    return site->plan_memory_mb;
}

struct site_learning site_learning(const struct site_file *site)
{
    return (struct site_learning){.tasks = site->learn_tasks,
                                  .minutes = site->learn_minutes,
                                  .mpi_time = site->learn_mpi_time,
                                  .catalogue_mb = site->catalogue_mb};
}

bool site_plan_cache(const struct site_file *site)
{
    return site->plan_cache;
}

const char *site_default(const struct site_file *site)
{
    return site->by_default;
}

const char *site_mpi(const struct site_file *site)
{
    return site->mpi;
}

const char *site_log(const struct site_file *site)
{
    return site->log;
}

bool site_job_comment(const struct site_file *site)
{
    return site->job_comment;
}

const char *site_node(const struct site_file *site)
{
    return site->node;
}

double site_nic_rate(const struct site_file *site)
{
    return site->nic_rate;
}

const struct mapcore_message_costs *site_message_costs(
    const struct site_file *site)
{
    return &site->message;
}

double site_memory_rate(const struct site_file *site)
{
    return site->memory_rate;
}

bool site_ports_node(struct json_node *out, const struct site_file *site)
{
    *out = site->ports;
    return site->ports.value != NULL;
}

bool site_has_topology(const struct site_file *site)
{
    return site->topology.value != NULL;
}

int site_open_topology(struct mapcore_topo **out,
                       const struct site_file *site,
                       struct mapcore_error *err)
{
    *out = NULL;
    return site->topology.value ? network_open(out, &site->topology, err) : 0;
}
