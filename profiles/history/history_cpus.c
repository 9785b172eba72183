/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_cpus.c - from a file of masks a node to one of CPUs a step; nothing
 * that stands in either is believed to be what it should be */
#include "config.h"

#include "base/buffer.h"
#include "base/text.h"
#include "launch/step_files.h"
#include "profiles/history/history_file.h"
#include "profiles/history/node_files.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a node: more tasks than any has, each with a whole line. */
#define NODE_MOST ((size_t)1 << 20)

/* The folder for the nodes, in the history's; *out is owned. */
static int name_nodes(char **out,
                      const struct history_cpus_step *step,
                      struct mapcore_error *err)
{
    struct buffer name = {.err = err};

    buffer_printf(&name, STEP_CPUS_FOLDER);
    return buffer_finish(out, &name, step_name_add(&name, &step->name));
}

void history_cpus_begin(const struct history_cpus_step *step)
{
    struct own_folder *nodes = NULL;
    char *name = NULL;

    if (name_nodes(&name, step, NULL) < 0)
        return;
    (void)node_files_empty(step->folder, name, NULL, NULL, NULL);
    (void)own_folder_make(&nodes, step->folder, name, 0700, OWN_FOLDER_ALONE,
                          NULL);
    own_folder_close(nodes);
    free(name);
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "0x1f" as "0-4". False where it is no mask of any CPU, or there is no
 * memory. */
static bool put_cpus(struct buffer *out, const char *mask)
{
    const size_t begun = out->n, n = strlen(mask);
    size_t first = 0;
    bool inside = false, done = n > 2 && text_after(mask, "0x");

    for (size_t i = 2; done && i < n; i++)
        done = digit_of(mask[i]) >= 0;
    for (size_t cpu = 0; done && cpu <= 4 * (n - 2); cpu++) {
        const size_t at = cpu / 4;
        const bool has =
            at < n - 2 && (digit_of(mask[n - 1 - at]) >> cpu % 4 & 1);

        if (has && !inside)
            first = cpu;
        else if (!has && inside)
            done =
                buffer_printf(out, "%s%zu", out->n > begun ? "," : "", first) ==
                    0 &&
                (cpu - 1 == first || buffer_printf(out, "-%zu", cpu - 1) == 0);
        inside = has;
    }
    return done && out->n > begun;
}

/* A line `RANK VALUE`, cut into both. */
static bool cut_line(uint32_t *rank, char **value, char *line)
{
    bool overflow = false;
    char *cursor = line;

    if (!text_take_u32(&cursor, rank, &overflow) || *cursor != ' ')
        return false;
    *value = cursor + 1;
    return **value != '\0';
}

/* What nodes report goes to the end of a text, unordered: ranks stand with
 * it. */
static void take_node(void *with,
                      const struct own_folder *folder,
                      const char *name)
{
    struct buffer *out = with, bytes = {0};
    struct text *text = NULL;
    char *line, *mask;
    uint32_t rank;

    if (out->n <= HISTORY_MAP_MOST &&
        own_folder_read(&bytes, NULL, folder, name, NODE_MOST, NULL) == 0 &&
        bytes.n > 0 && bytes.bytes[bytes.n - 1] == '\n' &&
        text_open_memory(&text, name, bytes.bytes, bytes.n, NULL) == 0)
        while (text_line(text, &line) == 0 && line) {
            const size_t before = out->n;

            if (!cut_line(&rank, &mask, line))
                break;
            if (buffer_printf(out, "%u ", rank) < 0 || !put_cpus(out, mask) ||
                buffer_append(out, "\n", 1) < 0) {
                out->n = before;
                if (out->bytes)
                    out->bytes[before] = '\0';
                break;
            }
        }
    text_close(text);
    buffer_clear(&bytes);
}

int history_cpus_keep(const struct history_cpus_step *step,
                      const char *name,
                      struct mapcore_error *err)
{
    struct buffer told = {0};
    char *nodes = NULL;
    int error = name_nodes(&nodes, step, err);

    if (error == 0)
        error = node_files_empty(step->folder, nodes, take_node, &told, err);
    if (error == 0)
        node_files_remove_old(step->folder, STEP_CPUS_FOLDER);
    if (error == 0 && told.n == 0)
        error = error_set(err, MAPCORE_ENOENT, "no node reported its CPUs");
    if (error == 0)
        error = history_keep_map(step->folder, name, told.bytes, err);
    free(nodes);
    buffer_clear(&told);
    return error;
}
