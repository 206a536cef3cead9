/* SPDX-License-Identifier: Apache-2.0 */
/* usages DIRECTORY BLOCKS TRACE: the same as usages.cpp. */
#include <pva/pva.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A property of a property, and so on: the last is a number. */
static uint64_t deep(pva_object object, const pva_property *path, size_t count)
{
    for (size_t i = 0; i + 1 < count; ++i)
        object = pva_get(object, path[i]);
    return pva_uint(object, path[count - 1]);
}
#define DEEP(object, ...)                                                                                              \
    deep(object, (const pva_property[]){ __VA_ARGS__ },                                                                \
         sizeof((const pva_property[]){ __VA_ARGS__ }) / sizeof(pva_property))

static void put(const char *before, pva_object object, pva_property property)
{
    char *text = pva_text_copy(object, property);
    printf("%s%s", before, text);
    free(text);
}

static uint64_t sum_numbers(pva_object object, pva_property property)
{
    uint64_t count = pva_count(object, property), sum = 0;
    uint64_t *numbers = calloc(count + 1, sizeof(*numbers));
    pva_numbers(object, property, 0, count, numbers);
    for (uint64_t i = 0; i < count; ++i)
        sum += numbers[i];
    free(numbers);
    return sum;
}

static pva_program_type type_of(pva_object step)
{
    return (pva_program_type)pva_uint(pva_get(step, PVA_STEP_PROGRAM), PVA_PROGRAM_TYPE);
}

static void counts(pva_object report, pva_object compilation)
{
    printf("1 %" PRIu64 " %" PRIu64, DEEP(compilation, PVA_COMPILATION_GRAPH, PVA_GRAPH_NUM_COMPUTE_SETS),
           DEEP(compilation, PVA_COMPILATION_TARGET, PVA_TARGET_NUM_TILES));
    put(" ", pva_get(report, PVA_REPORT_POPLAR_VERSION), PVA_POPLAR_VERSION_STRING);
    printf("\n");
}

static void executed(pva_object execution)
{
    uint64_t cycles = 0, copies = 0, steps = pva_count(execution, PVA_EXECUTION_STEPS);
    for (uint64_t i = 0; i < steps; ++i)
        cycles += pva_uint(pva_at(pva_at(execution, PVA_EXECUTION_STEPS, i), PVA_STEP_IPUS, 0), PVA_IPU_STEP_CYCLES);
    printf("2 %" PRIu64 " of %" PRIu64 "\n3", cycles,
           DEEP(execution, PVA_EXECUTION_TOTAL_CYCLES, PVA_TOTAL_CYCLES_TOTAL));
    for (uint64_t i = 0; i < steps; ++i) {
        pva_object step = pva_at(execution, PVA_EXECUTION_STEPS, i);
        if (type_of(step) == PVA_PROGRAM_TYPE_ON_TILE_EXECUTE)
            put(" ", pva_get(step, PVA_STEP_PROGRAM), PVA_PROGRAM_NAME);
        copies += type_of(step) == PVA_PROGRAM_TYPE_STREAM_COPY_MID;
    }
    printf("\n10 %" PRIu64 "\n", copies);
}

static void memory(pva_object compilation)
{
    uint64_t total = 0, largest = 0, always = 0, live = 0;
    printf("4 %" PRIu64 ":", DEEP(compilation, PVA_COMPILATION_TARGET, PVA_TARGET_BYTES_PER_TILE));
    for (uint64_t i = 0; i < pva_count(compilation, PVA_COMPILATION_TILES); ++i) {
        pva_object of = pva_get(pva_at(compilation, PVA_COMPILATION_TILES, i), PVA_TILE_MEMORY);
        uint64_t bytes = DEEP(of, PVA_TILE_MEMORY_TOTAL, PVA_MEMORY_SIZE_EXCLUDING_GAPS);
        printf(" %" PRIu64, DEEP(of, PVA_TILE_MEMORY_TOTAL, PVA_MEMORY_SIZE_INCLUDING_GAPS));
        total += bytes;
        largest = bytes > largest ? bytes : largest;
        always += pva_uint(of, PVA_TILE_MEMORY_ALWAYS_LIVE_BYTES);
    }
    for (uint64_t i = 0; i < pva_count(compilation, PVA_COMPILATION_LIVENESS_PROGRAM_STEPS); ++i) {
        uint64_t bytes = DEEP(pva_at(compilation, PVA_COMPILATION_LIVENESS_PROGRAM_STEPS, i),
                              PVA_LIVENESS_STEP_NOT_ALWAYS_LIVE_MEMORY, PVA_LIVE_MEMORY_BYTES);
        live = bytes > live ? bytes : live;
    }
    printf("\n5 %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", total, largest, always, always + live);
}

