/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* check_plugin.c - whether Slurm loads the plugin, by what it is told and by
 * trying */
#include "config.h"

#include "tools/doctor/checks.h"

#include "base/text.h"
#include "plugin/policy.h"
#include "tools/common/subprocess.h"
#include "tools/doctor/shared_file.h"
#include "tools/doctor/trial.h"
#include "tools/site/site.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BUILD_AGAIN                                                            \
    "build topomap with this Slurm's headers and install it beside, see "      \
    "UPGRADING SLURM in spank-topomap(8)"

/* The first line counts, with its arguments. */
static void check_once(struct doctor_report *report,
                       const struct installation *installation)
{
    const struct plugstack_entry *plugin = installation->plugin;
    const struct plugstack_conf *conf = &installation->conf;
    char path[PATH_MAX];

    for (const struct plugstack_entry *other = plugin + 1;
         other < conf->entry + conf->n; other++)
        if (strcmp(text_last_part(other->plugin), PLUGIN_NAME) == 0 &&
            installation_find_plugin(path, sizeof(path), installation, other))
            doctor_say(report, VERDICT_WARNING, "plugstack",
                       "take one of them out: the second does nothing, nor do "
                       "its arguments",
                       "two lines load " PLUGIN_NAME ": %s:%zu and %s:%zu",
                       plugin->file, plugin->line, other->file, other->line);
}

static void check_line(struct doctor_report *report,
                       const struct installation *installation)
{
    const struct plugstack_entry *plugin = installation->plugin;

    if (!plugin) {
        doctor_say(report, VERDICT_WRONG, "plugstack",
                   "add `optional .../" PLUGIN_NAME "', or include the file "
                   "topomap.conf that was installed",
                   "no line of %s, nor of what it includes, loads " PLUGIN_NAME,
                   installation->plugstack);
        return;
    }
    if (plugin->required)
        doctor_say(report, VERDICT_WARNING, "plugstack",
                   "write `optional': a plugin that is required and missing "
                   "keeps slurmd from starting",
                   "%s:%zu: required", plugin->file, plugin->line);
    else
        doctor_say(report, VERDICT_OK, "plugstack", NULL, "%s:%zu",
                   plugin->file, plugin->line);
    check_once(report, installation);
    if (!installation->stub)
        doctor_say(report, VERDICT_WARNING, "plugstack",
                   "add `optional .../" STUB_NAME "' below",
                   "after an upgrade of Slurm scripts that say --topomap will "
                   "be refused: no line loads " STUB_NAME);
}

static void check_file(struct doctor_report *report, const char *path)
{
    struct mapcore_error why;

    if (shared_file_check_use(path, false, &why) < 0)
        doctor_say(report, VERDICT_WRONG, "plugin",
                   "every srun of every user loads it: chmod a+rX", "%s",
                   why.text);
    else if (shared_file_check_trust(path, &why) < 0)
        doctor_say(report, VERDICT_WRONG, "plugin",
                   "slurmstepd loads it as root: only root may change it",
                   "%s: %s", text_last_part(path), why.text);
    else
        doctor_say(report, VERDICT_OK, "plugin", NULL, "%s", path);
}

/* What of the plugin is linked with hwloc lies beside it. */
static void check_hwloc(struct doctor_report *report, const char *plugin)
{
    char path[PATH_MAX];
    const int n = snprintf(path, sizeof(path), "%.*s" HWLOC_NAME,
                           (int)(text_last_part(plugin) - plugin), plugin);

    if (n > 0 && (size_t)n < sizeof(path) && access(path, F_OK) < 0)
        doctor_say(report, VERDICT_WARNING, "plugin",
                   "install it beside " PLUGIN_NAME
                   ": without it tasks are bound as Slurm chose",
                   "there is no %s", path);
    else
        check_file(report, path);
}

static void check_object(struct doctor_report *report,
                         const struct installation *installation,
                         const struct plugstack_entry *entry)
{
    char path[PATH_MAX];

    if (!installation_find_plugin(path, sizeof(path), installation, entry)) {
        doctor_say(report, VERDICT_WRONG, "plugin",
                   "install it there, or take the line out", "%s:%zu: no %s%s",
                   entry->file, entry->line, entry->plugin,
                   entry->plugin[0] == '/' ? "" : " in PluginDir");
        return;
    }
    check_file(report, path);
    if (entry == installation->plugin)
        check_hwloc(report, path);
}

