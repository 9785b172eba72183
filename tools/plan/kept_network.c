/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kept_network.c - files of what slurmctld has told:
 *   topomap-network 1 89abcdef01234567   (FNV-1a 64 of all behind this line)
 *   of CLUSTER[:HOST:PORT:PROTOCOL...] PARTITION
 *   SwitchName=...                       (Slurm's own lines, if it has any) */
#include "config.h"

#include "tools/plan/kept_network.h"

#include "base/buffer.h"
#include "base/fnv.h"
#include "base/text.h"
#include "profiles/bounded_folder.h"
#include "profiles/catalogue/catalogue_beside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define HEAD "topomap-network 1 "
/* HEAD, 16 hexadecimal digits, newline */
#define HEAD_LENGTH (sizeof(HEAD) - 1 + 17)

bool kept_network_of(char of[KEPT_NETWORK_OF])
{
    const char *cluster = getenv("SLURM_WORKING_CLUSTER");
    const char *partition = getenv("SLURM_JOB_PARTITION");
    int n;

    /* Later Slurms set the former for another cluster of a federation alone. */
    if (!cluster)
        cluster = getenv("SLURM_CLUSTER_NAME");
    if (!cluster || !partition)
        return false;
    n = snprintf(of, KEPT_NETWORK_OF, "%s %s", cluster, partition);
    return n > 0 && n < KEPT_NETWORK_OF && text_is_line(of);
}

const char *kept_network_parse(const char *text, size_t n, const char *of)
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

enum { NAME = 17 };

static void name_file(char name[NAME], const char *of)
{
    snprintf(name, NAME, "%016" PRIx64, fnv1a(of, strlen(of)));
}

static bool is_kept(const char *name)
{
    return strlen(name) == NAME - 1 &&
           name[strspn(name, "0123456789abcdef")] == '\0';
}

int kept_network_read(char **out,
                      double *age_s,
                      const char *root,
                      const char *of,
                      struct mapcore_error *err)
{
    struct buffer text = {0};
    struct own_folder *folder = NULL;
    const char *lines = NULL;
    char name[NAME];
    struct stat st;
    int error = catalogue_beside(&folder, root, KEPT_NETWORK_FOLDER, err);

    name_file(name, of);
    if (error == 0)
        error =
            own_folder_read(&text, &st, folder, name, KEPT_NETWORK_MOST, err);
    if (error == 0 &&
        !(lines = kept_network_parse(text.bytes ? text.bytes : "", text.n, of)))
        error = error_set(err, MAPCORE_EPARSE, "%.400s is damaged", name);
    if (error == 0 && !(*out = strdup(lines)))
        error = error_set(err, MAPCORE_ENOMEM, "no memory");
    if (error == 0)
        *age_s = difftime(time(NULL), st.st_mtime);
    buffer_clear(&text);
    own_folder_close(folder);
    return error;
}

static int write_file(const struct own_folder *folder,
                      const char *name,
                      const char *body,
                      struct mapcore_error *err)
{
    struct file_replace file = {0};
    int error = own_folder_replace(&file, folder, name, 0600, err);

    if (error == 0) {
        fprintf(file.file, HEAD "%016" PRIx64 "\n%s", fnv1a(body, strlen(body)),
                body);
        error = file_replace_commit(&file, err);
    }
    return error;
}

int kept_network_write(const char *root,
                       const char *of,
                       const char *lines,
                       struct mapcore_error *err)
{
    const struct bounded_folder bounds = {.accept = is_kept,
                                          .files = KEPT_NETWORK_FILES - 1,
                                          .bytes = KEPT_NETWORK_FILES *
                                                   KEPT_NETWORK_MOST};
    struct own_folder *folder = NULL;
    struct buffer body = {0};
    char name[NAME];
    int error = buffer_printf(&body, err, "of %s\n%s", of, lines);

    if (error == 0 && body.n + HEAD_LENGTH > KEPT_NETWORK_MOST)
        error =
            error_set(err, MAPCORE_ERANGE, "a network too large to be kept");
    if (error == 0)
        error = catalogue_make_beside(&folder, root, KEPT_NETWORK_FOLDER, 0700,
                                      err);
    name_file(name, of);
    if (error == 0) {
        bounded_folder_make_room(folder, &bounds);
        error = write_file(folder, name, body.bytes, err);
    }
    buffer_clear(&body);
    own_folder_close(folder);
    return error;
}
