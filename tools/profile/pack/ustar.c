/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ustar.c - headers of tar archives, written and read without believing them */
#include "config.h"

#include "tools/profile/pack/ustar.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Where the fields of a header are, POSIX.1-1988, section 10.1.1. */
enum {
    AT_NAME = 0,
    AT_MODE = 100,
    AT_UID = 108,
    AT_GID = 116,
    AT_SIZE = 124,
    AT_MTIME = 136,
    AT_SUM = 148,
    AT_TYPE = 156,
    AT_MAGIC = 257,
    AT_PREFIX = 345,
    NAME = 100,
    PREFIX = 155,
    NUMBER = 8, /* mode, uid, gid, the sum */
    LARGE = 12, /* size, mtime */
    MAGIC = 8,
};

/* Digits of base 8, and a NUL behind them. */
static void put_octal(unsigned char *at, size_t width, uint64_t value)
{
    for (size_t i = width - 1; i-- > 0; value /= 8)
        at[i] = (unsigned char)('0' + value % 8);
    at[width - 1] = '\0';
}

/* Blanks, digits of base 8, then blanks or NULs to the end. */
static bool take_octal(uint64_t *out, const unsigned char *at, size_t width)
{
    size_t i = 0, digits = 0;
    uint64_t value = 0;

    while (i < width && at[i] == ' ')
        i++;
    for (; i < width && at[i] >= '0' && at[i] <= '7'; i++, digits++)
        value = 8 * value + (uint64_t)(at[i] - '0');
    while (i < width && (at[i] == ' ' || at[i] == '\0'))
        i++;
    *out = value;
    return digits > 0 && i == width;
}

/* The bytes of a header added up, the sum's own taken for blanks. */
static uint64_t add_up(const unsigned char block[USTAR_BLOCK])
{
    uint64_t sum = 0;

    for (size_t i = 0; i < USTAR_BLOCK; i++)
        sum += i >= AT_SUM && i < AT_SUM + NUMBER ? ' ' : block[i];
    return sum;
}

int ustar_format(unsigned char out[USTAR_BLOCK],
                 const char *folder,
                 const char *name,
                 uint64_t size,
                 uint64_t seconds,
                 struct mapcore_error *err)
{
    if (strlen(folder) > PREFIX || strlen(name) > NAME)
        return error_set(err, MAPCORE_ERANGE,
                         "%.160s/%.160s is too long a name for an archive",
                         folder, name);
    if (size > USTAR_SIZE_MOST)
        return error_set(err, MAPCORE_ERANGE,
                         "%.160s is too large for an archive: %" PRIu64
                         " bytes, and %" PRIu64 " at most",
                         name, size, USTAR_SIZE_MOST);
    memset(out, 0, USTAR_BLOCK);
    memcpy(out + AT_NAME, name, strlen(name));
    put_octal(out + AT_MODE, NUMBER, 0644);
    put_octal(out + AT_UID, NUMBER, 0);
    put_octal(out + AT_GID, NUMBER, 0);
    put_octal(out + AT_SIZE, LARGE, size);
    put_octal(out + AT_MTIME, LARGE,
              seconds < USTAR_SIZE_MOST ? seconds : USTAR_SIZE_MOST);
    out[AT_TYPE] = '0';
    memcpy(out + AT_MAGIC, "ustar\00000", MAGIC);
    memcpy(out + AT_PREFIX, folder, strlen(folder));
    put_octal(out + AT_SUM, NUMBER - 1, add_up(out));
    out[AT_SUM + NUMBER - 1] = ' ';
    return 0;
}

static bool is_zero(const unsigned char block[USTAR_BLOCK])
{
    for (size_t i = 0; i < USTAR_BLOCK; i++)
        if (block[i] != 0)
            return false;
    return true;
}

static const char *name_kind(unsigned char type)
{
    switch (type) {
    case '1':
        return "a link";
    case '2':
        return "a symlink";
    case '3':
    case '4':
        return "a device";
    case '6':
        return "a FIFO";
    case 'x':
    case 'g':
        return "a header of pax";
    case 'L':
    case 'K':
        return "a long name of GNU tar";
    case 'S':
        return "a sparse file";
    default:
        return "of an unknown kind";
    }
}

int ustar_parse(struct ustar_header *out,
                const unsigned char block[USTAR_BLOCK],
                const char *name,
                struct mapcore_error *err)
{
    const unsigned char *magic = block + AT_MAGIC;
    bool posix = memcmp(magic, "ustar\00000", MAGIC) == 0;
    struct ustar_header header = {.kind = USTAR_FILE};
    uint64_t sum;

    if (is_zero(block)) {
        *out = (struct ustar_header){.kind = USTAR_END};
        return 0;
    }
    if ((!posix && memcmp(magic, "ustar  ", MAGIC) != 0) ||
        !take_octal(&sum, block + AT_SUM, NUMBER) || sum != add_up(block) ||
        !take_octal(&header.size, block + AT_SIZE, LARGE))
        return error_set(err, MAPCORE_EPARSE,
                         "%.300s is no tar archive, or is damaged", name);
    /* GNU's form has other things where the prefix is. */
    if (posix && block[AT_PREFIX] != '\0')
        snprintf(header.path, sizeof(header.path), "%.*s/%.*s", PREFIX,
                 (const char *)block + AT_PREFIX, NAME, (const char *)block);
    else
        snprintf(header.path, sizeof(header.path), "%.*s", NAME,
                 (const char *)block);
    if (block[AT_TYPE] == '5')
        header.kind = USTAR_FOLDER;
    else if (block[AT_TYPE] != '0' && block[AT_TYPE] != '\0')
        return error_set(err, MAPCORE_EINVAL,
                         "%.200s: %.250s is %s, and only files are taken", name,
                         header.path, name_kind(block[AT_TYPE]));
    *out = header;
    return 0;
}

size_t ustar_padding(uint64_t size)
{
    return (size_t)((USTAR_BLOCK - size % USTAR_BLOCK) % USTAR_BLOCK);
}
