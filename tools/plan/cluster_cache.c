/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cluster_cache.c - files of nodes that have reported what they are inside, and
 * of what slurmctld has said: topomap-network 1 89abcdef01234567   (FNV-1a 64
 * of all behind this line) of CLUSTER[:HOST:PORT:PROTOCOL...] PARTITION
 *   SwitchName=...                       (Slurm's own lines, if it has any) */
#include "config.h"

#include "tools/plan/cluster_cache.h"

#include "base/buffer.h"
#include "base/fnv.h"
#include "base/text.h"
#include "launch/plain_name.h"
#include "profiles/bounded_folder.h"
#include "profiles/catalogue/catalogue.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define HEAD "topomap-network 1 "
/* HEAD, 16 hexadecimal digits, newline */
#define HEAD_LENGTH (sizeof(HEAD) - 1 + 17)

bool network_cache_of(char of[NETWORK_CACHE_OF])
{
    const char *cluster = getenv("SLURM_WORKING_CLUSTER");
    const char *partition = getenv("SLURM_JOB_PARTITION");
    int n;

    /* Later Slurms set the former for another cluster of a federation alone. */
    if (!cluster)
        cluster = getenv("SLURM_CLUSTER_NAME");
    if (!cluster || !partition)
        return false;
    n = snprintf(of, NETWORK_CACHE_OF, "%s %s", cluster, partition);
    return n > 0 && n < NETWORK_CACHE_OF && text_is_line(of);
}

const char *network_cache_parse(const char *text, size_t n, const char *of)
{
    char head[HEAD_LENGTH + 1];
    const char *body = text + HEAD_LENGTH, *rest;

    /* A NUL would hide what stands behind it. */
    if (n < HEAD_LENGTH || strlen(text) < n)
        return NULL;
    snprintf(head, sizeof(head), HEAD "%016" PRIx64 "\n",
             fnv1a(body, n - HEAD_LENGTH));
    if (memcmp(text, head, HEAD_LENGTH) != 0 ||
        !(rest = text_after(body, "of ")) || !(rest = text_after(rest, of)) ||
        *rest != '\n')
        return NULL;
    return rest + 1;
}

/* Networks that are kept, the newest, and bytes of one. */
#define FILES 16
#define MOST  ((size_t)4 << 20)

#define PREFIX "network-"
enum { NAME = sizeof(PREFIX) + 16 };

static void name_file(char name[NAME], const char *of)
{
    snprintf(name, NAME, PREFIX "%016" PRIx64, fnv1a(of, strlen(of)));
}

int network_cache_read(char **out,
                       double *age_s,
                       const char *root,
                       const char *of,
                       struct mapcore_error *err)
{
    struct buffer text = {0};
    struct own_folder *cache = NULL;
    const char *lines = NULL;
    char name[NAME];
    struct stat st;
    int error = catalogue_beside(&cache, root, CACHE_FOLDER, err);

    name_file(name, of);
    if (error == 0)
        error = own_folder_read(&text, &st, cache, name, MOST, err);
    if (error == 0 && !(lines = network_cache_parse(text.bytes, text.n, of)))
        error = error_set(err, MAPCORE_EPARSE, "%.400s is damaged", name);
    if (error == 0 && (error = text_copy(out, lines, err)) == 0)
        *age_s = difftime(time(NULL), st.st_mtime);
    buffer_clear(&text);
    own_folder_close(cache);
    return error;
}

int network_cache_write(const char *root,
                        const char *of,
                        const char *lines,
                        struct mapcore_error *err)
{
    const struct bounded_folder bounds = {PREFIX, FILES - 1, FILES * MOST};
    struct own_folder *cache = NULL;
    struct buffer text = {.err = err};
    char head[HEAD_LENGTH + 1], name[NAME];
    int error = buffer_printf(&text, HEAD "%016d\nof %s\n%s", 0, of, lines);

    if (error == 0 && text.n > MOST)
        error =
            error_set(err, MAPCORE_ERANGE, "a network too large to be kept");
    if (error == 0)
        error = catalogue_make_beside(&cache, root, CACHE_FOLDER, 0700, err);
    if (error == 0) {
        snprintf(head, sizeof(head), HEAD "%016" PRIx64 "\n",
                 fnv1a(text.bytes + HEAD_LENGTH, text.n - HEAD_LENGTH));
        memcpy(text.bytes, head, HEAD_LENGTH);
        name_file(name, of);
        bounded_folder_make_room(cache, &bounds);
        error = own_folder_write(cache, name, text.bytes, err);
    }
    buffer_clear(&text);
    own_folder_close(cache);
    return error;
}

/* Of a job's nodes these are looked for by name: storage may be slow. */
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
    const char *value = text_after(*text, word), *end;

    if (!value || !(end = strchr(value, '\n')) || end == value ||
        (size_t)(end - value) >= n)
        return false;
    memcpy(out, value, (size_t)(end - value));
    out[end - value] = '\0';
    *text = end + 1;
    return text_is_line(out);
}

bool node_tree_parse(struct node_tree *out, const char *text)
{
    const char *at = text_after(text, NODE_HEAD);

    return at && take_line(out->node, sizeof(out->node), &at, "node ") &&
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
                buffer_printf(&file, NODE_FILE "%s%s", what, name) == 0 &&
                own_folder_read(&text, &st, cache, file.bytes, NODE_FILE_MOST,
                                NULL) == 0 &&
                strlen(text.bytes) == text.n &&
                node_tree_parse(out, text.bytes);

    out->is_due = !done || is_old(&st);
    buffer_clear(&text);
    buffer_clear(&file);
    return done;
}

/* What those have reported that are looked for; false: none of them has. */
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
