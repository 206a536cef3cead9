/* SPDX-License-Identifier: Apache-2.0 */
/* One model on many machines: each in a process of its own, several at once. */
#include "costs.h"
#include "plot.h"
#include "tremula.h"

#include <errno.h>
#include <poplar/memory.h>
#include <poplar/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_MACHINES = 1024, MAX_KEYS = 8, MAX_JOBS = 64 };

/* A key of the machine and its values. */
struct axis {
    char key[64];
    const char *values[MAX_WORDS];
    unsigned count;
    char *text; /* what values point into */
};

static bool read_axis(const char *argument, struct axis *axis)
{
    const char *equals = strchr(argument, '=');
    *axis = (struct axis){ .text = strdup(equals ? equals + 1 : "") };
    if (!equals || equals == argument || (size_t)(equals - argument) >= sizeof(axis->key) || !*axis->text)
        return say("sweep", "--machine %s: allowed is KEY=VALUE,VALUE,...", argument) == EXIT_DONE;
    memcpy(axis->key, argument, (size_t)(equals - argument));
    if (strcmp(axis->key, "exchange") == 0) /* shorter names of two words */
        pop_text_format(axis->key, sizeof(axis->key), "exchange_bytes");
    else if (strcmp(axis->key, "links") == 0)
        pop_text_format(axis->key, sizeof(axis->key), "link_bandwidth");
    for (char *at = axis->text, *rest; at; at = rest) {
        rest = strchr(at, ',');
        if (rest)
            *rest++ = '\0';
        if (axis->count == MAX_WORDS)
            return say("sweep", "--machine %s: more than %d values", argument, MAX_WORDS) == EXIT_DONE;
        axis->values[axis->count++] = at;
    }
    return true;
}

/* The words of machine i: one value of each axis, the last axis changing first. */
static void machine_words(const struct axis *axes, unsigned count, size_t i, char *text, size_t size,
                          const char **values)
{
    size_t length = 0;
    for (unsigned a = count; a-- > 0; i /= axes[a].count)
        values[a] = axes[a].values[i % axes[a].count];
    *text = '\0';
    for (unsigned a = 0; a < count && length < size; ++a)
        length +=
            (size_t)pop_text_format(text + length, size - length, "%s%s=%s", a ? " " : "", axes[a].key, values[a]);
}

/* ---- a process ---- */

/* Builds, compiles and runs on one machine. */
static bool measure(const arguments *a, const char *words, struct measurement *m)
{
    pop_error error = { 0 };
    pop_target target;
    pop_option build = { "type", a->type ? a->type : "float" };
    costs c = { 0 };
    session s = { .target = &target, .build_options = { &build, 1 } };
    bool done = read_machine(a->device, words, &target, &error) && (s.model = load_model(a, &error)) != NULL;
    if (done) {
        s.num_inputs = count_inputs(s.model);
        s.inputs = pop_memory_resize(NULL, s.num_inputs + 1, sizeof(*s.inputs));
        memset(s.inputs, 0, (s.num_inputs + 1) * sizeof(*s.inputs));
        done = read_inputs(a, s.model, s.inputs, &error) && session_build(&s, &error) == POP_OK &&
               session_compile(&s, &error) == POP_OK && session_run(&s, &error) == POP_OK &&
               read_costs(&s, &c, &error) == POP_OK;
    }
    *m = (struct measurement){ .done = done };
    if (done) {
        m->cycles = (double)c.cycles.total;
        m->milliseconds = c.seconds * 1e3;
        m->compute = c.compute;
        m->exchange = c.exchange;
        m->sync = c.sync;
        m->fullest = c.fullest;
        m->fits = c.needed <= c.per_tile;
    } else {
        pop_text_format(m->why, sizeof(m->why), "%s", error.text);
        for (char *at = m->why; *at; ++at) /* a line of a table */
            *at = *at == '\n' ? ' ' : *at == '"' ? '\'' : *at;
    }
    session_end(&s);
    if (s.inputs)
        free_tensors(s.inputs, s.num_inputs);
    tremula_onnx_destroy(s.model);
    return done;
}

struct job {
    pid_t process;
    int pipe;
    size_t machine;
};

