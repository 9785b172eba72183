/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_recorder.c - topomap profile recorder: what the plugin asks before it
 * records a program, and where that goes */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "base/buffer.h"
#include "launch/command/wrappers.h"
#include "launch/spool_folder.h"
#include "profiles/catalogue/catalogue_trust.h"
#include "profiles/catalogue/remembered.h"
#include "profiles/program/subject.h"
#include "tools/common/installed.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a profile of some hundred tasks takes. */
enum { ROOM = 256 << 10 };

struct abi {
    enum program_kind kind;
    enum profile_mpi mpi; /* --mpi */
    const char *word, *text;
};
static const struct abi abis[] = {
    {PROGRAM_MPICH_ABI, PROFILE_MPICH, "mpich", "MPICH's ABI"},
    {PROGRAM_OPENMPI_ABI, PROFILE_OPENMPI, "openmpi", "Open MPI"},
};

/* Of the program, and of --mpi; NULL: that is known when it runs, or was not
 * said. */
static void look_up_abis(const struct abi **own,
                         const struct abi **said,
                         enum program_kind kind,
                         enum profile_mpi mpi)
{
    *own = *said = NULL;
    for (size_t i = 0; i < sizeof(abis) / sizeof(abis[0]); i++) {
        if (abis[i].kind == kind)
            *own = &abis[i];
        if (abis[i].mpi == mpi)
            *said = &abis[i];
    }
}

/* The recorder goes by the MPI that it finds. */
static void print_kind(struct buffer *out,
                       const struct profile_options *options,
                       enum program_kind kind,
                       const char *program)
{
    const struct abi *own, *said;

    look_up_abis(&own, &said, kind, options->mpi);
    if (own && said && own != said)
        buffer_printf(out,
                      "note recorder=%s does not fit %s, which uses %s: it is "
                      "recorded as that\n",
                      said->word, program, own->text);
    else if (kind == PROGRAM_NO_MPI)
        buffer_printf(out, "nompi %s\n", program);
}

static int try_recorder(struct buffer *out,
                        const char *tail,
                        struct mapcore_error *err)
{
    char name[32];
    int error;

    snprintf(name, sizeof(name), "libcommprof%s%s.so", *tail ? "-" : "", tail);
    buffer_clear(out);
    error = installed_path(out, TOPOMAP_RECORDERDIR, name, err);
    if (error == 0 && access(out->bytes, R_OK) < 0)
        error = error_set(err, MAPCORE_ENOENT, "%.300s: %s", out->bytes,
                          strerror(errno));
    return error;
}

