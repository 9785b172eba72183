/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* step_name.c - JOB.STEP-CLUSTER, fit for the name of a file */
#include "config.h"

#include "launch/step_name.h"

#include <inttypes.h>
#include <stdbool.h>

#define CLUSTER_MOST 64

int step_name_add(struct buffer *out,
                  const struct step_name *name,
                  struct mapcore_error *err)
{
    const char *cluster = name->cluster ? name->cluster : "";
    int error = buffer_printf(out, err, "%" PRIu32 ".%" PRIu32 "%s", name->job,
                              name->step, *cluster ? "-" : "");

    for (size_t i = 0; error == 0 && i < CLUSTER_MOST && cluster[i]; i++) {
        const unsigned char c = (unsigned char)cluster[i];
        const bool is_plain = (c >= '0' && c <= '9') || c == '_' ||
                              ((c | 32) >= 'a' && (c | 32) <= 'z');

        error = buffer_printf(out, err, is_plain ? "%c" : "%%%02X", c);
    }
    return error;
}
