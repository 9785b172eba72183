/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* elffile.c - the few facts that are read from ELF files, with pread: a file
 * that is mapped and cut short meanwhile would end the program that maps it */
#include "config.h"

#include "profiles/program/elffile.h"

#include "base/array.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* No sane file has more of these; what is above is not looked at. */
#define SEGMENTS_MAX ((size_t)512)
#define NOTES_MAX    ((size_t)1 << 16)
#define ENTRIES_MAX  ((size_t)4096)
#define NEEDED_MAX   ((size_t)256)
#define STRING_MAX   ((size_t)8192)

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE_ORDER ELFDATA2LSB
#else
#define NATIVE_ORDER ELFDATA2MSB
#endif

bool elffile_read(const struct elffile *file,
                  uint64_t offset,
                  void *out,
                  size_t n)
{
    char *p = out;

    if (offset > file->size || n > file->size - offset)
        return false;
    while (n > 0) {
        ssize_t got = pread(file->fd, p, n, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        p += got;
        offset += (uint64_t)got;
        n -= (size_t)got;
    }
    return true;
}

static int read_header(struct elffile *file)
{
    Elf64_Ehdr header;
    unsigned char ident[EI_NIDENT];

    file->is_elf = elffile_read(file, 0, ident, SELFMAG) &&
                   memcmp(ident, ELFMAG, SELFMAG) == 0;
    if (!file->is_elf || !elffile_read(file, 0, &header, sizeof(header)) ||
        header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != NATIVE_ORDER)
        return 0;
    file->is_native = true;
    file->machine = header.e_machine;
    if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0 ||
        header.e_phnum > SEGMENTS_MAX)
        return 0;
    file->segments =
        array_alloc(header.e_phnum, sizeof(*file->segments), file->err);
    if (!file->segments)
        return MAPCORE_ENOMEM;
    if (elffile_read(file, header.e_phoff, file->segments,
                     header.e_phnum * sizeof(*file->segments)))
        file->nsegments = header.e_phnum;
    return 0;
}

int elffile_open(struct elffile *out,
                 const char *path,
                 struct mapcore_error *err)
{
    struct elffile file = {.fd = -1, .err = err};
    struct stat st;
    int error;

    /* O_NONBLOCK: a pipe would make us wait for its writer. */
    file.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file.fd < 0)
        return error_set(err,
                         errno == ENOENT || errno == ENOTDIR ? MAPCORE_ENOENT
                                                             : MAPCORE_EIO,
                         "%s: %s", path, strerror(errno));
    if (fstat(file.fd, &st) < 0)
        error = error_set(err, MAPCORE_EIO, "%s: %s", path, strerror(errno));
    else if (!S_ISREG(st.st_mode))
        error = error_set(err, MAPCORE_EIO, "%s: not a regular file", path);
    else {
        file.size = (uint64_t)st.st_size;
        error = read_header(&file);
    }
    if (error < 0) {
        elffile_close(&file);
        return error;
    }
    *out = file;
    return 0;
}

void elffile_close(struct elffile *file)
{
    int saved = errno;

    if (file->fd >= 0)
        close(file->fd);
    free(file->segments);
    *file = (struct elffile){.fd = -1};
    errno = saved;
}

const Elf64_Phdr *elffile_segment(const struct elffile *file, uint32_t type)
{
    for (size_t i = 0; i < file->nsegments; i++)
        if (file->segments[i].p_type == type)
            return &file->segments[i];
    return NULL;
}

