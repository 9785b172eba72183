/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* doctor_main.c - topomap doctor: its options, with which it becomes doctor.py,
 * and what that asks of the code that launches run */
#include "config.h"

#include "base/own_folder.h"
#include "launch/catalogue_root.h"
#include "launch/defaults.h"
#include "launch/plain_name.h"
#include "plugin/options.h"
#include "plugin/policy.h"
#include "profiles/catalogue/catalogue_below.h"
#include "profiles/catalogue/catalogue_trust.h"
#include "profiles/program/sha256.h"
#include "tools/common/command_line.h"
#include "tools/common/installed.h"
#include "tools/common/script.h"
#include "tools/site/site.h"
#include "json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    DIGEST_SHOWN = 8, /* bytes of 32 */
    CHUNK = 1 << 16,
};

/* As typed, borrowed; doctor.py gets it by words. */
struct doctor_options {
    const char *mpi, *program, *nodes, *srun, *config;
    bool launch, here, facts, json, csv;
    enum { JUDGE_NONE, JUDGE_OWN, JUDGE_SITE, JUDGE_LOG, JUDGE_BASE } judge;
    struct tool_list words; /* what was given, tools/common/script.h */
    char **rest;            /* further words for srun, up to a NULL */
};

static int take_type(void *at, const char *text, struct mapcore_error *err)
{
    if (!plain_name_check(text, PLAIN_NAME_MOST))
        return error_set(err, MAPCORE_EINVAL, "'%.64s' is no type of MPI",
                         text);
    *(const char **)at = text;
    return 0;
}

static const struct option_word folders[] = {
    {"own", JUDGE_OWN, NULL, false}, {"site", JUDGE_SITE, NULL, false},
    {"log", JUDGE_LOG, NULL, false}, {"base", JUDGE_BASE, NULL, false},
    {NULL, 0, NULL, false},
};

static const struct option_row rows[] = {
    {OPTION_NAMED("launch", struct doctor_options, launch)},
    {OPTION("mpi", "TYPE"),
     OPTION_CALL_INTO(struct doctor_options, mpi, take_type)},
    {OPTION_TAKES("program", "FILE", struct doctor_options, program)},
    {OPTION_TAKES("nodes", "NODES", struct doctor_options, nodes)},
    {OPTION_TAKES("srun", "FILE", struct doctor_options, srun)},
    {OPTION_TAKES("config", "FILE", struct doctor_options, config)},
    {OPTION_NAMED("here", struct doctor_options, here)},
    {OPTION_NAMED("facts", struct doctor_options, facts)},
    {OPTION("judge", "WHAT"),
     OPTION_WORD_INTO(struct doctor_options, judge, folders)},
    {OPTION_NAMED("json", struct doctor_options, json)},
    {OPTION_NAMED("csv", struct doctor_options, csv)},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "doctor",
    .groups = {{rows, 0}},
    .stops = true,
    .rest = offsetof(struct doctor_options, rest),
    .words = offsetof(struct doctor_options, words),
};

/* errno's text is a word for the comparison of nodes, too. */
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

/* What --nodes runs on each: a line for each pair of words, KEY and a file,
 * with the first half of its SHA-256; or a folder, with whether it can be read.
 * Nodes need no Python for it. */
static void print_here(char *const *words)
{
    const char *node = getenv("SLURMD_NODENAME");
    char contents[64];

    for (; words[0] && words[1]; words += 2) {
        if (strcmp(words[0], "catalogue") == 0)
            snprintf(contents, sizeof(contents), "%sreadable",
                     access(words[1], R_OK | X_OK) == 0 ? "" : "un");
        else
            name_contents(contents, words[1]);
        tool_print("topomap-doctor-here %s %s %s %s\n", node ? node : "-",
                   words[0], words[1], contents);
    }
}

static void put_texts(struct json_writer *writer,
                      const char *key,
                      const char *const *text,
                      size_t n)
{
    json_begin_array(writer, key);
    for (size_t i = 0; i < n; i++)
        json_put_string(writer, NULL, text[i]);
    json_end_array(writer);
}

static void put_site(struct json_writer *writer,
                     const struct site_file *site,
                     const char *partitions)
{
    char *why, *doubts = site_rules_doubt(site, partitions);
    char *file = site->topology.value ? network_file(&site->topology) : NULL;

    json_put_string(writer, "path", site->path);
    json_put_bool(writer, "topology", site->topology.value != NULL);
    json_put_string(writer, "network_file", file);
    json_put_double(writer, "kept_s", site->topology_kept_s);
    json_put_double(writer, "time_s",
                    site->time_s > 0 ? site->time_s : DEFAULTS_SECONDS);
    json_put_string(writer, "log", site->log);
    json_put_string(writer, "catalogue_root", site->catalogue_root);
    json_put_u64(writer, "catalogue_quota_mb", site->catalogue_quota_mb);
    json_put_string(writer, "record_folder", site->learning.record_folder);
    json_put_string(writer, "networks_since", site->since_word);
    put_texts(writer, "catalogues", (const char *const *)site->catalogues,
              site->ncatalogues);
    (void)site_rules_decide(&why, site, NULL, NULL);
    json_put_string(writer, "rule", why);
    json_put_string(writer, "doubts", doubts);
    free(doubts);
    free(file);
    free(why);
}

