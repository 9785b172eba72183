/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* check_catalogues.c - where profiles lie: whether they can be read, whether
 * others could change them, and what is broken; and the folder of the log */
#include "config.h"

#include "tools/doctor/checks.h"

#include "base/own_folder.h"
#include "base/text.h"
#include "profiles/catalogue/catalogue.h"
#include "profiles/catalogue/catalogue_trust.h"
#include "tools/common/subprocess.h"
#include "tools/doctor/trial.h"
#include "tools/site/site.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A folder that does not answer for so many seconds is none for a launch. */
#define ANSWER_SECONDS 10

/* What a catalogue holds, as `topomap profile list` tells. */
struct contents {
    size_t n, nbroken;
    char first[512]; /* why the first of the broken ones is */
};

static int count(struct contents *out,
                 const struct process_output *run,
                 struct mapcore_error *err)
{
    struct json_node root = {0}, entry;
    struct json *json = NULL;
    struct buffer whole = {0};
    const char *why;
    int error = buffer_printf(&whole, err, "{\"entries\":%s}",
                              run->out.bytes ? run->out.bytes : "[]");

    *out = (struct contents){0};
    if (error == 0)
        error = json_open_memory(&json, "topomap profile list", whole.bytes,
                                 whole.n, err);
    if (error == 0 && (error = json_root(&entry, json, err)) == 0)
        error = json_get_array(&root, &entry, "entries", err);
    out->n = error == 0 ? json_count(&root) : 0;
    for (size_t i = 0; error == 0 && i < out->n; i++) {
        if ((error = json_at(&entry, &root, i, err)) < 0 ||
            !json_has(&entry, "error"))
            continue;
        if ((error = json_get_string(&why, &entry, "error", err)) == 0 &&
            out->nbroken++ == 0)
            snprintf(out->first, sizeof(out->first), "%s", why);
    }
    json_close(json);
    buffer_clear(&whole);
    return error;
}

/* In MiB; negative: du could not tell soon. */
static double measure(const char *root)
{
    struct process_output run;
    struct mapcore_error ignored;
    double kib = -1;
    char *cursor;
    uint64_t n;

    if (trial_words(&run, ANSWER_SECONDS, &ignored, "du", "-sk", root, NULL) <
        0)
        return -1;
    cursor = run.out.bytes;
    if (cursor && text_take_u64(&cursor, &n, NULL))
        kib = (double)n;
    process_output_clear(&run);
    return kib / 1024;
}

static void say_contents(struct doctor_report *report,
                         const char *root,
                         const struct contents *contents)
{
    double mib = measure(root);

    if (contents->nbroken > 0)
        doctor_say(report, VERDICT_WRONG, "catalogue",
                   "topomap profile rm takes it away; what is refused needs "
                   "its owner or mode mended",
                   "%s: %zu of %zu versions cannot be read\n%s", root,
                   contents->nbroken, contents->n, contents->first);
    else
        doctor_say(report, VERDICT_OK, "catalogue", NULL,
                   "%s: %zu version%s, %.3g MiB", root, contents->n,
                   text_plural(contents->n), mib);
}

static void check_contents(struct doctor_report *report,
                           const struct installation *installation,
                           const char *root)
{
    struct process_output run = {0};
    struct contents contents;
    struct mapcore_error why;
    size_t n;

    if (trial_words(&run, 2 * CHILD_SECONDS, &why, installation->self,
                    "profile", "list", "--all", "--json", "--catalogue", root,
                    NULL) < 0)
        doctor_say(report, VERDICT_WRONG, "catalogue", NULL, "%s: %s", root,
                   why.text);
    else if (!trial_is_good(&run)) {
        const char *line = trial_last_line(&n, &run);

        doctor_say(report, VERDICT_WRONG, "catalogue", NULL, "%s: %.*s", root,
                   (int)n, line);
    } else if (count(&contents, &run, &why) < 0)
        doctor_say(report, VERDICT_WRONG, "catalogue", NULL, "%s: %s", root,
                   why.text);
    else
        say_contents(report, root, &contents);
    process_output_clear(&run);
}

enum answer {
    ANSWER_NONE, /* it hangs */
    ANSWER_NOT_THERE,
    ANSWER_THERE,
};

