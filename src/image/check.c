/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that an image, from any source, can be run without accessing memory outside its blocks.  Plain indices and
 * counts here; vertex states in image_check_states.c. */
#include "image/check.h"
#include "image/move.h"

#include "base/error.h"

#include <poplar/text.h>
#include <stdarg.h>
#include <stdio.h>

enum { DIGITS_MAX = 64 };
#define BYTES_MAX IMAGE_BYTES_MAX

bool check_fail(struct check *check, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    pop_text_vformat(text, sizeof(text), format, arguments);
    va_end(arguments);
    error_set(check->error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL, "%s: executable is damaged: %s", check->name, text);
    return false;
}

static bool check_string(struct check *check, uint32_t string, const char *what)
{
    if (string && string >= check->image->strings.count)
        return check_fail(check, "%s is string %u of %zu", what, string, check->image->strings.count);
    return true;
}

static bool check_type(struct check *check, unsigned type, const char *what)
{
    if (!pop_type_size((pop_type)type))
        return check_fail(check, "%s has type %u", what, type);
    return true;
}

/* Bytes of elements of a (checked) type; false when no block could hold them. */
static bool check_bytes(struct check *check, unsigned type, uint64_t elements, const char *what, uint64_t *bytes)
{
    if (!check_type(check, type, what))
        return false;
    if (elements > BYTES_MAX / 8)
        return check_fail(check, "%s has %llu elements", what, (unsigned long long)elements);
    *bytes = elements * pop_type_size((pop_type)type);
    return true;
}

__extension__ typedef __int128 wide;

/* Lowest and highest byte that one side of a move touches, within 0 .. limit. */
static bool side_fits(uint64_t offset, const struct image_digit *digits, uint32_t count, bool source, uint64_t bytes,
                      uint64_t limit)
{
    wide low = offset, high = (wide)offset + bytes;
    for (uint32_t i = 0; i < count; ++i) {
        wide reach = (wide)(source ? digits[i].source : digits[i].destination) * (wide)(digits[i].extent - 1);
        if (reach < 0)
            low += reach;
        else
            high += reach;
        if (low < 0 || high > (wide)limit)
            return false;
    }
    return low >= 0 && high <= (wide)limit;
}

/* Adds what a move moves to *total; false when it cannot be right. */
static bool check_move(struct check *check, const struct image_move *move, uint64_t source_limit,
                       uint64_t destination_limit, uint64_t *total)
{
    const struct image *image = check->image;
    if (move->shape >= image->move_shapes.count)
        return check_fail(check, "a move has shape %u of %zu", move->shape, image->move_shapes.count);
    const struct image_move_shape *shape = move_shape(image, move);
    if (shape->digits > DIGITS_MAX || !check_within(shape->first_digit, shape->digits, image->move_digits.count))
        return check_fail(check, "digits of a move are outside their array");
    const struct image_digit *digits = move_shape_digits(image, shape);
    wide bytes = shape->bytes;
    for (uint32_t i = 0; i < shape->digits && bytes; ++i) {
        bytes *= digits[i].extent;
        if (bytes > (wide)BYTES_MAX)
            return check_fail(check, "a move is too large");
    }
    if (bytes > (wide)BYTES_MAX)
        return check_fail(check, "a move is too large");
    if (bytes && (!side_fits(move_source(move), digits, shape->digits, true, shape->bytes, source_limit) ||
                  !side_fits(move_destination(move), digits, shape->digits, false, shape->bytes, destination_limit)))
        return check_fail(check, "a move leaves its block");
    *total += (uint64_t)bytes;
    return true;
}

bool check_copy(struct check *check, uint64_t index, uint64_t source_limit, uint64_t destination_limit)
{
    const struct image *image = check->image;
    if (index >= image->copies.count)
        return check_fail(check, "copy %llu of %zu", (unsigned long long)index, image->copies.count);
    const struct image_copy *copy = image->copies.data + index;
    if (!check_within(copy->first_move, copy->moves, image->moves.count))
        return check_fail(check, "moves of copy %llu are outside their array", (unsigned long long)index);
    uint64_t total = 0;
    for (uint32_t i = 0; i < copy->moves; ++i)
        if (!check_move(check, image->moves.data + copy->first_move + i, source_limit, destination_limit, &total) ||
            total > BYTES_MAX)
            return check->error && check->error->status ? false : check_fail(check, "a copy is too large");
    if (total != copy->bytes)
        return check_fail(check, "copy %llu moves %llu bytes, not %llu", (unsigned long long)index,
                          (unsigned long long)total, (unsigned long long)copy->bytes);
    return true;
}

