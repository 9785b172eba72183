/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* collect.c - a spool is claimed by a rename, so that it is filed once */
#include "config.h"

#include "tools/profile/recorded/collect.h"

#include "base/error_set.h"
#include "base/text.h"
#include "launch/kept.h"
#include "launch/plan_words.h"
#include "launch/spool_folder.h"
#include "profiles/catalogue/catalogue.h"
#include "tools/common/tool.h"
#include "tools/profile/recorded/run_end.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* srun collects at once, when it lives; and which nodes come at all, only time
 * tells. */
#define ALL_SECONDS  2
#define LEFT_SECONDS 60
/* A process that has claimed a spool for as long was killed. */
#define CLAIM_SECONDS 3600
/* A spool without counts is that of a step that may still run; srun has written
 * a file into it. */
#define STEP_SECONDS  (60 * 24 * 3600)
#define EMPTY_SECONDS (7 * 24 * 3600)
/* Of the spools that are left a launch looks at these, others each time. */
#define SEEN      4096
#define STEP_MOST ((size_t)4096)
#define TAKEN     ".taken"
#define FAILED    ".failed"

/* JOB.STEP-N */
static bool is_spool(const char *name)
{
    const char *rest = text_after_form(name, "#.#-#");

    return rest && *rest == '\0';
}

/* What srun, slurmstepd and the recorder write into one. */
static bool is_spool_file(const char *name)
{
    static const char *const files[] = {"step", "said", "room", "look"};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (strcmp(name, files[i]) == 0)
            return true;
    return text_after(name, "node-");
}

/* What a node has left in the end, or else the last of what it left while its
 * tasks went on: it may have died. */
static bool is_last_of_node(const struct own_folder *folder, const char *name)
{
    const char *dot = strrchr(name, '.');
    char end[64];
    struct stat st;

    if (text_ends_in(name, "." KEPT_END))
        return true;
    return text_ends_in(name, "." KEPT_SO_FAR) &&
           snprintf(end, sizeof(end), "%.*s" KEPT_END, (int)(dot + 1 - name),
                    name) < (int)sizeof(end) &&
           own_folder_stat(&st, folder, end) < 0 && errno == ENOENT;
}

static int take_node(struct recorded *recorded,
                     const struct own_folder *folder,
                     const char *name)
{
    struct buffer bytes = {0};
    int error = own_folder_read(&bytes, NULL, folder, name, RECORDED_MOST,
                                recorded->err);

    if (error == 0)
        error = recorded_take_kept(recorded, name, bytes.bytes, bytes.n);
    buffer_clear(&bytes);
    return error;
}

/* The folder that the recorder itself has filed; "" if it has filed none. */
static void read_said(char *out, size_t size, const struct own_folder *folder)
{
    struct buffer text = {0};

    (void)own_folder_read(&text, NULL, folder, "said", size - 1, NULL);
    snprintf(out, size, "%s", text.bytes ? text.bytes : "");
    out[strcspn(out, "\n")] = '\0';
    buffer_clear(&text);
}

int collect_nodes(struct recorded *recorded,
                  const struct own_folder *folder,
                  time_t *last)
{
    const char *name;
    DIR *dir = NULL;
    struct stat st;
    size_t n = 0;
    int error = 0;

    *last = 0;
    for (; error == 0 && (name = own_folder_next(&dir, folder)); n++) {
        if (!is_last_of_node(folder, name))
            continue;
        if (own_folder_stat(&st, folder, name) == 0 && st.st_mtime > *last)
            *last = st.st_mtime;
        error = take_node(recorded, folder, name);
    }
    if (n == 0) /* not even . */
        error = error_set(recorded->err, MAPCORE_EIO, "cannot read %.400s: %s",
                          own_folder_path(folder), strerror(errno));
    if (dir)
        closedir(dir);
    return error;
}

