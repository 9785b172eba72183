/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rb.h - dual recursive bisection, alone and with exchange at every level */
#ifndef MAPCORE_MAP_RB_H
#define MAPCORE_MAP_RB_H

#include "map/mapper.h"

extern const struct mapper rb_mapper;
extern const struct mapper multilevel_mapper;

#endif
