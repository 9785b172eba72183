/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* draw_output.c - pictures are made in memory: a pipe takes nothing back */
#include "config.h"

#include "tools/draw/draw_output.h"

#include "tools/common/tool.h"

#include <stdlib.h>

/* *out is the caller's, whatever is returned. */
static int fill_memory(char **out,
                       size_t *n,
                       draw_fill *fill,
                       void *arg,
                       struct mapcore_error *err)
{
    FILE *file = open_memstream(out, n);
    bool broken;
    int error;

    if (!file)
        return error_set(err, MAPCORE_ENOMEM, "out of memory");
    error = fill(file, arg, err);
    broken = ferror(file) != 0;
    if ((fclose(file) != 0 || broken) && error == 0)
        error = error_set(err, MAPCORE_ENOMEM, "out of memory");
    return error;
}

int draw_output_write(const char *path,
                      draw_fill *fill,
                      void *arg,
                      struct mapcore_error *err)
{
    struct tool_output output = {0};
    char *bytes = NULL;
    size_t n = 0;
    int error = tool_output_open(&output, path ? path : "-", err);

    if (error < 0)
        return error;
    error = fill_memory(&bytes, &n, fill, arg, err);
    if (error == 0) {
        fwrite(bytes, 1, n, output.file);
        error = tool_output_commit(&output, err);
    } else {
        tool_output_abandon(&output);
    }
    free(bytes);
    return error;
}