/* What srun wrote at the start, and nodes at the end, says how long it was. */
static void judge(struct recorded *recorded,
                  const struct own_folder *folder,
                  time_t last,
                  const struct collected_run *run)
{
    double seconds = run ? run->seconds : -1;
    struct stat st;

    if (seconds >= 0)
        recorded->ended =
            run_end_worse(recorded->ended, (uint32_t)run->status & 0xffff);
    else if (last > 0 && own_folder_stat(&st, folder, "step") == 0)
        seconds = last > st.st_mtime ? (double)(last - st.st_mtime) : 0;
    run_end_is_partial(recorded->partial, sizeof(recorded->partial),
                       recorded->ended, recorded->nfound == 0, seconds);
}

static int describe(struct buffer *out,
                    const struct recorded *recorded,
                    const char *filed)
{
    const struct subject *subject = &recorded->subject;
    const time_t last = (time_t)subject->until;
    char until[32] = "";
    struct tm tm;

    if (localtime_r(&last, &tm))
        strftime(until, sizeof(until), "%Y-%m-%d %H:%M:%S", &tm);
    buffer_printf(
        out, "recorded: %u of %u tasks of %s until %s, %s; filed in %s\n",
        recorded->nfound, subject->ntasks,
        *subject->program ? subject->program : text_last_part(subject->path),
        until, recorded->ncomms > 0 ? "with NCCL" : "without MPI_Finalize",
        filed);
    if (recorded->nlost > 0)
        buffer_printf(out, "%u of them had more than could be kept\n",
                      recorded->nlost);
    return out->error;
}

/* No task has left anything, nor has the recorder filed it. */
static int describe_nothing(struct collected *out,
                            uint32_t ended,
                            const struct collected_run *run)
{
    const bool alone = ended & KEPT_ALONE;

    out->outcome = ended ? COLLECTED_NOTHING : COLLECTED_NO_MPI;
    return buffer_printf(
        &out->lines, "not recorded: %s%.100s %s\n",
        alone ? "each task of " : "",
        run && run->program ? text_last_part(run->program) : "the program",
        alone
            ? "was an MPI job of its own: is srun's --mpi= missing (srun --mpi=list)?"
        : ended
            ? "failed before MPI_Init"
            : "called no MPI_Init that the recorder saw; NCCL programs: " GRAPH_WORD_LLM);
}

static int file_spool(struct collected *out,
                      const struct own_folder *folder,
                      const char *root,
                      const struct collected_run *run,
                      struct mapcore_error *err)
{
    struct recorded recorded = {.err = err};
    char *filed = NULL, said[PATH_MAX] = "";
    time_t last;
    int error = collect_nodes(&recorded, folder, &last);

    out->lines.err = out->filed.err = err;
    if (error == 0) {
        judge(&recorded, folder, last, run);
        read_said(said, sizeof(said), folder);
    }
    if (error == 0 && recorded.nfound > 0) {
        said[0] = '\0';
        if ((error = recorded_check(&recorded, own_folder_path(folder))) == 0 &&
            (error = recorded_file(&recorded, root, &filed)) == 0 &&
            (error = describe(&out->lines, &recorded, filed)) == 0 &&
            (error = buffer_printf(&out->filed, "%s\n", filed)) == 0)
            snprintf(said, sizeof(said), "%s", filed);
    } else if (error == 0 && !said[0]) {
        error = describe_nothing(out, recorded.ended, run);
    } else if (error == 0 && recorded.partial[0] && said[0] == '/') {
        /* The recorder has filed it in MPI_Finalize, before it could see this
         * end. */
        error = catalogue_make_partial(said, recorded.partial, err);
    }
    if (said[0]) {
        out->outcome = COLLECTED_FILED;
        snprintf(out->version, sizeof(out->version), "%s", said);
    }
    if (error == 0 && said[0] && recorded.partial[0])
        error = buffer_printf(&out->lines,
                              "the profile is partial (%s): it is used only "
                              "while there is no complete one\n",
                              recorded.partial);
    free(filed);
    recorded_clear(&recorded);
    return error;
}

