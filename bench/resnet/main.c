/* SPDX-License-Identifier: Apache-2.0 */
/* bench_resnet DEVICE TYPE IMAGES SIDE CLASSES RATE BEFORE [AFTER]: plans, builds, compiles, loads and runs a training
 * step of ResNet-50 on cpu, ipu1 or ipu2 (the modelled IPU), in half or float, and prints the seconds of each and the
 * memory of the process.
 *
 * BEFORE has the values before the step: what is trained (network.h), images, labels as 32-bit integers. AFTER gets
 * what is trained, after the step, and the loss of each image. */
#include "../timed.h"
#include "network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct run {
    struct resnet_shape shape;
    size_t width; /* bytes of a value */
    pop_device *device;
    struct resnet *network;
    pop_executable *executable;
    pop_engine *engine;
};

static void must_file(bool good, const char *name)
{
    if (!good) {
        fprintf(stderr, "bench_resnet: ");
        perror(name);
        exit(1);
    }
}

/* ---- the steps that are timed ---- */

static void plan(struct run *r)
{
    resnet_plan(r->network);
}
static void build(struct run *r)
{
    resnet_build(r->network);
    const pop_error *error = pop_graph_error(resnet_graph(r->network));
    if (error)
        must(error->status, error);
}
static void compile(struct run *r)
{
    pop_error error = { 0 };
    must(pop_compile_graph(resnet_graph(r->network), POP_PROGRAMS(resnet_step(r->network)),
                           POP_OPTIONS({ "debug.allowOutOfMemory", "true" }), NULL, NULL, &r->executable, &error),
         &error);
}
static void load(struct run *r)
{
    pop_error error = { 0 };
    r->engine = pop_engine_create_from(r->executable, POP_NO_OPTIONS, &error);
    pop_executable_destroy(r->executable);
    must(r->engine ? POP_OK : error.status, &error);
    must(pop_engine_load(r->engine, r->device, &error), &error);
}
static void run(struct run *r)
{
    pop_error error = { 0 };
    must(pop_engine_run(r->engine, 0, &error), &error);
}

static void timed(struct run *r, const char *name, void (*work)(struct run *r))
{
    double start = seconds();
    work(r);
    printf("%-8s %9.3f s\n", name, seconds() - start);
    fflush(stdout);
}

/* ---- values ---- */

static void put(struct run *r, const char *handle, size_t bytes, FILE *file, const char *name)
{
    pop_error error = { 0 };
    void *values = malloc(bytes);
    must_file(values && fread(values, 1, bytes, file) == bytes, name);
    must(pop_engine_write_tensor(r->engine, handle, values, bytes, &error), &error);
    free(values);
}
static void get(struct run *r, const char *handle, size_t bytes, FILE *file, const char *name)
{
    pop_error error = { 0 };
    void *values = malloc(bytes);
    must_file(values != NULL, name);
    must(pop_engine_read_tensor(r->engine, handle, values, bytes, &error), &error);
    must_file(fwrite(values, 1, bytes, file) == bytes, name);
    free(values);
}
static void transfer_trained(struct run *r, FILE *file, const char *name,
                             void (*transfer)(struct run *, const char *, size_t, FILE *, const char *))
{
    for (size_t i = 0; i < resnet_num_trained(r->network); ++i) {
        char handle[32];
        snprintf(handle, sizeof(handle), "trained %zu", i);
        transfer(r, handle, resnet_num_elements(r->network, i) * r->width, file, name);
    }
}

static void read_before(struct run *r, const char *name)
{
    FILE *file = fopen(name, "rb");
    must_file(file, name);
    transfer_trained(r, file, name, put);
    put(r, "images", r->shape.images * 3 * r->shape.side * r->shape.side * r->width, file, name);
    put(r, "labels", r->shape.images * sizeof(uint32_t), file, name);
    fclose(file);
}
static void write_after(struct run *r, const char *name)
{
    FILE *file = fopen(name, "wb");
    must_file(file, name);
    transfer_trained(r, file, name, get);
    get(r, "loss", r->shape.images * r->width, file, name);
    must_file(!fclose(file), name);
}

/* "cpu", or an IPU with, after a colon, the number of its tiles. */
static pop_device *device_of(const char *name)
{
    const char *tiles = strchr(name, ':');
    char version[16];
    pop_error error = { 0 };
    pop_device *device;
    snprintf(version, sizeof(version), "%.*s", (int)strcspn(name, ":"), name);
    if (strcmp(name, "cpu") == 0)
        device = pop_cpu_device_create(&error);
    else
        device = pop_ipu_model_create_device(
            &(pop_ipu_model){ .version = version, .tiles_per_ipu = tiles ? (unsigned)strtoul(tiles + 1, NULL, 10) : 0 },
            &error);
    must(device ? POP_OK : error.status, &error);
    return device;
}

int main(int argc, char **argv)
{
    bool half = argc > 2 && strcmp(argv[2], "half") == 0;
    if (argc < 8 || argc > 9 || (!half && strcmp(argv[2], "float") != 0)) {
        fprintf(stderr,
                "usage: bench_resnet cpu|ipu1|ipu2[:TILES] half|float IMAGES SIDE CLASSES RATE BEFORE [AFTER]\n");
        return 2;
    }
    struct run r = { .shape = { .type = half ? POP_HALF : POP_FLOAT,
                                .images = strtoul(argv[3], NULL, 10),
                                .side = strtoul(argv[4], NULL, 10),
                                .classes = strtoul(argv[5], NULL, 10),
                                .rate = strtod(argv[6], NULL) },
                     .device = device_of(argv[1]) };
    r.width = r.shape.type == POP_HALF ? sizeof(uint16_t) : sizeof(float);
    r.network = resnet_create(pop_device_target(r.device), &r.shape);
    timed(&r, "plans", plan);
    timed(&r, "graph", build);
    timed(&r, "compile", compile);
    timed(&r, "load", load);
    read_before(&r, argv[7]);
    timed(&r, "step", run);
    if (argc > 8)
        write_after(&r, argv[8]);
    for (int i = 0; i < 3; ++i)
        timed(&r, "again", run);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%-8s %9.3f GiB at most\n", "memory", (double)usage.ru_maxrss / 1048576);
    pop_engine_destroy(r.engine);
    resnet_destroy(r.network);
    pop_device_destroy(r.device);
    return 0;
}
