/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_identity.c - SHA-256, executables' identities, and which MPI a program
 * needs; ELF files are made by hand, so that they can be damaged */
#include "config.h"

#include "profiles/program/identity.h"

#include "profiles/program/sha256.h"

#include "scratch.h"

#include "elfimage.h"

static void expect_digest(const char *text,
                          size_t n,
                          size_t step,
                          const char *hex)
{
    unsigned char digest[32];
    struct sha256 sha;
    char got[65];

    sha256_init(&sha);
    for (size_t i = 0; i < n; i += step)
        sha256_add(&sha, text + i, n - i < step ? n - i : step);
    sha256_end(&sha, digest);
    for (size_t i = 0; i < 32; i++)
        snprintf(got + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(got, hex);
}

/* The examples that NIST publishes with FIPS 180-4. */
static void test_sha256(void **state)
{
    static const char two[] =
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    static const char four[] =
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
        "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";
    char *million = malloc(1000000);

    assert_non_null(million);
    memset(million, 'a', 1000000);
    for (size_t step = 1; step < 130; step += 7) {
        expect_digest("", 0, step,
                      "e3b0c44298fc1c149afbf4c8996fb924"
                      "27ae41e4649b934ca495991b7852b855");
        expect_digest("abc", 3, step,
                      "ba7816bf8f01cfea414140de5dae2223"
                      "b00361a396177a9cb410ff61f20015ad");
        expect_digest(two, strlen(two), step,
                      "248d6a61d20638b8e5c026930c3e6039"
                      "a33ce45964ff2167f6ecedd419db06c1");
        expect_digest(four, strlen(four), step,
                      "cf5b16a778af8380036ce59e7b049237"
                      "0b249b11e8f07a51afac45037afee9d1");
    }
    expect_digest(million, 1000000, 999,
                  "cdc76e5c9914fb9281a1c7e284d73e67"
                  "f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

static void expect_identity(const char *path, const char *wanted)
{
    struct mapcore_error err;
    char out[IDENTITY_MAX];

    if (identity_of_file(out, path, &err) < 0)
        fail_msg("%s", err.text);
    assert_memory_equal(out, wanted, strlen(wanted));
    assert_int_equal(strlen(out),
                     strncmp(wanted, "sha256-", 7) == 0 ? 71 : strlen(wanted));
}

static void expect_kind(const char *path, enum program_kind wanted)
{
    struct mapcore_error err;
    enum program_kind kind;

    if (program_classify(&kind, path, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(kind, wanted);
}

static void test_build_id(void **state)
{
    static const char hex[] = "000d1a2734414e5b6875828f9ca9b6c3d0ddeaf7";
    const char *path = at(*state, "app");
    struct image image;

    image_init(&image);
    image_put(&image, path);
    expect_identity(path, hex);
    /* Another note before it, its name and contents padded. */
    image.note.head = (Elf64_Nhdr){3, 5, 1};
    image_put(&image, path);
    expect_identity(path, "sha256-");
    /* Shorter than any linker makes it. */
    image_init(&image);
    image.note.head.n_descsz = 4;
    image_put(&image, path);
    expect_identity(path, "sha256-");
}

static void test_digest(void **state)
{
    const char *path = at(*state, "app");
    struct image image;

    put_text(path, "abc");
    expect_identity(path, "sha256-ba7816bf8f01cfea414140de5dae2223"
                          "b00361a396177a9cb410ff61f20015ad");
    put_text(path, "");
    expect_identity(path, "sha256-e3b0c442");
    /* 32 bits, and the other byte order. */
    image_init(&image);
    image.header.e_ident[EI_CLASS] = ELFCLASS32;
    image_put(&image, path);
    expect_identity(path, "sha256-");
    expect_kind(path, PROGRAM_NO_MPI);
    image_init(&image);
    image.header.e_ident[EI_DATA] ^= ELFDATA2LSB ^ ELFDATA2MSB;
    image_put(&image, path);
    expect_identity(path, "sha256-");
}

static void test_no_file(void **state)
{
    struct mapcore_error err;
    enum program_kind kind;
    char out[IDENTITY_MAX];

    assert_int_equal(identity_of_file(out, at(*state, "none"), &err),
                     MAPCORE_ENOENT);
    assert_int_equal(program_classify(&kind, at(*state, "none"), &err),
                     MAPCORE_ENOENT);
    assert_int_equal(identity_of_file(out, at(*state, ""), &err), MAPCORE_EIO);
    assert_non_null(strstr(err.text, "not a regular file"));
    assert_ok(mkfifo(at(*state, "pipe"), 0600));
    assert_int_equal(identity_of_file(out, at(*state, "pipe"), &err),
                     MAPCORE_EIO);
}

static void test_kinds(void **state)
{
    static const struct {
        const char *needed;
        enum program_kind kind;
    } known[] = {{"libmpich.so.12", PROGRAM_MPICH_ABI},
                 {"libmpi.so.12", PROGRAM_MPICH_ABI},
                 {"libmpi_cray.so", PROGRAM_MPICH_ABI},
                 {"libmpi_cray.so.12", PROGRAM_MPICH_ABI},
                 {"libmpi.so.40", PROGRAM_OPENMPI_ABI},
                 {"libmpi.so.20", PROGRAM_NO_MPI},
                 {"libmpich.so.10", PROGRAM_NO_MPI},
                 {NULL, PROGRAM_NO_MPI}};
    const char *path = at(*state, "app");
    struct image image;

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        put_needing(path, known[i].needed, 0, NULL);
        expect_kind(path, known[i].kind);
    }
    put_text(path, "#!/bin/sh\nexec ./app\n");
    expect_kind(path, PROGRAM_SCRIPT);
    put_text(path, "");
    expect_kind(path, PROGRAM_SCRIPT);
    put_text(path, "\177ELF");
    expect_kind(path, PROGRAM_NO_MPI);
    image_init(&image);
    image_add(&image, DT_NEEDED, "libmpi.so.40");
    image.segment[2].p_type = PT_NULL; /* static, position independent */
    image_put(&image, path);
    expect_kind(path, PROGRAM_STATIC);
    image_init(&image);
    image.segment[3].p_type = PT_NULL;
    image_put(&image, path);
    expect_kind(path, PROGRAM_STATIC);
}

/* Through a library of ours, found by each of the ways. */
static void test_search(void **state)
{
    const struct scratch *scratch = *state;
    const char *app = at(scratch, "bin/app");

    unsetenv("LD_LIBRARY_PATH");
    assert_ok(mkdir(at(scratch, "bin"), 0755));
    assert_ok(mkdir(at(scratch, "lib"), 0755));
    put_needing(at(scratch, "lib/libours.so"), "libmpi.so.40", 0, NULL);
    put_needing(app, "libours.so", 0, NULL);
    expect_kind(app, PROGRAM_NO_MPI);
    setenv("LD_LIBRARY_PATH", at(scratch, "lib"), 1);
    expect_kind(app, PROGRAM_OPENMPI_ABI);
    unsetenv("LD_LIBRARY_PATH");
    put_needing(app, "libours.so", DT_RUNPATH, "/none:$ORIGIN/../lib");
    expect_kind(app, PROGRAM_OPENMPI_ABI);
    put_needing(app, "libours.so", DT_RPATH, "${ORIGIN}/../lib:/none");
    expect_kind(app, PROGRAM_OPENMPI_ABI);
    put_needing(app, "libours.so", DT_RUNPATH, "$LIB/x:$ORIGIN");
    expect_kind(app, PROGRAM_NO_MPI);
    put_needing(app, at(scratch, "lib/libours.so"), 0, NULL);
    expect_kind(app, PROGRAM_OPENMPI_ABI);
    /* $ORIGIN of what a link leads to. */
    put_needing(app, "libours.so", DT_RUNPATH, "$ORIGIN/../lib");
    assert_ok(symlink("bin/app", at(scratch, "link")));
    expect_kind(at(scratch, "link"), PROGRAM_OPENMPI_ABI);
    /* The program's RPATH serves its libraries too, its RUNPATH does not. */
    put_needing(at(scratch, "lib/libours.so"), "libdeep.so", 0, NULL);
    put_needing(at(scratch, "lib/libdeep.so"), "libmpich.so.12", 0, NULL);
    expect_kind(app, PROGRAM_NO_MPI);
    put_needing(app, "libours.so", DT_RPATH, "$ORIGIN/../lib");
    expect_kind(app, PROGRAM_MPICH_ABI);
    /* Two that need each other. */
    put_needing(at(scratch, "lib/libdeep.so"), "libours.so", 0, NULL);
    expect_kind(app, PROGRAM_NO_MPI);
}

/* A library of another machine is passed over, as ld.so does. */
static void test_other_machine(void **state)
{
    const struct scratch *scratch = *state;
    struct image image;
    char folders[600];

    assert_ok(mkdir(at(scratch, "a"), 0755));
    assert_ok(mkdir(at(scratch, "b"), 0755));
    image_init(&image);
    image.header.e_machine = EM_AARCH64;
    image_add(&image, DT_NEEDED, "libmpi.so.40");
    image_put(&image, at(scratch, "a/libours.so"));
    put_needing(at(scratch, "b/libours.so"), "libmpich.so.12", 0, NULL);
    snprintf(folders, sizeof(folders), "%s:%s", at(scratch, "a"),
             at(scratch, "b"));
    put_needing(at(scratch, "app"), "libours.so", DT_RUNPATH, folders);
    expect_kind(at(scratch, "app"), PROGRAM_MPICH_ABI);
}

static void expect_survival(const char *path)
{
    char out[IDENTITY_MAX];
    enum program_kind kind;
    int rc = identity_of_file(out, path, NULL);

    assert_true(rc == 0 && strlen(out) < IDENTITY_MAX);
    assert_ok(program_classify(&kind, path, NULL));
}

/* Every length, and every byte of the headers wrong in three ways. */
static void test_damage(void **state)
{
    static const unsigned char wrong[] = {0x00, 0x7f, 0xff};
    const char *path = at(*state, "app");
    struct image image, damaged;
    const size_t end = offsetof(struct image, strings);

    image_init(&image);
    image_add(&image, DT_NEEDED, "libx.so");
    image_add(&image, DT_RPATH, "/none");
    for (size_t n = 0; n < sizeof(image); n += n < 600 ? 1 : 7) {
        put_file(path, (const char *)&image, n);
        expect_survival(path);
    }
    for (size_t i = 0; i < end; i++)
        for (size_t k = 0; k < sizeof(wrong); k++) {
            damaged = image;
            ((unsigned char *)&damaged)[i] = wrong[k];
            image_put(&damaged, path);
            expect_survival(path);
        }
}

/* This program itself: with a build-id or not, the same twice. */
static void test_ourselves(void **state)
{
    char a[IDENTITY_MAX], b[IDENTITY_MAX];

    assert_ok(identity_of_file(a, "/proc/self/exe", NULL));
    assert_ok(identity_of_file(b, "/proc/self/exe", NULL));
    assert_string_equal(a, b);
    expect_kind("/proc/self/exe", PROGRAM_NO_MPI);
}

static void test_interpreters(void **state)
{
    assert_true(program_is_interpreter("/usr/bin/python3.11"));
    assert_true(program_is_interpreter("bash"));
    assert_true(program_is_interpreter("/opt/x/perl5.36.0"));
    assert_true(program_is_interpreter("./sh"));
    assert_false(program_is_interpreter("./shallow"));
    assert_false(program_is_interpreter("/bin/sh/app"));
    assert_false(program_is_interpreter("mypython3"));
    assert_false(program_is_interpreter("3"));
    assert_false(program_is_interpreter(""));
}

/* A sparse file of 3 GiB costs 32 MiB to read; what changes at its ends, in a
 * block that is looked at, or in its size, makes another program of it. */
static void test_large_files(void **state)
{
    const struct scratch *scratch = *state;
    const char *path = at(scratch, "large");
    const off_t size = (off_t)3 << 30;
    const struct {
        off_t at, size;
    } changes[] = {{0, size}, {size - 1, size}, {0, size + 1}};
    char first[IDENTITY_MAX], other[IDENTITY_MAX];

    put_text(path, "");
    assert_ok(truncate(path, size));
    assert_ok(identity_of_file(first, path, NULL));
    assert_memory_equal(first, "sha256-", 7);
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        FILE *file = fopen(path, "w");

        assert_non_null(file);
        assert_ok(ftruncate(fileno(file), changes[i].size));
        assert_ok(fseeko(file, changes[i].at, SEEK_SET));
        putc(changes[i].size == size ? 'x' : 0, file);
        assert_ok(fclose(file));
        assert_ok(identity_of_file(other, path, NULL));
        assert_string_not_equal(first, other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sha256),
        ON_DISK(test_build_id),
        ON_DISK(test_digest),
        ON_DISK(test_large_files),
        ON_DISK(test_no_file),
        ON_DISK(test_kinds),
        ON_DISK(test_search),
        ON_DISK(test_other_machine),
        ON_DISK(test_damage),
        cmocka_unit_test(test_ourselves),
        cmocka_unit_test(test_interpreters),
    };

    return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
