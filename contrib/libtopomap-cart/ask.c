/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ask.c - topomap's commands, run from inside an MPI program. What they need is
 * no part of this library: they want json-c and METIS, and may run python3 and
 * scontrol, none of which belongs into the memory of every program. */
#include "config.h"

#include "libtopomap-cart/ask.h"

#include "base/process.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

/* A line of 2^20 nodes. */
#define ANSWER_MOST ((size_t)512 << 20)

/* The environment without LD_PRELOAD, which is for a program of MPI's: an
 * array, owned, of strings that are not; NULL: no memory. */
static char **own_environment(void)
{
    static const char preload[] = "LD_PRELOAD=";
    size_t n = 0, kept = 0;
    char **out;

    while (environ[n])
        n++;
    out = malloc((n + 1) * sizeof(*out));
    for (size_t i = 0; out && i < n; i++)
        if (strncmp(environ[i], preload, sizeof(preload) - 1) != 0)
            out[kept++] = environ[i];
    if (out)
        out[kept] = NULL;
    return out;
}

/* The command that was installed with this library; an installation may have
 * been moved below another folder as a whole. */
static int find_program(struct buffer *out)
{
    static const char libdir[] = TOPOMAP_LIBDIR "/";
    size_t n = sizeof(libdir) - 1, length;
    const char *name;
    Dl_info ours;

    if (dladdr(libdir, &ours) != 0 && ours.dli_fname &&
        (name = strrchr(ours.dli_fname, '/')) &&
        (length = (size_t)(name + 1 - ours.dli_fname)) > n &&
        memcmp(name + 1 - n, libdir, n) == 0 &&
        buffer_append(out, ours.dli_fname, length - n) < 0)
        return -1;
    return buffer_append(out, TOPOMAP_PROGRAM, sizeof(TOPOMAP_PROGRAM));
}

char *ask_topomap(const char **words, int in, double seconds)
{
    char **environment = own_environment();
    const struct process process = {
        .words = words, .in = in, .environment = environment};
    const struct process_listener listener = {.seconds = seconds,
                                              .most = ANSWER_MOST};
    struct process_output output = {0};
    struct buffer program = {0};
    char *out = NULL;

    if (environment && find_program(&program) == 0) {
        words[0] = program.bytes;
        if (process_listen(&output, &process, &listener, NULL) == 0 &&
            output.status == 0)
            out = buffer_steal(&output.out);
        words[0] = NULL;
    }
    process_output_clear(&output);
    buffer_clear(&program);
    free(environment);
    return out;
}