/* The product of dimensions, cut to just above BYTES_MAX: a 0 among huge ones makes it 0. */
static uint64_t product(const uint64_t *dims, uint32_t rank)
{
    wide elements = 1;
    for (uint32_t d = 0; d < rank; ++d) {
        if (!dims[d])
            return 0;
        elements *= dims[d];
        if (elements > (wide)BYTES_MAX)
            elements = (wide)BYTES_MAX + 1;
    }
    return (uint64_t)elements;
}

/* A copy between storage and a buffer that holds just what it moves. */
static bool check_transfer(struct check *check, uint64_t index, bool from_storage, uint64_t bytes)
{
    uint64_t storage = check->image->storage_bytes;
    if (!check_copy(check, index, from_storage ? storage : bytes, from_storage ? bytes : storage))
        return false;
    if (check->image->copies.data[index].bytes != bytes)
        return check_fail(check, "copy %llu moves %llu bytes of a buffer of %llu", (unsigned long long)index,
                          (unsigned long long)check->image->copies.data[index].bytes, (unsigned long long)bytes);
    return true;
}

static bool check_replicas(struct check *check)
{
    const struct image *image = check->image;
    uint32_t ipus = image->target.num_ipus, all = image_device_ipus(image);
    if (!image->replicas || image->replicas > POP_REPLICAS_MAX)
        return check_fail(check, "it has %u replicas", image->replicas);
    if (all != (uint64_t)ipus * image->replicas && (image->target.type != POP_TARGET_CPU || all != ipus))
        return check_fail(check, "%u replicas of %u IPUs on a device of %u", image->replicas, ipus, all);
    for (size_t i = 0; i < image->senders.count; ++i)
        if (image->senders.data[i] >= image->replicas)
            return check_fail(check, "replica %u of %u sends", image->senders.data[i], image->replicas);
    return true;
}

static bool check_tables(struct check *check)
{
    const struct image *image = check->image;
    if (!check_replicas(check))
        return false;
    if (!image->strings.count || image->strings.data[0] || image->strings.data[image->strings.count - 1])
        return check_fail(check, "strings are not terminated");
    if (image->storage_bytes > BYTES_MAX || image->scratch_bytes > BYTES_MAX)
        return check_fail(check, "storage of %llu bytes", (unsigned long long)image->storage_bytes);
    for (size_t i = 0; i < image->codelets.count; ++i) {
        const struct image_codelet *codelet = image->codelets.data + i;
        if (codelet->module >= image->modules.count ||
            codelet->index >= image->modules.data[codelet->module]->codelet_count)
            return check_fail(check, "codelet %u of module %u", codelet->index, codelet->module);
    }
    for (size_t i = 0; i < image->programs.count; ++i)
        if (image->programs.data[i] >= image->ops.count)
            return check_fail(check, "program %zu starts at op %u of %zu", i, image->programs.data[i],
                              image->ops.count);
    for (size_t i = 0; i < image->initials.count; ++i) {
        const struct image_initial *initial = image->initials.data + i;
        uint64_t rows = initial->own ? image->replicas : 1;
        if (initial->bytes > BYTES_MAX || !check_within(initial->data, initial->bytes * rows, image->data.count))
            return check_fail(check, "initial values are outside their data");
        if (initial->bytes && (initial->times > BYTES_MAX / initial->bytes ||
                               !check_within(initial->offset, initial->bytes * initial->times, image->storage_bytes)))
            return check_fail(check, "initial values leave the storage");
    }
    for (size_t i = 0; i < image->variables.count; ++i) {
        const struct image_variable *variable = image->variables.data + i;
        if (!check_string(check, variable->name, "name of a variable") ||
            !check_type(check, variable->type, "variable"))
            return false;
        if (!check_within(variable->offset, variable->bytes, image->storage_bytes))
            return check_fail(check, "variable %zu leaves the storage", i);
    }
    return true;
}

/* Copies of a stream or buffer for the replicas of createReplicatedGraph. */
struct copies {
    uint32_t count, first;
    bool follows; /* it is one of those of another */
};

