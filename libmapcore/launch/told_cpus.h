/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* told_cpus.h - which CPUs the tasks of a step had, as its nodes tell the
 * history: how slurmstepd and `topomap` see it */
#ifndef MAPCORE_LAUNCH_TOLD_CPUS_H
#define MAPCORE_LAUNCH_TOLD_CPUS_H

/* CATALOGUE/.history/nodes-NAME, launch/step_name.h's: `topomap` makes it where
 * the map of a step is kept, and slurmstepd makes none, so that nothing is left
 * where nobody looks. In it a file "node-N" of each node at the end of the
 * step, with a line a task: `RANK MASK`, the mask in hexadecimal digits behind
 * 0x, bits as Linux numbers CPUs. */
#define TOLD_CPUS_HISTORY ".history"
#define TOLD_CPUS_FOLDER  "nodes-"
#define TOLD_CPUS_NODES   TOLD_CPUS_HISTORY "/" TOLD_CPUS_FOLDER
#define TOLD_CPUS_FILE    "node-"
/* With its newline and its end; a longer one is not told: 1,200 CPUs. */
#define TOLD_CPUS_LINE 320

#endif
