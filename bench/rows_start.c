/* SPDX-License-Identifier: Apache-2.0 */
/* The first waits of a user: a small network from the start of its process to its first epoch, and a source of C++
 * codelets that is not in the cache, compared with g++ compiling the same file. */
#include "bench.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMES = 5, PATH_BYTES = 1024 };

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

/* The build directory: this program is in bench/ of it. */
static const char *build_directory(void)
{
    static char self[512];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length < 0)
        fail("no program");
    self[length] = 0;
    return dirname(dirname(self));
}

/* Seconds until the network's first epoch begins and ends. */
static void run_network(const char *build, double *begins, double *ends)
{
    char command[PATH_BYTES], line[256];
    snprintf(command, sizeof(command), "stdbuf -oL '%s/examples/training/mlp' --epochs 1 </dev/null", build);
    double start = bench_seconds();
    FILE *out = popen(command, "r");
    *begins = *ends = 0;
    while (out && fgets(line, sizeof(line), out)) {
        if (strstr(line, "compiled in"))
            *begins = bench_seconds() - start;
        if (strncmp(line, "epoch 1 ", 8) == 0)
            *ends = bench_seconds() - start;
    }
    if (!out || pclose(out) != 0 || *begins == 0 || *ends == 0)
        fail(command);
}

static double run(const char *command)
{
    double start = bench_seconds();
    if (system(command) != 0)
        fail(command);
    return bench_seconds() - start;
}

/* popc with an empty cache, and g++ with and without the macro that popc defines: without it, Vertex.hpp includes more.
 */
static void compile_codelets(const char *build)
{
    static const char gxx[] = "g++ -O2 -std=gnu++17 -I '" BENCH_INCLUDE "' ";
    char directory[] = "/tmp/tremula-bench-XXXXXX", command[PATH_BYTES];
    double popc[TIMES], plain[TIMES], device[TIMES];
    if (!mkdtemp(directory) || setenv("TREMULA_CACHE_DIR", directory, 1) != 0)
        fail("a cache for the bench");
    for (int i = 0; i < TIMES; ++i) {
        snprintf(command, sizeof(command), "rm -rf '%s' && mkdir '%s'", directory, directory);
        run(command);
        snprintf(command, sizeof(command), "'%s/tools/popc/popc' '%s' -o '%s/codelets.gp'", build, BENCH_STANDARD,
                 directory);
        popc[i] = run(command);
        snprintf(command, sizeof(command), "%s -c '%s' -o '%s/codelets.o'", gxx, BENCH_STANDARD, directory);
        plain[i] = run(command);
        snprintf(command, sizeof(command),
                 "%s -D__POPC__=1 -I '" BENCH_INCLUDE "/poplar/codelets' -c '%s' -o '%s/codelets.o'", gxx,
                 BENCH_STANDARD, directory);
        device[i] = run(command);
    }
    snprintf(command, sizeof(command), "rm -rf '%s'", directory);
    run(command);
    double took = bench_min(popc, TIMES), alone = bench_min(plain, TIMES), min = bench_min(device, TIMES);
    bench_report("codelets with standard headers, by popc", took * 1e3, "ms", 0);
    bench_report("times g++ -O2 -c of the file", took / alone, "x", 1.5);
    bench_report("times g++ -O2 -c -D__POPC__ of the file", took / min, "x", 0);
}

void row_start(void)
{
    const char *build = build_directory();
    double begins[TIMES], ends[TIMES];
    for (int i = 0; i < TIMES; ++i)
        run_network(build, &begins[i], &ends[i]);
    bench_report("mlp, process start to first epoch", bench_min(begins, TIMES), "s", 0.3);
    bench_report("to the end of its first epoch", bench_min(ends, TIMES), "s", 0);
    compile_codelets(build);
}
