/* SPDX-License-Identifier: Apache-2.0 */
#include "training.h"

#include <time.h>
#include <unistd.h>

static void check(pop_status status, const pop_error *error)
{
    if (status == POP_OK)
        return;
    pop_error_print(error);
    exit(EXIT_FAILURE);
}

/* ---- options ---- */

static void usage(const char *program)
{
    fprintf(stderr,
            "usage: %s [--epochs N] [--batch N] [--rate X] [--digits N] [--test-digits N] [--data DIRECTORY]\n"
            "       [--device model-ipu1|model-ipu2|cpu] [--profile] [--save DIRECTORY] [--replicas N (mlp)]\n",
            program);
    exit(EXIT_FAILURE);
}

static pop_device *device_of(const char *name, unsigned replicas, const char *program)
{
    pop_error error = { 0 };
    pop_device *device = NULL;
    if (strcmp(name, "cpu") == 0)
        device = pop_cpu_device_create(&error);
    else if (strcmp(name, "model-ipu1") == 0 || strcmp(name, "model-ipu2") == 0)
        device = pop_ipu_model_create_device(
            &(pop_ipu_model){ .version = name + strlen("model-"), .num_ipus = replicas }, &error);
    else
        usage(program);
    check(error.status, &error);
    return device;
}

static size_t number(const char *text, const char *program)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*end || !*text || !value || value > 1000000)
        usage(program);
    return value;
}

struct training training_open(int argc, char **argv, const struct training *defaults)
{
    struct training t = *defaults;
    const char *device = "model-ipu2";
    for (int i = 1; i < argc; ++i) {
        const char *word = argv[i];
        if (strcmp(word, "--profile") == 0) {
            t.profile = true;
            continue;
        }
        const char *value = i + 1 < argc ? argv[++i] : "";
        if (strcmp(word, "--epochs") == 0)
            t.epochs = (unsigned)number(value, argv[0]);
        else if (strcmp(word, "--batch") == 0)
            t.batch = (unsigned)number(value, argv[0]);
        else if (strcmp(word, "--digits") == 0)
            t.train_digits = number(value, argv[0]);
        else if (strcmp(word, "--test-digits") == 0)
            t.test_digits = number(value, argv[0]);
        else if (strcmp(word, "--replicas") == 0 && defaults->replicas)
            t.replicas = (unsigned)number(value, argv[0]);
        else if (strcmp(word, "--rate") == 0)
            t.rate = strtod(value, NULL);
        else if (strcmp(word, "--data") == 0)
            t.data = value;
        else if (strcmp(word, "--save") == 0)
            t.save = value;
        else if (strcmp(word, "--device") == 0)
            device = value;
        else
            usage(argv[0]);
    }
    t.replicas = t.replicas ? t.replicas : 1;
    if (t.batch % t.replicas) {
        fprintf(stderr, "%s: a batch of %u is not shared out evenly by %u replicas\n", argv[0], t.batch, t.replicas);
        exit(EXIT_FAILURE);
    }
    t.train = digits_load(t.data, "train", t.train_digits, 1);
    t.test = digits_load(t.data, "t10k", t.test_digits, 2);
    if (t.train.count < t.batch || t.test.count < t.batch) {
        fprintf(stderr, "%s: a batch of %u is more than the %zu digits to train on or the %zu to test with\n", argv[0],
                t.batch, t.train.count, t.test.count);
        exit(EXIT_FAILURE);
    }
    t.batch /= t.replicas;
    t.device = device_of(device, t.replicas, argv[0]);
    t.graph = pop_graph_create_replicated(pop_device_target(t.device), t.replicas);
    t.cache = poplin_planning_cache_create();
    t.random = 7;
    popops_add_codelets(t.graph);
    poplin_add_codelets(t.graph);
    popnn_add_codelets(t.graph);