/* Those that have no number of copies are each one of exactly one other: what is connected for that one is theirs. */
static bool check_copies(struct check *check, const char *what, struct copies *all, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (all[i].count <= 1)
            continue;
        if (all[i].first > count || all[i].count - 1 > count - all[i].first)
            return check_fail(check, "%s %zu has %u copies from %u on, and there are %zu", what, i, all[i].count,
                              all[i].first, count);
        for (uint32_t k = 0; k < all[i].count - 1; ++k) {
            struct copies *copy = all + all[i].first + k;
            if (copy->count || copy->follows)
                return check_fail(check, "%s %u cannot be a copy of %zu", what, all[i].first + k, i);
            copy->follows = true;
        }
    }
    for (size_t i = 0; i < count; ++i)
        if (!all[i].count && !all[i].follows)
            return check_fail(check, "%s %zu is a copy of none", what, i);
    return true;
}

static bool check_all_copies(struct check *check)
{
    const struct image *image = check->image;
    size_t streams = image->streams.count, remotes = image->remotes.count;
    struct copies *all = mem_zero(streams + remotes + 1, sizeof(*all));
    for (size_t i = 0; i < streams; ++i)
        all[i] = (struct copies){ image->streams.data[i].copies, image->streams.data[i].first_copy, false };
    for (size_t i = 0; i < remotes; ++i)
        all[streams + i] = (struct copies){ image->remotes.data[i].copies, image->remotes.data[i].first_copy, false };
    bool fine =
        check_copies(check, "stream", all, streams) && check_copies(check, "remote buffer", all + streams, remotes);
    free(all);
    return fine;
}

/* Streams, remote buffers, host functions and handles. */
static bool check_host(struct check *check)
{
    const struct image *image = check->image;
    uint64_t bytes = 0;
    for (size_t i = 0; i < image->streams.count; ++i) {
        const struct image_stream *stream = image->streams.data + i;
        if (!check_string(check, stream->name, "name of a stream") ||
            !check_bytes(check, stream->type, stream->elements, "stream", &bytes))
            return false;
        if (stream->direction > POP_DEVICE_TO_HOST_FIFO || stream->mode > POP_STREAM_BROADCAST)
            return check_fail(check, "stream %zu has direction %u and mode %u", i, stream->direction, stream->mode);
    }
    for (size_t i = 0; i < image->remotes.count; ++i) {
        const struct image_remote *remote = image->remotes.data + i;
        if (!check_string(check, remote->name, "name of a remote buffer") ||
            !check_bytes(check, remote->type, remote->elements, "remote buffer", &bytes))
            return false;
        if (bytes && remote->repeats > BYTES_MAX / bytes)
            return check_fail(check, "remote buffer %zu has %llu rows", i, (unsigned long long)remote->repeats);
    }
    if (!check_all_copies(check))
        return false;
    for (size_t i = 0; i < image->arguments.count; ++i)
        if (!check_bytes(check, image->arguments.data[i].type, image->arguments.data[i].elements, "argument", &bytes))
            return false;
    for (size_t i = 0; i < image->host_functions.count; ++i) {
        const struct image_host_function *function = image->host_functions.data + i;
        if (!check_string(check, function->name, "name of a host function"))
            return false;
        if (!check_within(function->first_argument, (uint64_t)function->inputs + function->outputs,
                          image->arguments.count))
            return check_fail(check, "arguments of host function %zu are outside their array", i);
    }
    for (size_t i = 0; i < image->reads.count; ++i) {
        const struct image_handle *handle = image->reads.data + i;
        if (!check_string(check, handle->name, "name of a read handle") ||
            !check_transfer(check, handle->copy, true, handle->bytes))
            return false;
    }
    for (size_t i = 0; i < image->writes.count; ++i) {
        const struct image_handle *handle = image->writes.data + i;
        if (!check_string(check, handle->name, "name of a write handle") ||
            !check_transfer(check, handle->copy, false, handle->bytes))
            return false;
    }
    return true;
}