static bool start_job(const arguments *a, const char *words, size_t machine, struct job *job)
{
    int ends[2];
    fflush(NULL);
    if (pipe(ends) != 0)
        return false;
    *job = (struct job){ fork(), ends[0], machine };
    if (job->process == 0) {
        struct measurement m;
        close(ends[0]);
        measure(a, words, &m);
        size_t done = 0;
        while (done < sizeof(m)) {
            ssize_t written = write(ends[1], (const char *)&m + done, sizeof(m) - done);
            if (written <= 0)
                break;
            done += (size_t)written;
        }
        _exit(done == sizeof(m) ? 0 : 1);
    }
    close(ends[1]);
    if (job->process > 0)
        return true;
    close(ends[0]);
    return false;
}

/* Waits for a job and takes its measurement. */
static void end_job(struct job *job, struct measurement *m)
{
    size_t done = 0;
    ssize_t got;
    while (done < sizeof(*m) && (got = read(job->pipe, (char *)m + done, sizeof(*m) - done)) > 0)
        done += (size_t)got;
    close(job->pipe);
    while (waitpid(job->process, NULL, 0) < 0 && errno == EINTR)
        ;
    if (done != sizeof(*m)) {
        *m = (struct measurement){ 0 };
        pop_text_format(m->why, sizeof(m->why), "its process ended early");
    }
}

static bool run_all(const arguments *a, const struct axis *axes, size_t machines, struct measurement *results)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t jobs = a->jobs          ? strtoul(a->jobs, NULL, 10)
                  : processors > 0 ? (size_t)processors
                                   : 1,
           running = 0, ended = 0;
    struct job list[MAX_JOBS];
    jobs = jobs < 1 ? 1 : jobs > MAX_JOBS ? MAX_JOBS : jobs;
    for (size_t next = 0; ended < machines;) {
        for (; next < machines && running < jobs; ++next, ++running) {
            char words[1024];
            const char *values[MAX_WORDS];
            machine_words(axes, a->num_machine, next, words, sizeof(words), values);
            if (!start_job(a, words, next, &list[running])) {
                for (size_t i = 0; i < running; ++i)
                    end_job(&list[i], &results[list[i].machine]);
                return say("sweep", "cannot start a process: %s", pop_text_from_errno(errno)) == EXIT_DONE;
            }
        }
        end_job(&list[0], &results[list[0].machine]);
        memmove(list, list + 1, --running * sizeof(list[0]));
        ++ended;
    }
    return true;
}

/* ---- results ---- */

/* Spaces until a machine's words have a width, that of the longest. */
static void put_padded(const char *words, size_t width)
{
    put("%s", words);
    for (size_t i = strlen(words); i < width; ++i)
        put(" ");
}

static void print_table(const arguments *a, const struct axis *axes, size_t machines, const struct measurement *results)
{
    size_t width = strlen("machine");
    char words[1024];
    const char *values[MAX_WORDS];
    for (size_t i = 0; i < machines; ++i) {
        machine_words(axes, a->num_machine, i, words, sizeof(words), values);
        width = strlen(words) > width ? strlen(words) : width;
    }
    put_padded("machine", width);
    put(" %12s %10s %8s %8s %8s %10s %s\n", "cycles", "ms", "compute", "exchange", "wait", "KB/tile", "fits");
    for (size_t i = 0; i < machines; ++i) {
        const struct measurement *m = &results[i];
        machine_words(axes, a->num_machine, i, words, sizeof(words), values);
        put_padded(words, width);
        if (m->done)
            put(" %12.0f %10.4g %7.1f%% %7.1f%% %7.1f%% %10.4g %s\n", m->cycles, m->milliseconds, m->compute * 100,
                m->exchange * 100, m->sync * 100, (double)m->fullest / 1e3, m->fits ? "yes" : "no");
        else
            put(" %s\n", m->why);
    }
}

