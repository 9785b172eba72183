/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site.h - the site file, topomap.json(5) */
#ifndef TOOLS_SITE_H
#define TOOLS_SITE_H

#include "metric/estimate.h"
#include "topo/topo.h"

#include <stdbool.h>

/* What a site has written down, read and checked; format 1. */
struct site_file;

/* Reads path, or the default file (SYSCONFDIR/topomap/topomap.json) when path
 * is NULL, which may be missing: a site that says nothing. Errors: EIO,
 * EPARSE (file and key), EVERSION, ERANGE, ENOMEM. */
int site_read(struct site_file **out,
              const char *path,
              struct mapcore_error *err);
void site_close(struct site_file *site);

/* The file that was read, or NULL when there is none. */
const char *site_path(const struct site_file *site);
/* Catalogue roots in order, [*n], borrowed. */
const char *const *site_catalogues(const struct site_file *site, size_t *n);
/* Seconds that a plan may take, or 0 when not said. */
double site_time(const struct site_file *site);
/* Seconds that it may take at most by time=auto, or 0 when not said. */
double site_time_most(const struct site_file *site);
/* Seconds for which what slurmctld says of its network is used again; 0: not.
 */
#define SITE_TOPOLOGY_KEPT_MOST 86400
double site_topology_kept(const struct site_file *site);
/* MiB of memory that a plan of a launch may take, or 0 when not said. */
uint64_t site_memory(const struct site_file *site);
/* What --topomap=learn may record by itself. */
struct site_learning {
    uint64_t tasks;   /* of a run, at most; 0: any number */
    uint64_t minutes; /* of a run */
    bool mpi_time;    /* runs that are compared tell how long they are in MPI */
    uint64_t catalogue_mb; /* then the user's catalogue is full; 0: none is */
};
struct site_learning site_learning(const struct site_file *site);
/* Whether users' plans are kept and used again; true when not said. */
bool site_plan_cache(const struct site_file *site);
/* What is done when nobody asked, as plugstack.conf's default=; NULL when not
 * said. Borrowed. */
const char *site_default(const struct site_file *site);
/* Further MPI types under which ranks may move, comma separated; NULL when not
 * said. Borrowed. */
const char *site_mpi(const struct site_file *site);
/* Where steps are noted beside the users' own histories, "syslog" or an
 * absolute path; NULL when not said. Borrowed. */
const char *site_log(const struct site_file *site);
/* Whether that can be such a place. Errors: EINVAL. */
int site_check_log(const char *log, struct mapcore_error *err);
/* Whether steps are told in their job's comment; false when not said. */
bool site_job_comment(const struct site_file *site);
/* What every node is inside, a description or an absolute path; NULL when not
 * said. Borrowed. */
const char *site_node(const struct site_file *site);
/* What a node's network interface carries each way, and what its tasks can send
 * each other, in the unit of the capacities; 0 when not said. */
double site_nic_rate(const struct site_file *site);
double site_memory_rate(const struct site_file *site);
/* What messages take beside their bytes, in seconds; borrowed. */
const struct mapcore_message_costs *site_message_costs(
    const struct site_file *site);

/* The value of the key ports, for site_ports.h; false where it is not said. */
struct json_node;
bool site_ports_node(struct json_node *out, const struct site_file *site);

/* Whether the file describes one. */
bool site_has_topology(const struct site_file *site);
/* Makes the topology that the file describes; *out is NULL when it describes
 * none. Errors: as site_read's and mapcore_topo's. */
int site_open_topology(struct mapcore_topo **out,
                       const struct site_file *site,
                       struct mapcore_error *err);

#endif
