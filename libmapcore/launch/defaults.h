/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* defaults.h - how long a plan may take by default */
#ifndef MAPCORE_LAUNCH_DEFAULTS_H
#define MAPCORE_LAUNCH_DEFAULTS_H

/* Seconds. One launch costs a user that at most, and a search within it was no
 * worse than longer ones for all but the largest jobs. */
#define DEFAULTS_SECONDS 2
/* No user and no site may ask for more. */
#define DEFAULTS_SECONDS_MOST 3600

/* Its traffic counts as this share of the time under Slurm's own layout. Of
 * pairs of mappings of 35 drawn rows of contrib/simgrid 96.2% were in order
 * with that, 95.7 with nothing and with twice as much. */
#define DEFAULTS_TRAFFIC 0.1

/* time=auto takes a thousandth of the time that the job has left; where that is
 * not known as much as for three hours of it; never less than a plan may take
 * else, and at most these seconds, if the site sets no limit. */
#define DEFAULTS_AUTO_SHARE 1000
#define DEFAULTS_AUTO_HOURS 3
#define DEFAULTS_AUTO_MOST  30

/* That time, in seconds. left: of the job, in seconds; 0: not known. */
static inline double defaults_auto(double least, double most, double left)
{
    double seconds =
        (left > 0 ? left : DEFAULTS_AUTO_HOURS * 3600.0) / DEFAULTS_AUTO_SHARE;

    seconds = seconds < most ? seconds : most;
    return seconds > least ? seconds : least;
}

/* A number above, in a literal. */
#define DEFAULTS_TEXT(number)  DEFAULTS_TEXT_(number)
#define DEFAULTS_TEXT_(number) #number

#endif