static void vertices(pva_object compilation)
{
    for (uint64_t i = 0; i < pva_count(compilation, PVA_COMPILATION_COMPUTE_SETS); ++i) {
        pva_object set = pva_at(compilation, PVA_COMPILATION_COMPUTE_SETS, i);
        put("6 ", set, PVA_COMPUTE_SET_NAME);
        printf(":");
        for (uint64_t k = 0; k < pva_count(set, PVA_COMPUTE_SET_VERTICES); ++k) {
            pva_object vertex = pva_at(set, PVA_COMPUTE_SET_VERTICES, k);
            printf(" %" PRIu64, sum_numbers(vertex, PVA_VERTEX_INSTANCES_COUNT_BY_TILE));
            put(" ", pva_get(vertex, PVA_VERTEX_INSTANCES_TYPE), PVA_VERTEX_TYPE_NAME);
        }
        printf("\n");
    }
}

static void categories(pva_object compilation)
{
    static const pva_property of[] = { PVA_CATEGORIES_VERTEX_CODE, PVA_CATEGORIES_INTERNAL_EXCHANGE_CODE,
                                       PVA_CATEGORIES_VERTEX_INSTANCE_STATE, PVA_CATEGORIES_CONTROL_CODE };
    for (uint64_t i = 0; i < pva_count(compilation, PVA_COMPILATION_IPUS); ++i) {
        pva_object ipu = pva_at(compilation, PVA_COMPILATION_IPUS, i);
        uint64_t sums[5] = { 0 };
        for (uint64_t k = 0; k < pva_count(ipu, PVA_IPU_TILES); ++k) {
            pva_object all = pva_get(pva_get(pva_at(ipu, PVA_IPU_TILES, k), PVA_TILE_MEMORY), PVA_TILE_MEMORY_CATEGORY);
            for (size_t c = 0; c < 4; ++c)
                sums[c] += DEEP(all, of[c], PVA_CATEGORY_TOTAL);
            sums[4] += DEEP(all, PVA_CATEGORIES_VARIABLE, PVA_CATEGORY_NON_INTERLEAVED, PVA_OVERLAP_NON_OVERLAPPED);
        }
        printf("7 %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", sums[0], sums[1], sums[2], sums[3],
               sums[4]);
    }
}

struct interval {
    uint64_t from, to;
};
static struct interval interval_of(pva_object ipu_step)
{
    pva_object range = pva_get(ipu_step, PVA_IPU_STEP_ACTIVE_CYCLES);
    return (struct interval){ DEEP(range, PVA_CYCLE_RANGE_FROM, PVA_MIN_MAX_MAX),
                              DEEP(range, PVA_CYCLE_RANGE_TO, PVA_MIN_MAX_MAX) };
}

static void boundaries(pva_object execution)
{
    pva_object run = pva_at(execution, PVA_EXECUTION_RUNS, 0);
    uint64_t steps = pva_count(run, PVA_RUN_STEPS), overlap = 0, copies = 0;
    for (uint64_t i = 0; i < steps; ++i) {
        pva_object step = pva_at(run, PVA_RUN_STEPS, i);
        for (uint64_t k = 0; type_of(step) == PVA_PROGRAM_TYPE_GLOBAL_EXCHANGE && k < pva_count(step, PVA_STEP_IPUS);
             ++k) {
            pva_object ipu = pva_at(step, PVA_STEP_IPUS, k);
            if (pva_uint(ipu, PVA_IPU_STEP_DATA_IN) + pva_uint(ipu, PVA_IPU_STEP_DATA_OUT) <= 64)
                continue;
            put("8 ", pva_get(step, PVA_STEP_PROGRAM), PVA_PROGRAM_NAME);
            printf(" %" PRIu64 " %" PRIu64 "\n", interval_of(ipu).from, interval_of(ipu).to);
        }
    }
    for (uint64_t i = 0; i < steps; ++i) {
        pva_object copy = pva_at(run, PVA_RUN_STEPS, i);
        if (type_of(copy) != PVA_PROGRAM_TYPE_STREAM_COPY_MID)
            continue;
        ++copies;
        struct interval a = interval_of(pva_at(copy, PVA_STEP_IPUS, 0));
        for (uint64_t k = 0; k < steps; ++k) {
            pva_object compute = pva_at(run, PVA_RUN_STEPS, k);
            if (type_of(compute) != PVA_PROGRAM_TYPE_ON_TILE_EXECUTE)
                continue;
            struct interval b = interval_of(pva_at(compute, PVA_STEP_IPUS, 0));
            uint64_t from = a.from > b.from ? a.from : b.from, to = a.to < b.to ? a.to : b.to;
            overlap += to > from ? to - from : 0;
        }
    }
    printf("9 %" PRIu64 " of %" PRIu64 " copies\n", overlap, copies);
}