static bool check_operands(struct check *check)
{
    const struct image *image = check->image;
    uint64_t bytes = 0;
    for (size_t i = 0; i < image->operands.count; ++i) {
        const struct image_operand *operand = image->operands.data + i;
        if (!check_bytes(check, operand->type, operand->elements, "operand", &bytes) ||
            !check_transfer(check, operand->copy, true, bytes))
            return false;
    }
    for (size_t i = 0; i < image->prints.count; ++i) {
        const struct image_print *print = image->prints.data + i;
        if (!check_string(check, print->title, "title"))
            return false;
        if (print->operand >= image->operands.count || !check_within(print->first_dim, print->rank, image->dims.count))
            return check_fail(check, "print %zu has operand %u and dimensions from %u", i, print->operand,
                              print->first_dim);
        if (product(print->rank ? image->dims.data + print->first_dim : NULL, print->rank) !=
            image->operands.data[print->operand].elements)
            return check_fail(check, "print %zu has another shape than its data", i);
        if (print->metadata > image->operands.count ||
            (print->metadata && image->operands.data[print->metadata - 1].elements != 1))
            return check_fail(check, "print %zu has metadata operand %u", i, print->metadata);
        unsigned char guide; /* any byte but 0 and 1 is no bool, and must not be read as one */
        memcpy(&guide, &print->format.guide, 1);
        if ((unsigned)print->format.float_format > POP_FLOAT_FORMAT_NONE || guide > 1)
            return check_fail(check, "print %zu has format %u", i, (unsigned)print->format.float_format);
    }
    return true;
}

static bool check_target(struct check *check, size_t op, uint32_t target)
{
    if (target >= check->image->ops.count)
        return check_fail(check, "op %zu goes on at op %u of %zu", op, target, check->image->ops.count);
    return true;
}

static bool check_operand(struct check *check, size_t op, uint64_t operand, uint64_t elements)
{
    if (operand >= check->image->operands.count || check->image->operands.data[operand].elements != elements)
        return check_fail(check, "op %zu has operand %llu", op, (unsigned long long)operand);
    return true;
}

static bool check_execute(struct check *check, size_t index, const struct image_op *op)
{
    const struct image *image = check->image;
    if (op->a >= image->sets.count)
        return check_fail(check, "op %zu executes set %u of %zu", index, op->a, image->sets.count);
    if (!op->b)
        return true;
    if (op->b > image->copies.count || image->copies.data[op->b - 1].element_bytes > 8)
        return check_fail(check, "op %zu has consensus copy %u", index, op->b);
    return check_copy(check, op->b - 1, image->copies.data[op->b - 1].element_bytes, image->storage_bytes);
}

static bool check_stream_op(struct check *check, size_t index, const struct image_op *op, pop_stream_type direction)
{
    const struct image *image = check->image;
    if (op->a >= image->streams.count || image->streams.data[op->a].direction != direction)
        return check_fail(check, "op %zu uses stream %u", index, op->a);
    const struct image_stream *stream = image->streams.data + op->a;
    uint64_t bytes = stream->elements * pop_type_size((pop_type)stream->type);
    return check_transfer(check, op->b, direction == POP_DEVICE_TO_HOST_FIFO, bytes);
}

static bool check_remote_op(struct check *check, size_t index, const struct image_op *op, bool in)
{
    const struct image *image = check->image;
    if (op->a >= image->remotes.count)
        return check_fail(check, "op %zu uses remote buffer %u of %zu", index, op->a, image->remotes.count);
    const struct image_remote *remote = image->remotes.data + op->a;
    uint64_t row = remote->elements * pop_type_size((pop_type)remote->type);
    if (op->d > BYTES_MAX / (row ? row : 1) || op->d > BYTES_MAX)
        return check_fail(check, "op %zu moves %llu rows", index, (unsigned long long)op->d);
    if (!op->c && (op->d != 1 || !remote->repeats))
        return check_fail(check, "op %zu moves %llu rows without indices", index, (unsigned long long)op->d);
    if (op->c) {
        if (!check_operand(check, index, op->c - 1, op->d))
            return false;
        unsigned type = image->operands.data[op->c - 1].type;
        if (type != POP_INT && type != POP_UNSIGNED_INT)
            return check_fail(check, "op %zu has row indices of type %s", index, pop_type_name((pop_type)type));
    }
    return check_transfer(check, op->b, !in, row * op->d);
}

static bool check_host_call(struct check *check, size_t index, const struct image_op *op)
{
    const struct image *image = check->image;
    if (op->a >= image->host_functions.count)
        return check_fail(check, "op %zu calls host function %u of %zu", index, op->a, image->host_functions.count);
    const struct image_host_function *function = image->host_functions.data + op->a;
    for (uint32_t i = 0; i < function->inputs + function->outputs; ++i) {
        const struct image_argument *argument = image->arguments.data + function->first_argument + i;
        uint64_t bytes = argument->elements * pop_type_size((pop_type)argument->type);
        if (!check_transfer(check, (uint64_t)op->b + i, i < function->inputs, bytes))
            return false;
    }
    return true;
}