    t.images = pop_graph_add_variable(t.graph, POP_FLOAT, POP_SHAPE(t.batch, DIGITS_PIXELS), "images");
    t.labels = pop_graph_add_variable(t.graph, POP_UNSIGNED_INT, POP_SHAPE(t.batch), "labels");
    poputil_map_tensor_linearly(t.graph, t.images);
    poputil_map_tensor_linearly(t.graph, t.labels);
    t.image_stream = pop_graph_add_host_to_device_fifo(t.graph, "images", POP_FLOAT, (size_t)t.batch * DIGITS_PIXELS,
                                                       POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    t.label_stream = pop_graph_add_host_to_device_fifo(t.graph, "labels", POP_UNSIGNED_INT, t.batch,
                                                       POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    t.forward = pop_sequence(t.graph, "forward");
    t.backward = pop_sequence(t.graph, "backward");
    pop_sequence_add(t.forward, pop_copy_from_stream(t.image_stream, t.images, false, "images"));
    pop_sequence_add(t.forward, pop_copy_from_stream(t.label_stream, t.labels, false, "labels"));
    return t;
}

/* ---- parts of networks ---- */

/* The sum of twelve uniform numbers less 6 is close enough to a normal distribution. */
static float normal(uint64_t *random)
{
    float sum = -6;
    for (int i = 0; i < 12; ++i)
        sum += digits_random(random);
    return sum;
}

/* Under mpirun every process runs this program, and one of them prints and writes files. */
static bool is_first_rank(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    return !rank || strcmp(rank, "0") == 0;
}

static void save(const char *directory, const char *name, const void *data, size_t bytes)
{
    char path[1024];
    if (!is_first_rank())
        return;
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

void training_first_values(struct training *t, pop_tensor weights, float deviation)
{
    char name[32];
    size_t count = pop_tensor_num_elements(weights);
    float *values = malloc(count * sizeof(*values) + 1);
    for (size_t i = 0; i < count; ++i)
        values[i] = deviation * normal(&t->random);
    pop_graph_set_initial_value(t->graph, weights, POP_FLOAT, values);
    snprintf(name, sizeof(name), "weights%u", t->weight_count);
    if (t->save) {
        save(t->save, name, values, count * sizeof(*values));
        pop_graph_create_host_read(t->graph, name, weights);
    }
    t->weights[t->weight_count++ % TRAINING_WEIGHTS] = weights;
    free(values);
}

void training_loss(struct training *t, pop_tensor logits)
{
    pop_tensor loss = pop_graph_add_variable(t->graph, POP_FLOAT, POP_SHAPE(t->batch), "loss");
    poputil_map_tensor_linearly(t->graph, loss);
    t->deltas = pop_graph_clone(t->graph, POP_TYPE_NULL, logits, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "deltas");
    t->loss_sum = pop_graph_add_variable(t->graph, POP_FLOAT, POP_SHAPE(), "lossSum");
    t->correct_sum = pop_graph_add_variable(t->graph, POP_UNSIGNED_INT, POP_SHAPE(), "correctSum");
    pop_graph_set_tile_mapping(t->graph, t->loss_sum, 0);
    pop_graph_set_tile_mapping(t->graph, t->correct_sum, 0);
    popnn_non_linearity_in_place(t->graph, POPNN_SOFTMAX_STABLE, logits, t->forward, "softmax");
    pop_sequence_add(t->forward, popnn_calc_loss_and_accuracy(t->graph, logits, t->labels, loss, t->deltas,
                                                              t->correct_sum, POPNN_CROSS_ENTROPY_LOSS, "loss"));
    pop_tensor sum = popops_reduce(t->graph, loss, POP_TYPE_NULL, POP_DIMS(0),
                                   (popops_reduce_params){ .op = POPOPS_ADD }, t->forward, "lossSum", POP_NO_OPTIONS);
    popops_add_in_place(t->graph, t->loss_sum, sum, t->forward, "lossSum");
}

void training_update(struct training *t, pop_tensor w, pop_tensor gradient, const char *name)
{
    if (t->replicas > 1)
        popops_group_all_reduce_with_output(t->graph, gradient, gradient, POPOPS_COLLECTIVE_ADD, POPOPS_ALL_REPLICAS,
                                            t->backward, name, POP_NO_OPTIONS);
    popops_scaled_subtract_from_constant(t->graph, w, gradient, t->rate / (t->batch * t->replicas), t->backward, name,
                                         POP_NO_OPTIONS);
}

/* ---- the loop ---- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Runs a program over whole batches of digits: mean loss, and the share of correct digits. */
static void run_over(pop_engine *engine, unsigned program, const struct training *t, const struct digits *digits,
                     double *loss, double *accuracy)
{
    pop_error error = { 0 };
    size_t whole = (size_t)t->batch * t->replicas, used = digits->count / whole * whole;
    float *sums = calloc(t->replicas, sizeof(*sums));
    uint32_t *correct = calloc(t->replicas, sizeof(*correct));
    check(pop_engine_connect_stream_circular(engine, "images", digits->images, digits->images + used * DIGITS_PIXELS,
                                             &error),
          &error);
    check(pop_engine_connect_stream_circular(engine, "labels", digits->labels, digits->labels + used, &error), &error);
    check(pop_engine_run_named(engine, program, program == 0 ? "train" : "test", &error), &error);
    check(pop_engine_read_tensor(engine, "loss", sums, t->replicas * sizeof(*sums), &error), &error);
    check(pop_engine_read_tensor(engine, "correct", correct, t->replicas * sizeof(*correct), &error), &error);
    *loss = *accuracy = 0;
    for (unsigned r = 0; r < t->replicas; ++r) {
        *loss += (double)sums[r] / (double)used;
        *accuracy += (double)correct[r] / (double)used;
    }
    free(sums);
    free(correct);
}

static pop_program repeat_over(struct training *t, const struct digits *digits, pop_program body, const char *name)
{
    pop_program whole = pop_sequence(t->graph, name);
    popops_zero(t->graph, t->loss_sum, whole, "lossSum");
    popops_zero(t->graph, t->correct_sum, whole, "correctSum");
    pop_sequence_add(whole, pop_repeat((unsigned)(digits->count / ((size_t)t->batch * t->replicas)), body, name));
    return whole;
}

static void print_size(const struct training *t, const char *title)
{
    const pop_target *target = pop_graph_target(t->graph);
    if (is_first_rank())
        printf("%s: %zu digits to train on and %zu to test with%s, batches of %u, %u tiles of %s\n", title,
               t->train.count, t->test.count,
               t->train.drawn ? " (synthetic digits: no MNIST files found in data/)" : "", t->batch * t->replicas,
               pop_target_num_tiles(target) * t->replicas, target->system);
}

static void train(struct training *t, pop_engine *engine)
{
    double loss, accuracy, test_loss, test_accuracy;
    for (unsigned epoch = 1; epoch <= t->epochs; ++epoch) {
        double started = seconds();
        run_over(engine, 0, t, &t->train, &loss, &accuracy);
        run_over(engine, 1, t, &t->test, &test_loss, &test_accuracy);
        if (is_first_rank())
            printf("epoch %u of %u: loss %.4f, accuracy %.2f %%; test: loss %.4f, accuracy %.2f %%  (%.1f s)\n", epoch,
                   t->epochs, loss, 100 * accuracy, test_loss, 100 * test_accuracy, seconds() - started);
        fflush(stdout);
    }
}

/* The data with which another program trains the same network on the same digits: tests/training/reference.py. */
static void save_data(const struct training *t)
{
    const struct digits *sets[] = { &t->train, &t->test };
    char name[32];
    for (size_t i = 0; i < 2; ++i) {
        snprintf(name, sizeof(name), "images%zu", i);
        save(t->save, name, sets[i]->images, sets[i]->count * DIGITS_PIXELS * sizeof(float));
        snprintf(name, sizeof(name), "labels%zu", i);
        save(t->save, name, sets[i]->labels, sets[i]->count * sizeof(uint32_t));
    }
    snprintf(name, sizeof(name), "%u %u %g", t->epochs, t->batch * t->replicas, t->rate);
    save(t->save, "options", name, strlen(name));
}

/* Of every replica, one after another. */
static void save_trained(const struct training *t, pop_engine *engine)
{
    pop_error error = { 0 };
    for (unsigned i = 0; i < t->weight_count && i < TRAINING_WEIGHTS; ++i) {
        char name[32];
        size_t bytes = t->replicas * pop_tensor_num_elements(t->weights[i]) * sizeof(float);
        float *values = malloc(bytes + 1);
        snprintf(name, sizeof(name), "weights%u", i);
        check(pop_engine_read_tensor(engine, name, values, bytes, &error), &error);
        snprintf(name, sizeof(name), "trained%u", i);
        save(t->save, name, values, bytes);
        free(values);
    }
}

int training_run(struct training *t, const char *title)
{
    pop_error error = { 0 };
    pop_cycles cycles;
    print_size(t, title);
    if (t->save)
        save_data(t);
    pop_program step = pop_sequence_of(t->graph, POP_PROGRAMS(t->forward, t->backward), "step");
    pop_program programs[] = { repeat_over(t, &t->train, step, "train"), repeat_over(t, &t->test, t->forward, "test") };
    pop_graph_create_host_read(t->graph, "loss", t->loss_sum);
    pop_graph_create_host_read(t->graph, "correct", t->correct_sum);
    double started = seconds();
    pop_engine *engine = pop_engine_create(t->graph, (pop_programs){ 2, programs }, POP_NO_OPTIONS, &error);
    check(error.status, &error);
    check(pop_engine_load(engine, t->device, &error), &error);
    if (is_first_rank())
        printf("%zu vertices in %zu compute sets, compiled in %.1f s\n", pop_graph_num_vertices(t->graph),
               pop_graph_num_compute_sets(t->graph), seconds() - started);
    fflush(stdout);
    train(t, engine);
    if (t->save)
        save_trained(t, engine);
    if (pop_engine_cycles(engine, &cycles, NULL) == POP_OK && is_first_rank())
        printf("%.0f modelled cycles per digit\n",
               (double)cycles.total / ((double)t->epochs * (double)(t->train.count + t->test.count)));
    if (t->profile && is_first_rank())
        check(pop_engine_print_profile_summary(engine, stdout, POP_NO_OPTIONS, &error), &error);
    pop_engine_destroy(engine);
    pop_graph_destroy(t->graph);
    poplin_planning_cache_destroy(t->cache);
    pop_device_destroy(t->device);
    digits_free(&t->train);
    digits_free(&t->test);
    return 0;
}
