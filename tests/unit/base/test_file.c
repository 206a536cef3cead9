/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "test-file-XXXXXX";

static int enter(void **state)
{
    (void)state;
    return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static size_t entries(void)
{
    size_t count = 0;
    DIR *dir = opendir(".");
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static int leave(void **state)
{
    (void)state;
    return chdir("..") == 0 && rmdir(directory) == 0 ? 0 : -1;
}

static void test_written_values_are_read(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0,    1,    15,   16,   17,    63,    64,    255,   256,    1023,   1024,   4095,
                                    4096, 4097, 8191, 8192, 16384, 32768, 65535, 65536, 131072, 262144, 1000003 };
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        char *data = mem_alloc(sizes[i]), *back;
        for (size_t j = 0; j < sizes[i]; ++j)
            data[j] = (char)(j * 31);
        size_t size;
        assert_int_equal(file_write("a", data, sizes[i], NULL), POP_OK);
        assert_int_equal(file_read("a", &back, &size, NULL), POP_OK);
        assert_int_equal(size, sizes[i]);
        assert_int_equal(back[size], 0);
        assert_memory_equal(back, data, size);
        free(back);
        free(data);
    }
    assert_int_equal(entries(), 1);
    unlink("a");
}

static void test_streams_without_a_size(void **state)
{
    (void)state;
    FILE *pipe = popen("head -c 200003 /dev/zero", "r");
    char *data;
    size_t size;
    assert_int_equal(file_read_stream(pipe, &data, &size, NULL), POP_OK);
    assert_int_equal(size, 200003);
    pclose(pipe);
    free(data);
}

static void test_errors_name_file_and_reason(void **state)
{
    (void)state;
    pop_error error;
    char *data;
    size_t size;
    assert_int_equal(file_read("missing", &data, &size, &error), POP_FILE_LOAD_ERROR);
    char here[400], expected[512];
    assert_non_null(getcwd(here, sizeof(here)));
    snprintf(expected, sizeof(expected), "cannot open 'missing': No such file or directory (looked for in '%s')", here);
    assert_string_equal(error.text, expected);
    assert_int_equal(file_read("/missing", &data, &size, &error), POP_FILE_LOAD_ERROR);
    assert_string_equal(error.text, "cannot open '/missing': No such file or directory");
    assert_int_equal(file_read(".", &data, &size, &error), POP_FILE_LOAD_ERROR);
    assert_string_equal(error.text, "cannot read '.': Is a directory");
    assert_int_equal(file_write("no/such/place", "x", 1, &error), POP_POPLAR_ERROR);
    assert_string_equal(error.text, "cannot write 'no/such/place': No such file or directory");
    assert_int_equal(file_write("/dev/full", "x", 1, &error), POP_POPLAR_ERROR);
    assert_string_equal(error.text, "cannot write '/dev/full': No space left on device");
}

/* A write that fails half-way leaves the old file and no temporary one. */
static void test_a_full_disk_leaves_the_old_file(void **state)
{
    (void)state;
    static char large[1 << 20];
    struct rlimit old, small;
    pop_error error;
    assert_int_equal(file_write("a", "old", 3, NULL), POP_OK);
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 100000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    pop_status status = file_write("a", large, sizeof(large), &error);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(status, POP_POPLAR_ERROR);
    assert_string_equal(error.text, "cannot write 'a': File too large");
    char *data;
    size_t size;
    assert_int_equal(file_read("a", &data, &size, NULL), POP_OK);
    assert_string_equal(data, "old");
    free(data);
    assert_int_equal(entries(), 1);
    unlink("a");
}

static void test_links_and_modes_stay(void **state)
{
    (void)state;
    struct stat status;
    char *data;
    size_t size;
    assert_int_equal(file_write("a", "1", 1, NULL), POP_OK);
    assert_int_equal(chmod("a", 0640), 0);
    assert_int_equal(symlink("a", "link"), 0);
    assert_int_equal(file_write("link", "22", 2, NULL), POP_OK);
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat("a", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(file_read("a", &data, &size, NULL), POP_OK);
    assert_string_equal(data, "22");
    free(data);
    unlink("link");
    unlink("a");
    /* A device file is written to, never replaced. */
    assert_int_equal(file_write("/dev/null", "x", 1, NULL), POP_OK);
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

struct stream_content {
    size_t bytes;
    bool good;
};
static bool put_zeros(FILE *file, const void *user)
{
    static const char zeros[1 << 16];
    const struct stream_content *content = user;
    for (size_t done = 0; done < content->bytes; done += sizeof(zeros))
        if (fwrite(zeros, 1, sizeof(zeros), file) != sizeof(zeros))
            return false;
    return content->good;
}

static size_t bytes_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (size_t)status.st_size : SIZE_MAX;
}

/* A streamed file replaces the old one only once it is complete. */
static void test_streams_are_complete_or_absent(void **state)
{
    (void)state;
    struct rlimit old, small;
    assert_true(file_write_stream("a", put_zeros, &(struct stream_content){ 1 << 20, true }));
    assert_int_equal(bytes_of("a"), 1 << 20);
    assert_false(file_write_stream("a", put_zeros, &(struct stream_content){ 1 << 16, false }));
    assert_int_equal(bytes_of("a"), 1 << 20);
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 100000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    bool good = file_write_stream("a", put_zeros, &(struct stream_content){ 1 << 21, true });
    int reason = errno;
    setrlimit(RLIMIT_FSIZE, &old);
    assert_false(good);
    assert_int_equal(reason, EFBIG);
    assert_int_equal(bytes_of("a"), 1 << 20);
    assert_false(file_write_stream("/dev/full", put_zeros, &(struct stream_content){ 1, true }));
    assert_int_equal(errno, ENOSPC);
    assert_false(file_write_stream("no/such/place", put_zeros, &(struct stream_content){ 1, true }));
    assert_int_equal(errno, ENOENT);
    assert_int_equal(entries(), 1);
    unlink("a");
}

/* Fills in a length at the beginning after the rest is written, as debug.cbor does. */
static bool put_length_last(FILE *file, const void *user)
{
    const char *text = user;
    long at = ftell(file);
    if (at < 0 || fputs("??", file) < 0 || fputs(text, file) < 0 || fseek(file, at, SEEK_SET) != 0)
        return false;
    return fprintf(file, "%02zu", strlen(text)) == 2 && fseek(file, 0, SEEK_END) == 0 && fputc('.', file) == '.';
}

static void test_streams_can_seek(void **state)
{
    (void)state;
    char *data;
    size_t size;
    pop_error error;
    assert_true(file_write_stream("a", put_length_last, "twelve bytes"));
    assert_int_equal(file_read("a", &data, &size, &error), POP_OK);
    assert_int_equal(size, 15);
    assert_memory_equal(data, "12twelve bytes.", 15);
    free(data);
    unlink("a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_values_are_read),
        cmocka_unit_test(test_streams_without_a_size),
        cmocka_unit_test(test_errors_name_file_and_reason),
        cmocka_unit_test(test_a_full_disk_leaves_the_old_file),
        cmocka_unit_test(test_links_and_modes_stay),
        cmocka_unit_test(test_streams_are_complete_or_absent),
        cmocka_unit_test(test_streams_can_seek),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