static bool check_switch(struct check *check, size_t index, const struct image_op *op)
{
    const struct image *image = check->image;
    if (!check_operand(check, index, op->b, 1))
        return false;
    if (!check_within(op->d, (uint64_t)op->c + 1, image->cases.count))
        return check_fail(check, "cases of op %zu are outside their array", index);
    for (uint64_t i = op->d; i <= op->d + op->c; ++i)
        if (!check_target(check, index, image->cases.data[i].target))
            return false;
    return true;
}

static bool check_stamp(struct check *check, size_t index, const struct image_op *op)
{
    uint32_t tiles = pop_target_num_tiles(&check->image->target);
    if (op->c >= tiles)
        return check_fail(check, "op %zu reads the clock of tile %u of %u", index, op->c, tiles);
    return check_transfer(check, op->a, false, sizeof(uint64_t)) &&
           (!op->b || check_operand(check, index, op->b - 1, 2));
}

static bool check_cross_copy(struct check *check, size_t index, const struct image_op *op)
{
    const struct image *image = check->image;
    if (!op->d || op->d > image->copies.count || !check_within(op->b, op->d * image->replicas, image->senders.count))
        return check_fail(check, "senders of op %zu are outside their array", index);
    for (uint64_t i = 0; i < op->d; ++i)
        if (!check_copy(check, op->a + i, image->storage_bytes, image->storage_bytes))
            return false;
    return check_string(check, op->c, "name of a copy between replicas");
}

static bool check_equal(struct check *check, size_t index, const struct image_op *op)
{
    if (op->a >= check->image->operands.count)
        return check_fail(check, "op %zu has operand %u", index, op->a);
    return check_string(check, op->c, "name of AssumeEqualAcrossReplicas");
}

static bool check_op(struct check *check, size_t index, const struct image_op *op)
{
    const struct image *image = check->image;
    switch (op->kind) {
    case OP_END:
    case OP_STEP:
        return true;
    case OP_EXECUTE:
        return check_execute(check, index, op);
    case OP_COPY:
        return check_copy(check, op->a, image->storage_bytes, image->storage_bytes);
    case OP_CROSS_COPY:
        return check_cross_copy(check, index, op);
    case OP_CHECK_EQUAL:
        return check_equal(check, index, op);
    case OP_STREAM_IN:
        return check_stream_op(check, index, op, POP_HOST_TO_DEVICE_FIFO);
    case OP_STREAM_OUT:
        return check_stream_op(check, index, op, POP_DEVICE_TO_HOST_FIFO);
    case OP_REMOTE_IN:
    case OP_REMOTE_OUT:
        return check_remote_op(check, index, op, op->kind == OP_REMOTE_IN);
    case OP_REPEAT:
    case OP_REPEAT_END:
    case OP_JUMP:
    case OP_CALL:
        return check_target(check, index, op->a);
    case OP_JUMP_IF:
    case OP_JUMP_UNLESS:
        return check_target(check, index, op->a) && check_operand(check, index, op->b, 1);
    case OP_SWITCH:
        return check_switch(check, index, op);
    case OP_STAMP:
        return check_stamp(check, index, op);
    case OP_CALL_HOST:
        return check_host_call(check, index, op);
    case OP_PRINT:
    case OP_ERROR:
        if (op->a >= image->prints.count)
            return check_fail(check, "op %zu prints record %u of %zu", index, op->a, image->prints.count);
        return true;
    case OP_ABORT:
        return check_string(check, op->a, "message of Abort");
    case OP_ABORT_IF:
        return check_string(check, op->a, "message of Abort") && check_operand(check, index, op->b, 1);
    default:
        return check_fail(check, "op %zu is of kind %u", index, op->kind);
    }
}

static bool check_ops(struct check *check)
{
    const struct image *image = check->image;
    if (!image->ops.count || image->ops.data[image->ops.count - 1].kind != OP_END)
        return check_fail(check, "the last op does not end its program");
    if (image->ops.count >= OP_NONE)
        return check_fail(check, "%zu ops", image->ops.count);
    for (size_t i = 0; i < image->ops.count; ++i)
        if (!check_op(check, i, image->ops.data + i))
            return false;
    return true;
}

pop_status image_check(const struct image *image, const char *name, pop_error *error)
{
    pop_error ours;
    struct check check = { .image = image, .name = name, .error = error ? error : &ours };
    check.error->status = POP_OK;
    if (!check_tables(&check) || !check_host(&check) || !check_operands(&check) || !check_sets(&check) ||
        !check_ops(&check) || !check_model(&check))
        return check.error->status;
    return POP_OK;
}