static size_t align(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

/* One segment's notes; the same result as find_note. */
static size_t find_in_segment(const unsigned char *notes,
                              size_t n,
                              size_t to,
                              const char *wanted,
                              uint32_t type,
                              unsigned char *out,
                              size_t max)
{
    size_t at = 0;

    while (at < n && n - at >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note;
        size_t name, description, end;

        memcpy(&note, notes + at, sizeof(note));
        if (note.n_namesz > n || note.n_descsz > n)
            return 0;
        name = at + sizeof(note);
        description = align(name + note.n_namesz, to);
        end = description + note.n_descsz;
        if (end > n)
            return 0;
        if (note.n_type == type && note.n_namesz == strlen(wanted) + 1 &&
            memcmp(notes + name, wanted, note.n_namesz) == 0) {
            if (note.n_descsz > max)
                return 0;
            memcpy(out, notes + description, note.n_descsz);
            return note.n_descsz;
        }
        at = align(end, to);
    }
    return 0;
}

/* Its bytes: how many (at most max), or 0 when there is none or it is longer.
 */
static size_t find_note(const struct elffile *file,
                        const char *wanted,
                        uint32_t type,
                        unsigned char *out,
                        size_t max)
{
    size_t found = 0;
    unsigned char *notes = malloc(NOTES_MAX);

    if (!notes)
        return 0;
    for (size_t i = 0; i < file->nsegments && found == 0; i++) {
        const Elf64_Phdr *segment = &file->segments[i];
        size_t n;

        if (segment->p_type != PT_NOTE)
            continue;
        n = segment->p_filesz < NOTES_MAX ? (size_t)segment->p_filesz
                                          : NOTES_MAX;
        if (elffile_read(file, segment->p_offset, notes, n))
            found = find_in_segment(notes, n, segment->p_align == 8 ? 8 : 4,
                                    wanted, type, out, max);
    }
    free(notes);
    return found;
}

size_t elffile_build_id(const struct elffile *file,
                        unsigned char *out,
                        size_t max)
{
    return find_note(file, "GNU", NT_GNU_BUILD_ID, out, max);
}

/* MPICH's ABI has number 12 (www.mpich.org/abi): MPICH itself is libmpich here
 * and libmpi there, Intel MPI, MVAPICH and ParaStation are libmpi; Cray names
 * the compiler, libmpi_cray and libmpi_gnu_112. Open MPI has 40 from 3.0 on, 5
 * included. */
enum mpi_abi mpi_abi_of_library(const char *name)
{
    const char *base = text_last_part(name);
    const char *compiler = text_after(base, "libmpi_");

    if (strcmp(base, "libmpich.so.12") == 0 ||
        strcmp(base, "libmpi.so.12") == 0 ||
        text_after(base, "libmpi_cray.so") ||
        (compiler && text_ends_in(compiler, ".so.12")))
        return MPI_ABI_MPICH;
    if (strcmp(base, "libmpi.so.40") == 0)
        return MPI_ABI_OPENMPI;
    return MPI_ABI_NONE;
}

/* As commprof/linked.c writes it. */
enum mpi_abi elffile_linked_recorder(const struct elffile *file)
{
    unsigned char bytes[4];
    uint32_t abi = 0;

    if (find_note(file, "topomap", 1, bytes, sizeof(bytes)) == sizeof(bytes))
        memcpy(&abi, bytes, sizeof(bytes));
    return abi == 1 ? MPI_ABI_MPICH : abi == 2 ? MPI_ABI_OPENMPI : MPI_ABI_NONE;
}

/* Where an address of the running program stands in the file, and how many
 * bytes follow it in its segment. */
static bool find_address(const struct elffile *file,
                         uint64_t address,
                         uint64_t *offset,
                         uint64_t *left)
{
    for (size_t i = 0; i < file->nsegments; i++) {
        const Elf64_Phdr *segment = &file->segments[i];
        uint64_t into = address - segment->p_vaddr;

        if (segment->p_type != PT_LOAD || address < segment->p_vaddr ||
            into >= segment->p_filesz)
            continue;
        *left = segment->p_filesz - into;
        return !__builtin_add_overflow(segment->p_offset, into, offset);
    }
    return false;
}

/* The string table of the dynamic section. */
struct strings {
    uint64_t offset, size;
};

/* *out (owned) stays NULL for a string that lies outside or is too long. */
static int read_string(char **out,
                       const struct elffile *file,
                       const struct strings *strings,
                       uint64_t index)
{
    char *text;
    size_t n;

    if (index >= strings->size)
        return 0;
    n = strings->size - index < STRING_MAX ? (size_t)(strings->size - index)
                                           : STRING_MAX;
    text = array_alloc(n, 1, file->err);
    if (!text)
        return MAPCORE_ENOMEM;
    if (!elffile_read(file, strings->offset + index, text, n) ||
        !memchr(text, '\0', n)) {
        free(text);
        return 0;
    }
    free(*out);
    *out = text;
    return 0;
}

static int take_entry(struct elffile_dynamic *dynamic,
                      const Elf64_Dyn *entry,
                      const struct elffile *file,
                      const struct strings *strings)
{
    const bool is_needed =
        entry->d_tag == DT_NEEDED && dynamic->nneeded < NEEDED_MAX;
    char **text = entry->d_tag == DT_RPATH     ? &dynamic->rpath
                  : entry->d_tag == DT_RUNPATH ? &dynamic->runpath
                  : is_needed ? &dynamic->needed[dynamic->nneeded]
                              : NULL;
    int error = text ? read_string(text, file, strings, entry->d_un.d_val) : 0;

    dynamic->nneeded += is_needed && *text;
    return error;
}

static bool find_strings(struct strings *out,
                         const struct elffile *file,
                         const Elf64_Dyn *entries,
                         size_t n)
{
    uint64_t address = 0, left = 0;

    for (size_t i = 0; i < n && entries[i].d_tag != DT_NULL; i++) {
        if (entries[i].d_tag == DT_STRTAB)
            address = entries[i].d_un.d_ptr;
        else if (entries[i].d_tag == DT_STRSZ)
            out->size = entries[i].d_un.d_val;
    }
    if (!find_address(file, address, &out->offset, &left))
        return false;
    if (out->size > left)
        out->size = left;
    return true;
}

int elffile_dynamic(struct elffile_dynamic *out, const struct elffile *file)
{
    struct elffile_dynamic dynamic = {0};
    struct strings strings = {0};
    const Elf64_Phdr *segment = elffile_segment(file, PT_DYNAMIC);
    Elf64_Dyn *entries = NULL;
    size_t n;
    int error = MAPCORE_ENOMEM;

    *out = dynamic;
    if (!segment)
        return 0;
    n = (size_t)(segment->p_filesz / sizeof(*entries));
    if (n > ENTRIES_MAX)
        n = ENTRIES_MAX;
    entries = array_alloc(n, sizeof(*entries), file->err);
    dynamic.needed =
        array_alloc(NEEDED_MAX, sizeof(*dynamic.needed), file->err);
    if (!entries || !dynamic.needed)
        goto out;
    error = 0;
    if (!elffile_read(file, segment->p_offset, entries, n * sizeof(*entries)) ||
        !find_strings(&strings, file, entries, n))
        goto out;
    for (size_t i = 0; i < n && entries[i].d_tag != DT_NULL && error == 0; i++)
        error = take_entry(&dynamic, &entries[i], file, &strings);
    if (error == 0) {
        *out = dynamic;
        dynamic = (struct elffile_dynamic){0};
    }
out:
    elffile_dynamic_clear(&dynamic);
    free(entries);
    return error;
}

void elffile_dynamic_clear(struct elffile_dynamic *dynamic)
{
    for (size_t i = 0; i < dynamic->nneeded; i++)
        free(dynamic->needed[i]);
    free(dynamic->needed);
    free(dynamic->rpath);
    free(dynamic->runpath);
    *dynamic = (struct elffile_dynamic){0};
}