static void lowered(pva_object compilation)
{
    pva_object all = pva_get(compilation, PVA_COMPILATION_LOWERED_VARIABLES);
    uint64_t vars = pva_count(all, PVA_LOWERED_VARIABLES_ALL_BRIEF_VARS), always = 0, live = 0;
    for (uint64_t i = 0; i < vars; ++i) {
        pva_object var = pva_at(all, PVA_LOWERED_VARIABLES_ALL_BRIEF_VARS, i),
                   class = pva_get(var, PVA_BRIEF_VAR_EQUIVALENCE_CLASS);
        uint64_t bytes = pva_uint(var, PVA_BRIEF_VAR_BYTES);
        always += pva_uint(class, PVA_EQUIVALENCE_CLASS_ID) == 1 ? bytes : 0;
        for (uint64_t k = 0; k < pva_count(class, PVA_EQUIVALENCE_CLASS_STEPS); ++k) {
            pva_object interval = pva_at(class, PVA_EQUIVALENCE_CLASS_STEPS, k);
            live += bytes * (pva_uint(interval, PVA_INTERVAL_END) - pva_uint(interval, PVA_INTERVAL_START));
        }
    }
    printf("11 %" PRIu64 " steps, %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
           pva_count(compilation, PVA_COMPILATION_LIVENESS_PROGRAM_STEPS), vars ? "variables" : "none", vars, always,
           live, pva_count(pva_ask(all, PVA_LOWERED_FOR_TILE, 1), PVA_LOWERED_VARIABLES_ALL_VARS));
}

/* Live bytes on a tile at each step, from the intervals of its variables and as in the report. */
static void lowered_by_step(pva_object compilation, uint64_t tile)
{
    pva_object all = pva_get(compilation, PVA_COMPILATION_LOWERED_VARIABLES);
    uint64_t steps = pva_count(compilation, PVA_COMPILATION_LIVENESS_PROGRAM_STEPS);
    uint64_t *bytes = calloc(steps + 1, sizeof(*bytes));
    for (uint64_t i = 0; i < pva_count(all, PVA_LOWERED_VARIABLES_ALL_BRIEF_VARS); ++i) {
        pva_object var = pva_at(all, PVA_LOWERED_VARIABLES_ALL_BRIEF_VARS, i),
                   class = pva_get(var, PVA_BRIEF_VAR_EQUIVALENCE_CLASS);
        for (uint64_t k = 0;
             pva_uint(var, PVA_BRIEF_VAR_TILE_ID) == tile && k < pva_count(class, PVA_EQUIVALENCE_CLASS_STEPS); ++k) {
            pva_object interval = pva_at(class, PVA_EQUIVALENCE_CLASS_STEPS, k);
            for (uint64_t s = pva_uint(interval, PVA_INTERVAL_START); s < pva_uint(interval, PVA_INTERVAL_END); ++s)
                bytes[s] += pva_uint(var, PVA_BRIEF_VAR_BYTES);
        }
    }
    printf("11 tile %" PRIu64 ":", tile);
    for (uint64_t i = 0; i < steps; ++i)
        printf(
            " %" PRIu64 "/%" PRIu64, bytes[i],
            pva_uint(pva_ask(pva_at(compilation, PVA_COMPILATION_LIVENESS_PROGRAM_STEPS, i), PVA_LIVE_FOR_TILE, tile),
                     PVA_LIVE_MEMORY_BYTES));
    printf("\n");
    free(bytes);
}

