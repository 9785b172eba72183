/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site.h - the site file, topomap.json(5) */
#ifndef TOOLS_SITE_H
#define TOOLS_SITE_H

#include "metric/estimate.h"
#include "tools/table/quantity.h"
#include "topo/topo.h"
#include "json/json.h"

#include <stdbool.h>

/* Seconds for which slurmctld's network may be used again. */
#define SITE_TOPOLOGY_KEPT_MOST 86400

/* What learn and observe may record by themselves. */
struct site_learning {
    uint64_t tasks;   /* of a run, at most; 0: any number */
    uint64_t minutes; /* of a run */
    bool mpi_time;    /* runs that are compared tell how long they are in MPI */
    uint64_t catalogue_mb; /* then the user's catalogue is full; 0: none is */
    /* At a time, of all that count in that folder, NULL: of each user; 0: any
     * number. */
    uint64_t record_steps, record_nodes;
    const char *record_folder;
    double record_share; /* of the steps; 1 when not said */
    const char *record_from, *record_until;
    double from_s, until_s; /* these, since 1970; 0: not said */
};

/* What a rule looks at. */
enum site_rule_key {
    SITE_PARTITION,
    SITE_ACCOUNT,
    SITE_USER,
    SITE_PROGRAM,
    SITE_RULE_KEYS,
};

/* What is so for some launches; not said is what the file says of all. */
struct site_rule {
    const char *pattern[SITE_RULE_KEYS]; /* fnmatch(3); NULL: any */
    const char *by_default;
    double time_s;
    bool place, record; /* whether that may be, for all users; else true */
};

/* What a site has written down, read and checked; format 1. Numbers that it
 * does not say are 0, texts NULL, unless noted; all is read only. */
struct site_file {
    const char *path;        /* that was read; NULL: there is none */
    const char **catalogues; /* [ncatalogues], roots in order */
    size_t ncatalogues;
    const char *catalogue_root;  /* of each user's own, with %u in it */
    size_t catalogue_base;       /* its first bytes: what the site has made */
    const char *profile_umask;   /* octal, of what is filed in catalogues */
    uint64_t catalogue_quota_mb; /* of all of these; 0: there is none */
    double time_s;               /* that a plan may take */
    double time_auto_most_s;     /* that it may take at most by time=auto */
    double topology_kept_s;  /* for which what slurmctld says of its network is
                                used again; 0: not */
    double networks_since;   /* what it said before that is not used; seconds
                                since 1970 */
    uint64_t plan_memory_mb; /* MiB that a plan of a launch may take */
    struct site_learning learning;
    bool plan_cache;  /* users' plans are used again; true when not said */
    bool job_comment; /* steps are noted in their job's comment */
    const char *by_default;  /* what is done by default, as
                                plugstack.conf's default= */
    struct site_rule *rules; /* [nrules], of which the first counts that is for
                                a launch: site_rules.h */
    size_t nrules;
    const char *disabled; /* no launch is placed or recorded, and why */
    const char *mpi;      /* further MPI types under which ranks may move, comma
                             separated */
    const char *log;  /* where steps are noted beside the users' own histories,
                         "syslog" or an absolute path */
    const char *node; /* what every node is inside, a description or an absolute
                         path */
    /* What a node's network interface carries each way, and what its tasks can
     * send each other, in the unit of the capacities. */
    double nic_rate, memory_rate;
    double traffic; /* DEFAULTS_TRAFFIC when not said */
    enum mapcore_routing routing;
    /* What messages take beside their bytes, in seconds. */
    struct mapcore_message_costs message;
    /* The values of these keys; value NULL: not said. */
    struct json_node catalogue_list, rule_list, ports, topology;

    struct json *json;
    uint64_t format;
    double improve_s;
    const char *routing_word, *since_word;
};

/* Reads path, or the default file (SYSCONFDIR/topomap/topomap.json) when path
 * is NULL, which may be missing: a site that says nothing. Errors: EIO,
 * EPARSE (file and key), EVERSION, ERANGE, ENOMEM. */
int site_read(struct site_file **out,
              const char *path,
              struct mapcore_error *err);
void site_close(struct site_file *site);

/* "this site has switched topomap off", with the sentence that the site file
 * has for it or the first line of a file OPTIONS_SWITCH_FILE beside it; or
 * NULL. Owned. site: of path; NULL when that cannot be read, which leaves the
 * other. */
char *site_disabled(const struct site_file *site, const char *path);

/* Whether that can be a log. Errors: EINVAL. */
int site_check_log(const char *log, struct mapcore_error *err);

/* Makes the topology that the file describes; *out is NULL when it describes
 * none. Errors: as site_read's and mapcore_topo's. */
int site_open_topology(struct mapcore_topo **out,
                       const struct site_file *site,
                       struct mapcore_error *err);

/* Which file has the network: the one that the site file names, or itself. */
const char *site_topology_file(const struct site_file *site);

/* As the site file says them. */
struct mapcore_host_rates site_rates(const struct site_file *site);

/* Brings stated rates to the unit of the network's capacities. Where it states
 * none, its links carry the nic rate if that is 1e6 or more, bytes per second,
 * and the unit of time is what a byte takes there: rates->nic is 1 then.
 * Seconds of messages need such a rate or such capacities. Returns what had to
 * be left out, for a line, or NULL. */
const char *site_rates_settle(struct mapcore_host_rates *rates,
                              const struct mapcore_topo *topo);

/* What times are then that follow from them. */
enum quantity_time site_rates_unit(const struct mapcore_host_rates *rates,
                                   const struct mapcore_topo *topo);

/* TOPOMAP_CATALOGUE (launch/catalogue_root.h) for this user as the site file
 * says it: "/lustre/topomap/./bob"; owned. NULL: it does not say it, or the
 * user has set that variable. */
char *site_root_word(const struct site_file *site);

/* Sets it in this process, for its children, too. config: that site file, NULL:
 * the default one; one that is bad says nothing. */
void site_root_export(const struct site_file *site);
void site_root_export_of(const char *config);

/* Whether root has counted more in all catalogues of that place than
 * catalogue_quota_mb, as tools/catalogue.py leaves it there, where `own` is one
 * of them. */
bool site_root_is_full(const struct site_file *site, const char *own);

/* The first rule of the site that is for a launch of this user's, in the
 * account of SLURM_JOB_ACCOUNT and a partition (NULL: SLURM_JOB_PARTITION), of
 * command[], up to a NULL, or NULL; what is not known is like no pattern. NULL:
 * none is. *why, owned: "rule 2 of FILE for user bob (b*)", "none of the 2
 * rules of FILE"; NULL: it has no rules. */
const struct site_rule *site_rules_decide(char **why,
                                          const struct site_file *site,
                                          const char *partition,
                                          const char *const *command);

/* What of the rules can match nothing, a line each with file, line and field;
 * owned, NULL: all is well. partitions: those of the cluster, separated by
 * commas; NULL: they are not known. */
char *site_rules_doubt(const struct site_file *site, const char *partitions);

/* Makes the topology of a `topology` object, topomap.json(5). Errors: EPARSE
 * with file and key, and those of mapcore_topo_open, partitions_open_topology.
 */
int network_open(struct mapcore_topo **out, const struct json_node *node);

/* The file that such an object names: a relative path starts in the folder of
 * the site file, for srun runs anywhere. Owned; NULL: it names none. */
char *network_file(const struct json_node *node);

#endif