/* What is printed is read line by line. */
static int check_line(const char *path, struct mapcore_error *err)
{
    for (const char *p = path; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            return error_set(err, MAPCORE_EINVAL,
                             "a path with a control character cannot be used "
                             "for recording: '%.*s?...'",
                             (int)(p - path), path);
    return 0;
}

/* The profiler that NCCL and RCCL load, where it is installed. */
static void print_nccl(struct buffer *out)
{
    struct buffer path = {0};
    struct mapcore_error ignored;

    if (try_recorder(&path, "nccl", &ignored) == 0 &&
        check_line(path.bytes, &ignored) == 0)
        buffer_printf(out, "nccl %s\n", path.bytes);
    buffer_clear(&path);
}

/* One for every MPI, which has a name besides for each that it knows. */
static int find_recorder(struct buffer *out,
                         const struct profile_options *options,
                         enum program_kind kind,
                         const char *program)
{
    const struct abi *own, *said;
    struct mapcore_error why;
    int error;

    if (options->folder)
        return buffer_printf(out, "%s", options->folder);
    look_up_abis(&own, &said, kind, options->mpi);
    if (kind == PROGRAM_STATIC && !said)
        return error_set(options->err, MAPCORE_ENOTSUP,
                         "%.300s is linked statically: no recorder can be "
                         "loaded into it (commprof(1) says how it can be "
                         "linked with one)",
                         program);
    if (own && (error = try_recorder(out, own->word, &why)) < 0)
        return error_set(options->err, error,
                         "%.150s uses %s, and there is no recorder for that "
                         "here: %.300s",
                         program, own->text, why.text);
    return try_recorder(out, said && !own ? said->word : "", options->err);
}

/* Recording works there, but nothing will believe what is recorded. */
static void judge_place(struct buffer *out,
                        const struct profile_options *options,
                        const char *catalogue,
                        const char *program)
{
    char identity[IDENTITY_MAX];
    struct mapcore_error err;
    const bool is_named = options->name != NULL;

    if (!is_named && identity_of_file(identity, program, &err) < 0)
        return;
    if (catalogue_check_place(catalogue, true,
                              is_named ? options->name : program,
                              is_named ? NULL : identity, options->ntasks,
                              &err) == MAPCORE_ETRUST)
        buffer_printf(out, "refused %s\n", err.text);
}

/* Only who starts a container can open it for our files. */
static void print_mounts(struct buffer *out,
                         const char *container,
                         const char *recorder,
                         const char *catalogue)
{
    if (strcmp(container, "apptainer") == 0 ||
        strcmp(container, "singularity") == 0)
        buffer_printf(out,
                      "note %s must show the recorder and the catalogue to the "
                      "program: export %s_BIND=%s,%s\n",
                      container,
                      strcmp(container, "apptainer") == 0 ? "APPTAINER"
                                                          : "SINGULARITY",
                      recorder, catalogue);
    else
        buffer_printf(
            out,
            "note %s must show its programs %s and %s under these names, and "
            "the variables LD_PRELOAD and COMMPROF_* of the task\n",
            container, recorder, catalogue);
}

/* What the recorder cannot see by itself, and what a person should know. */
static void print_subject(struct buffer *out,
                          const struct subject_found *subject,
                          const char *const *argv,
                          const char *recorder,
                          const char *catalogue)
{
    char keys[REMEMBERED_KEYS][REMEMBERED_KEY];
    int argc = 0;

    while (argv[argc])
        argc++;
    if (remembered_make_keys(keys, argc, argv, getenv("PATH")))
        buffer_printf(out, "command %s %s\n", keys[REMEMBERED_EXACT],
                      keys[REMEMBERED_LOOSE]);
    if (subject->is_container)
        print_mounts(out, subject->behind, recorder, catalogue);
    else if (!subject->is_unknown && subject->name)
        buffer_printf(out, "name %s\n", subject->name);
    else if (!subject->is_unknown && subject->hides_exe)
        buffer_printf(out, "exe %s\n", subject->program);
    else if (subject->is_unknown)
        buffer_printf(
            out,
            "note the programs that %s runs are found while it runs, and "
            "remembered for this command\n",
            subject->behind);
}

/* Room is what was really written: a quota may let a file grow by a hole. Then
 * the file `step` says what the step is. */
static int fill_spool(const struct own_folder *folder,
                      const char *step,
                      struct mapcore_error *err)
{
    static const char *const names[] = {"room", "step"};
    char bytes[4096] = "";
    struct stat st;
    int error = 0;

    for (int i = 0; error == 0 && i < 2; i++) {
        int fd;

        if ((error = own_folder_append(&fd, &st, folder, names[i], 0600, err)) <
            0)
            return error;
        errno = ENOSPC;
        for (size_t n = 0; i == 0 && error == 0 && n < ROOM; n += sizeof(bytes))
            error = write(fd, bytes, sizeof(bytes)) == sizeof(bytes) ? 0 : -1;
        if (i == 0 ? error < 0 || fsync(fd) < 0 : dprintf(fd, "%s", step) < 0)
            error = catalogue_fail(err, "write into", own_folder_path(folder));
        if (close(fd) < 0 && error == 0)
            error = catalogue_fail(err, "write into", own_folder_path(folder));
        if (i == 0)
            (void)own_folder_remove(folder, names[i]);
    }
    return error;
}

/* CATALOGUE/.spool-UID/NAME-N, with as much written there as a small recording
 * needs: what cannot be filed is not recorded. */
static int make_spool(struct buffer *out,
                      const char *catalogue,
                      const char *words,
                      struct mapcore_error *err)
{
    struct own_folder *folder = NULL;
    struct mapcore_error why;
    uint32_t nodes, tasks, every = 0;
    char name[64], step[128];
    int n, error = catalogue_make_root(catalogue, &why);

    n = sscanf(words, "%63s %" SCNu32 " %" SCNu32 " %" SCNu32, name, &nodes,
               &tasks, &every);
    if (error == 0)
        error = spool_folder_make(&folder, catalogue, name, &why);
    if (error == 0 && n >= 3) {
        n = snprintf(step, sizeof(step), "nodes %u\ntasks %u\n", nodes, tasks);
        if (every > 0)
            snprintf(step + n, sizeof(step) - (size_t)n, "every %u\n", every);
        if ((error = fill_spool(folder, step, &why)) < 0)
            (void)spool_folder_remove(own_folder_path(folder));
    }
    if (error == 0)
        buffer_printf(out, "spool %s\n", own_folder_path(folder));
    own_folder_close(folder);
    return error < 0 ? error_set(err, error, "%s", why.text) : 0;
}

/* All of it, a line a word and what it is. */
static int print_answer(struct buffer *out,
                        const struct profile_options *options,
                        const struct subject_found *subject,
                        const char *const *argv,
                        const char *recorder,
                        const char *catalogue)
{
    const char *program =
        subject->program ? subject->program : options->operand;
    const struct wrapper *wrapper = wrapper_find(program);
    const bool is_nameless =
        !subject->name && wrapper && wrapper->kind == WRAPPER_INTERPRETER;

    buffer_printf(out, "recorder %s\ncatalogue %s\nprogram %s\n", recorder,
                  catalogue, program);
    print_kind(out, options, subject->kind, program);
    print_nccl(out);
    print_subject(out, subject, argv, recorder, catalogue);
    /* What runs it is all that the recorder would see. */
    if (is_nameless)
        buffer_printf(out, "nameless %s\n", program);
    judge_place(out, options, catalogue, program);
    return options->run && (options->name || !is_nameless)
               ? make_spool(out, catalogue, options->run, options->err)
               : 0;
}

/* The same lines, as members. */
static int print_members(const char *lines,
                         const struct answer_form *form,
                         struct mapcore_error *err)
{
    struct answer answer;

    answer_open(&answer, stdout, &(struct answer_form){.csv = form->csv},
                "recorder", NULL);
    if (answer.memory)
        fputs(lines, answer.memory);
    return answer_end(&answer, 0, err);
}

int profile_recorder_run(const struct profile_options *options)
{
    const char *const alone[] = {options->operand, NULL};
    const char *const *argv =
        options->command ? (const char *const *)options->command : alone;
    struct subject_found subject = {.program = NULL};
    struct buffer recorder = {.err = options->err};
    struct buffer lines = {.err = options->err};
    char *catalogue = NULL;
    const char *program = options->operand;
    int argc = 0, error;

    while (argv[argc])
        argc++;
    error = subject_find(&subject, argc, argv, getenv("PATH"), options->err);
    if (options->folder) /* needs to know nothing of the program */
        error = 0;
    if (error == 0 && subject.program)
        program = subject.program;
    if (error == 0)
        error = find_recorder(&recorder, options, subject.kind, program);
    if (error == 0)
        error = profile_root_absolute(&catalogue, NULL, options->err);
    if (error == 0)
        error = check_line(recorder.bytes, options->err);
    if (error == 0)
        error = check_line(catalogue, options->err);
    if (error == 0)
        error = check_line(program, options->err);
    if (error == 0)
        error = print_answer(&lines, options, &subject, argv, recorder.bytes,
                             catalogue);
    if (error == 0)
        error = lines.error;
    if (error == 0 && answer_word(&options->form))
        error = print_members(lines.bytes, &options->form, options->err);
    else if (error == 0)
        fputs(lines.bytes, stdout);
    buffer_clear(&lines);
    buffer_clear(&recorder);
    free(catalogue);
    subject_clear(&subject);
    return error;
}