/* --help lists the options of what was loaded. */
static void try_srun(struct doctor_report *report, const char *srun)
{
    struct process_output help = {0}, version = {0};
    struct mapcore_error why;
    const char *line;
    char name[64];
    size_t n;

    if (trial_words(&help, CHILD_SECONDS, &why, srun, "--help", NULL) < 0 ||
        trial_words(&version, CHILD_SECONDS, &why, srun, "--version", NULL) <
            0) {
        doctor_say(report, VERDICT_WRONG, "srun",
                   "have Slurm's commands in PATH, or name one by --srun", "%s",
                   why.text);
        process_output_clear(&help);
        return;
    }
    line = trial_last_line(&n, trial_is_good(&version) ? &version : &help);
    snprintf(name, sizeof(name), "%.*s", (int)n, line);
    if (WIFSIGNALED(help.status)) {
        doctor_say(report, VERDICT_WRONG, "srun",
                   "it dies of a plugin: install " PLUGIN_NAME " anew, or take "
                   "its line out",
                   "%s --help ends by signal %d: so does every job", srun,
                   WTERMSIG(help.status));
        goto out;
    }
    if (!trial_is_good(&version)) {
        doctor_say(report, VERDICT_UNTRIED, "srun", NULL, "%s", name);
        goto out;
    }
    line = help.out.bytes ? strstr(help.out.bytes, "--topomap=") : NULL;
    if (line && memmem(line, (size_t)(help.out.bytes + help.out.n - line),
                       "(not with", sizeof("(not with") - 1))
        doctor_say(report, VERDICT_WRONG, "srun", BUILD_AGAIN,
                   "%s: " PLUGIN_NAME " is not built for it: --topomap is "
                   "known, and does nothing",
                   name);
    else if (line)
        doctor_say(report, VERDICT_OK, "srun", NULL, "%s loads the plugin",
                   name);
    else {
        line = trial_last_line(&n, &help);
        doctor_say(report, VERDICT_WRONG, "srun",
                   "see the lines above; " BUILD_AGAIN,
                   "%s does not know --topomap%s%.*s", name,
                   help.said.n > 0 ? "; it says:\n" : "",
                   help.said.n > 0 ? (int)n : 0, line);
    }
out:
    process_output_clear(&help);
    process_output_clear(&version);
}

/* What srun takes where nobody says --mpi. */
static void check_mpi_default(struct doctor_report *report,
                              const struct installation *installation)
{
    struct site_file *site = NULL;
    const char *list = installation->words.mpi;
    struct mapcore_error why;

    if (!list && site_read(&site, installation->site_file, NULL) == 0)
        list = site->mpi;
    if (policy_check_mpi(installation->mpi_default, list, &why) < 0)
        doctor_say(report, VERDICT_WARNING, "MpiDefault",
                   "try it by topomap doctor --mpi, and name it in the site "
                   "file, mpi in topomap.json(5), if all is well",
                   "%s", why.text);
    else
        doctor_say(report, VERDICT_OK, "MpiDefault", NULL,
                   "%s: ranks may move under it", installation->mpi_default);
    site_close(site);
}

void check_plugin(struct doctor_report *report,
                  struct installation *installation,
                  const char *srun)
{
    struct mapcore_error why;

    if (installation_ask_slurm(installation, &why) < 0) {
        doctor_say(report, VERDICT_WRONG, "slurm",
                   "run this where Slurm's commands reach slurmctld", "%s",
                   why.text);
    } else if (installation_read_plugstack(installation, &why) < 0) {
        doctor_say(report, VERDICT_WRONG, "plugstack",
                   "a line that makes no sense is ignored, or keeps every step "
                   "from starting",
                   "%s", why.text);
    }
    if (installation->plugstack[0] != '\0')
        check_line(report, installation);
    if (installation->plugin)
        check_object(report, installation, installation->plugin);
    if (installation->stub)
        check_object(report, installation, installation->stub);
    try_srun(report, srun ? srun : "srun");
    if (installation->mpi_default[0] != '\0')
        check_mpi_default(report, installation);
}
