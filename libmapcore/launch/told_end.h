/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* told_end.h - what `topomap history --ended -` answers to srun */
#ifndef MAPCORE_LAUNCH_TOLD_END_H
#define MAPCORE_LAUNCH_TOLD_END_H

/* The step's files that it was told to remove are not there any more. */
#define TOLD_END_REMOVED "removed\n"

#endif