/* Nobody but a child asks for a folder that may hang. */
static enum answer ask_for(const char *root)
{
    struct process_output run;
    struct mapcore_error ignored;
    bool is_there;

    if (trial_words(&run, ANSWER_SECONDS, &ignored, "test", "-e", root, NULL) <
        0)
        return ANSWER_NONE;
    is_there = trial_is_good(&run);
    process_output_clear(&run);
    return is_there ? ANSWER_THERE : ANSWER_NOT_THERE;
}

static void check_root(struct doctor_report *report,
                       const struct installation *installation,
                       const char *root,
                       bool own)
{
    enum answer answer = ask_for(root);
    struct mapcore_error why;

    if (answer == ANSWER_NONE)
        doctor_say(report, VERDICT_WRONG, "catalogue",
                   "jobs start without it, after their budget: mend the "
                   "storage, or name another",
                   "%s: it does not answer", root);
    else if (answer == ANSWER_NOT_THERE)
        doctor_say(report, own ? VERDICT_OK : VERDICT_WARNING, "catalogue",
                   own ? NULL
                       : "make it, for those who record for all, or take it "
                         "out of the site's words",
                   "%s: there is none yet", root);
    else if (catalogue_check_folder(root, true, own, &why) < 0)
        doctor_say(report, VERDICT_WRONG, "catalogue",
                   "nothing in it is believed: chmod go-w, and its right owner",
                   "%s", why.text);
    else if (own && access(root, W_OK) != 0)
        doctor_say(report, VERDICT_WRONG, "catalogue",
                   "nothing can be recorded there", "%s: not writable", root);
    else
        check_contents(report, installation, root);
}

/* Launches say nothing of a line that cannot be written. */
static void check_log(struct doctor_report *report, const char *log)
{
    static const char remedy[] =
        "no line is written there: mkdir -m 1733, or chmod 1733, "
        "topomap-history(1)";
    struct own_folder *folder = NULL;
    struct mapcore_error why;
    struct stat st;
    enum answer answer;

    if (log[0] != '/')
        return; /* syslog */
    if ((answer = ask_for(log)) != ANSWER_THERE)
        doctor_say(report, VERDICT_WRONG, "log", remedy, "%s: %s", log,
                   answer == ANSWER_NONE ? "it does not answer"
                                         : "there is no such folder");
    else if (own_folder_open(&folder, log, OWN_FOLDER_LOG, &why) < 0)
        doctor_say(report, VERDICT_WRONG, "log", remedy, "%s", why.text);
    else if (access(log, W_OK | X_OK) != 0)
        doctor_say(report, VERDICT_WRONG, "log", remedy, "%s: not writable",
                   log);
    else if (own_folder_stat(&st, folder, ".") < 0 || (st.st_mode & 03) != 03)
        doctor_say(report, VERDICT_WARNING, "log",
                   "others leave no line there: chmod 1733, topomap-history(1)",
                   "%s: not every user may write to it", log);
    else
        doctor_say(report, VERDICT_OK, "log", NULL, "%s", log);
    own_folder_close(folder);
}

void check_catalogues(struct doctor_report *report,
                      const struct installation *installation)
{
    struct site_file *site = NULL;
    struct mapcore_error why;
    const char *const *roots;
    char *own = NULL;
    size_t n;

    if (catalogue_user_root(&own, &why) < 0)
        doctor_say(report, VERDICT_WARNING, "catalogue",
                   "set TOPOMAP_CATALOGUE or HOME", "%s", why.text);
    else
        check_root(report, installation, own, true);
    for (int i = 0; i < installation->words.ncatalogues; i++)
        check_root(report, installation, installation->words.catalogue[i],
                   false);
    free(own);
    if (installation->words.log)
        check_log(report, installation->words.log);
    if (site_read(&site, installation->site_file, NULL) < 0)
        return; /* check_site has said so */
    if (!installation->words.log && site->log)
        check_log(report, site->log);
    roots = site->catalogues;
    n = site->ncatalogues;
    for (size_t i = 0; i < n; i++)
        check_root(report, installation, roots[i], false);
    site_close(site);
}
