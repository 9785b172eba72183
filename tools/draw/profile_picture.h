/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_picture.h - what a program did in MPI */
#ifndef TOOLS_DRAW_PROFILE_PICTURE_H
#define TOOLS_DRAW_PROFILE_PICTURE_H

#include "profiles/profile.h"
#include "tools/draw/matrix/traffic.h"
#include "tools/draw/svg/svg.h"

/* Writes the share of the run in MPI, seconds by type of call, the sizes of
 * messages and what each rank exchanged. folder: the profile's; traffic: bytes.
 * Where the file of messages is missing their sizes are left out. Errors: those
 * of traffic_read_sizes; ENOMEM. */
int profile_picture_write(struct svg *svg,
                          const struct profile *profile,
                          const char *folder,
                          const struct traffic *traffic,
                          struct mapcore_error *err);

#endif
