/* SPDX-License-Identifier: Apache-2.0 */
/* Which codelet caches are trusted, which fields of an entry are compared, altered entries, programs that begin
 * together, the limit of a cache, and files of killed runs. */
#include "popc/compile/cache.h"
#include "popc/module/machine.h"
#include "popc/popc.h"

#include "base/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "scratch.h"

#define VERTEX(name)                                                                                                   \
    "#include <poplar/vertex.h>\nPOP_VERTEX(" name ") { POP_OUTPUT(int) out; };\nvoid " name "_compute(" name          \
    " *v) { *v->out = 1; }\n"

static bool compiles(const char *text)
{
    struct module *module;
    pop_error error;
    bool good = popc_compile("cached.c", text, NULL, &module, &error) == POP_OK;
    module_release(module);
    return good;
}

/* Whether it is in a cache: the compiler does not exist. */
static bool is_cached(const char *text)
{
    setenv("TREMULA_CC", "/nonexistent/gcc", 1);
    bool good = compiles(text);
    unsetenv("TREMULA_CC");
    return good;
}

/* The entries' names, and how many there are. */
static unsigned entries(char names[][400], unsigned max)
{
    unsigned count = 0;
    DIR *directory = opendir(scratch_path);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        if (strstr(entry->d_name, ".codelets") && count < max)
            snprintf(names[count++], 400, "%s/%s", scratch_path, entry->d_name);
    closedir(directory);
    return count;
}

static int clean(void **state)
{
    (void)state;
    chmod(scratch_path, 0700);
    setenv("TREMULA_CACHE_DIR", scratch_path, 1);
    unsetenv("TREMULA_CACHE_SIZE");
    unsetenv("TREMULA_CACHE_SHARED");
    return scratch_empty();
}

static void directories_are_made_for_the_user_alone(void **state)
{
    (void)state;
    char path[160], parent[128];
    struct stat status;
    mode_t mask = umask(0);
    snprintf(parent, sizeof(parent), "%s/made", scratch_path);
    snprintf(path, sizeof(path), "%s/cache", parent);
    setenv("TREMULA_CACHE_DIR", path, 1);
    assert_true(compiles(VERTEX("A")) && is_cached(VERTEX("A")));
    umask(mask);
    assert_true(stat(path, &status) == 0 && (status.st_mode & 0777) == 0700);
    assert_true(stat(parent, &status) == 0 && (status.st_mode & 0777) == 0700);
    char command[600];
    snprintf(command, sizeof(command), "[ -z \"$(find %s -name '*.codelets' ! -perm 600)\" ] && rm -r %s", path,
             parent);
    assert_int_equal(system(command), 0);
}

/* XDG_CACHE_HOME has priority over HOME; without both there is no cache. */
static void the_cache_is_below_the_home_directory(void **state)
{
    (void)state;
    static const char *const names[] = { "HOME", "XDG_CACHE_HOME" };
    char *kept[2], below[100], command[400];
    for (int i = 0; i < 2; ++i) {
        kept[i] = getenv(names[i]) ? strdup(getenv(names[i])) : NULL;
        unsetenv(names[i]);
    }
    unsetenv("TREMULA_CACHE_DIR");
    assert_true(compiles(VERTEX("A")));
    assert_false(is_cached(VERTEX("A")));
    setenv("HOME", scratch_path, 1);
    assert_true(compiles(VERTEX("A")) && is_cached(VERTEX("A")));
    snprintf(below, sizeof(below), "%s/.cache/tremula", scratch_path);
    assert_int_equal(access(below, F_OK), 0);
    snprintf(below, sizeof(below), "%s/xdg", scratch_path);
    setenv("XDG_CACHE_HOME", below, 1);
    assert_false(is_cached(VERTEX("A")));
    assert_true(compiles(VERTEX("A")) && is_cached(VERTEX("A")));
    snprintf(command, sizeof(command), "[ -d %s/tremula ] && rm -r %s %s/.cache", below, below, scratch_path);
    assert_int_equal(system(command), 0);
    for (int i = 0; i < 2; ++i) {
        if (kept[i])
            setenv(names[i], kept[i], 1);
        else
            unsetenv(names[i]);
        free(kept[i]);
    }
}

static void files_writable_by_others_are_not_used(void **state)
{
    (void)state;
    char names[4][400];
    assert_true(compiles(VERTEX("A")) && is_cached(VERTEX("A")));
    chmod(scratch_path, 0770);
    assert_false(is_cached(VERTEX("A")));
    chmod(scratch_path, 0702);
    assert_false(is_cached(VERTEX("A")));
    chmod(scratch_path, 0755);
    assert_true(is_cached(VERTEX("A")));
    assert_int_equal(entries(names, 4), 1);
    chmod(names[0], 0666);
    assert_false(is_cached(VERTEX("A")));
    chmod(names[0], 0644);
    assert_true(is_cached(VERTEX("A")));
    if (geteuid() != 0)
        return;
    assert_int_equal(chown(scratch_path, 12345, 12345), 0);
    bool taken = is_cached(VERTEX("A"));
    assert_int_equal(chown(scratch_path, 0, 0), 0);
    assert_false(taken);
    assert_int_equal(chown(names[0], 12345, 12345), 0);
    assert_false(is_cached(VERTEX("A")));
}

