/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter: one function per kind of op, which returns the index of the next op.  Control flow is here. */
#include "engine/engine.h"
#include "engine/external.h"
#include "report/report.h"

#include <assert.h>
#include <errno.h>
#include <poplar/quarter.h>
#include <poplar/text.h>
#include <stdarg.h>
#include <time.h>

/* Maximum call depth. Graphs cannot have recursion, so only a damaged image nests deeper. */
enum { DEPTH_MAX = 1 << 16 };

typedef uint32_t (*op_function)(struct engine_run *run, const struct image_op *op, uint32_t next);
static const op_function functions[] = {
#define IMAGE_OP(constant, function) function,
#include "image/ops.def"
#undef IMAGE_OP
};

uint32_t run_fail(struct engine_run *run, pop_status status, const char *format, ...)
{
    va_list arguments;
    char text[sizeof(run->error->text)], named[sizeof(text) + 32];
    va_start(arguments, format);
    pop_text_vformat(text, sizeof(text), format, arguments);
    va_end(arguments);
    snprintf(named, sizeof(named), "replica %u: %s", run->replica->number, text);
    run->status = error_set(run->error, status, NO_WHERE, run->api, "%s", run->names ? named : text);
    return RUN_OVER;
}

const unsigned char *run_operand(struct engine_run *run, uint32_t operand)
{
    assert(operand < run->image->operands.count && run->replica->operand);
    const struct image *image = run->image;
    copy_run(image, image->copies.data + image->operands.data[operand].copy, run->replica->storage,
             run->replica->operand, run->pool);
    return run->replica->operand;
}

/* The value of a one-element operand as an integer, for control flow. */
static int64_t integer_operand(struct engine_run *run, uint32_t operand)
{
    const unsigned char *data = run_operand(run, operand);
    pop_type type = (pop_type)run->image->operands.data[operand].type;
    int64_t value = 0;
    if (type == POP_INT) {
        int32_t narrow;
        memcpy(&narrow, data, sizeof(narrow));
        return narrow;
    }
    pop_convert(type, data, POP_LONGLONG, &value, 1);
    return value;
}

static bool condition_of(struct engine_run *run, uint32_t operand)
{
    pop_type type = (pop_type)run->image->operands.data[operand].type;
    const unsigned char *data = run_operand(run, operand);
    bool truth;
    if (type == POP_BOOL)
        return data[0] != 0;
    pop_convert(type, data, POP_BOOL, &truth, 1);
    return truth;
}

uint32_t op_end(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    (void)op;
    (void)next;
    return run->replica->callers.count ? run->replica->callers.data[--run->replica->callers.count] : RUN_OVER;
}

uint32_t op_repeat(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    if (!op->d)
        return op->a;
    if (run->replica->loops.count == DEPTH_MAX)
        return run_fail(run, POP_RUNTIME_ERROR, "more than %d loops are nested", DEPTH_MAX);
    *vec_push(&run->replica->loops) = op->d;
    return next;
}

uint32_t op_repeat_end(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    if (!run->replica->loops.count)
        return run_fail(run, POP_RUNTIME_ERROR, "a loop ends that did not begin");
    if (--run->replica->loops.data[run->replica->loops.count - 1])
        return op->a;
    --run->replica->loops.count;
    return next;
}

uint32_t op_jump(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    (void)run;
    (void)next;
    return op->a;
}

uint32_t op_jump_if(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    return condition_of(run, op->b) ? op->a : next;
}

uint32_t op_jump_unless(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    return condition_of(run, op->b) ? next : op->a;
}

uint32_t op_switch(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    (void)next;
    int64_t value = integer_operand(run, op->b);
    const struct image_case *cases = run->image->cases.data + op->d;
    assert(op->d + (uint64_t)op->c < run->image->cases.count); /* the default is after the cases */
    for (uint32_t i = 0; i < op->c; ++i)
        if (cases[i].value == value)
            return cases[i].target;
    return cases[op->c].target;
}

uint32_t op_call(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    if (run->replica->callers.count == DEPTH_MAX)
        return run_fail(run, POP_RUNTIME_ERROR, "more than %d calls are nested", DEPTH_MAX);
    *vec_push(&run->replica->callers) = next;
    return op->a;
}

uint32_t op_step(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    (void)run;
    (void)op;
    return next;
}

