/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rb.h - dual recursive bisection */
#ifndef MAPCORE_MAP_RB_H
#define MAPCORE_MAP_RB_H

#include "map/bisect.h"
#include "map/machine.h"
#include "map/mapper.h"

extern const struct mapper rb_mapper;

#endif
