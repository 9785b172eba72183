/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* collect.c - a spool is claimed by a rename, so that it is filed once */
#include "config.h"

#include "tools/profile/recorded/collect.h"

#include "base/error_set.h"
#include "base/text.h"
#include "launch/kept.h"
#include "tools/common/tool.h"
#include "tools/profile/recorded/recorded.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* srun collects at once, when it lives; and which nodes come at all, only time
 * tells. */
#define ALL_SECONDS  2
#define LEFT_SECONDS 60
/* Whoever has claimed a spool for so long was killed. */
#define CLAIM_SECONDS 3600
/* An empty spool is that of a step that may still run. */
#define STEP_SECONDS (60 * 24 * 3600)
#define TAKEN        ".taken"
#define FAILED       ".failed"

static bool ends_in(const char *name, const char *tail)
{
    const size_t n = strlen(name), m = strlen(tail);

    return n > m && strcmp(name + n - m, tail) == 0;
}

/* JOB.STEP-N */
static bool is_spool(const char *name)
{
    size_t n = strspn(name, "0123456789");
    size_t m = n > 0 && name[n] == '.' ? strspn(name + n + 1, "0123456789") : 0;

    name += n + 1 + m;
    return m > 0 && *name == '-' && name[1] &&
           name[1 + strspn(name + 1, "0123456789")] == '\0';
}

/* A folder of the user's that nobody else writes to. */
static int check_own(const char *path, struct mapcore_error *err)
{
    struct stat st;

    if (lstat(path, &st) < 0)
        return error_set(err, MAPCORE_EIO, "%.400s: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
        (st.st_mode & (S_IWGRP | S_IWOTH)))
        return error_set(err, MAPCORE_ETRUST,
                         "%.400s is refused: it is no folder of yours alone",
                         path);
    return 0;
}

/* ROOT of ROOT/.spool-UID/JOB.STEP-N; both folders are looked at. */
static int find_root(struct buffer *out,
                     const char *folder,
                     struct mapcore_error *err)
{
    const char *name = text_last_part(folder), *above;
    struct buffer parent = {0};
    int error = 0;

    if (name > folder + 1)
        error = buffer_printf(&parent, err, "%.*s", (int)(name - folder - 1),
                              folder);
    above = parent.n > 0 ? text_last_part(parent.bytes) : "";
    if (error == 0 && (!is_spool(name) || strncmp(above, ".spool-", 7) != 0 ||
                       above <= parent.bytes + 1))
        error = error_set(err, MAPCORE_EINVAL,
                          "%.400s is no spool of a recording", folder);
    if (error == 0 && (error = check_own(parent.bytes, err)) == 0 &&
        (error = check_own(folder, err)) == 0)
        error = buffer_printf(out, err, "%.*s", (int)(above - parent.bytes - 1),
                              parent.bytes);
    buffer_clear(&parent);
    return error;
}

/* What a node has left in the end, or else the last of what it left while its
 * tasks went on: it may have died. */
static bool is_last_of_node(int folder, const char *name)
{
    const char *dot = strrchr(name, '.');
    char end[64];
    struct stat st;

    if (ends_in(name, "." KEPT_END))
        return true;
    return ends_in(name, "." KEPT_SO_FAR) &&
           snprintf(end, sizeof(end), "%.*s" KEPT_END, (int)(dot + 1 - name),
                    name) < (int)sizeof(end) &&
           fstatat(folder, end, &st, AT_SYMLINK_NOFOLLOW) < 0 &&
           errno == ENOENT;
}

/* Every node's file. *said: the recorder itself has told what came. */
static int take_nodes(struct recorded *recorded, const char *folder, bool *said)
{
    char path[PATH_MAX];
    DIR *dir = opendir(folder);
    int error = 0;

    if (!dir)
        return error_set(recorded->err, MAPCORE_EIO, "cannot read %.400s: %s",
                         folder, strerror(errno));
    for (struct dirent *item; error == 0 && (item = readdir(dir));) {
        *said = *said || strcmp(item->d_name, "said") == 0;
        if (!is_last_of_node(dirfd(dir), item->d_name))
            continue;
        if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder,
                             item->d_name) >= sizeof(path))
            error = error_set(recorded->err, MAPCORE_EINVAL, "too long a path");
        else
            error = recorded_take_kept(recorded, path);
    }
    closedir(dir);
    return error;
}

