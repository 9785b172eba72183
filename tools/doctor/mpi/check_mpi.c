/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* check_mpi.c - topomap doctor --mpi: may ranks move under this type of MPI */
#include "config.h"

#include "tools/doctor/doctor.h"

#include "base/array.h"
#include "base/text.h"
#include "tools/common/installed.h"
#include "tools/common/tool.h"
#include "tools/doctor/mpi/mpi_rows.h"
#include "tools/doctor/mpi/mpi_types.h"
#include "tools/doctor/trial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TAIL_LINES = 4,
    NAME_WIDTH = 18,
};

/* Block puts 0 and 1 on one node, 2 and 3 on the other; by this grid 0 talks to
 * 2 and 1 to 3. strict: a plan that fails is a step that fails. */
#define UNMAPPED "off"
#define MAPPED   "grid:2x2:weights=1000/1,strict,time=20,mpi="

enum verdict {
    VERDICT_OK,
    VERDICT_NOT_TRIED, /* this program says nothing about the type */
    VERDICT_BAD,
};

static void print_verdict(const char *program,
                          enum verdict verdict,
                          const char *text)
{
    static const char *const marks[] = {"ok", "--", "!!"};

    tool_print("%-*s %s  %s\n", NAME_WIDTH, text_last_part(program),
               marks[verdict], text);
}

static char *copy(const char *text, struct mapcore_error *err)
{
    return array_copy(text, strlen(text) + 1, 1, err);
}

static int run_step(struct command_trial *out,
                    const struct doctor_options *options,
                    const char *program,
                    const char *mode,
                    struct mapcore_error *err)
{
    static const char *const fixed[] = {
        "srun",
        "-N2",
        "-n4",
        "--ntasks-per-node=2",
        "--distribution=block",
        "--quit-on-interrupt",
        "--time=2",
    };
    enum {
        NFIXED = sizeof(fixed) / sizeof(*fixed),
    };
    struct buffer mpi = {0}, topomap = {0};
    size_t n = 0, more = 0;
    char **words;
    int error;

    while (options->srun && options->srun[more])
        more++;
    words = array_alloc(NFIXED + more + 4, sizeof(*words), err);
    if (!words)
        return MAPCORE_ENOMEM;
    for (; n < NFIXED; n++)
        if (!(words[n] = copy(fixed[n], err)))
            break;
    error = n < NFIXED ? MAPCORE_ENOMEM
                       : buffer_printf(&mpi, err, "--mpi=%s", options->mpi);
    if (error == 0)
        error = buffer_printf(&topomap, err, "--topomap=%s%s", mode,
                              strcmp(mode, MAPPED) == 0 ? options->mpi : "");
    if (error == 0) {
        words[n] = mpi.bytes;
        words[n + 1] = topomap.bytes;
        if (more > 0)
            memcpy(words + n + 2, options->srun, more * sizeof(*words));
        words[n + more + 2] = copy(program, err);
        error =
            words[n + more + 2] ? trial_run(out, words, err) : MAPCORE_ENOMEM;
        free(words[n + more + 2]);
    }
    for (size_t i = 0; i < n; i++)
        free(words[i]);
    free(words);
    buffer_clear(&mpi);
    buffer_clear(&topomap);
    return error;
}

/* The last lines of what was said on stderr: srun's own, with its reason, or,
 * where it had nothing to say, the program's. */
static void print_tail(const struct command_trial *run)
{
    static const char own[] = "srun: ";
    const char *last[TAIL_LINES];
    size_t n = 0;

    for (int others = 0; others < 2 && n == 0; others++)
        for (const char *line = run->said.bytes; line && *line != '\0';
             line = strchr(line, '\n'), line = line ? line + 1 : NULL)
            if (*line != '\n' &&
                (others == 1 || strncmp(line, own, sizeof(own) - 1) == 0))
                last[n++ % TAIL_LINES] = line;
    for (size_t i = n > TAIL_LINES ? n - TAIL_LINES : 0; i < n; i++)
        tool_print("%*s%.*s\n", NAME_WIDTH + 5, "",
                   (int)strcspn(last[i % TAIL_LINES], "\r\n"),
                   last[i % TAIL_LINES]);
}

/* A step that ran; 0 or why there is nothing to be read off it. */
static int read_rows(struct mpi_rows *out,
                     const struct command_trial *run,
                     struct mapcore_error *err)
{
    int error = mpi_rows_parse(out, run->out.bytes ? run->out.bytes : "", err);

    if (error == 0)
        error = mpi_rows_check_world(out, err);
    if (error == MAPCORE_ENOENT && WIFEXITED(run->status) &&
        WEXITSTATUS(run->status) != 0)
        return error_set(err, error, "srun ends with status %d",
                         WEXITSTATUS(run->status));
    return error;
}

/* The step as Slurm lays it out: what the other one is judged by. */
static int try_unmapped(enum verdict *out,
                        const struct doctor_options *options,
                        const char *program,
                        struct mapcore_error *err)
{
    struct buffer findings = {0};
    struct mapcore_error why;
    struct command_trial run = {0};
    struct mpi_rows rows;
    int error = run_step(&run, options, program, UNMAPPED, err);

