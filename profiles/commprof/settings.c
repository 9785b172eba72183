/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* settings.c - the recorder's environment variables, the script that an
 * interpreter runs, and what a process says of itself by them */
#include "config.h"

#include "commprof/settings.h"

#include "base/error_set.h"
#include "base/text.h"
#include "launch/command/wrappers.h"
#include "launch/plain_name.h"
#include "profiles/catalogue/catalogue.h"
#include "profiles/program/identity.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LARGE_PPM = 500000, /* half of the tasks: ICS 2017, section 4.1.1, says "a
                         * substantial amount" */
    WAIT = 120,
};

struct settings settings;

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static bool is_set(const char *name)
{
    const char *value = variable(name);
    return value && strcmp(value, "0") != 0;
}

static char *absolute(const char *path)
{
    char folder[PATH_MAX], *joined;

    if (path[0] == '/')
        return strdup(path);
    if (!getcwd(folder, sizeof(folder)))
        return NULL;
    const size_t size = strlen(folder) + 1 + strlen(path) + 1;
    joined = malloc(size);
    if (joined)
        snprintf(joined, size, "%s/%s", folder, path);
    return joined;
}

/* JOB.STEP of Slurm, for the version's name. */
static char *job_name(void)
{
    const char *job = variable("SLURM_JOB_ID"),
               *step = variable("SLURM_STEP_ID");
    char text[64];

    if (!job || strspn(job, "0123456789") != strlen(job))
        return strdup("local");
    if (!step || strspn(step, "0123456789") != strlen(step))
        step = "0";
    snprintf(text, sizeof(text), "%.20s.%.20s", job, step);
    return strdup(text);
}

static char *user_name(void)
{
    const char *name = variable("USER");
    char number[16];

    if (!name)
        name = variable("LOGNAME");
    if (name)
        return strdup(name);
    snprintf(number, sizeof(number), "%u", (unsigned)getuid());
    return strdup(number);
}

static void read_catalogue(void)
{
    const char *given = variable("COMMPROF_CATALOGUE");
    struct mapcore_error err;

    if (given) {
        settings.catalogue = absolute(given);
        if (!settings.catalogue)
            snprintf(settings.why_not, sizeof(settings.why_not),
                     "the folder that COMMPROF_CATALOGUE is relative to is "
                     "gone");
    } else if (catalogue_user_root(&settings.catalogue, &err) < 0) {
        settings.catalogue = NULL;
        snprintf(settings.why_not, sizeof(settings.why_not), "%.200s",
                 err.text);
    }
}

/* An interpreter's own options are few; what follows is the script's. */
#define WORDS_MOST 256
#define LINE_MOST  16384

/* The words of /proc/self/cmdline, in line[LINE_MOST]. */
static int read_words(const char *argv[WORDS_MOST], char *line)
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC), argc = 0;
    ssize_t n = fd < 0 ? 0 : read(fd, line, LINE_MOST - 1);

    if (fd >= 0)
        close(fd);
    line[n > 0 ? n : 0] = '\0';
    for (ssize_t at = 0; at < n && argc < WORDS_MOST; argc++) {
        argv[argc] = line + at;
        at += (ssize_t)strlen(line + at) + 1;
    }
    return argc;
}

static char *find_name(const char *name)
{
    return plain_name_check(name, PLAIN_NAME_MOST) ? strdup(name) : NULL;
}

/* python FILE, python FOLDER */
static void find_script(char **script, char **name, const char *path)
{
    struct stat status;
    char *file = realpath(path, NULL);

    if (!file || stat(file, &status) < 0)
        free(file);
    else if (S_ISREG(status.st_mode))
        *script = file;
    else {
        *name =
            S_ISDIR(status.st_mode) ? find_name(strrchr(file, '/') + 1) : NULL;
        free(file);
    }
}

/* python x.py: *script (absolute, links followed); python -m pkg.mod: *name.
 * Both NULL for any other program. Judged by the rule that srun goes by; the
 * current folder is still the one that the process began in. */
static void find_interpreted(char **script, char **name)
{
    char exe[PATH_MAX], line[LINE_MOST];
    const char *argv[WORDS_MOST];
    const char *word;
    enum wrapper_operand operand;
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
    int argc, at;

    *script = *name = NULL;
    exe[n > 0 ? n : 0] = '\0';
    if (n <= 0 || !program_is_interpreter(exe) ||
        (argc = read_words(argv, line)) < 1)
        return;
    /* A venv's python has another name than the file behind it. */
    argv[0] = exe;
    operand = wrapper_operand(&word, &at, argc, argv);
    if (operand == WRAPPER_FILE && wrapper_find(exe)->kind != WRAPPER_SHELL)
        find_script(script, name, word);
    else if (operand == WRAPPER_MODULE)
        *name = find_name(word);
}

