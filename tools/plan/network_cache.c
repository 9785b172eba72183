/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* network_cache.c - files of what slurmctld has said:
 *   topomap-network 1 89abcdef01234567   (FNV-1a 64 of all behind this line)
 *   of CLUSTER[:HOST:PORT:PROTOCOL...] PARTITION
 *   SwitchName=...                       (Slurm's own lines, if it has any) */
#include "config.h"

#include "tools/plan/network_cache.h"

#include "base/buffer.h"
#include "base/fnv.h"
#include "base/text.h"
#include "launch/step_files.h"
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
    const char *body = text + HEAD_LENGTH;
    const size_t length = strlen(of);

    /* A NUL would hide what stands behind it. */
    if (n < HEAD_LENGTH || strlen(text) < n)
        return NULL;
    snprintf(head, sizeof(head), HEAD "%016" PRIx64 "\n",
             fnv1a(body, n - HEAD_LENGTH));
    if (memcmp(text, head, HEAD_LENGTH) != 0 || strncmp(body, "of ", 3) != 0 ||
        strncmp(body + 3, of, length) != 0 || body[3 + length] != '\n')
        return NULL;
    return body + 3 + length + 1;
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
    if (error == 0 && !(lines = network_cache_parse(
                            text.bytes ? text.bytes : "", text.n, of)))
        error = error_set(err, MAPCORE_EPARSE, "%.400s is damaged", name);
    if (error == 0 && !(*out = strdup(lines)))
        error = error_set(err, MAPCORE_ENOMEM, "no memory");
    if (error == 0)
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
    struct buffer text = {0};
    char head[HEAD_LENGTH + 1], name[NAME];
    int error =
        buffer_printf(&text, err, HEAD "%016d\nof %s\n%s", 0, of, lines);

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
