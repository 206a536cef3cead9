/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/module/machine.h"

#include "base/error.h"

#include <dlfcn.h>
#include <poplar/popc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

#ifdef __x86_64__
/* Features of v3 that __builtin_cpu_supports of some compilers does not know. */
static bool has_lzcnt_movbe_f16c(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_MOVBE) || !(c & bit_F16C))
        return false;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}

unsigned machine_level(void)
{
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("ssse3") || !__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("popcnt"))
        return 1;
    if (!__builtin_cpu_supports("avx") || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("fma") || !has_lzcnt_movbe_f16c())
        return 2;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl"))
        return 3;
    return 4;
}
#elif defined(__aarch64__)
unsigned machine_level(void)
{
    return LEVEL_ARMV8;
}
#else
#error "popc compiles codelets for x86-64 and aarch64: another machine needs a row in enum machine_level"
#endif

static const char *const level_names[LEVELS] = {
    [LEVEL_X86_64] = "x86-64-v1",    [LEVEL_X86_64_V2] = "x86-64-v2", [LEVEL_X86_64_V3] = "x86-64-v3",
    [LEVEL_X86_64_V4] = "x86-64-v4", [LEVEL_ARMV8] = "armv8-a",
};

const char *machine_level_name(unsigned level)
{
    return level > LEVEL_NONE && level < LEVELS ? level_names[level] : "another machine";
}

unsigned machine_level_of(const char *name)
{
    if (strcmp(name, "x86-64") == 0)
        return LEVEL_X86_64;
    for (unsigned level = 1; level < LEVELS; ++level)
        if (strcmp(name, level_names[level]) == 0)
            return level;
    return LEVEL_NONE;
}

bool machine_levels_match(unsigned level, unsigned other)
{
    return (level <= LEVEL_X86_64_V4) == (other <= LEVEL_X86_64_V4);
}

bool machine_runs(unsigned level)
{
    return machine_levels_match(level, machine_level()) && level <= machine_level();
}

const char *machine_level_names(void)
{
    return machine_level() <= LEVEL_X86_64_V4 ? "x86-64-v1 to -v4" : level_names[LEVEL_ARMV8];
}

unsigned pop_machine_level(void)
{
    return machine_level() <= LEVEL_X86_64_V4 ? machine_level() : 0;
}

/* ---- the compiler ---- */

static bool is_program(const char *path, struct stat *status)
{
    return stat(path, status) == 0 && S_ISREG(status->st_mode) && access(path, X_OK) == 0;
}

static bool find_program(const char *name, struct str *path, struct stat *status)
{
    if (strchr(name, '/')) {
        str_add(path, name);
        return is_program(name, status);
    }
    const char *places = variable("PATH");
    for (const char *place = places ? places : "/usr/bin:/bin"; *place;) {
        size_t length = strcspn(place, ":");
        str_free(path);
        str_add_bytes(path, length ? place : ".", length ? length : 1);
        str_format(path, "/%s", name);
        if (is_program(path->text, status))
            return true;
        place += length + (place[length] == ':');
    }
    str_free(path);
    str_add(path, name);
    return false;
}

static bool find_compiler(const char *name, struct str *path, struct str *identity)
{
    struct stat status;
    if (!find_program(name, path, &status))
        return false;
    str_format(identity, "%s %lld %lld.%09ld", path->text, (long long)status.st_size, (long long)status.st_mtim.tv_sec,
               status.st_mtim.tv_nsec);
    return true;
}

bool machine_compiler(struct str *path, struct str *identity)
{
    const char *name = variable("TREMULA_CC");
    return find_compiler(name ? name : "gcc", path, identity);
}

bool machine_cpp_compiler(struct str *path, struct str *identity)
{
    const char *name = variable("TREMULA_CXX");
    return find_compiler(name ? name : "g++", path, identity);
}

bool machine_device_compiler(struct str *path, struct str *identity)
{
    const char *name = variable("TREMULA_DEVICE_CC");
    return find_compiler(name ? name : "clang", path, identity);
}

/* ---- vertex.h ---- */

#ifndef TREMULA_INCLUDE_DIR
#define TREMULA_INCLUDE_DIR ""
#endif

static bool has_vertex_h(const char *directory)
{
    struct str file = { 0 };
    str_format(&file, "%s/poplar/vertex.h", directory);
    bool there = access(file.text, R_OK) == 0;
    str_free(&file);
    return there;
}

/* From PREFIX/lib/libpoplar.so, PREFIX/lib/x86_64-linux-gnu/libpoplar.so or PREFIX/bin/program to PREFIX/include. */
static bool beside_library(struct str *path)
{
    Dl_info info;
    char *real =
        dladdr((void *)(uintptr_t)machine_include, &info) && info.dli_fname ? realpath(info.dli_fname, NULL) : NULL;
    bool found = false;
    for (int up = 0; real && up < 3 && !found; ++up) {
        char *slash = strrchr(real, '/');
        if (!slash)
            break;
        *slash = 0;
        if (!up)
            continue;
        str_free(path);
        str_format(path, "%s/include", real);
        found = has_vertex_h(path->text);
    }
    free(real);
    return found;
}

pop_status machine_include(struct str *path, pop_error *error)
{
    const char *chosen = variable("TREMULA_INCLUDE");
    if (!chosen && beside_library(path))
        return POP_OK;
    str_free(path);
    str_add(path, chosen ? chosen : TREMULA_INCLUDE_DIR);
    if (path->text[0] && has_vertex_h(path->text))
        return POP_OK;
    if (chosen)
        return error_set(error, POP_NO_ENVIRONMENT, NO_WHERE, NULL,
                         "TREMULA_INCLUDE is '%s', which has no poplar/vertex.h", chosen);
    return error_set(
        error, POP_NO_ENVIRONMENT, NO_WHERE, NULL,
        "cannot find poplar/vertex.h beside the library: set TREMULA_INCLUDE to the directory that has it");
}
