/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* switches.c - topomap topology, asked from inside an MPI program. Its readers
 * are no part of this library: they want json-c, and may run python3 and
 * scontrol, none of which belongs into the memory of every program. */
#include "config.h"

#include "libtopomap-cart/switches.h"

#include "base/process.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

/* A line of 2^20 nodes. */
#define ANSWER_MOST ((size_t)512 << 20)

/* The environment without what is preloaded into this program, us perhaps,
 * which leaves MPI's calls undefined. *out: an array, owned, of what is not. */
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
        buffer_append(out, NULL, ours.dli_fname, length - n) < 0)
        return -1;
    return buffer_append(out, NULL, TOPOMAP_PROGRAM, sizeof(TOPOMAP_PROGRAM));
}

char *switches_ask(double seconds)
{
    char topology[] = "topology", show[] = "show", nodes[] = "--nodelist";
    char *list = getenv("SLURM_JOB_NODELIST");
    char *argv[] = {NULL, topology, show, nodes, list, NULL};
    char **environment = own_environment();
    const struct process process = {
        .words = argv, .in = -1, .environment = environment};
    const struct process_listener listener = {.seconds = seconds,
                                              .most = ANSWER_MOST};
    struct process_output output = {0};
    struct buffer program = {0};
    char *out = NULL;

    if (list && environment && find_program(&program) == 0) {
        argv[0] = program.bytes;
        if (process_listen(&output, &process, &listener, NULL) == 0 &&
            output.status == 0)
            out = buffer_steal(&output.out);
    }
    process_output_clear(&output);
    buffer_clear(&program);
    free(environment);
    return out;
}

/* The name and the place of the next node: lines `NUMBER NAME PLACE` behind the
 * first empty one. Moves *text behind it; false at the end. */
static bool next_node(const char **text,
                      const char **name,
                      size_t *length,
                      const char **place,
                      size_t *rest)
{
    const char *at = *text + strspn(*text, " ");

    if (*at < '0' || *at > '9')
        return false;
    at += strcspn(at, " \n");
    at += strspn(at, " ");
    *name = at;
    *length = strcspn(at, " \n");
    at += *length;
    at += strspn(at, " ");
    *place = at;
    *rest = strcspn(at, "\n");
    *text = at + *rest + (at[*rest] == '\n');
    return true;
}

/* Three numbers with that character between them; *at moves behind them. */
static bool take_three(int out[3], const char **at, char between)
{
    for (int i = 0; i < 3; i++) {
        char *end;
        long value;

        if (**at < '0' || **at > '9')
            return false;
        value = strtol(*at, &end, 10);
        if (value > INT_MAX || (i < 2 && *end != between))
            return false;
        out[i] = (int)value;
        *at = i < 2 ? end + 1 : end;
    }
    return true;
}

/* The rings of `torus 4x4x2, wraps 1x1x0`, the first line. */
static void take_rings(int ring[3], const char *line)
{
    static const char torus[] = "torus ", wraps[] = ", wraps ";
    int wrap[3];

    memset(ring, 0, 3 * sizeof(*ring));
    if (strncmp(line, torus, sizeof(torus) - 1) != 0)
        return;
    line += sizeof(torus) - 1;
    if (!take_three(ring, &line, 'x'))
        memset(ring, 0, 3 * sizeof(*ring));
    if (strncmp(line, wraps, sizeof(wraps) - 1) != 0)
        return;
    line += sizeof(wraps) - 1;
    if (!take_three(wrap, &line, 'x'))
        return;
    for (int i = 0; i < 3; i++)
        ring[i] = wrap[i] ? ring[i] : 0;
}

bool switches_find_router(int at[3],
                          int ring[3],
                          const char *text,
                          const char *node)
{
    const char *nodes = strstr(text, "\n\n"), *line, *name, *place;
    size_t length, rest, n = strlen(node);

    if (!nodes)
        return false;
    for (line = nodes + 2; next_node(&line, &name, &length, &place, &rest);) {
        if (length != n || memcmp(name, node, n) != 0)
            continue;
        if (*place++ != '(' || !take_three(at, &place, ',') || *place != ')')
            return false;
        take_rings(ring, text);
        return true;
    }
    return false;
}

int switches_find(const char *text, const char *node)
{
    const char *nodes = strstr(text, "\n\n"), *at, *name, *place, *mine = NULL;
    size_t length, rest, most = strlen(node), long_ = 0;

    if (!nodes)
        return -1;
    for (at = nodes + 2;
         !mine && next_node(&at, &name, &length, &place, &rest);)
        if (length == most && memcmp(name, node, most) == 0) {
            mine = place;
            long_ = rest;
        }
    at = nodes + 2;
    for (int i = 0; mine && next_node(&at, &name, &length, &place, &rest); i++)
        if (rest == long_ && memcmp(place, mine, rest) == 0)
            return i;
    return -1;
}
