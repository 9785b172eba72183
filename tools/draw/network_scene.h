/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* network_scene.h - a network as a picture needs it */
#ifndef TOOLS_DRAW_NETWORK_SCENE_H
#define TOOLS_DRAW_NETWORK_SCENE_H

#include "topo/topo.h"
#include "json/json.h"

/* "network": its vertices and links, and how it is built
 * (tools/pictures/network.py says of what that consists). */
void network_scene_put(struct json_writer *writer,
                       const struct mapcore_topo *topo);

#endif