static int describe(struct buffer *out,
                    const struct recorded *recorded,
                    const char *filed,
                    struct mapcore_error *err)
{
    const bool named = recorded->name[0] != '\0';
    const time_t last = (time_t)recorded->until;
    char until[32] = "";
    struct tm tm;
    int error;

    if (localtime_r(&last, &tm))
        strftime(until, sizeof(until), "%Y-%m-%d %H:%M:%S", &tm);
    error = buffer_printf(
        out, err,
        "recorded %u of %u tasks of %s until %s, without MPI_Finalize; filed "
        "in %s\n",
        recorded->nfound, recorded->ntasks,
        named ? recorded->name : text_last_part(recorded->program), until,
        filed);
    if (error == 0 && recorded->nlost > 0)
        error =
            buffer_printf(out, err, "%u of them had more than could be kept\n",
                          recorded->nlost);
    return error;
}

static int file_spool(struct collected *out,
                      const char *folder,
                      const char *root,
                      struct mapcore_error *err)
{
    struct recorded recorded = {.err = err};
    char *filed = NULL;
    bool said = false;
    int error = take_nodes(&recorded, folder, &said);

    if (error == 0 && recorded.nfound == 0)
        error = said ? 0
                     : buffer_printf(&out->lines, err,
                                     "nothing was recorded: no MPI program of "
                                     "several ranks ran with the recorder\n");
    else if (error == 0 && (error = recorded_check(&recorded, folder)) == 0 &&
             (error = recorded_file(&recorded, root,
                                    recorded.nfound < recorded.ntasks,
                                    &filed)) == 0 &&
             (error = describe(&out->lines, &recorded, filed, err)) == 0)
        error = buffer_printf(&out->filed, err, "%s\n", filed);
    free(filed);
    recorded_clear(&recorded);
    return error;
}

/* Files alone stand in it. */
static void remove_spool(const char *folder)
{
    DIR *dir = opendir(folder);

    if (!dir)
        return;
    for (struct dirent *item; (item = readdir(dir));)
        unlinkat(dirfd(dir), item->d_name, 0);
    closedir(dir);
    rmdir(folder);
}

void collected_clear(struct collected *collected)
{
    buffer_clear(&collected->lines);
    buffer_clear(&collected->filed);
}

void collected_say(const struct collected *collected)
{
    if (collected->lines.n == 0)
        return;
    for (const char *line = collected->lines.bytes, *end;
         (end = strchr(line, '\n')); line = end + 1)
        tool_note("%.*s", (int)(end - line), line);
}

int collect_spool(struct collected *out,
                  const char *folder,
                  struct mapcore_error *err)
{
    struct buffer root = {0}, taken = {0}, failed = {0};
    struct mapcore_error why;
    int error = find_root(&root, folder, err);

    if (error < 0 ||
        (error = buffer_printf(&taken, err, "%s" TAKEN, folder)) < 0 ||
        (error = buffer_printf(&failed, err, "%s" FAILED, folder)) < 0)
        goto out;
    if (rename(folder, taken.bytes) < 0) {
        if (errno != ENOENT)
            error = error_set(err, MAPCORE_EIO, "cannot rename %.400s: %s",
                              folder, strerror(errno));
        goto out;
    }
    error = file_spool(out, taken.bytes, root.bytes, &why);
    if (error == 0)
        remove_spool(taken.bytes);
    else if (rename(taken.bytes, failed.bytes) == 0)
        error_set(err, error, "%.600s; the counts stay in %.400s", why.text,
                  failed.bytes);
    else if (err)
        *err = why;
out:
    buffer_clear(&root);
    buffer_clear(&taken);
    buffer_clear(&failed);
    return error;
}

