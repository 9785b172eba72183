/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* doctor_here.c - names each file of topomap on this node by its contents */
#include "config.h"

#include "tools/doctor/doctor_here.h"

#include "base/file_read.h"
#include "profiles/program/sha256.h"
#include "tools/common/installed.h"
#include "tools/common/tool.h"
#include "tools/doctor/installation.h"
#include "tools/site/site.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    DIGEST_SHOWN = 8, /* bytes of 32 */
    CHUNK = 1 << 16,
};

/* errno's text is a word for the comparison, too. */
static void name_contents(char out[64], const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    unsigned char digest[32], *chunk = malloc(CHUNK);
    struct sha256 sha;
    ssize_t n = -1;

    sha256_init(&sha);
    while (fd >= 0 && chunk && (n = read(fd, chunk, CHUNK)) > 0)
        sha256_add(&sha, chunk, (size_t)n);
    if (n < 0) {
        snprintf(out, 64, "(%.60s)", strerror(errno));
    } else {
        sha256_end(&sha, digest);
        for (int i = 0; i < DIGEST_SHOWN; i++)
            snprintf(out + 2 * i, 3, "%02x", digest[i]);
    }
    if (fd >= 0)
        close(fd);
    free(chunk);
}

static int add_file(struct buffer *out,
                    const char *key,
                    const char *path,
                    struct mapcore_error *err)
{
    char contents[64];

    name_contents(contents, path);
    return buffer_printf(out, err, "%s %s %s\n", key, path, contents);
}

static int add_recorders(struct buffer *out, struct mapcore_error *err)
{
    int error = 0;

    for (size_t i = 0; error == 0 && i < INSTALLATION_RECORDERS; i++) {
        struct buffer path = {0};

        error = installed_path(&path, TOPOMAP_RECORDERDIR,
                               installation_recorders[i], err);
        if (error == 0)
            error = add_file(out, "recorder", path.bytes, err);
        buffer_clear(&path);
    }
    return error;
}

static int add_site(struct buffer *out,
                    const char *config,
                    struct mapcore_error *err)
{
    struct site_file *site = NULL;
    struct mapcore_error why;
    const char *const *roots;
    size_t n;
    int error;

    if (site_read(&site, config, &why) < 0)
        return buffer_printf(out, err, "site-file %s (unreadable)\n",
                             config ? config : TOPOMAP_SITEFILE);
    error = site->path ? add_file(out, "site-file", site->path, err)
                       : buffer_printf(out, err, "site-file - none\n");
    roots = site->catalogues;
    n = site->ncatalogues;
    for (size_t i = 0; error == 0 && i < n; i++)
        error = buffer_printf(
            out, err, "catalogue %s %s\n", roots[i],
            access(roots[i], R_OK | X_OK) == 0 ? "readable" : "unreadable");
    site_close(site);
    return error;
}

int doctor_here_collect(struct buffer *out,
                        const char *config,
                        struct mapcore_error *err)
{
    struct installation installation = {.site_file = config};
    struct mapcore_error why;
    char path[PATH_MAX];
    int error = 0;

    if (installation_ask_slurm(&installation, &why) == 0)
        installation_read_plugstack(&installation, &why);
    if (!installation.plugin)
        error = buffer_printf(out, err, "plugin - none\n");
    else if (!installation_find_plugin(path, sizeof(path), &installation,
                                       installation.plugin))
        error = buffer_printf(out, err, "plugin %s missing\n",
                              installation.plugin->plugin);
    else
        error = add_file(out, "plugin", path, err);
    if (error == 0 && installation.helper[0] != '\0')
        error = add_file(out, "helper", installation.helper, err);
    if (error == 0)
        error = add_recorders(out, err);
    if (error == 0)
        error = add_site(out, installation.site_file, err);
    installation_clear(&installation);
    return error;
}

int doctor_here_print(const char *config, struct mapcore_error *err)
{
    const char *node = getenv("SLURMD_NODENAME");
    struct buffer lines = {0};
    int error = doctor_here_collect(&lines, config, err);

    for (const char *line = lines.bytes; error == 0 && line && *line != '\0';
         line = strchr(line, '\n') + 1)
        tool_print(DOCTOR_HERE_MARK "%s %.*s\n", node ? node : "-",
                   (int)strcspn(line, "\n"), line);
    buffer_clear(&lines);
    return error;
}