static void operations(pva_object report, pva_object compilation)
{
    uint64_t count = pva_count(report, PVA_REPORT_OPERATIONS);
    printf("12 %" PRIu64 " %" PRIu64 "\n", count, pva_count(report, PVA_REPORT_DEBUG_CONTEXTS));
    for (uint64_t i = 0; i < count; ++i) {
        pva_object operation = pva_at(report, PVA_REPORT_OPERATIONS, i);
        put("12 ", operation, PVA_OPERATION_NAME);
        printf(" %" PRIu64, pva_count(operation, PVA_OPERATION_PROGRAMS));
        put(" ", pva_get(operation, PVA_OPERATION_DEBUG_CONTEXT), PVA_DEBUG_CONTEXT_LAYER);
        printf("\n");
    }
    for (uint64_t i = 0; i < pva_count(compilation, PVA_COMPILATION_VARIABLES); ++i) {
        pva_object variable = pva_at(compilation, PVA_COMPILATION_VARIABLES, i),
                   context = pva_get(variable, PVA_VARIABLE_DEBUG_CONTEXT);
        pva_object place = pva_get(context, PVA_DEBUG_CONTEXT_LOCATION);
        char *json = pva_text_copy(context, PVA_DEBUG_CONTEXT_JSON),
             *name = pva_text_copy(place, PVA_LOCATION_FILE_NAME);
        put("12 ", variable, PVA_VARIABLE_NAME);
        printf(" %" PRIu64 " %s:%" PRIu64 " %d\n", pva_uint(variable, PVA_VARIABLE_BYTES),
               strrchr(name, '/') ? strrchr(name, '/') + 1 : name, pva_uint(place, PVA_LOCATION_LINE_NUMBER),
               strstr(json, "\"category\":\"variable\"") != NULL);
        free(json);
        free(name);
    }
}

static void runs(pva_object execution)
{
    for (uint64_t i = 0; i < pva_count(execution, PVA_EXECUTION_RUNS); ++i) {
        pva_object run = pva_at(execution, PVA_EXECUTION_RUNS, i), time = pva_get(run, PVA_RUN_MICROSECONDS);
        put("15 ", run, PVA_RUN_NAME);
        printf(" %" PRIu64 " %d\n", pva_count(run, PVA_RUN_STEPS),
               pva_uint(time, PVA_MICROSECONDS_END) >= pva_uint(time, PVA_MICROSECONDS_START));
    }
}

static void blocks(pva_file *file)
{
    static const pva_property kinds[] = { PVA_BLOCK_IS_COMMON, PVA_BLOCK_IS_OVERFLOW, PVA_BLOCK_IS_BLOCK_FLUSH,
                                          PVA_BLOCK_IS_STREAM_COPY };
    pva_object all = pva_ask(pva_get(pva_root(file), PVA_REPORT_EXECUTION), PVA_BLOCKS_OF_TILE, 0);
    uint64_t count = pva_count(all, PVA_BLOCKS_BLOCKS), of_kind[4] = { 0 }, cycles = 0;
    for (uint64_t i = 0; i < count; ++i) {
        pva_object block = pva_at(all, PVA_BLOCKS_BLOCKS, i);
        for (size_t k = 0; k < 4; ++k)
            of_kind[k] += pva_uint(block, kinds[k]);
        uint64_t to = pva_uint(block, PVA_BLOCK_CYCLES_TO);
        if (pva_uint(block, PVA_BLOCK_IS_COMMON) && to)
            cycles += to - pva_uint(block, PVA_BLOCK_CYCLES_FROM);
    }
    printf("13 %" PRIu64, count);
    put(" ", pva_get(pva_at(all, PVA_BLOCKS_BLOCKS, 0), PVA_BLOCK_PROGRAM), PVA_PROGRAM_NAME);
    for (size_t k = 0; k < 4; ++k)
        printf(" %" PRIu64, of_kind[k]);
    printf(" %" PRIu64 "\n", cycles);
}

static void event(pva_object of, unsigned depth)
{
    printf("14 %u ", depth);
    put("", of, PVA_EVENT_CHANNEL);
    put("/", of, PVA_EVENT_LABEL);
    printf(" %" PRIu64, (uint64_t)pva_real(of, PVA_EVENT_DURATION));
    put(" ", of, PVA_EVENT_METADATA);
    printf("\n");
    for (uint64_t i = 0; i < pva_count(of, PVA_EVENT_CHILDREN); ++i)
        event(pva_at(of, PVA_EVENT_CHILDREN, i), depth + 1);
}

