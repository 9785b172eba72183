/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* identity.c - which executable is this: what its build put into it, else a
 * digest of its bytes */
#include "config.h"

#include "profiles/program/identity.h"

#include "base/text.h"

#include "profiles/program/elffile.h"
#include "profiles/program/sha256.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A linker's shortest build-id ("fast") has 8 bytes; what is shorter was typed
 * by a person (--build-id=0x1) and may well be in many programs. */
#define BUILD_ID_MIN 8
#define BUILD_ID_MAX 64

static void write_hex(char *out, const unsigned char *bytes, size_t n)
{
    static const char digit[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        out[2 * i] = digit[bytes[i] >> 4];
        out[2 * i + 1] = digit[bytes[i] & 15];
    }
    out[2 * n] = '\0';
}

static int digest_file(char *out,
                       const struct elffile *file,
                       const char *path,
                       struct mapcore_error *err)
{
    static const size_t size = (size_t)1 << 16;
    unsigned char digest[32];
    struct sha256 sha;
    uint64_t offset = 0;
    unsigned char *buffer = malloc(size);

    if (!buffer)
        return error_set(err, MAPCORE_ENOMEM, "%s: no memory", path);
    sha256_init(&sha);
    while (offset < file->size) {
        size_t n =
            file->size - offset < size ? (size_t)(file->size - offset) : size;

        if (!elffile_read(file, offset, buffer, n)) {
            free(buffer);
            return error_set(err, MAPCORE_EIO, "%s: cannot be read", path);
        }
        sha256_add(&sha, buffer, n);
        offset += n;
    }
    free(buffer);
    sha256_end(&sha, digest);
    memcpy(out, "sha256-", 7);
    write_hex(out + 7, digest, sizeof(digest));
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
        write_hex(out, build_id, n);
    else
        error = digest_file(out, &file, path, err);
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
