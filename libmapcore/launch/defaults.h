/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* defaults.h - how long a plan may take where nobody says anything else */
#ifndef MAPCORE_LAUNCH_DEFAULTS_H
#define MAPCORE_LAUNCH_DEFAULTS_H

/* Seconds. One launch costs a user that at most, and a search within it was no
 * worse than longer ones for all but the largest jobs. */
#define DEFAULTS_SECONDS 2
/* More is not asked of a launch, whoever asks. */
#define DEFAULTS_SECONDS_MOST 3600

/* A number above, in a literal. */
#define DEFAULTS_TEXT(number)  DEFAULTS_TEXT_(number)
#define DEFAULTS_TEXT_(number) #number

#endif
