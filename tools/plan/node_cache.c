/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_cache.c - files of nodes that have told what they are inside */
#include "config.h"

#include "tools/plan/node_cache.h"

#include "base/text.h"
#include "launch/plain_name.h"
#include "profiles/bounded_folder.h"
#include "profiles/catalogue/catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Of a job's nodes so many are looked for by name: storage may be slow. */
#define LOOKED_FOR 8
/* Two a node, and what they may hold together. */
#define FILES_MOST  512
#define DUE_SECONDS (7 * 24 * 3600)

/* "batch-64": nodes of one partition with as many CPUs. */
static void name_kind(char kind[NODE_NAME])
{
    const char *partition = getenv("SLURM_JOB_PARTITION");
    const char *cpus = getenv("SLURM_JOB_CPUS_PER_NODE");
    int n = -1;

    if (partition && cpus)
        n = snprintf(kind, NODE_NAME, "%s-%.*s", partition,
                     (int)strspn(cpus, "0123456789"), cpus);
    if (n < 0 || n >= NODE_NAME || !plain_name_check(kind, NODE_NAME - 1))
        snprintf(kind, NODE_NAME, NODE_UNKNOWN);
}

/* The value of the line `word VALUE` that text begins with, into out[n]; moves
 * *text behind it. */
static bool take_line(char *out, size_t n, const char **text, const char *word)
{
    const char *value = *text + strlen(word), *end;

    if (strncmp(*text, word, strlen(word)) != 0 ||
        !(end = strchr(value, '\n')) || end == value ||
        (size_t)(end - value) >= n)
        return false;
    memcpy(out, value, (size_t)(end - value));
    out[end - value] = '\0';
    *text = end + 1;
    return text_is_line(out);
}

bool node_tree_parse(struct node_tree *out, const char *text)
{
    const char *at = text;
    const size_t head = strlen(NODE_HEAD);

    if (strncmp(at, NODE_HEAD, head) != 0)
        return false;
    at += head;
    return take_line(out->node, sizeof(out->node), &at, "node ") &&
           plain_name_check(out->node, sizeof(out->node) - 1) &&
           take_line(out->levels, sizeof(out->levels), &at, "levels ") &&
           *at == '\0';
}

static bool is_old(const struct stat *st)
{
    const time_t now = time(NULL);

    return st->st_mtime > now || now - st->st_mtime > DUE_SECONDS;
}

/* One file; false: there is none to be believed. */
static bool read_one(struct node_tree *out,
                     const struct own_folder *cache,
                     const char *what,
                     const char *name)
{
    struct buffer text = {0}, file = {0};
    struct stat st;
    bool done = plain_name_check(name, NODE_NAME - 1) &&
                buffer_printf(&file, NULL, NODE_FILE "%s%s", what, name) == 0 &&
                own_folder_read(&text, &st, cache, file.bytes, NODE_FILE_MOST,
                                NULL) == 0 &&
                strlen(text.bytes ? text.bytes : "") == text.n &&
                node_tree_parse(out, text.bytes ? text.bytes : "");

    out->is_due = !done || is_old(&st);
    buffer_clear(&text);
    buffer_clear(&file);
    return done;
}

/* What those have told that are looked for; false: none of them has. */
static bool read_nodes(struct node_tree *out,
                       const struct own_folder *cache,
                       const struct hosts *hosts)
{
    bool found = false;

    for (size_t i = 0; i < hosts->n && i < LOOKED_FOR; i++) {
        struct node_tree one = {.levels = ""};

        if (!read_one(&one, cache, "", hosts->name[i]))
            continue;
        if (!found) {
            memcpy(out->levels, one.levels, sizeof(one.levels));
            memcpy(out->node, one.node, sizeof(one.node));
        } else if (strcmp(out->levels, one.levels) != 0) {
            snprintf(out->levels, sizeof(out->levels), NODE_UNKNOWN);
        }
        out->is_due = (found && out->is_due) || one.is_due;
        found = true;
    }
    return found;
}

void node_cache_find(struct node_tree *out,
                     const char *root,
                     const struct hosts *hosts)
{
    struct own_folder *cache = NULL;

    memset(out, 0, sizeof(*out));
    name_kind(out->kind);
    out->is_due = true;
    if (catalogue_beside(&cache, root, CACHE_FOLDER, NULL) == 0 &&
        !read_nodes(out, cache, hosts) &&
        strcmp(out->kind, NODE_UNKNOWN) != 0 &&
        !read_one(out, cache, NODE_KIND, out->kind))
        out->levels[0] = '\0';
    if (strcmp(out->levels, NODE_UNKNOWN) == 0)
        out->levels[0] = '\0';
    own_folder_close(cache);
}

int node_cache_make(const char *root, struct mapcore_error *err)
{
    const struct bounded_folder bounds = {NODE_FILE, FILES_MOST - 2,
                                          FILES_MOST * NODE_FILE_MOST};
    struct own_folder *cache = NULL;
    int error = catalogue_make_beside(&cache, root, CACHE_FOLDER, 0700, err);

    if (error == 0)
        bounded_folder_make_room(cache, &bounds);
    own_folder_close(cache);
    return error;
}