static bool write_csv(const arguments *a, const struct axis *axes, size_t machines, const struct measurement *results)
{
    char partial[4096], line[2048];
    pop_text_format(partial, sizeof(partial), "%s.part", a->csv);
    FILE *file = fopen(partial, "w");
    if (!file)
        return say("sweep", "%s: cannot write it: %s", a->csv, pop_text_from_errno(errno)) == EXIT_DONE;
    for (unsigned k = 0; k < a->num_machine; ++k)
        fprintf(file, "%s,", axes[k].key);
    fputs("cycles,milliseconds,compute,exchange,wait,bytes_on_fullest_tile,fits,error\n", file);
    for (size_t i = 0; i < machines; ++i) {
        char words[1024];
        const char *values[MAX_WORDS];
        const struct measurement *m = &results[i];
        machine_words(axes, a->num_machine, i, words, sizeof(words), values);
        for (unsigned k = 0; k < a->num_machine; ++k)
            fprintf(file, "%s,", values[k]);
        if (m->done)
            pop_text_format(line, sizeof(line), "%.0f,%.6g,%.4f,%.4f,%.4f,%llu,%d,", m->cycles, m->milliseconds,
                            m->compute, m->exchange, m->sync, (unsigned long long)m->fullest, m->fits);
        else
            pop_text_format(line, sizeof(line), ",,,,,,,\"%s\"", m->why);
        fprintf(file, "%s\n", line);
    }
    bool good = !ferror(file);
    good = fclose(file) == 0 && good && rename(partial, a->csv) == 0;
    if (!good)
        unlink(partial);
    return good || say("sweep", "%s: cannot write it: %s", a->csv, pop_text_from_errno(errno)) == EXIT_DONE;
}

static bool write_plot(const arguments *a, const struct axis *axes, size_t machines, const struct measurement *results)
{
    const char **labels = pop_memory_resize(NULL, machines, sizeof(*labels));
    char(*texts)[256] = pop_memory_resize(NULL, machines, sizeof(*texts));
    for (size_t i = 0; i < machines; ++i) {
        const char *values[MAX_WORDS];
        machine_words(axes, a->num_machine, i, texts[i], sizeof(texts[i]), values);
        labels[i] = texts[i];
    }
    const char *slash = strrchr(a->model, '/');
    bool good = plot_write(a->plot, slash ? slash + 1 : a->model, labels, results, machines);
    pop_memory_free(labels);
    pop_memory_free(texts);
    return good || say("sweep", "%s: cannot write it: %s", a->plot, pop_text_from_errno(errno)) == EXIT_DONE;
}

/* What is wrong with the model or its inputs is said once, not by each machine. */
static bool check_model(const arguments *a)
{
    pop_error error = { 0 };
    tremula_onnx_model *model = load_model(a, &error);
    if (!model)
        return say("sweep", "%s", error.text) == EXIT_DONE;
    size_t count = count_inputs(model);
    tremula_onnx_tensor *inputs = pop_memory_resize(NULL, count + 1, sizeof(*inputs));
    memset(inputs, 0, (count + 1) * sizeof(*inputs));
    bool good = read_inputs(a, model, inputs, &error) && check_dimensions(a, model, inputs, &error);
    free_tensors(inputs, count);
    tremula_onnx_destroy(model);
    return good || say("sweep", "%s", error.text) == EXIT_DONE;
}

int command_sweep(const arguments *a)
{
    struct axis axes[MAX_KEYS];
    size_t machines = 1;
    unsigned read = 0;
    bool good = a->num_machine && a->num_machine <= MAX_KEYS;
    if (!good)
        say("sweep", "it needs --machine KEY=VALUE,VALUE,..., at most %d of them", MAX_KEYS);
    for (; good && read < a->num_machine; ++read) {
        good = read_axis(a->machine[read], &axes[read]);
        machines *= good ? axes[read].count : 1;
    }
    if (good && machines > MAX_MACHINES)
        good = say("sweep", "these are %zu machines; at most %d are measured", machines, MAX_MACHINES) == EXIT_DONE;
    int result = EXIT_WRONG;
    if (good && check_model(a)) {
        struct measurement *results = pop_memory_resize(NULL, machines, sizeof(*results));
        if (run_all(a, axes, machines, results)) {
            print_table(a, axes, machines, results);
            result = EXIT_DONE;
            for (size_t i = 0; i < machines; ++i)
                result = results[i].done ? result : EXIT_FOUND;
            if ((a->csv && !write_csv(a, axes, machines, results)) ||
                (a->plot && !write_plot(a, axes, machines, results)))
                result = EXIT_WRONG;
        }
        pop_memory_free(results);
    }
    for (unsigned i = 0; i < read; ++i)
        free(axes[i].text);
    return result;
}
