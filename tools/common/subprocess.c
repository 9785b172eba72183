/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* subprocess.c - other commands, asked and not waited for for ever */
#include "config.h"

#include "tools/common/subprocess.h"

#include "base/error_set.h"
#include "base/process.h"

#define OUTPUT_MAX ((size_t)64 << 20)

int subprocess_read(char **out,
                    size_t *n,
                    const char *const *argv,
                    double seconds,
                    struct mapcore_error *err)
{
    const struct process process = {.words = argv, .in = -1};
    const struct process_listener listener = {.seconds = seconds,
                                              .most = OUTPUT_MAX};
    struct process_output output = {0};
    int error = process_listen(&output, &process, &listener, err);

    if (error == 0 && output.status != 0)
        error = error_set(err, MAPCORE_EIO, "%s fails", argv[0]);
    if (error == 0) {
        *n = output.out.n;
        *out = buffer_steal(&output.out);
    }
    process_output_clear(&output);
    return error;
}
