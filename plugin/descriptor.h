/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* descriptor.h - what an open descriptor is good for */
#ifndef PLUGIN_DESCRIPTOR_H
#define PLUGIN_DESCRIPTOR_H

#include <stdbool.h>

/* Whether text that is written to fd may reach somebody: it is open for
 * writing, and no socket that listens. */
bool descriptor_takes_text(int fd);

#endif
