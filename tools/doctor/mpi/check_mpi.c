/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* check_mpi.c - topomap doctor --mpi: may ranks move under this type of MPI */
#include "config.h"

#include "tools/doctor/mpi/check_mpi.h"

#include "base/array.h"
#include "base/text.h"
#include "tools/common/installed.h"
#include "tools/doctor/mpi/mpi_rows.h"
#include "tools/doctor/mpi/mpi_types.h"
#include "tools/doctor/trial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TAIL_LINES = 4 };

/* Block puts 0 and 1 on one node, 2 and 3 on the other; by this grid 0 talks to
 * 2 and 1 to 3. strict: a plan that fails is a step that fails. */
#define UNMAPPED "off"
#define MAPPED   "grid:2x2:weights=1000/1,strict,time=20,mpi="

static char *copy(const char *text, struct mapcore_error *err)
{
    return array_copy(text, strlen(text) + 1, 1, err);
}

static int run_step(struct process_output *out,
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
        error = words[n + more + 2] ? trial_run(out, 0, words, err)
                                    : MAPCORE_ENOMEM;
        free(words[n + more + 2]);
    }
    for (size_t i = 0; i < n; i++)
        free(words[i]);
    free(words);
    buffer_clear(&mpi);
    buffer_clear(&topomap);
    return error;
}

/* The last lines of what was said on stderr, below text: srun's own, with its
 * reason, or, where it had nothing to say, the program's. */
static int add_tail(struct buffer *text,
                    const struct process_output *run,
                    struct mapcore_error *err)
{
    static const char own[] = "srun: ";
    const char *last[TAIL_LINES];
    size_t n = 0;
    int error = 0;

    for (int others = 0; others < 2 && n == 0; others++)
        for (const char *line = run->said.bytes; line && *line != '\0';
             line = strchr(line, '\n'), line = line ? line + 1 : NULL)
            if (*line != '\n' &&
                (others == 1 || strncmp(line, own, sizeof(own) - 1) == 0))
                last[n++ % TAIL_LINES] = line;
    for (size_t i = n > TAIL_LINES ? n - TAIL_LINES : 0; error == 0 && i < n;
         i++)
        error = buffer_printf(text, err, "\n%.*s",
                              (int)strcspn(last[i % TAIL_LINES], "\r\n"),
                              last[i % TAIL_LINES]);
    return error;
}

static void say(struct doctor_report *report,
                const char *program,
                enum verdict verdict,
                const struct buffer *text)
{
    doctor_say(report, verdict, text_last_part(program), NULL, "%s",
               text->bytes);
}