/* What the plugin's arguments say, and the site file that they or the user
 * name. words: MpiDefault, the names of partitions (or "") and the arguments.
 */
static void put_facts(struct json_writer *writer,
                      const char *config,
                      char **words)
{
    struct plugstack plugin = {0};
    struct site_file *site = NULL;
    struct mapcore_error why;
    char *own = NULL, *off;
    int n = 0;

    while (words[n])
        n++;
    json_put_string(
        writer, "wrong_argument",
        n > 2 && plugstack_parse(&plugin, n - 2, words + 2, &why) < 0 ? why.text
                                                                      : NULL);
    json_put_string(writer, "program", plugin.program);
    json_put_string(writer, "log", plugin.log);
    put_texts(writer, "catalogues", plugin.catalogue,
              (size_t)plugin.ncatalogues);
    config = config ? config : plugin.config;
    json_put_string(writer, "config", config);
    json_begin_object(writer, "site");
    if (site_read(&site, config, &why) < 0)
        json_put_string(writer, "error", why.text);
    else
        put_site(writer, site, words[1] && *words[1] ? words[1] : NULL);
    json_end_object(writer);
    off = site_disabled(site, config);
    json_put_string(writer, "disabled", off ? off : plugin.not_placed);
    free(off);
    json_put_string(writer, "unsafe_mpi",
                    policy_check_mpi(words[0],
                                     plugin.mpi ? plugin.mpi
                                     : site     ? site->mpi
                                                : NULL,
                                     &why) < 0
                        ? why.text
                        : NULL);
    /* This neither waits for its storage nor makes it. */
    if (site)
        site_root_export(site);
    if (catalogue_root_find(&own, getenv, &why) < 0)
        json_put_string(writer, "no_own", why.text);
    json_put_string(writer, "own", own);
    free(own);
    site_close(site);
}

static int print_facts(const struct doctor_options *options,
                       struct mapcore_error *err)
{
    static const struct {
        const char *key, *folder, *file;
    } installed[] = {{"helper", TOPOMAP_BINDIR, "topomap"},
                     {"recorders", TOPOMAP_RECORDERDIR, ""},
                     {"probe_source", TOPOMAP_PROBESRCDIR, "mpi_probe.c"}};
    struct json_writer writer;
    int error = 0;

    json_writer_start(&writer, stdout);
    json_begin_object(&writer, NULL);
    json_put_string(&writer, "version", PACKAGE_VERSION);
    json_put_string(&writer, "configured", TOPOMAP_BINDIR "/topomap");
    json_put_string(&writer, "site_file", TOPOMAP_SITEFILE);
    json_put_string(&writer, "recorders_built", TOPOMAP_RECORDERS);
    json_put_string(&writer, "programs", TOPOMAP_PROGRAMS);
    for (size_t i = 0; error == 0 && i < sizeof(installed) / sizeof(*installed);
         i++) {
        struct buffer path = {0};

        error =
            installed_path(&path, installed[i].folder, installed[i].file, err);
        json_put_string(&writer, installed[i].key, path.bytes);
        buffer_clear(&path);
    }
    put_facts(&writer, options->config, options->rest);
    return error < 0 ? error : json_writer_end(&writer, err);
}

/* Whether a launch believes what lies in a folder, or writes to it. */
static int judge(const struct doctor_options *options,
                 struct mapcore_error *err)
{
    struct own_folder *folder = NULL;
    int error;

    if (options->judge == JUDGE_BASE)
        return catalogue_below_check_base(options->rest[0], err);
    if (options->judge != JUDGE_LOG)
        return catalogue_check_folder(options->rest[0], true,
                                      options->judge == JUDGE_OWN, err);
    error = own_folder_open(&folder, options->rest[0], OWN_FOLDER_LOG, err);
    own_folder_close(folder);
    return error;
}

static int run(struct doctor_options *options, struct mapcore_error *err)
{
    if (options->program && !options->mpi)
        return tool_usage("doctor", "--program is for --mpi");
    if ((options->facts || options->judge) && !options->rest[0])
        return tool_usage("doctor", "a word is missing");
    if (!options->here && !options->facts && !options->judge &&
        options->rest[0] && strcmp(options->rest[-1], "--") != 0)
        return tool_usage("doctor", "'%s' is one argument too many",
                          options->rest[0]);
    if (options->here)
        print_here(options->rest);
    return options->here    ? 0
           : options->facts ? print_facts(options, err)
           : options->judge
               ? judge(options, err)
               : script_become("doctor.py", "doctor", &options->words,
                               options->rest, err);
}

int doctor_main(int argc, char **argv, struct mapcore_error *err)
{
    struct doctor_options options = {0};
    int status;

    if (command_line_parse(&status, &line, &options, argc, argv))
        status = run(&options, err);
    free(options.words.item);
    return status;
}
