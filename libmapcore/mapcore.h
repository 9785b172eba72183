/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapcore.h - all of libmapcore: task graphs, networks, allocations, metrics,
 * flows, mappers, plans */
#ifndef MAPCORE_H
#define MAPCORE_H

#include "alloc/alloc.h"
#include "alloc/mapping.h"
#include "base/error.h"
#include "cart/adaptive.h"
#include "cart/blocks.h"
#include "cart/dims.h"
#include "cart/prism.h"
#include "graph/file/file.h"
#include "graph/graph.h"
#include "graph/phases.h"
#include "grid/find/grid_find.h"
#include "grid/grid.h"
#include "grid/grid_make.h"
#include "grid/predict/grid_scale.h"
#include "launch/facts.h"
#include "launch/plan.h"
#include "map/map.h"
#include "metric/estimate.h"
#include "metric/metric.h"
#include "metric/ports.h"
#include "metric/workload.h"
#include "play/play.h"
#include "topo/hwnode.h"
#include "topo/topo.h"

#endif
