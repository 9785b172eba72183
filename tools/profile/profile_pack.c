/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_pack.c - topomap profile pack: one profile, in one file for others */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "base/file_read.h"
#include "base/text.h"
#include "tools/common/told.h"
#include "tools/profile/pack/packed.h"
#include "tools/profile/pack/ustar.h"
#include "json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct pack {
    FILE *file;
    const char *out;    /* its name, for messages */
    const char *folder; /* of the profile */
    const char *name;   /* of the folder in the archive */
    int64_t time;
    uint64_t n; /* bytes written */
};

static int put(struct pack *pack,
               const void *bytes,
               size_t n,
               struct mapcore_error *err)
{
    pack->n += n;
    if (fwrite(bytes, 1, n, pack->file) == n)
        return 0;
    return error_set(err, MAPCORE_EIO, "cannot write to %.400s: %s", pack->out,
                     strerror(errno));
}

static int put_zeros(struct pack *pack, size_t n, struct mapcore_error *err)
{
    static const char zeros[2 * USTAR_BLOCK];

    return put(pack, zeros, n, err);
}

/* Just as many bytes as its header says. */
static int copy_file(struct pack *pack,
                     int fd,
                     const char *name,
                     uint64_t size,
                     struct mapcore_error *err)
{
    struct buffer bytes = {0};
    uint64_t n = 0;
    bool more = true;
    int error = 0;

    while (error == 0 && more && n < size) {
        buffer_clear(&bytes);
        error = file_read_some(&bytes, &more, fd, name, SIZE_MAX, err);
        n += bytes.n;
        if (error == 0 && n <= size)
            error = put(pack, bytes.bytes, bytes.n, err);
    }
    buffer_clear(&bytes);
    if (error == 0 && n != size)
        error = error_set(err, MAPCORE_EIO, "%.300s/%.64s changes meanwhile",
                          pack->folder, name);
    return error < 0 ? error : put_zeros(pack, ustar_padding(size), err);
}

static int pack_file(struct pack *pack,
                     int folder,
                     const char *name,
                     struct mapcore_error *err)
{
    unsigned char header[USTAR_BLOCK];
    struct stat st;
    int fd, error = file_open_at(&fd, folder, name, FILE_REGULAR | FILE_NO_LINK,
                                 err);

    if (error < 0)
        return error;
    if (fstat(fd, &st) < 0)
        error = error_set(err, MAPCORE_EIO, "%.300s/%.64s: %s", pack->folder,
                          name, strerror(errno));
    if (error == 0)
        error = ustar_format(header, pack->name, name, (uint64_t)st.st_size,
                             (uint64_t)pack->time, err);
    if (error == 0)
        error = put(pack, header, sizeof(header), err);
    if (error == 0)
        error = copy_file(pack, fd, name, (uint64_t)st.st_size, err);
    close(fd);
    return error;
}

static bool is_other_file(const char *name)
{
    return packed_is_file(name) && strcmp(name, PACKED_FIRST) != 0;
}

/* profile.json first: who unpacks knows from it where all of it belongs. */
static int pack_folder(struct pack *pack, struct mapcore_error *err)
{
    int folder = open(pack->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char **names = NULL;
    size_t n = 0;
    int error;

    if (folder < 0)
        return error_set(err, MAPCORE_EIO, "%.400s: %s", pack->folder,
                         strerror(errno));
    error = pack_file(pack, folder, PACKED_FIRST, err);
    if (error == 0)
        error = catalogue_names(&names, &n, pack->folder, is_other_file, err);
    for (size_t i = 0; error == 0 && i < n; i++)
        error = pack_file(pack, folder, names[i], err);
    if (error == 0)
        error = put_zeros(pack, 2 * USTAR_BLOCK, err);
    catalogue_names_free(names, n);
    close(folder);
    return error;
}

static int write_archive(struct pack *pack,
                         const char *path,
                         struct mapcore_error *err)
{
    struct tool_output output;
    int error;

    pack->out = path ? path : "stdout";
    pack->file = stdout;
    if (!path)
        return pack_folder(pack, err);
    error = tool_output_open(&output, path, err);
    if (error < 0)
        return error;
    pack->file = output.file;
    error = pack_folder(pack, err);
    if (error == 0)
        return tool_output_commit(&output, err);
    tool_output_abandon(&output);
    return error;
}

/* A profile that was copied out of its catalogue has no version's name. */
static const char *name_folder(const char *path)
{
    const char *last = text_last_part(path);

    return catalogue_is_version(last) ? last : "profile";
}

static int print_json(const struct pack *pack,
                      bool csv,
                      struct mapcore_error *err)
{
    struct told_answer told;
    struct json_writer *writer =
        told_begin(&told, stdout, csv ? TOLD_ONE_ROW : NULL, err);

    if (!writer)
        return MAPCORE_ENOMEM;
    json_begin_object(writer, NULL);
    json_put_string(writer, "output", pack->out);
    json_put_string(writer, "folder", pack->folder);
    json_put_u64(writer, "bytes", pack->n);
    json_end_object(writer);
    return told_end(&told, 0, err);
}

static int pack(const struct profile_options *options,
                const struct catalogue_entry *entry,
                struct mapcore_error *err)
{
    struct profile *profile = NULL;
    struct pack pack = {.folder = entry->path,
                        .name = name_folder(entry->path)};
    int error = packed_check_folder(entry->path, err);

    if (error == 0)
        error = profile_read(&profile, entry->path, err);
    if (error == 0)
        error = packed_find_time(&pack.time, profile, err);
    if (error == 0)
        error = write_archive(&pack, options->output, err);
    if (error == 0 && (options->json || options->csv))
        error = print_json(&pack, options->csv, err);
    profile_destroy(profile);
    return error;
}

int profile_pack_run(const struct profile_options *options)
{
    struct catalogue_entry entry = {0};
    struct profile_roots roots;
    struct mapcore_error err;
    int error;

    if ((options->json || options->csv) && !options->output)
        return tool_usage("profile", "pack --%s tells what -o FILE has got",
                          options->json ? "json" : "csv");
    if (!options->output && isatty(STDOUT_FILENO))
        return tool_usage(
            "profile", "pack writes an archive, not for a terminal: -o FILE");
    error = profile_roots_open(&roots, options, &err);
    if (error == 0)
        error = profile_select(&entry, roots.list.item, roots.list.n,
                               roots.own != NULL, options->operand, &err);
    if (error == 0 && entry.other_build)
        tool_note("this profile is of another build of %s", entry.program);
    if (error == 0)
        error = pack(options, &entry, &err);
    catalogue_entry_clear(&entry);
    profile_roots_close(&roots);
    return error < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}
