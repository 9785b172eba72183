/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* check_files.c - the command and the recorders, as the plugin and the tasks
 * will find them */
#include "config.h"

#include "tools/doctor/checks.h"

#include "base/buffer.h"
#include "base/text.h"
#include "tools/common/installed.h"
#include "tools/common/subprocess.h"
#include "tools/doctor/shared_file.h"
#include "tools/doctor/trial.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Readable for all, and root's own: *said otherwise. runs: it is a command. */
static bool is_usable(struct doctor_report *report,
                      const char *subject,
                      const char *path,
                      bool runs)
{
    struct mapcore_error why;

    if (shared_file_check_use(path, runs, &why) < 0) {
        doctor_say(report, VERDICT_WRONG, subject,
                   "it is used as the user who runs srun: chmod a+rX", "%s",
                   why.text);
        return false;
    }
    if (shared_file_check_trust(path, &why) < 0)
        doctor_say(report, VERDICT_WARNING, subject,
                   "every user runs it: only root should be able to change it",
                   "%s", why.text);
    return true;
}

static void check_helper(struct doctor_report *report,
                         const struct installation *installation)
{
    struct process_output run;
    struct mapcore_error why;
    const char *path = installation->helper;
    size_t n;

    if (path[0] == '\0' || !is_usable(report, "helper", path, true))
        return;
    if (trial_words(&run, CHILD_SECONDS, &why, path, "--version", NULL) < 0) {
        doctor_say(report, VERDICT_WRONG, "helper", NULL, "%s: %s", path,
                   why.text);
        return;
    }
    if (!trial_is_good(&run) ||
        strncmp(run.out.bytes, "topomap " PACKAGE_VERSION "\n",
                sizeof("topomap " PACKAGE_VERSION "\n") - 1) != 0) {
        const char *line = trial_last_line(&n, &run);

        doctor_say(report, VERDICT_WRONG, "helper",
                   "install plugin and command from one version",
                   "%s, which the plugin runs, is not " PACKAGE_VERSION
                   ": %.*s",
                   path, n < 200 ? (int)n : 200, line);
    } else {
        doctor_say(report, VERDICT_OK, "helper", NULL, "%s", path);
    }
    process_output_clear(&run);
}

/* Users type topomap as well. */
static void check_path(struct doctor_report *report)
{
    const char *path = getenv("PATH");

    while (path && *path != '\0') {
        size_t n = strcspn(path, ":");
        char file[PATH_MAX];

        snprintf(file, sizeof(file), "%.*s/topomap", (int)n, path);
        if (access(file, X_OK) == 0) {
            doctor_say(report, VERDICT_OK, "PATH", NULL, "%s", file);
            return;
        }
        path += n + (path[n] != '\0');
    }
    doctor_say(report, VERDICT_WARNING, "PATH",
               "add the folder to PATH, or a module that does",
               "topomap is not in it: srun works, and users cannot look at "
               "profiles");
}

/* What ld.so says of it is what every task of a recording would. */
static void try_preload(struct doctor_report *report, const char *path)
{
    struct process_output run = {0};
    struct buffer word = {0};
    struct mapcore_error why;
    int error = buffer_printf(&word, &why, "LD_PRELOAD=%s", path);

    if (error == 0)
        error = trial_words(&run, CHILD_SECONDS, &why, "env", word.bytes,
                            "true", NULL);
    if (error < 0 || !trial_is_good(&run) || run.said.n > 0)
        doctor_say(report, VERDICT_WRONG, "recorder",
                   "install it anew, with the libraries that it needs", "%s",
                   error < 0        ? why.text
                   : run.said.n > 0 ? run.said.bytes
                                    : "programs do not run with it");
    else
        doctor_say(report, VERDICT_OK, "recorder", NULL, "%s", path);
    buffer_clear(&word);
    process_output_clear(&run);
}

static void check_recorders(struct doctor_report *report)
{
    unsigned found = 0;

    for (size_t i = 0; i < INSTALLATION_RECORDERS; i++) {
        struct buffer path = {0};
        struct mapcore_error why;

        if (installed_path(&path, TOPOMAP_RECORDERDIR,
                           installation_recorders[i], &why) == 0 &&
            access(path.bytes, F_OK) == 0) {
            found++;
            if (is_usable(report, "recorder", path.bytes, false))
                try_preload(report, path.bytes);
        }
        buffer_clear(&path);
    }
    if (found == 0)
        doctor_say(report, VERDICT_WARNING, "recorder",
                   "build topomap where mpicc of MPICH or Open MPI is",
                   "none was installed in " TOPOMAP_RECORDERDIR
                   ": no program can be recorded here");
}

void check_files(struct doctor_report *report,
                 const struct installation *installation)
{
    check_helper(report, installation);
    check_path(report);
    check_recorders(report);
}
