/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_pack.c - topomap profile pack: one profile, in one file for others,
 * which tar(1) writes */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "base/array.h"
#include "base/process.h"
#include "base/text.h"
#include "tools/profile/pack/packed.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct pack {
    struct mapcore_error *err; /* of the caller */
    char *folder;              /* of the profile */
    int64_t time;
    uint64_t n; /* bytes written */
};

static bool is_other_file(const char *name)
{
    return packed_is_file(name) && strcmp(name, PACKED_FIRST) != 0;
}

static int run_tar(char *const words[], int out, struct mapcore_error *err)
{
    const struct process process = {
        .words = words, .in = -1, .out = out, .err = STDERR_FILENO};
    int status = 0;
    pid_t pid;
    int error = process_start(&pid, &process, err);

    while (error == 0 && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            error = error_set(err, MAPCORE_EIO, "tar: %s", strerror(errno));
    return error == 0 && status != 0
               ? error_set(err, MAPCORE_EIO, "tar cannot pack it")
               : error;
}

/* A profile that was copied out of its catalogue has no version's name. */
static const char *name_folder(const char *path)
{
    const char *last = text_last_part(path);

    return catalogue_is_version(last) ? last : "profile";
}

/* The same bytes for the same profile: files without an owner, of mode 644 and
 * of the time when it was recorded, profile.json first. */
static int pack_files(const struct pack *pack, char **names, size_t n, int out)
{
    static char tar[] = "tar", create[] = "-cf-", form[] = "--format=ustar",
                owner[] = "--owner=0", group[] = "--group=0",
                numeric[] = "--numeric-owner", mode[] = "--mode=0644",
                plain[] = "--no-recursion", in[] = "-C", end[] = "--",
                first[] = PACKED_FIRST;
    char time[40], place[NAME_MAX + 24];
    char *const head[] = {tar,     create,       form,  owner, group,
                          numeric, mode,         plain, time,  place,
                          in,      pack->folder, end,   first};
    const size_t nhead = sizeof(head) / sizeof(*head);
    char **words = array_alloc(nhead + n + 1, sizeof(*words), pack->err);
    int error;

    if (!words)
        return MAPCORE_ENOMEM;
    snprintf(time, sizeof(time), "--mtime=@%" PRId64, pack->time);
    snprintf(place, sizeof(place), "--transform=s,^,%s/,",
             name_folder(pack->folder));
    memcpy(words, head, sizeof(head));
    if (n > 0)
        memcpy(words + nhead, names, n * sizeof(*names));
    error = run_tar(words, out, pack->err);
    free(words);
    return error;
}

static int write_archive(struct pack *pack, const char *path)
{
    struct tool_output output;
    char **names = NULL;
    size_t n = 0;
    off_t at;
    int error = tool_output_open(&output, path, pack->err);

    if (error < 0)
        return error;
    error = catalogue_names(&names, &n, pack->folder, is_other_file, pack->err);
    if (error == 0)
        error = pack_files(pack, names, n, fileno(output.file));
    catalogue_names_free(names, n);
    at = lseek(fileno(output.file), 0, SEEK_CUR);
    pack->n = at > 0 ? (uint64_t)at : 0;
    return tool_output_end(&output, error, pack->err);
}

static int print_json(const struct pack *pack,
                      const struct profile_options *options)
{
    struct answer answer;
    struct json_writer *writer = answer_begin(&answer, stdout, &options->form,
                                              NULL, ANSWER_ONE_ROW, pack->err);

    if (!writer)
        return MAPCORE_ENOMEM;
    json_put_string(writer, "output", options->output);
    json_put_string(writer, "folder", pack->folder);
    json_put_u64(writer, "bytes", pack->n);
    return answer_end(&answer, 0, pack->err);
}

static int pack(const struct profile_options *options,
                const struct catalogue_entry *entry)
{
    struct profile *profile = NULL;
    struct pack pack = {.err = options->err, .folder = entry->path};
    int error = packed_check_folder(entry->path, options->err);

    if (error == 0)
        error = profile_read(&profile, entry->path, options->err);
    if (error == 0)
        error = packed_find_time(&pack.time, profile, options->err);
    if (error == 0)
        error = write_archive(&pack, options->output);
    if (error == 0 && answer_word(&options->form))
        error = print_json(&pack, options);
    profile_destroy(profile);
    return error;
}

int profile_pack_run(const struct profile_options *options)
{
    struct catalogue_entry entry = {0};
    int error;

    if (answer_word(&options->form) && !options->output)
        return tool_usage("profile", "pack --%s tells what -o FILE has got",
                          answer_word(&options->form));
    if (!options->output && isatty(STDOUT_FILENO))
        return tool_usage(
            "profile", "pack writes an archive, not for a terminal: -o FILE");
    error = profile_find(&entry, &options->catalogues, options->config,
                         options->operand, true, options->err);
    if (error == 0)
        error = pack(options, &entry);
    catalogue_entry_clear(&entry);
    return error;
}
