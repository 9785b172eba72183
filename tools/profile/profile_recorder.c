/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_recorder.c - topomap profile recorder: what the plugin asks before it
 * records a program */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "base/array.h"
#include "base/buffer.h"
#include "launch/program_path.h"
#include "profiles/catalogue/catalogue_trust.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int choose_kind(enum program_kind *out,
                       const struct profile_options *options,
                       const char *program,
                       struct mapcore_error *err)
{
    if (options->mpi == PROFILE_ANY_MPI)
        return program_classify(out, program, err);
    *out =
        options->mpi == PROFILE_MPICH ? PROGRAM_MPICH_ABI : PROGRAM_OPENMPI_ABI;
    return 0;
}

/* "mpich", "openmpi", or NULL with the reason in err. */
static const char *name_abi(enum program_kind kind,
                            const char *program,
                            struct mapcore_error *err)
{
    switch (kind) {
    case PROGRAM_MPICH_ABI:
        return "mpich";
    case PROGRAM_OPENMPI_ABI:
        return "openmpi";
    case PROGRAM_SCRIPT:
        error_set(err, MAPCORE_ENOTSUP,
                  "%.300s is a script: name the program that it starts by "
                  "exe=PATH",
                  program);
        break;
    case PROGRAM_STATIC:
        error_set(err, MAPCORE_ENOTSUP,
                  "%.300s is linked statically: no recorder can be loaded "
                  "into it",
                  program);
        break;
    case PROGRAM_NO_MPI:
        error_set(err, MAPCORE_ENOTSUP,
                  "%.300s needs no MPI library that is known here "
                  "(libmpich.so.12, libmpi.so.12, libmpi.so.40): one that is "
                  "loaded later wants recorder=FILE",
                  program);
        break;
    }
    return NULL;
}

/* Where this very program was installed, an installation may have been moved
 * below another folder as a whole (a staged or relocated one): what stands
 * before BINDIR/topomap in our path stands before the recorder's too. */
static void find_prefix(char *out, size_t size)
{
    static const char tail[] = TOPOMAP_BINDIR "/topomap";
    ssize_t n = readlink("/proc/self/exe", out, size - 1);
    size_t length = strlen(tail);

    if (n < 0 || (size_t)n < length ||
        memcmp(out + (size_t)n - length, tail, length) != 0)
        out[0] = '\0';
    else
        out[(size_t)n - length] = '\0';
}

static int find_recorder(struct buffer *out,
                         const char *abi,
                         const char *program,
                         struct mapcore_error *err)
{
    char prefix[PATH_MAX];
    int error;

    find_prefix(prefix, sizeof(prefix));
    error = buffer_printf(out, err, "%s%s/libcommprof-%s.so", prefix,
                          TOPOMAP_RECORDERDIR, abi);
    if (error < 0 || access(out->bytes, R_OK) == 0)
        return error;
    return error_set(err, MAPCORE_ENOENT,
                     "%.150s uses %s, and there is no recorder for that here: "
                     "%.200s: %s",
                     program,
                     strcmp(abi, "mpich") == 0 ? "MPICH's ABI" : "Open MPI",
                     out->bytes, strerror(errno));
}

static int find_catalogue(char **out, struct mapcore_error *err)
{
    struct buffer path = {0};
    char here[PATH_MAX];
    int error = catalogue_user_root(out, err);

    if (error < 0 || (*out)[0] == '/')
        return error;
    if (!getcwd(here, sizeof(here)))
        return error_set(err, MAPCORE_EIO, "%.300s: %s", *out, strerror(errno));
    error = buffer_printf(&path, err, "%s/%s", here, *out);
    if (error == 0) {
        free(*out);
        *out = buffer_steal(&path);
    }
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

/* Recording works there, but nothing will believe what is recorded. */
static void judge_place(const struct profile_options *options,
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
        printf("refused %s\n", err.text);
}

int profile_recorder_run(const struct profile_options *options)
{
    enum program_kind kind = PROGRAM_NO_MPI;
    struct buffer recorder = {0};
    struct mapcore_error err;
    char *program = NULL, *catalogue = NULL;
    const char *abi = NULL;
    int error;

    error = program_path_find(&program, options->operand, getenv("PATH"), &err);
    if (error == 0)
        error = choose_kind(&kind, options, program, &err);
    if (error == 0 && !(abi = name_abi(kind, program, &err)))
        error = MAPCORE_ENOTSUP;
    if (error == 0)
        error = find_recorder(&recorder, abi, program, &err);
    if (error == 0)
        error = find_catalogue(&catalogue, &err);
    if (error == 0)
        error = check_line(recorder.bytes, &err);
    if (error == 0)
        error = check_line(catalogue, &err);
    if (error == 0)
        error = check_line(program, &err);
    if (error == 0)
        printf("recorder %s\ncatalogue %s\nprogram %s\n", recorder.bytes,
               catalogue, program);
    if (error == 0 && program_is_interpreter(program))
        printf("nameless %s\n", program);
    if (error == 0)
        judge_place(options, catalogue, program);
    buffer_clear(&recorder);
    free(catalogue);
    free(program);
    return error < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}
