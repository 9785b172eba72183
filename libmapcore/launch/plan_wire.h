/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_wire.h - what writer and reader of a plan's wire form share */
#ifndef MAPCORE_LAUNCH_PLAN_WIRE_H
#define MAPCORE_LAUNCH_PLAN_WIRE_H

#define PLAN_VERSION       2
#define PLAN_FIRST_VERSION 1 /* which is read, too */
#define PLAN_END_WORD      "end "
/* "end ", 16 hexadecimal digits, newline */
#define PLAN_END_LENGTH 21
/* Of the lines `found` and `network`. */
#define PLAN_FOUND_MOST   320
#define PLAN_NETWORK_MOST 1024

#endif
