/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checks.h - what topomap doctor looks at, one after another; each says what it
 * finds, also when it cannot look */
#ifndef TOOLS_CHECKS_H
#define TOOLS_CHECKS_H

#include "tools/doctor/doctor.h"
#include "tools/doctor/doctor_report.h"
#include "tools/doctor/installation.h"

/* Slurm's configuration, plugstack.conf, the plugin that it names, and whether
 * srun (NULL: that of PATH) loads it. Fills the installation. */
void check_plugin(struct doctor_report *report,
                  struct installation *installation,
                  const char *srun);
/* The topomap that the plugin runs, the one in PATH, and the recorders. */
void check_files(struct doctor_report *report,
                 const struct installation *installation);
/* The site file; the network as the planner sees it, and whether every node of
 * Slurm's has a place in it; a plan of the whole cluster within its time. */
void check_site(struct doctor_report *report,
                const struct installation *installation);
/* The user's own catalogue, and those of the site: who may write there, what
 * is broken, how much it is; and whether users can write to the site's log. */
void check_catalogues(struct doctor_report *report,
                      const struct installation *installation);
#endif