/* Texts of variables that are kept as they are, or as absolute paths. */
static const struct {
    const char *variable;
    size_t offset;
    bool is_path, is_line; /* is_line: else it is passed over */
} texts[] = {
    {"COMMPROF_NAME", offsetof(struct settings, name), false, false},
    {"COMMPROF_PROGRAM", offsetof(struct settings, program), true, false},
    {"COMMPROF_COMMAND", offsetof(struct settings, command), false, false},
    {"COMMPROF_NODE", offsetof(struct settings, node), false, true},
    {"SLURM_MPI_TYPE", offsetof(struct settings, mpi_type), false, true},
    {"COMMPROF_DUMP", offsetof(struct settings, dump), true, false},
    {"COMMPROF_KEEP", offsetof(struct settings, keep), false, false},
    {"COMMPROF_SPOOL", offsetof(struct settings, spool), false, false},
    {"COMMPROF_KEEPER", offsetof(struct settings, keeper), true, false},
};
enum { NTEXTS = sizeof(texts) / sizeof(texts[0]) };

static char **text_at(size_t i)
{
    return (char **)(void *)((char *)&settings + texts[i].offset);
}

static void take_seconds(uint32_t *out, const char *name)
{
    enum { MOST = 9999999 };
    const char *value = variable(name);
    uint64_t seconds;

    if (value && text_parse_u64(value, &seconds) && seconds <= MOST)
        *out = (uint32_t)seconds;
    else if (value)
        snprintf(settings.why_not, sizeof(settings.why_not),
                 "%s=%.40s is no number of seconds", name, value);
}

bool settings_read(void)
{
    const char *large = variable("COMMPROF_LARGE");
    const char *pcontrol = variable("COMMPROF_PCONTROL");
    double share;

    settings_clear();
    read_catalogue();
    for (size_t i = 0; i < NTEXTS; i++) {
        const char *value = variable(texts[i].variable);

        if (value && (!texts[i].is_line || text_is_line(value)))
            *text_at(i) = texts[i].is_path ? absolute(value) : strdup(value);
    }
    if (settings.dump && !settings.keeper)
        settings.keeper = strdup(COMMPROF_KEEP);
    if (!variable("COMMPROF_NAME") && !variable("COMMPROF_PROGRAM"))
        find_interpreted(&settings.program, &settings.name);
    settings.user = user_name();
    settings.job = job_name();
    settings.verbose = is_set("COMMPROF_VERBOSE");
    settings.paused = is_set("COMMPROF_PAUSED");
    settings.timed = is_set("COMMPROF_TIME");
    settings.large_ppm = LARGE_PPM;
    if (large && text_parse_double(large, &share) && share >= 0 && share <= 1)
        settings.large_ppm = (uint32_t)(share * 1e6 + 0.5);
    else if (large)
        snprintf(settings.why_not, sizeof(settings.why_not),
                 "COMMPROF_LARGE=%.40s is no number from 0 to 1", large);
    settings.wait = WAIT;
    take_seconds(&settings.wait, "COMMPROF_WAIT");
    take_seconds(&settings.seconds, "COMMPROF_SECONDS");
    settings.ipm = pcontrol && strcmp(pcontrol, "ipm") == 0;
    if (pcontrol && !settings.ipm)
        snprintf(settings.why_not, sizeof(settings.why_not),
                 "COMMPROF_PCONTROL=%.40s is not ipm", pcontrol);
    return settings.user && settings.job &&
           (!variable("COMMPROF_NAME") || settings.name) &&
           (!variable("COMMPROF_PROGRAM") || settings.program);
}

void settings_clear(void)
{
    for (size_t i = 0; i < NTEXTS; i++)
        free(*text_at(i));
    free(settings.catalogue);
    free(settings.user);
    free(settings.job);
    memset(&settings, 0, sizeof(settings));
}

int settings_own_path(char *out, size_t size, struct mapcore_error *err)
{
    static const char gone[] = " (deleted)";
    const ssize_t n = readlink(SETTINGS_SELF, out, size - 1);

    if (n <= 0)
        return error_set(err, MAPCORE_EIO, "cannot read %s", SETTINGS_SELF);
    out[n] = '\0';
    const size_t length = (size_t)n, tail = sizeof(gone) - 1;
    if (length > tail && strcmp(out + length - tail, gone) == 0)
        out[length - tail] = '\0';
    return 0;
}

size_t settings_whose(char *out,
                      size_t size,
                      uint32_t rank,
                      uint32_t ntasks,
                      const char *library,
                      const char *version)
{
    char program[PATH_MAX], host[256] = "";

    if (settings.program)
        snprintf(program, sizeof(program), "%s", settings.program);
    else if (settings_own_path(program, sizeof(program), NULL) < 0)
        return 0;
    gethostname(host, sizeof(host) - 1);
    const struct {
        const char *word, *text;
    } more[] = {{"command", settings.command},
                {"node", settings.node},
                {"mpi_type", settings.mpi_type}};
    size_t n = (size_t)snprintf(
        out, size,
        "rank %u\nntasks %u\n%s %.200s\nprogram %s\nname %s\nhost %s\n"
        "job %s\nuser %s\nlarge %u\n",
        (unsigned)rank, (unsigned)ntasks, library, version, program,
        settings.name ? settings.name : "", host, settings.job, settings.user,
        (unsigned)settings.large_ppm);

    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]) && n < size; i++)
        if (more[i].text)
            n += (size_t)snprintf(out + n, size - n, "%s %.200s\n",
                                  more[i].word, more[i].text);
    return n < size ? n : 0;
}
