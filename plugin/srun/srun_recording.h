/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* srun_recording.h - srun's side of a recording */
#ifndef PLUGIN_SRUN_RECORDING_H
#define PLUGIN_SRUN_RECORDING_H

#include "plugin/srun/srun_launch.h"

/* Makes sure that what the step will send can be filed, and tells its tasks of
 * the recorder; or says why nothing is recorded. */
void srun_recording_run(const struct launch *launch);

/* Has the tasks count how long they are in MPI, for the history. What speaks
 * against it is not said: nobody asked. */
void srun_recording_time(const struct launch *launch);

#endif