/* Elements of QUARTER are printed as the floats that they are. */
static void print_operand(struct engine_run *run, const struct image_print *print, FILE *file,
                          const pop_print_format *format)
{
    const struct image *image = run->image;
    const struct image_operand *operand = image->operands.data + print->operand;
    const uint64_t *dims = print->rank ? image->dims.data + print->first_dim : NULL;
    const char *title = image_string(image, print->title);
    if (operand->type != POP_QUARTER || !print->metadata) {
        print_tensor(file, title, (pop_type)operand->type, dims, print->rank, run_operand(run, print->operand), format);
        return;
    }
    uint8_t metadata = *run_operand(run, print->metadata - 1);
    float *values = mem_alloc((size_t)operand->elements * sizeof(*values));
    pop_convert_from_quarter(metadata, run_operand(run, print->operand), POP_FLOAT, values, (size_t)operand->elements);
    print_tensor(file, title, POP_FLOAT, dims, print->rank, values, format);
    free(values);
}

/* False when the text cannot be written. */
static bool print_record(struct engine_run *run, uint32_t record)
{
    const struct image *image = run->image;
    const struct image_print *print = image->prints.data + record;
    pop_print_format format = print->format_given                  ? print->format
                              : run->engine->settings.guide_format ? pop_print_format_guide()
                                                                   : pop_print_format_default();
    FILE *file = run->engine->print_stream ? run->engine->print_stream : stderr;
    errno = 0;
    if (run->names)
        fprintf(file, "replica %u: ", run->replica->number);
    print_operand(run, print, file, &format);
    if (fflush(file) == 0 && !ferror(file))
        return true;
    int reason = errno ? errno : EIO;
    clearerr(file);
    if (reason == EINTR && atomic_load(&run->engine->stop))
        return true;
    run_fail(run, POP_RUNTIME_ERROR, "cannot print tensor '%s': %s", image_string(image, print->title),
             pop_text_from_errno(reason));
    return false;
}

uint32_t op_print(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    return print_record(run, op->a) ? next : RUN_OVER;
}

uint32_t op_error(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    (void)next;
    print_record(run, op->a);
    const char *message = image_string(run->image, run->image->prints.data[op->a].title);
    return run_fail(run, POP_APPLICATION_RUNTIME_ERROR, "%s",
                    *message ? message : "the program ended itself with an error");
}

uint32_t op_abort(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    (void)next;
    const char *message = image_string(run->image, op->a);
    return run_fail(run, POP_APPLICATION_RUNTIME_ERROR, "%s", *message ? message : "the program aborted");
}

uint32_t op_abort_if(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    return condition_of(run, op->b) ? op_abort(run, op, next) : next;
}

/* Whether a backward jump begins an iteration; calls and returns may jump backward too, but do not. */
static bool is_iteration(unsigned kind, uint32_t at, uint32_t next)
{
    return next <= at && (kind == OP_REPEAT_END || kind == OP_JUMP || kind == OP_JUMP_IF || kind == OP_JUMP_UNLESS);
}

/* A captured record is written to the report when it has this many entries, or after a second, checked every few
 * jumps. */
enum { CAPTURED_MAX = 1 << 16, JUMPS_BETWEEN_CHECKS = 1 << 12 };
struct capture {
    pop_engine *engine;
    struct trace *trace; /* NULL: nothing is captured */
    unsigned jumps;
    time_t written;
};

static time_t seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static void capture_begin(struct capture *capture, unsigned program, const char *name, uint32_t at)
{
    pop_engine *engine = capture->engine;
    if (!engine->report || !report_run_begin(engine->report, program, name))
        return;
    capture->trace = &engine->captured;
    capture->written = seconds();
    trace_reset(capture->trace);
    capture->trace->costs = &engine->replicas[engine->profiled].costs;
    trace_begin(capture->trace, at);
}

static void capture_jump(struct capture *capture, uint32_t at, uint32_t next, uint32_t depth, bool iteration)
{
    struct trace *trace = capture->trace;
    assert(trace && trace->running);
    if (!trace_again(trace, at, next))
        trace_jump(trace, at, next, depth, iteration);
    if (++capture->jumps % JUMPS_BETWEEN_CHECKS != 0 ||
        (trace->entries.count < CAPTURED_MAX && seconds() == capture->written))
        return;
    report_run_part(capture->engine->report, trace);
    trace_restart(trace, next);
    capture->written = seconds();
}