/* A step that ran; 0 or why there is nothing to be read off it. */
static int read_rows(struct mpi_rows *out,
                     const struct process_output *run,
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
static int try_unmapped(struct doctor_report *report,
                        enum verdict *out,
                        const struct doctor_options *options,
                        const char *program,
                        struct mapcore_error *err)
{
    struct buffer findings = {0}, text = {0};
    struct mapcore_error why;
    struct process_output run = {0};
    struct mpi_rows rows;
    int error = run_step(&run, options, program, UNMAPPED, err);

    *out = VERDICT_UNTRIED;
    if (error < 0)
        return error;
    if (read_rows(&rows, &run, &why) < 0) {
        if ((error = buffer_printf(&text, err, "%s", why.text)) == 0)
            error = add_tail(&text, &run, err);
    } else if ((error = mpi_rows_compare(&findings, &rows, err)) == 0 &&
               findings.n > 0) {
        error = buffer_printf(
            &text, err, "without topomap, too, MPI and Slurm disagree:\n%s",
            findings.bytes);
    } else if (error == 0 && !mpi_rows_are_pair(&rows, 0, 1)) {
        error = buffer_printf(
            &text, err, "without topomap ranks 0 and 1 are not on one node");
    } else if (error == 0) {
        *out = VERDICT_OK;
    }
    if (error == 0 && *out != VERDICT_OK)
        say(report, program, *out, &text);
    buffer_clear(&findings);
    buffer_clear(&text);
    process_output_clear(&run);
    return error;
}

/* Into text. */
static int judge_mapped(struct buffer *text,
                        enum verdict *out,
                        const struct process_output *run,
                        const struct mpi_rows *rows,
                        struct mapcore_error *err)
{
    struct buffer findings = {0};
    int error = mpi_rows_compare(&findings, rows, err);

    if (error == 0)
        error = mpi_rows_describe(text, rows, err);
    if (error == 0 && findings.n > 0) {
        error = buffer_printf(text, err, "\n%s", findings.bytes);
    } else if (error == 0 && (!mpi_rows_are_pair(rows, 0, 2) ||
                              !mpi_rows_are_pair(rows, 1, 3))) {
        error = buffer_printf(text, err,
                              ": they did not move, and had to be 0 2 and 1 3");
        if (error == 0)
            error = add_tail(text, run, err);
    } else if (error == 0) {
        *out = VERDICT_OK;
        error = buffer_printf(text, err,
                              ", as planned; MPI, Slurm and the kernel agree");
    }
    buffer_clear(&findings);
    return error;
}

static int try_mapped(struct doctor_report *report,
                      const struct doctor_options *options,
                      const char *program,
                      struct mapcore_error *err)
{
    enum verdict verdict = VERDICT_WRONG;
    struct mapcore_error why;
    struct process_output run = {0};
    struct buffer text = {0};
    struct mpi_rows rows;
    int error = run_step(&run, options, program, MAPPED, err);

    if (error < 0)
        return error;
    if (read_rows(&rows, &run, &why) < 0) {
        error = buffer_printf(&text, err,
                              "it runs as Slurm lays it out, and "
                              "not with its ranks moved: %s",
                              why.text);
        if (error == 0)
            error = add_tail(&text, &run, err);
    } else {
        error = judge_mapped(&text, &verdict, &run, &rows, err);
    }
    if (error == 0)
        say(report, program, verdict, &text);
    buffer_clear(&text);
    process_output_clear(&run);
    return error;
}

static int check_program(struct doctor_report *report,
                         const struct doctor_options *options,
                         const char *program,
                         struct mapcore_error *err)
{
    enum verdict verdict;
    int error = try_unmapped(report, &verdict, options, program, err);

    if (error == 0 && verdict == VERDICT_OK)
        error = try_mapped(report, options, program, err);
    return error;
}

/* One for each MPI compiler that was there when topomap was built. */
static int check_installed(struct doctor_report *report,
                           const struct doctor_options *options,
                           struct mapcore_error *err)
{
    static const char *const names[] = {"mpi-probe-mpich", "mpi-probe-openmpi"};
    int error = 0;

    for (size_t i = 0; error == 0 && i < sizeof(names) / sizeof(*names); i++) {
        struct buffer path = {0};

        error = installed_path(&path, TOPOMAP_PROBEDIR, names[i], err);
        if (error == 0 && access(path.bytes, X_OK) == 0)
            error = check_program(report, options, path.bytes, err);
        buffer_clear(&path);
    }
    return error;
}

int check_mpi(struct doctor_report *report,
              const struct doctor_options *options,
              struct mapcore_error *err)
{
    unsigned tried = report->count[VERDICT_OK] + report->count[VERDICT_WRONG],
             untried = report->count[VERDICT_UNTRIED];
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
                ? check_program(report, options, options->program, err)
                : check_installed(report, options, err);

    if (error == 0)
        error =
            installed_path(&source, TOPOMAP_PROBESRCDIR, "mpi_probe.c", err);
    tried = report->count[VERDICT_OK] + report->count[VERDICT_WRONG] - tried;
    untried = report->count[VERDICT_UNTRIED] - untried;
    if (error == 0 && tried == 0)
        error = error_set(
            err, MAPCORE_ENOENT,
            "%.300s --mpi=%s: build one with the MPI of your programs, mpicc "
            "-o mpi-probe %.300s, and name it by --program",
            options->program ? "this is no MPI program that starts under"
            : untried > 0    ? "there is no MPI program here that starts under"
                             : "there is no MPI program to try with",
            options->mpi, source.bytes);
    buffer_clear(&source);
    return error;
}
