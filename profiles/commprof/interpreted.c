/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* interpreted.c - the script that this process runs */
#include "config.h"

#include "commprof/interpreted.h"

#include "launch/command/wrappers.h"
#include "launch/plain_name.h"
#include "profiles/program/identity.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

void interpreted_find(char **script, char **name)
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