/* Lines "WORD N", as srun has written them. */
struct spooled_step {
    uint32_t nodes; /* more than there can be: not known */
    uint32_t every; /* seconds between two states, or 0 */
};

static void read_step(struct spooled_step *out, const char *folder)
{
    char path[PATH_MAX], word[16];
    unsigned number;
    FILE *file;

    *out = (struct spooled_step){.nodes = UINT32_MAX};
    snprintf(path, sizeof(path), "%s/step", folder);
    if (!(file = fopen(path, "re")))
        return;
    while (fscanf(file, "%15s %u", word, &number) == 2)
        if (strcmp(word, "nodes") == 0)
            out->nodes = number;
        else if (strcmp(word, "every") == 0)
            out->every = number;
    fclose(file);
}

/* When the nodes have last left something, or 0; for good, and so far. */
struct left_behind {
    time_t last, last_so_far;
    uint32_t nodes; /* for good */
};

static void look_for_files(struct left_behind *out, const char *folder)
{
    DIR *dir = opendir(folder);
    struct stat st;

    *out = (struct left_behind){.last = 0};
    if (!dir)
        return;
    for (struct dirent *item; (item = readdir(dir));) {
        const bool is_end = ends_in(item->d_name, "." KEPT_END);
        time_t *last = is_end ? &out->last : &out->last_so_far;

        if ((!is_end && !ends_in(item->d_name, "." KEPT_SO_FAR)) ||
            fstatat(dirfd(dir), item->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        out->nodes += is_end;
        *last = st.st_mtime > *last ? st.st_mtime : *last;
    }
    closedir(dir);
}

/* Nothing more will come: all nodes have left what they had, or for so long
 * that nobody writes any more. */
static bool is_over(const char *folder, const struct left_behind *left)
{
    const time_t now = time(NULL);
    struct spooled_step step;

    read_step(&step, folder);
    if (left->last_so_far > 0 && left->nodes < step.nodes &&
        left->last_so_far >= now - 2 * (time_t)step.every - LEFT_SECONDS)
        return false;
    return (left->last > 0 || left->last_so_far > 0) &&
           left->last <
               now - (left->nodes >= step.nodes ? ALL_SECONDS : LEFT_SECONDS);
}

static int look_at(struct collected *out,
                   const char *above,
                   const char *name,
                   struct mapcore_error *err)
{
    struct buffer path = {0};
    struct mapcore_error why;
    struct stat st;
    const time_t now = time(NULL);
    int error = buffer_printf(&path, err, "%s/%s", above, name);

    if (error < 0 || lstat(path.bytes, &st) < 0 || !S_ISDIR(st.st_mode))
        goto out;
    if (ends_in(name, TAKEN) && st.st_ctime < now - CLAIM_SECONDS) {
        char *back = strndup(path.bytes, path.n - strlen(TAKEN));
        if (back && is_spool(text_last_part(back)))
            rename(path.bytes, back);
        free(back);
    } else if (is_spool(name)) {
        struct left_behind left;

        look_for_files(&left, path.bytes);
        if (left.last == 0 && left.last_so_far == 0) {
            if (st.st_mtime < now - STEP_SECONDS)
                remove_spool(path.bytes);
        } else if (is_over(path.bytes, &left) &&
                   collect_spool(out, path.bytes, &why) < 0)
            error = buffer_printf(&out->lines, err, "%s\n", why.text);
    }
out:
    buffer_clear(&path);
    return error;
}

int collect_left(struct collected *out,
                 const char *root,
                 struct mapcore_error *err)
{
    struct buffer above = {0};
    int error = buffer_printf(&above, err, "%s/.spool-%lu", root,
                              (unsigned long)geteuid());
    DIR *dir = error == 0 ? opendir(above.bytes) : NULL;

    for (struct dirent *item; error == 0 && dir && (item = readdir(dir));)
        if (item->d_name[0] != '.')
            error = look_at(out, above.bytes, item->d_name, err);
    if (dir)
        closedir(dir);
    buffer_clear(&above);
    return error;
}
