/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* step_files.h - the files by which nodes report a step: how srun, slurmstepd
 * and `topomap` see them */
#ifndef MAPCORE_LAUNCH_STEP_FILES_H
#define MAPCORE_LAUNCH_STEP_FILES_H

/* CATALOGUE/.history/nodes-NAME, launch/plain_name.h's: `topomap` makes it
 * where the map of a step is kept, and slurmstepd makes none, so that no
 * file is left where none is read. In it a file "node-N" of each node at the
 * end of the step, with a line a task: `RANK MASK`, the mask in hexadecimal
 * digits behind 0x, bits as Linux numbers CPUs. */
#define STEP_CPUS_HISTORY ".history"
#define STEP_CPUS_FOLDER  "nodes-"
#define STEP_CPUS_NODES   STEP_CPUS_HISTORY "/" STEP_CPUS_FOLDER
#define STEP_CPUS_FILE    "node-"
/* With its newline and its end; a longer one is left out: 1,200 CPUs. */
#define STEP_CPUS_LINE 320

/* CATALOGUE/.cache (profiles/cache.h) is made by `topomap`, which asks. In it
 * slurmstepd writes, as the user and when the step has ended, node-NAME of the
 * node of that name and, with the same in it, node-kind:KIND of those that are
 * taken for alike:
 *   topomap-node 1
 *   node NAME
 *   levels LEVELS   (hwloc's words, "Package:2 L3Cache:4 Core:8 PU:2", or
 *                    NODE_UNKNOWN where it has none for that node) */
#define CACHE_FOLDER ".cache"
#define NODE_FILE    "node-"
#define NODE_KIND    "kind:"
#define NODE_HEAD    "topomap-node 1\n"
#define NODE_UNKNOWN "-"

/* Of a file, and of a KIND or NAME, which are plain names. */
enum {
    NODE_FILE_MOST = 512,
    NODE_NAME = 80,
};

/* What a plan says of it (launch/plan.h): the first node reports it; or each
 * node that differs, and no task is bound by a tree that its node does not
 * have. KIND is NODE_UNKNOWN where it is not known. */
#define NODE_ASK   "ask "   /* KIND */
#define NODE_CHECK "check " /* KIND LEVELS */

#endif
