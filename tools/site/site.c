/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site.c - the site file: where catalogues are, how long a plan may take; the
 * network is read by network.c */
#include "config.h"

#include "tools/site/site.h"

#include "base/array.h"
#include "base/file_read.h"
#include "base/text.h"
#include "launch/defaults.h"
#include "plugin/options.h"
#include "tools/common/bounds.h"
#include "json/json_fields.h"

#include <errno.h>
#include <limits.h>
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
    SWITCH_MOST = 65536, /* bytes of which the first line is read */
};

#define FIELD(key, kind, member)                                               \
    JSON_FIELD(site_file, key, kind, member, JSON_OPTIONAL)
static const struct json_field fields[] = {
    FIELD("format", JSON_U64, format),
    FIELD("catalogues", JSON_ARRAY, catalogue_list),
    FIELD("catalogue_root", JSON_BORROWED, catalogue_root),
    FIELD("profile_umask", JSON_BORROWED, profile_umask),
    FIELD("catalogue_quota_mb", JSON_U64, catalogue_quota_mb),
    FIELD("time_s", JSON_DOUBLE, time_s),
    FIELD("time_auto_most_s", JSON_DOUBLE, time_auto_most_s),
    /* Of earlier site files; nothing is improved after a launch. */
    FIELD("improve_s", JSON_DOUBLE, improve_s),
    FIELD("topology_kept_s", JSON_DOUBLE, topology_kept_s),
    FIELD("networks_since", JSON_BORROWED, since_word),
    FIELD("plan_memory_mb", JSON_U64, plan_memory_mb),
    FIELD("learn_tasks", JSON_U64, learning.tasks),
    FIELD("learn_minutes", JSON_U64, learning.minutes),
    FIELD("learn_mpi_time", JSON_BOOL, learning.mpi_time),
    FIELD("catalogue_mb", JSON_U64, learning.catalogue_mb),
    FIELD("record_steps", JSON_U64, learning.record_steps),
    FIELD("record_nodes", JSON_U64, learning.record_nodes),
    FIELD("record_folder", JSON_BORROWED, learning.record_folder),
    FIELD("record_share", JSON_DOUBLE, learning.record_share),
    FIELD("record_from", JSON_BORROWED, learning.record_from),
    FIELD("record_until", JSON_BORROWED, learning.record_until),
    FIELD("plan_cache", JSON_BOOL, plan_cache),
    FIELD("default", JSON_BORROWED, by_default),
    FIELD("rules", JSON_ARRAY, rule_list),
    FIELD("disabled", JSON_BORROWED, disabled),
    FIELD("mpi", JSON_BORROWED, mpi),
    FIELD("log", JSON_BORROWED, log),
    FIELD("job_comment", JSON_BOOL, job_comment),
    FIELD("node", JSON_BORROWED, node),
    FIELD("nic_rate", JSON_DOUBLE, nic_rate),
    FIELD("memory_rate", JSON_DOUBLE, memory_rate),
    FIELD("traffic", JSON_DOUBLE, traffic),
    FIELD("routing", JSON_BORROWED, routing_word),
    FIELD("nic_message_s", JSON_DOUBLE, message.nic),
    FIELD("task_message_s", JSON_DOUBLE, message.task),
    FIELD("memory_latency_s", JSON_DOUBLE, message.memory_latency),
    FIELD("nic_latency_s", JSON_DOUBLE, message.nic_latency),
    FIELD("hop_latency_s", JSON_DOUBLE, message.hop_latency),
    FIELD("ports", JSON_ARRAY, ports),
    FIELD("topology", JSON_OBJECT, topology),
};

#define RULE(key, kind, member)                                                \
    JSON_FIELD(site_rule, key, kind, member, JSON_OPTIONAL)
/* The patterns first, in the order of enum site_rule_key. */
static const struct json_field rule_fields[] = {
    RULE("partition", JSON_BORROWED, pattern[SITE_PARTITION]),
    RULE("account", JSON_BORROWED, pattern[SITE_ACCOUNT]),
    RULE("user", JSON_BORROWED, pattern[SITE_USER]),
    RULE("program", JSON_BORROWED, pattern[SITE_PROGRAM]),
    RULE("default", JSON_BORROWED, by_default),
    RULE("time_s", JSON_DOUBLE, time_s),
    RULE("place", JSON_BOOL, place),
    RULE("record", JSON_BOOL, record),
};

