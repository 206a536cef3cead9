/* SPDX-License-Identifier: Apache-2.0 */
/* The summary report: the process and its host. */
#include "value/value.h"

#include "base/str.h"

#include <poplar/text.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static FILE *open_proc(const char *path)
{
    return fopen(path, "re");
}

/* The arguments of this process, where the system has them. */
static pop_profile_value command(void)
{
    pop_profile_value vector = pop_profile_vector_new();
    FILE *file = open_proc("/proc/self/cmdline");
    char *argument = NULL;
    size_t size = 0;
    while (file && getdelim(&argument, &size, 0, file) > 0)
        pop_profile_push(&vector, pop_profile_string(argument));
    free(argument);
    if (file)
        fclose(file);
    return vector;
}

/* Environment variables that are reported; others may contain secrets. */
static pop_profile_value environment(void)
{
    static const char *const prefixes[] = { "POPLAR_", "POPLIBS_", "TREMULA_", "PVTI_", "GCDA_", "CLICOLOR" };
    pop_profile_value map = pop_profile_map_new();
    for (char **variable = environ; variable && *variable; ++variable) {
        const char *equals = strchr(*variable, '=');
        for (size_t i = 0; equals && i < sizeof(prefixes) / sizeof(prefixes[0]); ++i) {
            if (strncmp(*variable, prefixes[i], strlen(prefixes[i])) != 0)
                continue;
            struct str name = { 0 };
            str_add_bytes(&name, *variable, (size_t)(equals - *variable));
            pop_profile_set(&map, str_text(&name), pop_profile_string(equals + 1));
            str_free(&name);
        }
    }
    return map;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Start time of the process in seconds since 1970: field 22 of its stat file is in clock ticks since boot. */
static double start_time(void)
{
    FILE *file = open_proc("/proc/self/stat");
    char text[2048] = "";
    if (file) {
        text[fread(text, 1, sizeof(text) - 1, file)] = 0;
        fclose(file);
    }
    const char *field = strrchr(text, ')'); /* the process name before it may contain any character */
    for (int i = 2; field && i < 22; ++i)
        field = strchr(field + 1, ' ');
    long ticks = sysconf(_SC_CLK_TCK);
    struct timespec since_boot;
    if (!field || ticks <= 0 || clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0)
        return now();
    double age =
        (double)since_boot.tv_sec + (double)since_boot.tv_nsec * 1e-9 - pop_text_to_double(field, NULL) / (double)ticks;
    return now() - (age > 0 ? age : 0);
}

static pop_profile_value executable(void)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    path[length > 0 ? length : 0] = 0;
    return pop_profile_string(path);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "model name" of the first processor. */
static pop_profile_value processor(void)
{
    FILE *file = open_proc("/proc/cpuinfo");
    pop_profile_value name = { 0 };
    char *line = NULL;
    size_t size = 0;
    while (file && name.type == POP_PROFILE_NULL && getline(&line, &size, file) > 0) {
        const char *colon = strchr(line, ':');
        if (!colon || strncmp(line, "model name", 10) != 0)
            continue;
        line[strcspn(line, "\n")] = 0;
        name = pop_profile_string(colon + 1 + (colon[1] == ' '));
    }
    free(line);
    if (file)
        fclose(file);
    return name.type == POP_PROFILE_STRING ? name : pop_profile_string("");
}

static pop_profile_value system_information(void)
{
    struct utsname names;
    memset(&names, 0, sizeof(names));
    uname(&names);
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE), cores = sysconf(_SC_NPROCESSORS_ONLN);
    pop_profile_value map = profile_map(8), cpu = profile_map(2);
    profile_add(&cpu, "brand", processor());
    profile_add(&cpu, "count", pop_profile_uint(cores > 0 ? (uint64_t)cores : 1));
    profile_add(&map, "cpu_info", cpu);
    profile_add(&map, "machine", pop_profile_string(names.machine));
    profile_add(&map, "memory", pop_profile_uint(pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0));
    profile_add(&map, "processor", pop_profile_string(names.machine));
    profile_add(&map, "release", pop_profile_string(names.release));
    profile_add(&map, "system", pop_profile_string(names.sysname));
    profile_add(&map, "version", pop_profile_string(names.version));
    return map;
}

pop_profile_value pop_profile_summary_report(void)
{
    pop_profile_value map = profile_map(9), versions = profile_map(3), program = executable();
    profile_add(&versions, "hash", pop_profile_string(pop_package_hash()));
    profile_add(&versions, "package_hash", pop_profile_string(pop_package_hash()));
    profile_add(&versions, "version", pop_profile_string(pop_version_string()));
    profile_add(&map, "command", command());
    profile_add(&map, "end_time", pop_profile_double(now()));
    profile_add(&map, "envs", environment());
    profile_add(&map, "executable", program);
    profile_add(&map, "name", pop_profile_string(base_name(pop_profile_as_string(&program))));
    profile_add(&map, "poplar", versions);
    profile_add(&map, "start_time", pop_profile_double(start_time()));
    profile_add(&map, "sys_info", system_information());
    profile_add(&map, "version", pop_profile_string(pop_version_string()));
    return map;
}
