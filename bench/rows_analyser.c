/* SPDX-License-Identifier: Apache-2.0 */
/* The analyser on a report of 5 million compute sets and copies on 4 IPUs: time to the first picture, without the cache
 * and with it, time of a zoom, and memory of the server; then the page in a browser (page/run).  The command pva is in
 * ../bin. */
#include "bench.h"

#include <arpa/inet.h>
#include <libgen.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct server {
    pid_t process;
    unsigned port;
};

static void fail(const char *what)
{
    fprintf(stderr, "analyser: %s\n", what);
    exit(1);
}

static void find_pva(char command[600])
{
    char self[512] = "";
    if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
        fail("no /proc");
    snprintf(command, 600, "%s/../bin/pva", dirname(self));
}

/* Starts `pva serve` and reads its port from the line that it prints. */
static struct server serve(const char *directory)
{
    char command[600], line[1024] = "";
    int ends[2];
    if (pipe(ends) != 0)
        fail("no pipe");
    find_pva(command);
    struct server server = { .process = fork() };
    if (server.process == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(command, "pva", "serve", directory, "--no-browser", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    for (size_t at = 0; at + 1 < sizeof(line) && read(ends[0], line + at, 1) == 1 && line[at] != '\n';)
        ++at;
    close(ends[0]);
    const char *colon = strrchr(line, ':');
    server.port = colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
    if (!server.port)
        fail("pva serve does not start");
    return server;
}

static double memory_of(pid_t process)
{
    char path[64], line[256];
    double kilobytes = 0;
    snprintf(path, sizeof(path), "/proc/%d/status", (int)process);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kilobytes = strtod(line + 6, NULL);
    if (file)
        fclose(file);
    return kilobytes * 1024;
}

static void end(const struct server *server)
{
    kill(server->process, SIGTERM);
    waitpid(server->process, NULL, 0);
}

/* Seconds of a call; ends the row unless the answer has status 200. */
static double call(const struct server *server, const char *path)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)server->port) };
    char request[512], answer[65536] = "";
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    double start = bench_seconds();
    int socket_of = socket(AF_INET, SOCK_STREAM, 0);
    int length =
        snprintf(request, sizeof(request), "GET /api/%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n\r\n",
                 path, server->port);
    if (connect(socket_of, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        write(socket_of, request, (size_t)length) != length)
        fail("the server does not answer");
    bool good = read(socket_of, answer, 12) == 12 && strncmp(answer + 9, "200", 3) == 0;
    while (good && read(socket_of, answer, sizeof(answer)) > 0)
        continue;
    close(socket_of);
    if (!good)
        fail(path);
    return bench_seconds() - start;
}

/* The first requests of a page: the lanes, then the whole of each. */
static double first_picture(const struct server *server)
{
    char path[64];
    double seconds = call(server, "trace/lanes");
    for (unsigned lane = 0; lane < 4; ++lane) {
        snprintf(path, sizeof(path), "trace/window?lane=%u&pixels=1600", lane);
        seconds += call(server, path);
    }
    return seconds;
}

/* The longest time of calls for smaller and smaller windows, of all lanes. */
static double worst_zoom(const struct server *server, const char *what)
{
    double worst = 0, extent = 1e9;
    char path[160];
    for (unsigned zoom = 0; zoom < 20; ++zoom, extent /= 2)
        for (unsigned lane = 0; lane < 4; ++lane) {
            snprintf(path, sizeof(path), "trace/%s?lane=%u&pixels=1600&from=%.0f&to=%.0f%s", what, lane, extent / 3,
                     extent / 3 + extent, strcmp(what, "window") == 0 ? "&flame=1" : "");
            double seconds = call(server, path);
            worst = seconds > worst ? seconds : worst;
        }
    return worst;
}

/* The page in a browser: its script prints "measure, value, unit, aim" with tabs. */
static void report_page(const char *directory)
{
    char pva[600], command[2048], line[512];
    find_pva(pva);
    snprintf(command, sizeof(command), "'%s/run' '%s' '%s'", BENCH_PAGE, pva, directory);
    FILE *script = popen(command, "r");
    while (script && fgets(line, sizeof(line), script)) {
        char *measure = strtok(line, "\t"), *value = strtok(NULL, "\t"), *unit = strtok(NULL, "\t"),
             *aim = strtok(NULL, "\t\n");
        if (aim)
            bench_report(measure, strtod(value, NULL), unit, strtod(aim, NULL));
    }
    if (!script || pclose(script) != 0)
        fail("the page's script fails");
}

/* A report of about 20,000 steps of 2,400 programs as one page. */
static void export_page(void)
{
    enum { LAYERS = 1200, TIMES = 4, STRIDE = 64 };
    char directory[] = "bench_page_XXXXXX", pva[600], command[1200];
    if (!mkdtemp(directory))
        fail("no directory");
    pop_device *device = bench_device();
    struct bench_looped program = bench_loop(device, LAYERS, TIMES, STRIDE);
    bench_loop_run(&program, device, directory);
    pop_graph_destroy(program.graph);
    pop_device_destroy(device);
    find_pva(pva);
    snprintf(command, sizeof(command), "'%s' export '%s' --to html --output '%s/page.html'", pva, directory, directory);
    double start = bench_seconds();
    if (system(command) != 0)
        fail("pva export");
    bench_report("20,000 steps of 2,400 programs: export --to html", bench_seconds() - start, "s", 2);
    snprintf(command, sizeof(command), "rm -r '%s'", directory);
    if (system(command) != 0)
        fail("rm");
}

void row_analyser(void)
{
    export_page();
    pop_error error = { 0 };
    char directory[] = "bench_analyser_XXXXXX", path[64];
    pop_device *device = pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2", .num_ipus = 4 }, &error);
    bench_must(error.status, &error);
    if (!mkdtemp(directory))
        fail("no directory");
    struct bench_looped program = bench_loop(device, 16, 156250, 64);
    bench_loop_run(&program, device, directory);
    pop_graph_destroy(program.graph);
    pop_device_destroy(device);
    struct server server = serve(directory);
    bench_report("5 million sets and copies, 4 IPUs: first picture, no cache", first_picture(&server), "s", 5);
    double memory = memory_of(server.process);
    end(&server);
    server = serve(directory);
    bench_report("5 million sets and copies, 4 IPUs: first picture, cache", first_picture(&server), "s", 1);
    bench_report("5 million sets and copies, 4 IPUs: slowest zoom, flame", 1e3 * worst_zoom(&server, "window"), "ms",
                 100);
    bench_report("5 million sets and copies, 4 IPUs: slowest zoom, memory", 1e3 * worst_zoom(&server, "memory"), "ms",
                 100);
    bench_report("5 million sets and copies, 4 IPUs: summary of all", 1e3 * call(&server, "trace/summary"), "ms", 100);
    bench_report("5 million sets and copies, 4 IPUs: losses of all", call(&server, "trace/lost"), "s", 0);
    double with = memory_of(server.process);
    bench_report("5 million sets and copies, 4 IPUs: the server", (with > memory ? with : memory) / 1e6, "MB", 500);
    end(&server);
    report_page(directory);
    static const char *const files[] = { "profile.pop", "profile.pop_cache", "debug.cbor", "trace.json" };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); ++i) {
        snprintf(path, sizeof(path), "%s/%s", directory, files[i]);
        unlink(path);
    }
    rmdir(directory);
}