static void trace(pva_file *file)
{
    pva_object root = pva_root(file);
    for (uint64_t i = 0; i < pva_count(root, PVA_TRACE_PROCESSES); ++i) {
        pva_object process = pva_at(root, PVA_TRACE_PROCESSES, i);
        for (uint64_t k = 0; k < pva_count(process, PVA_PROCESS_THREADS); ++k) {
            pva_object thread = pva_at(process, PVA_PROCESS_THREADS, k);
            pva_object same = pva_ask(pva_ask(root, PVA_PROCESS_BY_PID, pva_uint(process, PVA_PROCESS_PID)),
                                      PVA_THREAD_BY_TID, pva_uint(thread, PVA_THREAD_TID));
            put("14 ", process, PVA_PROCESS_NAME);
            put(" ", thread, PVA_THREAD_NAME);
            printf(" %d\n", pva_same(thread, same));
            for (uint64_t e = 0; e < pva_count(thread, PVA_THREAD_EVENTS); ++e)
                event(pva_at(thread, PVA_THREAD_EVENTS, e), 0);
        }
    }
}

static void programs(pva_object compilation, pva_object execution)
{
    for (uint64_t i = 0; i < pva_count(compilation, PVA_COMPILATION_PROGRAMS); ++i) {
        pva_object program = pva_at(compilation, PVA_COMPILATION_PROGRAMS, i);
        printf("p %" PRIu64, pva_uint(program, PVA_PROGRAM_ID));
        put(" ", program, PVA_PROGRAM_TYPE_NAME);
        put(" ", program, PVA_PROGRAM_NAME);
        printf(" %" PRIu64 " %" PRIu64 " %" PRIu64, pva_count(program, PVA_PROGRAM_CHILDREN),
               sum_numbers(program, PVA_PROGRAM_CODE_BYTES_BY_TILE),
               sum_numbers(program, PVA_PROGRAM_ESTIMATED_CYCLES_BY_TILE));
        put(" ", pva_get(program, PVA_PROGRAM_COMPUTESET), PVA_COMPUTE_SET_NAME);
        printf("\n");
    }
    uint64_t i = 0;
    while (type_of(pva_at(execution, PVA_EXECUTION_STEPS, i)) != PVA_PROGRAM_TYPE_DO_EXCHANGE)
        ++i;
    pva_object step = pva_at(execution, PVA_EXECUTION_STEPS, i);
    uint64_t count = pva_count(step, PVA_STEP_CYCLES_BY_TILE), *cycles = calloc(count + 1, sizeof(*cycles));
    pva_numbers(step, PVA_STEP_CYCLES_BY_TILE, 0, count, cycles);
    put("e ", pva_get(step, PVA_STEP_PROGRAM), PVA_PROGRAM_NAME);
    for (uint64_t k = 0; k < count; ++k)
        printf(" %" PRIu64, cycles[k]);
    printf("\n");
    free(cycles);
}

static void live(pva_object of, pva_property list)
{
    for (uint64_t i = 0; i < pva_count(of, list); ++i) {
        pva_object variable = pva_at(of, list, i);
        put(" ", variable, PVA_LIVE_VARIABLE_NAME);
        printf("=%" PRIu64, pva_uint(variable, PVA_LIVE_VARIABLE_SIZE));
    }
    printf("\n");
}

static void questions(pva_file *file, pva_object compilation)
{
    pva_object longest[5];
    printf("q %" PRIu64 " %" PRIu64 "\n", pva_uint(pva_peak_tile(file), PVA_TILE_TILE_ID),
           DEEP(pva_peak_tile(file), PVA_TILE_MEMORY, PVA_TILE_MEMORY_TOTAL, PVA_MEMORY_SIZE_INCLUDING_GAPS));
    size_t count = pva_longest_steps(file, longest, 5);
    for (size_t i = 0; i < count; ++i) {
        put("q ", pva_get(longest[i], PVA_STEP_PROGRAM), PVA_PROGRAM_TYPE_NAME);
        put(" ", pva_get(longest[i], PVA_STEP_PROGRAM), PVA_PROGRAM_NAME);
        printf(" %" PRIu64 "\n", pva_uint(pva_at(longest[i], PVA_STEP_IPUS, 0), PVA_IPU_STEP_CYCLES));
    }
    pva_object worst = pva_worst_liveness_step(file), of = pva_get(worst, PVA_LIVENESS_STEP_NOT_ALWAYS_LIVE_MEMORY);
    put("q ", pva_get(worst, PVA_LIVENESS_STEP_PROGRAM), PVA_PROGRAM_NAME);
    printf(" %" PRIu64, pva_uint(of, PVA_LIVE_MEMORY_BYTES));
    live(of, PVA_LIVE_MEMORY_VARIABLES);
    printf("q");
    live(compilation, PVA_COMPILATION_ALWAYS_LIVE_VARIABLES);
}

