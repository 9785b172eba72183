/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* installation.c - finds out from Slurm itself how it loads topomap */
#include "config.h"

#include "tools/doctor/installation.h"

#include "base/buffer.h"
#include "base/error_set.h"
#include "tools/common/installed.h"
#include "tools/common/subprocess.h"
#include "tools/doctor/trial.h"

#include <string.h>
#include <unistd.h>

const char *const installation_recorders[INSTALLATION_RECORDERS] = {
    "libcommprof.so", "libcommprof-mpich.so", "libcommprof-openmpi.so"};

/* `Key    = value` of scontrol show config. */
static void take_value(char *out,
                       size_t size,
                       const char *text,
                       const char *key)
{
    size_t length = strlen(key);

    out[0] = '\0';
    for (const char *line = text; line && *line != '\0';
         line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        const char *value = line + length;

        if (strncmp(line, key, length) != 0)
            continue;
        value += strspn(value, " \t");
        if (*value != '=')
            continue;
        value += 1 + strspn(value + 1, " \t");
        snprintf(out, size, "%.*s", (int)strcspn(value, "\n"), value);
        return;
    }
}

void installation_find_self(char path[PATH_MAX])
{
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);

    path[n < 0 ? 0 : n] = '\0';
}

int installation_ask_slurm(struct installation *out, struct mapcore_error *err)
{
    struct process_output run;
    size_t n;
    int error;

    installation_find_self(out->self);
    error = trial_words(&run, CHILD_SECONDS, err, "scontrol", "show", "config",
                        NULL);
    if (error < 0)
        return error;
    if (!trial_is_good(&run)) {
        const char *line = trial_last_line(&n, &run);

        error = error_set(err, MAPCORE_EIO, "scontrol show config: %.*s",
                          n < 300 ? (int)n : 300, line);
    } else {
        char conf[PATH_MAX];

        out->answers = true;
        take_value(out->plugin_dir, sizeof(out->plugin_dir), run.out.bytes,
                   "PluginDir");
        take_value(out->plugstack, sizeof(out->plugstack), run.out.bytes,
                   "PlugStackConfig");
        take_value(out->mpi_default, sizeof(out->mpi_default), run.out.bytes,
                   "MpiDefault");
        /* Where it is not said it lies beside slurm.conf. */
        take_value(conf, sizeof(conf), run.out.bytes, "SLURM_CONF");
        if (out->plugstack[0] != '/' && strrchr(conf, '/'))
            snprintf(out->plugstack, sizeof(out->plugstack),
                     "%.*s/plugstack.conf", (int)(strrchr(conf, '/') - conf),
                     conf);
    }
    process_output_clear(&run);
    return error;
}

int installation_read_plugstack(struct installation *installation,
                                struct mapcore_error *err)
{
    struct buffer helper = {0};
    int error =
        plugstack_conf_read(&installation->conf, installation->plugstack, err);

    if (error < 0)
        return error;
    installation->plugin =
        plugstack_conf_find(&installation->conf, PLUGIN_NAME);
    installation->stub = plugstack_conf_find(&installation->conf, STUB_NAME);
    error = installed_path(&helper, TOPOMAP_BINDIR, "topomap", err);
    if (error < 0)
        return error;
    if (installation->plugin)
        error = plugstack_parse(&installation->words,
                                installation->plugin->narguments,
                                installation->plugin->argument, err);
    if (!installation->site_file)
        installation->site_file = installation->words.config;
    snprintf(installation->helper, sizeof(installation->helper), "%s",
             installation->words.program ? installation->words.program
                                         : helper.bytes);
    buffer_clear(&helper);
    return error;
}

bool installation_find_plugin(char *path,
                              size_t size,
                              const struct installation *installation,
                              const struct plugstack_entry *entry)
{
    const char *folder = installation->plugin_dir;

    if (entry->plugin[0] == '/') {
        snprintf(path, size, "%s", entry->plugin);
        return access(path, F_OK) == 0;
    }
    while (*folder != '\0') {
        size_t n = strcspn(folder, ":");

        snprintf(path, size, "%.*s/%s", (int)n, folder, entry->plugin);
        if (access(path, F_OK) == 0)
            return true;
        folder += n + (folder[n] != '\0');
    }
    return false;
}

void installation_clear(struct installation *installation)
{
    plugstack_conf_clear(&installation->conf);
    *installation = (struct installation){0};
}