/* Even under the name of another source. */
static void an_entry_is_for_its_own_key(void **state)
{
    (void)state;
    char names[4][400], other[4][400];
    assert_true(compiles(VERTEX("A")));
    assert_int_equal(entries(names, 4), 1);
    assert_true(compiles(VERTEX("B")));
    assert_int_equal(entries(other, 4), 2);
    const char *wrong = strcmp(other[0], names[0]) == 0 ? other[1] : other[0];
    assert_int_equal(rename(wrong, names[0]), 0);
    assert_false(is_cached(VERTEX("A")));
}

/* Writes bytes in place of the entry's, from offset on; or, with count 0, cuts it there. */
static void alter(const char *name, long offset, const char *bytes, size_t count)
{
    FILE *file = fopen(name, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, offset, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
    if (!count)
        assert_int_equal(truncate(name, offset), 0);
}

/* It is compiled again, and the entry is whole after that. */
static void an_altered_entry_is_not_used(void **state)
{
    (void)state;
    char names[4][400], kept[500], command[1000];
    struct stat facts;
    assert_true(compiles(VERTEX("A")));
    assert_int_equal(entries(names, 4), 1);
    assert_int_equal(stat(names[0], &facts), 0);
    snprintf(kept, sizeof(kept), "%s/kept", scratch_path);
    snprintf(command, sizeof(command), "cp -p %s %s", names[0], kept);
    assert_int_equal(system(command), 0);
    const long parts = 24, size = (long)facts.st_size;
    for (long i = 0; i < 2 * parts; ++i) {
        const bool cut = i >= parts;
        snprintf(command, sizeof(command), "cp -p %s %s", kept, names[0]);
        assert_int_equal(system(command), 0);
        alter(names[0], size * (i % parts) / parts, "\xa5\x5a\xa5\x5a\xa5\x5a\xa5\x5a", cut ? 0 : 8);
        assert_false(is_cached(VERTEX("A")));
    }
    assert_true(compiles(VERTEX("A")) && is_cached(VERTEX("A")));
}

/* Each of eight processes compiles the same two sources; none sees an entry that another one has not completed. */
static void programs_begin_together_with_a_cold_cache(void **state)
{
    (void)state;
    enum { PROGRAMS = 8 };
    pid_t programs[PROGRAMS];
    char names[8][400];
    for (int i = 0; i < PROGRAMS; ++i)
        if ((programs[i] = fork()) == 0)
            _exit(i % 2 ? !compiles(VERTEX("A")) || !compiles(VERTEX("B"))
                        : !compiles(VERTEX("B")) || !compiles(VERTEX("A")));
    for (int i = 0; i < PROGRAMS; ++i) {
        int code = -1;
        assert_int_equal(waitpid(programs[i], &code, 0), programs[i]);
        assert_int_equal(code, 0);
    }
    assert_int_equal(entries(names, 8), 2);
    assert_true(is_cached(VERTEX("A")) && is_cached(VERTEX("B")));
}

static void a_cache_has_a_limit(void **state)
{
    (void)state;
    char names[64][400], text[900];
    setenv("TREMULA_CACHE_SIZE", "1", 1);
    struct stat status;
    assert_true(compiles(VERTEX("V")));
    assert_int_equal(entries(names, 64), 1);
    assert_int_equal(stat(names[0], &status), 0);
    /* copies that were last used at earlier and earlier times, more than fit */
    unsigned fit = (unsigned)((1u << 20) / ((uint64_t)status.st_blocks * 512)), count = fit + 10 < 60 ? fit + 10 : 60;
    for (unsigned i = 0; i < count; ++i) {
        snprintf(text, sizeof(text), "cp %s %s/%02u.codelets", names[0], scratch_path, i);
        assert_int_equal(system(text), 0);
        snprintf(text, sizeof(text), "%s/%02u.codelets", scratch_path, i);
        struct timeval then[2] = { { 1000000 - (time_t)i, 0 }, { 1000000 - (time_t)i, 0 } };
        assert_int_equal(utimes(text, then), 0);
    }
    assert_true(compiles(VERTEX("W")));
    unsigned left = entries(names, 64);
    uint64_t bytes = 0;
    for (unsigned i = 0; i < left; ++i) {
        assert_int_equal(stat(names[i], &status), 0);
        bytes += (uint64_t)status.st_blocks * 512;
    }
    if (count > fit) {
        assert_true(bytes <= 1 << 20);
        assert_true(left < count);
        snprintf(text, sizeof(text), "%s/%02u.codelets", scratch_path, count - 1);
        assert_int_not_equal(access(text, F_OK), 0);
    }
    assert_true(is_cached(VERTEX("V")) && is_cached(VERTEX("W")));
}

static void a_shared_cache_is_only_read(void **state)
{
    (void)state;
    char own[128], command[400];
    assert_true(compiles(VERTEX("A")));
    snprintf(own, sizeof(own), "%s-own", scratch_path);
    setenv("TREMULA_CACHE_DIR", own, 1);
    setenv("TREMULA_CACHE_SHARED", scratch_path, 1);
    assert_true(is_cached(VERTEX("A")));
    assert_true(compiles(VERTEX("B")) && is_cached(VERTEX("B")));
    char names[4][400];
    assert_int_equal(entries(names, 4), 1);
    setenv("TREMULA_CACHE_DIR", "/proc/nowhere", 1);
    assert_true(is_cached(VERTEX("A")));
    assert_false(is_cached(VERTEX("B")));
    chmod(scratch_path, 0777);
    assert_false(is_cached(VERTEX("A")));
    snprintf(command, sizeof(command), "rm -r %s", own);
    assert_int_equal(system(command), 0);
}

/* A directory of a run that was killed an hour or more ago is deleted; one of a running process is kept. */
static void files_of_killed_runs_are_deleted(void **state)
{
    (void)state;
    char left[128], held[128], command[800];
    snprintf(left, sizeof(left), "%s/tremula-abcdef", scratch_path);
    snprintf(held, sizeof(held), "%s/tremula-ghijkl", scratch_path);
    snprintf(command, sizeof(command), "mkdir %s %s && touch %s/codelets.c && touch -d '2 hours ago' %s %s", left, held,
             left, left, held);
    assert_int_equal(system(command), 0);
    pid_t child = fork();
    if (child == 0) { /* in its own process: the clean-up is done once in each */
        char lock[500];
        setenv("TMPDIR", scratch_path, 1);
        snprintf(lock, sizeof(lock), "flock %s sleep 3 & sleep 0.3", held);
        bool good = system(lock) == 0 && compiles(VERTEX("K"));
        _exit(good && access(left, F_OK) != 0 && access(held, F_OK) == 0 ? 0 : 1);
    }
    int code;
    waitpid(child, &code, 0);
    rmdir(held);
    assert_int_equal(code, 0);
}

/* As graphs for an IPU ask: popc_counted_object then needs no compiler. */
static void the_object_that_is_counted_is_made_beside_the_code(void **state)
{
    (void)state;
    struct module *module;
    pop_error error;
    char names[4][400], why[120] = "";
    size_t size;
    if (pool_processors() < 2)
        skip();
    assert_int_equal(popc_compile("ahead.c", VERTEX("Ahead"), AHEAD_FLAG "ipu2", &module, &error), POP_OK);
    assert_int_equal(entries(names, 4), 2);
    setenv("TREMULA_DEVICE_CC", "/nonexistent/clang", 1);
    char *object = popc_counted_object(module, 0, DEVICE_IPU2, &size, why, sizeof(why));
    assert_string_equal(why, "");
    assert_non_null(object);
    free(object);
    assert_null(popc_counted_object(module, 0, DEVICE_IPU1, &size, why, sizeof(why))); /* another architecture */
    unsetenv("TREMULA_DEVICE_CC");
    module_release(module);
    /* What clang cannot compile for the device does not matter before it is asked for. */
    assert_int_equal(popc_compile("ahead.c", "#ifdef __IPU__\n#error not for it\n#endif\n" VERTEX("Ahead"),
                                  AHEAD_FLAG "ipu2", &module, &error),
                     POP_OK);
    assert_int_equal(entries(names, 4), 3);
    assert_null(popc_counted_object(module, 0, DEVICE_IPU2, &size, why, sizeof(why)));
    assert_non_null(strstr(why, "not for it"));
    module_release(module);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, clean)
    const struct CMUnitTest tests[] = {
        TEST(files_of_killed_runs_are_deleted), /* first: this process has not compiled yet */
        TEST(directories_are_made_for_the_user_alone),
        TEST(the_cache_is_below_the_home_directory),
        TEST(files_writable_by_others_are_not_used),
        TEST(an_entry_is_for_its_own_key),
        TEST(an_altered_entry_is_not_used),
        TEST(programs_begin_together_with_a_cold_cache),
        TEST(a_cache_has_a_limit),
        TEST(the_object_that_is_counted_is_made_beside_the_code),
        TEST(a_shared_cache_is_only_read),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