/* Figures that the engine's profile has too: they are compared with those of make_report and of compare.py. */
static void step_figures(pva_object step)
{
    pva_object program = pva_get(step, PVA_STEP_PROGRAM);
    pva_program_type type = type_of(step);
    uint64_t from = 0, to = 0, cycles = 0, tiles = 0;
    for (uint64_t i = 0; i < pva_count(step, PVA_STEP_IPUS); ++i) {
        pva_object ipu = pva_at(step, PVA_STEP_IPUS, i);
        uint64_t start = DEEP(ipu, PVA_IPU_STEP_ALL_CYCLES, PVA_CYCLE_RANGE_FROM, PVA_MIN_MAX_MAX),
                 end = DEEP(ipu, PVA_IPU_STEP_ALL_CYCLES, PVA_CYCLE_RANGE_TO, PVA_MIN_MAX_MAX),
                 took = pva_uint(ipu, PVA_IPU_STEP_CYCLES);
        from = start > from ? start : from;
        to = end > to ? end : to;
        cycles = took > cycles ? took : cycles;
        tiles += pva_uint(ipu, PVA_IPU_STEP_ACTIVE_TILES);
    }
    put("f ", program, PVA_PROGRAM_TYPE_NAME);
    if (type != PVA_PROGRAM_TYPE_SYNC && type != PVA_PROGRAM_TYPE_SANS && type != PVA_PROGRAM_TYPE_SYNC_ANS) {
        printf(" from %" PRIu64 " to %" PRIu64, from, to);
        if (type != PVA_PROGRAM_TYPE_STREAM_COPY_BEGIN && type != PVA_PROGRAM_TYPE_STREAM_COPY_END)
            printf(" cycles %" PRIu64 " tiles %" PRIu64, cycles, tiles);
        char *name = pva_text_copy(program, PVA_PROGRAM_NAME);
        printf("%s%s", *name ? " " : "", name);
        free(name);
    }
    printf("\n");
}

static void figures(pva_object compilation, pva_object execution)
{
    uint64_t sum = 0, largest = 0;
    for (uint64_t i = 0; i < pva_count(compilation, PVA_COMPILATION_TILES); ++i) {
        uint64_t bytes = DEEP(pva_at(compilation, PVA_COMPILATION_TILES, i), PVA_TILE_MEMORY, PVA_TILE_MEMORY_TOTAL,
                              PVA_MEMORY_SIZE_INCLUDING_GAPS);
        sum += bytes;
        largest = bytes > largest ? bytes : largest;
    }
    printf("f memory %" PRIu64 " %" PRIu64 "\nf cycles %" PRIu64 "\n", sum, largest,
           DEEP(execution, PVA_EXECUTION_TOTAL_CYCLES, PVA_TOTAL_CYCLES_TOTAL));
    for (uint64_t i = 0; i < pva_count(execution, PVA_EXECUTION_STEPS); ++i)
        step_figures(pva_at(execution, PVA_EXECUTION_STEPS, i));
}

static void report(pva_file *file)
{
    pva_object root = pva_root(file), compilation = pva_get(root, PVA_REPORT_COMPILATION),
               execution = pva_get(root, PVA_REPORT_EXECUTION);
    counts(root, compilation);
    executed(execution);
    memory(compilation);
    vertices(compilation);
    categories(compilation);
    boundaries(execution);
    lowered(compilation);
    lowered_by_step(compilation, 1);
    operations(root, compilation);
    runs(execution);
    programs(compilation, execution);
    questions(file, compilation);
    figures(compilation, execution);
}

/* Prints the contents of a file, and closes it. */
static bool show(pva_file *file, void (*what)(pva_file *), pop_error *error)
{
    if (!file) {
        fprintf(stderr, "%s\n", error->text);
        return false;
    }
    what(file);
    pop_status status = pva_take_error(file, error);
    if (status != POP_OK)
        fprintf(stderr, "%s\n", error->text);
    pva_close(file);
    return status == POP_OK;
}

int main(int argc, char **argv)
{
    pop_error error = { 0 };
    return argc == 4 && show(pva_open_report(argv[1], NULL, &error), report, &error) &&
                   show(pva_open_report(argv[2], NULL, &error), blocks, &error) &&
                   show(pva_open_trace(argv[3], &error), trace, &error)
               ? 0
               : 1;
}