static int read_catalogues(struct site_file *site)
{
    const struct json_node *array = &site->catalogue_list;
    size_t n = json_count(array);
    struct json_node item;
    int error;

    site->catalogues =
        array_alloc(n, sizeof(*site->catalogues), json_err(array));
    if (!site->catalogues)
        return MAPCORE_ENOMEM;
    error = json_read_items(site->catalogues, array, JSON_BORROWED, n);
    for (size_t i = 0; error == 0 && i < n; i++, site->ncatalogues++)
        if (site->catalogues[i][0] != '/' &&
            (error = json_at(&item, array, i)) == 0)
            return json_error(&item, MAPCORE_EPARSE,
                              "expected an absolute path");
    return error;
}

/* A message that takes more than a second was written in another unit. */
static const struct {
    const char *key, *unit;
    double most; /* 0: any */
    bool above_0;
} ranges[] = {
    {"time_s", "seconds", DEFAULTS_SECONDS_MOST, true},
    {"time_auto_most_s", "seconds", DEFAULTS_SECONDS_MOST, true},
    {"topology_kept_s", "seconds", SITE_TOPOLOGY_KEPT_MOST, false},
    {"plan_memory_mb", "MiB", BOUNDS_MEMORY_MB_MOST, true},
    {"learn_minutes", "minutes", LEARN_MINUTES_MOST, true},
    {"record_share", "a share", 1, false},
    {"nic_rate", "a number", 0, true},
    {"memory_rate", "a number", 0, true},
    {"traffic", "a share", 1, false},
    {"nic_message_s", "seconds", 1, false},
    {"task_message_s", "seconds", 1, false},
    {"memory_latency_s", "seconds", 1, false},
    {"nic_latency_s", "seconds", 1, false},
    {"hop_latency_s", "seconds", 1, false},
};

static int check_ranges(const struct json_node *root)
{
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        const char *unit = ranges[i].unit;
        const double most = ranges[i].most;
        struct json_node node;
        double value;
        int error;

        if (!json_has(root, ranges[i].key))
            continue;
        if ((error = json_get(&node, root, ranges[i].key)) < 0 ||
            (error = json_as_double(&value, &node)) < 0)
            return error;
        if ((ranges[i].above_0 ? value > 0 : value >= 0) &&
            (most <= 0 || value <= most))
            continue;
        if (most <= 0)
            return json_error(&node, MAPCORE_EPARSE, "expected %s above 0",
                              unit);
        return json_error(&node, MAPCORE_EPARSE,
                          ranges[i].above_0 ? "expected %s above 0, at most %g"
                                            : "expected %s from 0 to %g",
                          unit, most);
    }
    return 0;
}

/* What checks of other programs' words say. */
static int check_said(const struct json_node *object,
                      const char *key,
                      int error)
{
    struct json_node node;

    return error < 0 && json_get(&node, object, key) == 0
               ? json_error_in(&node, MAPCORE_EPARSE)
               : error;
}

static int check_default(const char *by_default, const struct json_node *object)
{
    return check_said(
        object, "default",
        by_default ? options_check_default(by_default, json_err(object)) : 0);
}

static const char *describe_pattern(const char *text)
{
    if (*text == '\0')
        return "an empty pattern, which matches nothing";
    while ((text = strpbrk(text, "\\["))) {
        const bool is_bracket = *text++ == '[';

        text += is_bracket && (*text == '!' || *text == '^');
        if (*text == '\0')
            return "no pattern: a [ or \\ at its end";
        /* As the first character inside, a ] does not end the bracket. */
        if (is_bracket && !(text = strchr(text + 1, ']')))
            return "no pattern: a [ without ]";
        text++;
    }
    return NULL;
}

/* What is wrong with a text of the file, said of its key; wrong NULL: nothing.
 */
static int check_text(const struct json_node *root,
                      const char *key,
                      const char *wrong)
{
    struct json_node node;

    if (!wrong || json_get(&node, root, key) < 0)
        return 0;
    return json_error(&node, MAPCORE_EPARSE, "%s", wrong);
}

static int check_date(double *out,
                      const char *text,
                      const struct json_node *root,
                      const char *key)
{
    return check_text(root, key,
                      text && !text_parse_date(out, text)
                          ? "expected a day or a minute in UTC, 2026-11-28 or "
                            "2026-11-28T14:30"
                          : NULL);
}

