/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* identity.c - which executable is this: what its build put into it, else a
 * digest of its bytes */
#include "config.h"

#include "profiles/program/identity.h"

#include "base/text.h"

#include "profiles/program/elffile.h"
#include "profiles/program/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A linker's shortest build-id ("fast") has 8 bytes; what is shorter was typed
 * by a person (--build-id=0x1) and may well be in many programs. */
#define BUILD_ID_MIN 8
#define BUILD_ID_MAX 64

/* Of a larger file these blocks are read, the first and the last among them:
 * a statically linked program of gigabytes would cost more than a launch may
 * take, and no two builds agree in all of these and in size. */
#define WHOLE_MOST   ((uint64_t)64 << 20)
#define BLOCK        ((size_t)1 << 16)
#define BLOCKS_TAKEN 512

static int add_block(struct sha256 *sha,
                     const struct elffile *file,
                     uint64_t offset,
                     unsigned char *buffer)
{
    uint64_t left = file->size - offset;
    size_t n = left < BLOCK ? (size_t)left : BLOCK;

    if (!elffile_read(file, offset, buffer, n))
        return MAPCORE_EIO;
    sha256_add(sha, buffer, n);
    return 0;
}

static int digest_file(char *out, const struct elffile *file, const char *path)
{
    unsigned char *buffer = malloc(BLOCK);
    uint64_t nblocks = file->size / BLOCK + (file->size % BLOCK != 0);
    uint64_t taken = file->size > WHOLE_MOST ? BLOCKS_TAKEN : nblocks;
    struct sha256 sha;
    int error = 0;

    if (!buffer)
        return error_set(file->err, MAPCORE_ENOMEM, "%s: no memory", path);
    sha256_init(&sha);
    if (taken < nblocks) {
        char size[32];

        snprintf(size, sizeof(size), "%llu bytes",
                 (unsigned long long)file->size);
        sha256_add(&sha, size, strlen(size));
    }
    for (uint64_t i = 0; error == 0 && i < taken; i++)
        error = add_block(
            &sha, file,
            BLOCK * (taken < nblocks ? i * (nblocks - 1) / (taken - 1) : i),
            buffer);
    free(buffer);
    if (error < 0)
        return error_set(file->err, error, "%s: cannot be read", path);
    memcpy(out, "sha256-", 7);
    sha256_end_hex(&sha, out + 7);
    return 0;
}

int identity_of_file(char *out, const char *path, struct mapcore_error *err)
{
    unsigned char build_id[BUILD_ID_MAX];
    struct elffile file;
    size_t n;
    int error = elffile_open(&file, path, err);

    if (error < 0)
        return error;
    n = elffile_build_id(&file, build_id, sizeof(build_id));
    if (n >= BUILD_ID_MIN)
        sha256_put_hex(out, build_id, n);
    else
        error = digest_file(out, &file, path);
    elffile_close(&file);
    return error;
}

int program_is_interpreter(const char *path)
{
    /* Versions follow some of these: python3.11, lua5.4, perl5.36. */
    static const char *const names[] = {
        "ash",  "awk",       "bash",        "busybox", "ch-run",  "csh",
        "dash", "env",       "fish",        "gawk",    "java",    "julia",
        "ksh",  "lua",       "mawk",        "mksh",    "node",    "octave",
        "perl", "php",       "pypy",        "python",  "R",       "Rscript",
        "ruby", "sh",        "tclsh",       "tcsh",    "time",    "wish",
        "zsh",  "apptainer", "singularity", "matlab",  "numactl", "taskset"};
    const char *base = text_last_part(path);
    size_t n = strlen(base);

    while (n > 0 && strchr("0123456789.-", base[n - 1]))
        n--;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strlen(names[i]) == n && memcmp(names[i], base, n) == 0)
            return 1;
    return 0;
}
