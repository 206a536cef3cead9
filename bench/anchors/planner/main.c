/* SPDX-License-Identifier: Apache-2.0 */
/* tremula-planner-anchors TABLE: for each plan that release 1.2's planner chose, its cost in our model (the plan is
 * selected by its partition), the published cost, and the cost of our own plan.  Exits with 1 if one of ours costs 5 %
 * more. */
#include <poplar/poplar.h>
#include <poplin/planning.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column {
    SYSTEM,
    KIND,
    SHAPE,
    TYPE,
    PARTIALS,
    MEMORY,
    METHOD,
    GROUPS,
    INS,
    OUTS,
    SWAP,
    FIELD,
    BATCH,
    OUT_SERIAL,
    OUT,
    KERNEL,
    IN_SERIAL,
    IN,
    GROUP_SPLIT,
    TILES,
    CYCLES,
    BYTES,
    COLUMNS
};

static void must(pop_graph *graph, const char *row)
{
    const pop_error *error = pop_graph_error(graph);
    if (!error)
        return;
    fprintf(stderr, "%s: %s\n", row, error->text);
    exit(2);
}

static bool split(char *line, char *columns[COLUMNS])
{
    size_t count = 0;
    for (char *at = strtok(line, ",\n"); at; at = strtok(NULL, ",\n"))
        if (count < COLUMNS)
            columns[count++] = at;
    return count == COLUMNS;
}

/* "16x784x30" is batch, inputs, outputs of a fully connected layer; "b4 28x28x128->128 k3 s1" a convolution. */
static poplin_conv_params params_of(char *const *columns, bool layer)
{
    pop_type type = pop_type_by_name(columns[TYPE]);
    size_t batch = 0, height = 0, width = 0, in = 0, out = 0, kernel = 1;
    unsigned stride = 1;
    if (layer) {
        sscanf(columns[SHAPE], "%zux%zux%zu", &batch, &in, &out);
        return poplin_conv_params_make(type, type, 1, (pop_shape){ 1, &out }, (pop_shape){ 1, &kernel }, in, batch, 1);
    }
    sscanf(columns[SHAPE], "b%zu %zux%zux%zu->%zu k%zu s%u", &batch, &height, &width, &in, &out, &kernel, &stride);
    poplin_conv_params p = poplin_conv_params_make(type, type, batch, (pop_shape){ 2, (size_t[]){ height, width } },
                                                   (pop_shape){ 2, (size_t[]){ kernel, kernel } }, in, out, 1);
    for (size_t d = 0; d < 2; ++d) {
        p.input_transform.padding_lower[d] = p.input_transform.padding_upper[d] = (unsigned)kernel / 2;
        p.output_transform.stride[d] = stride;
    }
    return p;
}

static const char *constraints_of(char *const *c, char *buffer, size_t size)
{
    unsigned field[2] = { 1, 1 }, kernel[2] = { 1, 1 };
    sscanf(c[FIELD], "%u %u", &field[0], &field[1]);
    sscanf(c[KERNEL], "%u %u", &kernel[0], &kernel[1]);
    snprintf(buffer, size,
             "{\"method\":\"%s\",\"convGroupsPerGroup\":%s,\"inChansPerGroup\":%s,\"partialChansPerGroup\":%s,\"0\":{"
             "\"transform\":{\"swapOperands\":%s},"
             "\"partition\":{\"fieldSplit\":[%u,%u],\"batchSplit\":%s,\"outChanSplit\":{\"serial\":%s,\"parallel\":%s},"
             "\"kernelSplit\":[%u,%u],"
             "\"inChanSplit\":{\"serial\":%s,\"parallel\":%s},\"convGroupSplit\":%s}}}",
             c[METHOD], c[GROUPS], c[INS], c[OUTS], strcmp(c[SWAP], "0") ? "true" : "false", field[0], field[1],
             c[BATCH], c[OUT_SERIAL], c[OUT], kernel[0], kernel[1], c[IN_SERIAL], c[IN], c[GROUP_SPLIT]);
    return buffer;
}

static struct {
    unsigned rows, equal, less, more, cycles, bytes, apart;
} seen;

static void compare(char *const *c)
{
    char name[128], constraints[1024];
    bool layer = strncmp(c[KIND], "fc", 2) == 0;
    pop_target target;
    pop_error error;
    if (pop_target_create_ipu_options(1, 0, c[SYSTEM], POP_OPTIONS({ "poplibsRelease", "1.2" }), &target, &error) !=
        POP_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(2);
    }
    snprintf(name, sizeof(name), "%s %s %s %s, %s", c[SYSTEM], layer ? "fc" : "conv", c[SHAPE], c[TYPE], c[MEMORY]);
    pop_graph *graph = pop_graph_create(&target);
    poplin_conv_params params = params_of(c, layer);
    const pop_option options[] = { { "availableMemoryProportion", c[MEMORY] },
                                   { "partialsType", c[PARTIALS] },
                                   { "pass", layer ? "FC_INFERENCE_FWD" : "TRAINING_FWD" },
                                   { "planConstraints", constraints_of(c, constraints, sizeof(constraints)) } };
    poplin_plan_costs ours = poplin_report_plan_estimated_costs(graph, &params, ((pop_options){ options, 3 }), NULL);
    poplin_plan_costs theirs = poplin_report_plan_estimated_costs(graph, &params, ((pop_options){ options, 4 }), NULL);
    must(graph, name);
    double cycles = atof(c[CYCLES]), bytes = atof(c[BYTES]),
           more = 100 * ((double)ours.cycles / (double)theirs.cycles - 1);
    bool apart = more > 5;
    printf("%c %-52s %8.0f %8llu %+7.2f%% %7.0f %7llu %9llu %+7.2f%%\n", apart ? '!' : ' ', name, cycles,
           (unsigned long long)theirs.cycles, 100 * ((double)theirs.cycles / cycles - 1), bytes,
           (unsigned long long)theirs.memory, (unsigned long long)ours.cycles, more);
    ++seen.rows;
    seen.cycles += (double)theirs.cycles == cycles;
    seen.bytes += (double)theirs.memory == bytes;
    seen.apart += apart;
    *(ours.cycles == theirs.cycles ? &seen.equal : ours.cycles < theirs.cycles ? &seen.less : &seen.more) += 1;
    pop_graph_destroy(graph);
}

int main(int count, char **arguments)
{
    FILE *file = count == 2 ? fopen(arguments[1], "r") : NULL;
    char line[512], *columns[COLUMNS];
    if (!file) {
        fprintf(stderr, "usage: tremula-planner-anchors TABLE\n");
        return 2;
    }
    printf(
        "\nPlans of release 1.2's planner: what they cost, and what ours does\n  %-52s %8s %8s %8s %7s %7s %9s %8s\n",
        "convolution, available memory", "cycles", "by ours", "", "bytes", "by ours", "our plan", "against");
    while (fgets(line, sizeof(line), file))
        if (*line != '#' && strncmp(line, "system", 6) != 0 && split(line, columns))
            compare(columns);
    fclose(file);
    printf("%u plans: the model gives the published cycles of %u and bytes of %u exactly; our plan costs as much in "
           "%u, less in %u, more in %u, over 5 %% "
           "more in %u.\n",
           seen.rows, seen.cycles, seen.bytes, seen.equal, seen.less, seen.more, seen.apart);
    return seen.apart ? 1 : 0;
}