/* False: something is in it that no spool has. */
static bool remove_spool(const struct own_folder *above,
                         const char *name,
                         const struct own_folder *spool)
{
    const char *file;
    DIR *dir = NULL;

    while ((file = own_folder_next(&dir, spool)))
        if (is_spool_file(file))
            (void)own_folder_remove(spool, file);
    return own_folder_remove_below(above, name) == 0;
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

/* The spool NAME is claimed, filed in root and removed. */
static int collect_one(struct collected *out,
                       const struct own_folder *above,
                       const char *name,
                       const char *root,
                       const struct collected_run *run,
                       struct mapcore_error *err)
{
    struct buffer taken = {.err = err}, failed = {.err = err};
    struct own_folder *spool = NULL;
    struct mapcore_error why;
    int error = own_folder_below(&spool, above, name, OWN_FOLDER_ALONE, err);

    buffer_printf(&taken, "%s" TAKEN, name);
    if (error < 0 || (error = taken.error) < 0 ||
        (error = buffer_printf(&failed, "%s" FAILED, name)) < 0)
        goto out;
    if (own_folder_rename(above, name, taken.bytes) < 0) {
        if (errno != ENOENT)
            error = error_set(err, MAPCORE_EIO, "cannot rename %.400s: %s",
                              own_folder_path(spool), strerror(errno));
        goto out;
    }
    error = file_spool(out, spool, root, run, &why);
    if (error == 0) {
        if (!remove_spool(above, taken.bytes, spool))
            (void)own_folder_rename(above, taken.bytes, failed.bytes);
    } else if (own_folder_rename(above, taken.bytes, failed.bytes) == 0)
        error_set(err, error, "%.600s; the counts stay in %.400s" FAILED,
                  why.text, own_folder_path(spool));
    else if (err)
        *err = why;
out:
    own_folder_close(spool);
    buffer_clear(&taken);
    buffer_clear(&failed);
    return error;
}

int collect_make_spool(char **out, const char *root, struct mapcore_error *err)
{
    struct own_folder *spool = NULL;
    char name[32];
    int error = catalogue_make_root(root, err);

    snprintf(name, sizeof(name), "%ld.0", (long)getpid());
    if (error == 0)
        error = spool_folder_make(&spool, root, name, err);
    if (error == 0)
        error = text_copy(out, own_folder_path(spool), err);
    own_folder_close(spool);
    return error;
}

int collect_spool(struct collected *out,
                  const char *folder,
                  const struct collected_run *run,
                  struct mapcore_error *err)
{
    struct own_folder *above = NULL;
    const char *name = text_last_part(folder), *parent;
    struct buffer root = {.err = err};
    int error = 0;

    if (is_spool(name))
        error = own_folder_open_above(&above, &name, folder, err);
    parent = above ? text_last_part(own_folder_path(above)) : "";
    if (error == 0 && !text_after(parent, SPOOL_FOLDER))
        error = error_set(err, MAPCORE_EINVAL,
                          "%.400s is no spool of a recording", folder);
    if (error == 0)
        error = buffer_printf(&root, "%.*s",
                              (int)(parent - own_folder_path(above) - 1),
                              own_folder_path(above));
    if (error == 0)
        error = collect_one(out, above, name, root.bytes, run, err);
    buffer_clear(&root);
    own_folder_close(above);
    return error;
}

/* Lines "WORD N", as srun has written them. */
struct spooled_step {
    uint32_t nodes; /* more than there can be: not known */
    uint32_t every; /* seconds between two states, or 0 */
};

static void read_step(struct spooled_step *out, const struct own_folder *spool)
{
    struct buffer text = {0};
    const char *at;

    *out = (struct spooled_step){.nodes = UINT32_MAX};
    (void)own_folder_read(&text, NULL, spool, "step", STEP_MOST, NULL);
    at = text.bytes ? text.bytes : "";
    (void)sscanf(at, "nodes %u", &out->nodes);
    if ((at = strstr(at, "\nevery ")))
        (void)sscanf(at, " every %u", &out->every);
    buffer_clear(&text);
}

/* When the nodes have last left something, or 0; for good, and so far. */
struct left_behind {
    time_t last, last_so_far;
    uint32_t nodes; /* for good */
    bool is_empty;
};

static void look_for_files(struct left_behind *out,
                           const struct own_folder *spool)
{
    const char *name;
    DIR *dir = NULL;
    struct stat st;

    *out = (struct left_behind){.is_empty = true};
    while ((name = own_folder_next(&dir, spool))) {
        const bool is_end = text_ends_in(name, "." KEPT_END);
        time_t *last = is_end ? &out->last : &out->last_so_far;

        out->is_empty = out->is_empty && name[0] == '.';
        if ((!is_end && !text_ends_in(name, "." KEPT_SO_FAR)) ||
            own_folder_stat(&st, spool, name) < 0)
            continue;
        out->nodes += is_end;
        *last = st.st_mtime > *last ? st.st_mtime : *last;
    }
}

/* Nothing more will come: all nodes have left what they had, or for so long
 * that none writes any more. */
static bool is_over(const struct own_folder *spool,
                    const struct left_behind *left)
{
    const time_t now = time(NULL);
    struct spooled_step step;

    read_step(&step, spool);
    if (left->last_so_far > 0 && left->nodes < step.nodes &&
        left->last_so_far >= now - 2 * (time_t)step.every - LEFT_SECONDS)
        return false;
    return (left->last > 0 || left->last_so_far > 0) &&
           left->last <
               now - (left->nodes >= step.nodes ? ALL_SECONDS : LEFT_SECONDS);
}

static int look_into(struct collected *out,
                     const struct own_folder *above,
                     const char *name,
                     const char *root,
                     struct mapcore_error *err)
{
    struct own_folder *spool = NULL;
    const time_t now = time(NULL);
    struct left_behind left;
    struct mapcore_error why;
    struct stat st;
    int error = 0;

    if (own_folder_below(&spool, above, name, OWN_FOLDER_ALONE, NULL) < 0 ||
        fstat(own_folder_fd(spool), &st) < 0)
        goto out;
    look_for_files(&left, spool);
    if (left.last == 0 && left.last_so_far == 0) {
        if (st.st_mtime < now - (left.is_empty ? EMPTY_SECONDS : STEP_SECONDS))
            (void)remove_spool(above, name, spool);
    } else if (is_over(spool, &left) &&
               collect_one(out, above, name, root, NULL, &why) < 0) {
        out->lines.err = err;
        error = buffer_printf(&out->lines, "%s\n", why.text);
    }
out:
    own_folder_close(spool);
    return error;
}

static int look_at(struct collected *out,
                   const struct own_folder *above,
                   const char *name,
                   const char *root,
                   struct mapcore_error *err)
{
    struct stat st;
    char *back;

    if (is_spool(name))
        return look_into(out, above, name, root, err);
    if (!text_ends_in(name, TAKEN) || own_folder_stat(&st, above, name) < 0 ||
        !S_ISDIR(st.st_mode) || st.st_ctime >= time(NULL) - CLAIM_SECONDS ||
        !(back = strndup(name, strlen(name) - strlen(TAKEN))))
        return 0;
    if (is_spool(back))
        (void)own_folder_rename(above, name, back);
    free(back);
    return 0;
}

int collect_left(struct collected *out,
                 const char *root,
                 enum own_folder_rule rule,
                 size_t most,
                 struct mapcore_error *err)
{
    struct own_folder *above = NULL;
    int error = spool_folder_open(&above, root, rule, err);
    struct timespec now;
    size_t n = 0, first = 0;
    const char *name;
    DIR *dir = NULL;

    /* What is refused is left alone; the reader of the root says why. */
    if (error < 0)
        return error == MAPCORE_ENOMEM ? error : 0;
    while (n < SEEN && own_folder_next(&dir, above))
        n++;
    if (dir)
        rewinddir(dir);
    /* Of more than `most` names others each time. */
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (n > most)
        first = (size_t)now.tv_nsec / 1000 % (n - most + 1);
    while (error == 0 && n > 0 && (name = own_folder_next(&dir, above))) {
        if (first > 0) {
            first--;
        } else if (name[0] != '.') {
            if (most-- == 0)
                break;
            error = look_at(out, above, name, root, err);
        }
    }
    if (dir)
        closedir(dir);
    own_folder_close(above);
    return error;
}

/* At each launch: some dozen system calls each. */
#define LOOKED_AT 32

void collect_left_here(const char *root)
{
    struct collected collected = {.lines = {0}};

    if (root &&
        collect_left(&collected, root, OWN_FOLDER_OWN, LOOKED_AT, NULL) == 0)
        collected_say(&collected);
    collected_clear(&collected);
}