/* The status of the run takes precedence over that of its report. */
static pop_status capture_end(struct capture *capture, uint32_t end, const struct engine_run *run)
{
    pop_error error;
    if (!capture->trace)
        return run->status;
    trace_end(capture->trace, end);
    external_report(capture->engine);
    struct step_costs *costs = &capture->engine->replicas[capture->engine->profiled].costs;
    report_write_counted(capture->engine->report, costs, false);
    step_costs_written(costs);
    pop_status status = report_run_end(capture->engine->report, capture->trace, run->api, &error);
    if (run->status != POP_OK || status == POP_OK)
        return run->status;
    if (run->error)
        *run->error = error;
    return status;
}

/* Whether one of several replicas executes this op by itself, or pauses, and why. */
static enum replica_pause pause_at(const struct engine_run *run, const struct image_op *op)
{
    bool called;
    switch (op->kind) {
    case OP_CROSS_COPY:
    case OP_CHECK_EQUAL:
        return REPLICA_MEETS;
    case OP_STREAM_IN:
        if (run->image->streams.data[op->a].mode == POP_STREAM_BROADCAST)
            return REPLICA_MEETS;
        /* fall through */
    case OP_STREAM_OUT:
        called = run->replica->streams[op->a].kind == STREAM_CALLBACK;
        return called ? REPLICA_CALLS : REPLICA_RUNS;
    case OP_CALL_HOST:
    case OP_PRINT:
    case OP_ERROR:
        return REPLICA_CALLS;
    default:
        return REPLICA_RUNS;
    }
}

static void run_ends(struct engine_run *run, uint32_t at)
{
    run->replica->at = at + 1;
    run->replica->pause = run->status == POP_OK ? REPLICA_ENDED : REPLICA_FAILED;
}

void run_paused(struct engine_run *run)
{
    uint32_t at = run->replica->at;
    assert(at < run->image->ops.count && (run->replica->pause == REPLICA_RUNS || run->replica->pause == REPLICA_MEETS));
    const struct image_op *op = run->image->ops.data + at;
    uint32_t next = functions[op->kind](run, op, at + 1);
    if (next == RUN_OVER)
        run_ends(run, at);
    else
        run->replica->at = next;
}

void run_ops(struct engine_run *run, struct capture *capture)
{
    const pop_engine *engine = run->engine;
    struct replica *replica = run->replica;
    const struct image_op *ops = run->image->ops.data;
    struct trace *trace = replica->trace.running ? &replica->trace : NULL;
    bool alone = engine->replica_count == 1;
    uint32_t at = replica->at;
    assert(at < run->image->ops.count);
    replica->pause = REPLICA_ENDED;
    while (!atomic_load_explicit(&engine->stop, memory_order_relaxed)) {
        if (!alone && (replica->pause = pause_at(run, ops + at)) != REPLICA_RUNS)
            break;
        uint32_t next = functions[ops[at].kind](run, ops + at, at + 1);
        if (next == at + 1) {
            at = next;
            continue;
        }
        if (next == RUN_OVER) {
            run_ends(run, at);
            return;
        }
        uint32_t depth = (uint32_t)replica->callers.count;
        if (trace && !trace_again(trace, at, next))
            trace_jump(trace, at, next, depth, is_iteration(ops[at].kind, at, next));
        if (capture && capture->trace)
            capture_jump(capture, at, next, depth, is_iteration(ops[at].kind, at, next));
        at = next;
    }
    replica->at = at;
}

pop_status engine_run_program(pop_engine *engine, uint32_t program, const char *name, const char *api, pop_error *error)
{
    assert(program < engine->image->programs.count && engine->profiled < engine->replica_count);
    struct capture capture = { .engine = engine };
    struct engine_run whole = { .engine = engine, .image = engine->image, .error = error, .api = api };
    uint32_t at = engine->image->programs.data[program];
    bool stamps = engine->replica_count > 1 && image_has_op(engine->image, OP_STAMP);
    for (unsigned r = engine->first_local; r < engine->first_local + engine->local_count; ++r) {
        struct replica *replica = engine->replicas + r;
        replica->at = at;
        replica->loops.count = replica->callers.count = 0;
        if (engine->profiling && (stamps || r == engine->profiled))
            trace_begin(&replica->trace, at);
        if (engine->profiling && r == engine->profiled)
            run_names_add(&engine->run_names, name);
    }
    capture_begin(&capture, program, name, at);
    replicas_run(&whole, &capture);
    for (unsigned r = 0; r < engine->replica_count; ++r) {
        struct replica *replica = engine->replicas + r;
        if (replica->trace.running)
            trace_end(&replica->trace, replica->at);
        replica->loops.count = replica->callers.count = 0;
    }
    return capture_end(&capture, engine->replicas[engine->profiled].at, &whole);
}