static int check_recording(struct site_learning *site,
                           const struct json_node *root)
{
    const char *folder = site->record_folder;
    int error =
        check_date(&site->from_s, site->record_from, root, "record_from");

    if (error < 0 || (error = check_date(&site->until_s, site->record_until,
                                         root, "record_until")) < 0)
        return error;
    if (site->until_s > 0 && site->until_s <= site->from_s)
        return check_text(root, "record_until",
                          "expected a time after record_from");
    return check_text(root, "record_folder",
                      folder && *folder != '/' ? "expected an absolute path"
                                               : NULL);
}

static int check_patterns(const struct site_rule *rule,
                          const struct json_node *object)
{
    int error = 0;

    for (int k = 0; error == 0 && k < SITE_RULE_KEYS; k++)
        if (rule->pattern[k])
            error = check_text(object, rule_fields[k].key,
                               describe_pattern(rule->pattern[k]));
    return error;
}

static int read_rules(struct site_file *site, const struct json_node *root)
{
    const size_t n = json_count(&site->rule_list);
    struct json_node node;
    int error = 0;

    if (!(site->rules = array_alloc(n, sizeof(*site->rules), json_err(root))))
        return MAPCORE_ENOMEM;
    for (; error == 0 && site->nrules < n; site->nrules++) {
        struct site_rule *rule = &site->rules[site->nrules];

        rule->place = rule->record = true;
        if ((error = json_at(&node, &site->rule_list, site->nrules)) < 0 ||
            (error = json_only_fields(&node, JSON_FIELDS(rule_fields))) < 0 ||
            (error = json_read_fields(rule, &node, JSON_FIELDS(rule_fields))) <
                0 ||
            (error = check_patterns(rule, &node)) < 0 ||
            (error = check_ranges(&node)) < 0)
            return error;
        error = check_default(rule->by_default, &node);
    }
    return error;
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

/* What is wrong with the word, or NULL. */
static const char *find_routing(struct site_file *site)
{
    static const char *const words[] = {"static", "ecmp", "adaptive", "ugal"};

    for (int i = 0; i < 4; i++)
        if (!site->routing_word || strcmp(site->routing_word, words[i]) == 0) {
            site->routing = (enum mapcore_routing)i;
            return NULL;
        }
    return "expected static, ecmp, adaptive or ugal";
}

/* Why that is no catalogue_root, or NULL. */
static const char *divide_root(struct site_file *site)
{
    const char *text = site->catalogue_root, *percent = text, *slash = text;

    while (percent && (percent = strchr(percent, '%')) && percent[1] == 'u')
        percent += 2;
    if (text && strstr(text, "%u"))
        slash = memrchr(text, '/', (size_t)(strstr(text, "%u") - text));
    site->catalogue_base = slash ? (size_t)(slash - text) : 0;
    if (!text || (*text == '/' && !percent && site->catalogue_base > 0 &&
                  text[strlen(text) - 1] != '/' && !strstr(text, "//") &&
                  !strstr(text, "/.") && text_is_line(text)))
        return NULL;
    return "expected the absolute path of a folder and, below it, one for each "
           "user, by %u: /lustre/topomap/%u";
}

/* Why that is no profile_umask, or NULL: the user's own bits are none of it. */
static const char *check_umask(const struct site_file *site)
{
    const char *text = site->profile_umask;

    return !text ||
                   (*text != '\0' && strspn(text, "01234567") == strlen(text) &&
                    strtoul(text, NULL, 8) <= 077)
               ? NULL
               : "expected what group and others may not, in octal: 027";
}

static int read_root(struct site_file *site)
{
    struct json_node root;
    int error;

    /* The format first: a later one may have keys that we do not know. */
    if ((error = json_root(&root, site->json)) < 0 ||
        (error = json_check_format(&root, 1)) < 0 ||
        (error = json_only_fields(&root, JSON_FIELDS(fields))) < 0 ||
        (error = json_read_fields(site, &root, JSON_FIELDS(fields))) < 0 ||
        (error = check_ranges(&root)) < 0 ||
        (error = check_default(site->by_default, &root)) < 0 ||
        (error = check_said(
             &root, "log",
             site->log ? site_check_log(site->log, json_err(&root)) : 0)) < 0 ||
        (error = check_text(&root, "routing", find_routing(site))) < 0 ||
        (error = check_text(&root, "catalogue_root", divide_root(site))) < 0 ||
        (error = check_text(&root, "profile_umask", check_umask(site))) < 0 ||
        (error = check_date(&site->networks_since, site->since_word, &root,
                            "networks_since")) < 0 ||
        (error = check_recording(&site->learning, &root)) < 0 ||
        (error = read_rules(site, &root)) < 0)
        return error;
    return site->catalogue_list.value ? read_catalogues(site) : 0;
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
    site->traffic = DEFAULTS_TRAFFIC;
    site->topology_kept_s = TOPOLOGY_KEPT_S;
    site->learning.minutes = LEARN_MINUTES;
    site->learning.record_share = 1;
    site->learning.catalogue_mb = LEARN_CATALOGUE_MB;
    if (path || access(TOPOMAP_SITEFILE, F_OK) == 0 ||
        (errno != ENOENT && errno != ENOTDIR)) {
        error = json_open(&site->json, path ? path : TOPOMAP_SITEFILE, err);
        if (error == 0) {
            site->path = json_name(site->json);
            error = read_root(site);
            json_report_to(site->json, NULL);
        }
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
    free(site->rules);
    json_close(site->json);
    free(site);
}

char *site_disabled(const struct site_file *site, const char *path)
{
    const char *file = path ? path : TOPOMAP_SITEFILE;
    const char *why = site ? site->disabled : NULL;
    struct buffer line = {0}, text = {0};
    char beside[PATH_MAX];

    snprintf(beside, sizeof(beside), "%.*s" OPTIONS_SWITCH_FILE,
             (int)(text_last_part(file) - file), file);
    if (access(beside, F_OK) == 0) {
        (void)file_read_all(&text, beside, FILE_REGULAR, SWITCH_MOST, NULL);
        why = text.n > 0 ? text.bytes : "";
    }
    if (why)
        buffer_printf(&line, OPTIONS_DISABLED "%s%.*s", *why ? ": " : "",
                      (int)strcspn(why, "\n"), why);
    buffer_clear(&text);
    return buffer_steal(&line);
}

int site_open_topology(struct mapcore_topo **out,
                       const struct site_file *site,
                       struct mapcore_error *err)
{
    *out = NULL;
    if (!site->topology.value)
        return 0;
    json_report_to(site->json, err);
    return network_open(out, &site->topology);
}

const char *site_topology_file(const struct site_file *site)
{
    const char *path = site->path;

    if (site->topology.value && json_has(&site->topology, "path"))
        (void)json_get_string(&path, &site->topology, "path");
    return path;
}

struct mapcore_host_rates site_rates(const struct site_file *site)
{
    return (struct mapcore_host_rates){.nic = site->nic_rate,
                                       .memory = site->memory_rate,
                                       .routing = site->routing,
                                       .message = site->message};
}

enum quantity_time site_rates_unit(const struct mapcore_host_rates *rates,
                                   const struct mapcore_topo *topo)
{
    if (mapcore_topo_has_capacities(topo) && mapcore_topo_nlinks(topo) > 0)
        return mapcore_topo_link_capacity(topo, 0) >= QUANTITY_RATE_LEAST
                   ? QUANTITY_SECONDS
                   : QUANTITY_BARE;
    return rates->nic == 1 || (rates->nic <= 0 && rates->memory <= 0)
               ? QUANTITY_BYTES
               : QUANTITY_BARE;
}

const char *site_rates_settle(struct mapcore_host_rates *rates,
                              const struct mapcore_topo *topo)
{
    struct mapcore_message_costs *costs = &rates->message;
    const double nic = rates->nic;
    const char *left_out = NULL;

    if (!mapcore_topo_has_capacities(topo) && nic >= QUANTITY_RATE_LEAST) {
        rates->nic = 1;
        rates->memory /= nic;
        *costs = (struct mapcore_message_costs){
            .nic = costs->nic * nic,
            .task = costs->task * nic,
            .memory_latency = costs->memory_latency * nic,
            .nic_latency = costs->nic_latency * nic,
            .hop_latency = costs->hop_latency * nic,
        };
        return NULL;
    }
    if (!mapcore_topo_has_capacities(topo) &&
        rates->memory >= QUANTITY_RATE_LEAST) {
        rates->memory = 0;
        left_out = "the rate of memory is left out: it needs capacities, or a "
                   "nic_rate, in bytes per second";
    }
    if (mapcore_message_costs_known(costs) &&
        site_rates_unit(rates, topo) != QUANTITY_SECONDS) {
        *costs = (struct mapcore_message_costs){.nic = 0};
        left_out = "latencies and seconds of messages are left out: they need "
                   "capacities in bytes per second, or, without capacities, "
                   "such a nic_rate";
    }
    return left_out;
}