    *out = VERDICT_NOT_TRIED;
    if (error < 0)
        return error;
    if (read_rows(&rows, &run, &why) < 0) {
        print_verdict(program, *out, why.text);
        print_tail(&run);
    } else if ((error = mpi_rows_compare(&findings, &rows, err)) == 0 &&
               findings.n > 0) {
        print_verdict(program, *out,
                      "without topomap, too, MPI and Slurm disagree:");
        tool_print("%s", findings.bytes);
    } else if (error == 0 && !mpi_rows_are_pair(&rows, 0, 1)) {
        print_verdict(program, *out,
                      "without topomap ranks 0 and 1 are not on one node");
    } else if (error == 0) {
        *out = VERDICT_OK;
    }
    buffer_clear(&findings);
    trial_clear(&run);
    return error;
}

static int judge_mapped(enum verdict *out,
                        const char *program,
                        const struct command_trial *run,
                        const struct mpi_rows *rows,
                        struct mapcore_error *err)
{
    struct buffer findings = {0}, text = {0};
    int error = mpi_rows_compare(&findings, rows, err);

    if (error == 0)
        error = mpi_rows_describe(&text, rows, err);
    if (error == 0 && findings.n > 0) {
        print_verdict(program, *out, text.bytes);
        for (char *line = findings.bytes, *end; (end = strchr(line, '\n'));
             line = end + 1)
            tool_print("%*s%.*s\n", NAME_WIDTH + 5, "", (int)(end - line),
                       line);
    } else if (error == 0 && (!mpi_rows_are_pair(rows, 0, 2) ||
                              !mpi_rows_are_pair(rows, 1, 3))) {
        error = buffer_printf(&text, err,
                              ": they did not move, and had to be 0 2 and 1 3");
        if (error == 0)
            print_verdict(program, *out, text.bytes);
        print_tail(run);
    } else if (error == 0) {
        *out = VERDICT_OK;
        error = buffer_printf(&text, err,
                              ", as planned; MPI, Slurm and the kernel agree");
        if (error == 0)
            print_verdict(program, *out, text.bytes);
    }
    buffer_clear(&findings);
    buffer_clear(&text);
    return error;
}

static int try_mapped(enum verdict *out,
                      const struct doctor_options *options,
                      const char *program,
                      struct mapcore_error *err)
{
    struct mapcore_error why;
    struct command_trial run = {0};
    struct mpi_rows rows;
    int error = run_step(&run, options, program, MAPPED, err);

    *out = VERDICT_BAD;
    if (error < 0)
        return error;
    if (read_rows(&rows, &run, &why) < 0) {
        struct buffer text = {0};

        error = buffer_printf(&text, err,
                              "it runs as Slurm lays it out, and "
                              "not with its ranks moved: %s",
                              why.text);
        if (error == 0)
            print_verdict(program, *out, text.bytes);
        print_tail(&run);
        buffer_clear(&text);
    } else {
        error = judge_mapped(out, program, &run, &rows, err);
    }
    trial_clear(&run);
    return error;
}

static int check_program(unsigned count[VERDICT_BAD + 1],
                         const struct doctor_options *options,
                         const char *program,
                         struct mapcore_error *err)
{
    enum verdict verdict;
    int error = try_unmapped(&verdict, options, program, err);

    if (error == 0 && verdict == VERDICT_OK)
        error = try_mapped(&verdict, options, program, err);
    if (error == 0)
        count[verdict]++;
    return error;
}

/* One for each MPI compiler that was there when topomap was built. */
static int check_installed(unsigned count[VERDICT_BAD + 1],
                           const struct doctor_options *options,
                           struct mapcore_error *err)
{
    static const char *const names[] = {"mpi-probe-mpich", "mpi-probe-openmpi"};
    int error = 0;

    for (size_t i = 0; error == 0 && i < sizeof(names) / sizeof(*names); i++) {
        struct buffer path = {0};

        error = installed_path(&path, TOPOMAP_PROBEDIR, names[i], err);
        if (error == 0 && access(path.bytes, X_OK) == 0)
            error = check_program(count, options, path.bytes, err);
        buffer_clear(&path);
    }
    return error;
}

int doctor_check_mpi(bool *healthy,
                     const struct doctor_options *options,
                     struct mapcore_error *err)
{
    unsigned count[VERDICT_BAD + 1] = {0};
    struct buffer source = {0};
    int error;

    /* A bare name is found by PATH, by srun. */
    if (options->program && strchr(options->program, '/') &&
        access(options->program, X_OK) < 0)
        return error_set(err, MAPCORE_ENOENT, "%.300s: %s", options->program,
                         strerror(errno));
    if ((error = mpi_types_check(options->mpi, err)) < 0)
        return error;
    error = options->program
                ? check_program(count, options, options->program, err)
                : check_installed(count, options, err);

    if (error == 0)
        error =
            installed_path(&source, TOPOMAP_PROBESRCDIR, "mpi_probe.c", err);
    if (error == 0 && count[VERDICT_OK] + count[VERDICT_BAD] == 0)
        error = error_set(
            err, MAPCORE_ENOENT,
            "%.300s --mpi=%s: build one with the MPI of your programs, mpicc "
            "-o mpi-probe %.300s, and name it by --program",
            options->program ? "this is no MPI program that starts under"
            : count[VERDICT_NOT_TRIED] > 0
                ? "there is no MPI program here that starts under"
                : "there is no MPI program to try with",
            options->mpi, source.bytes);
    buffer_clear(&source);
    *healthy = count[VERDICT_BAD] == 0;
    return error;
}
