/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/model/tensor_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <onnx.pb-c.h>
#include <poplar/memory.h>
#include <poplar/text.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads length bytes at offset; false, with errno (0: the file ends early). */
static bool read_part(int file, size_t offset, size_t length, char *data)
{
    for (size_t done = 0; done < length;) {
        ssize_t got = pread(file, data + done, length - done, (off_t)(offset + done));
        if (got == 0)
            errno = 0;
        if (got <= 0 && errno != EINTR)
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool fail_file(pop_error *error, const char *path, const char *doing)
{
    int reason = errno;
    onnx_fail(error, POP_FILE_LOAD_ERROR, "%s: cannot %s: %s", path, doing,
              reason ? pop_text_from_errno(reason) : "the file ends early");
    return false;
}

bool onnx_read_file(const char *path, void **data, size_t *size, pop_error *error)
{
    struct stat facts;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return fail_file(error, path, "open it");
    bool done = fstat(file, &facts) == 0;
    if (done && !S_ISREG(facts.st_mode)) {
        onnx_fail(error, POP_FILE_LOAD_ERROR, "%s: this is no file", path);
        close(file);
        return false;
    }
    if (done) {
        *size = (size_t)facts.st_size;
        *data = pop_memory_resize(NULL, *size + 1, 1);
        done = read_part(file, 0, *size, *data);
        if (!done)
            pop_memory_free(*data);
    }
    close(file);
    return done || fail_file(error, path, "read it");
}

/* The element width of each type, and the field of TensorProto that has elements of it. */
enum field { NO_FIELD, INT32S, INT64S, UINT64S, FLOATS, DOUBLES };
static const struct {
    const char *name;
    size_t size;
    enum field field;
} types[TREMULA_ONNX_TYPES] = {
    [TREMULA_ONNX_UNDEFINED] = { "undefined", 0, NO_FIELD }, [TREMULA_ONNX_FLOAT] = { "float", 4, FLOATS },
    [TREMULA_ONNX_UINT8] = { "uint8", 1, INT32S },           [TREMULA_ONNX_INT8] = { "int8", 1, INT32S },
    [TREMULA_ONNX_UINT16] = { "uint16", 2, INT32S },         [TREMULA_ONNX_INT16] = { "int16", 2, INT32S },
    [TREMULA_ONNX_INT32] = { "int32", 4, INT32S },           [TREMULA_ONNX_INT64] = { "int64", 8, INT64S },
    [TREMULA_ONNX_STRING] = { "string", 0, NO_FIELD },       [TREMULA_ONNX_BOOL] = { "bool", 1, INT32S },
    [TREMULA_ONNX_FLOAT16] = { "float16", 2, INT32S },       [TREMULA_ONNX_DOUBLE] = { "double", 8, DOUBLES },
    [TREMULA_ONNX_UINT32] = { "uint32", 4, UINT64S },        [TREMULA_ONNX_UINT64] = { "uint64", 8, UINT64S },
    [TREMULA_ONNX_COMPLEX64] = { "complex64", 0, NO_FIELD }, [TREMULA_ONNX_COMPLEX128] = { "complex128", 0, NO_FIELD },
    [TREMULA_ONNX_BFLOAT16] = { "bfloat16", 2, INT32S },
};

size_t tremula_onnx_type_size(tremula_onnx_type type)
{
    return (unsigned)type < TREMULA_ONNX_TYPES ? types[type].size : 0;
}

const char *tremula_onnx_type_name(tremula_onnx_type type)
{
    return (unsigned)type < TREMULA_ONNX_TYPES ? types[type].name : "of an unknown type";
}

size_t tremula_onnx_tensor_elements(const tremula_onnx_tensor *tensor)
{
    size_t count = 1;
    for (size_t i = 0; i < tensor->rank; ++i)
        count *= tensor->dims[i];
    return count;
}

bool onnx_count_elements(size_t rank, const size_t *dims, size_t element_size, size_t *count)
{
    *count = 1;
    bool fits = true;
    for (size_t i = 0; i < rank; ++i)
        fits = !__builtin_mul_overflow(*count, dims[i] ? dims[i] : 1, count) && fits;
    fits = fits && *count <= ONNX_MAX_BYTES / (element_size ? element_size : 1);
    for (size_t i = 0; i < rank; ++i)
        if (dims[i] == 0)
            *count = 0;
    return fits;
}

static const char *find_external(const Onnx__TensorProto *message, const char *key)
{
    for (size_t i = 0; i < message->n_external_data; ++i)
        if (message->external_data[i]->key && strcmp(message->external_data[i]->key, key) == 0)
            return message->external_data[i]->value;
    return NULL;
}

/* Whether a location stays in the model's directory. */
static bool is_inside(const char *location)
{
    if (*location == '/' || !*location)
        return false;
    for (const char *part = location; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return false;
    return true;
}

static bool read_external(const Onnx__TensorProto *message, const char *directory, tremula_onnx_tensor *tensor,
                          size_t bytes, onnx_arena *arena, const char *what, pop_error *error)
{
    const char *location = find_external(message, "location"), *offset_text = find_external(message, "offset");
    if (!location || !is_inside(location)) {
        onnx_fail(error, POP_FILE_LOAD_ERROR,
                  "%s has external data %s%s%s, and allowed is a file in the model's directory", what,
                  location ? "in '" : "without a location", location ? location : "", location ? "'" : "");
        return false;
    }
    if (!directory) {
        onnx_fail(error, POP_FILE_LOAD_ERROR, "%s has external data in '%s', and there is no directory to read it from",
                  what, location);
        return false;
    }
    size_t size = strlen(directory) + strlen(location) + 2;
    char *path = onnx_new(arena, size, 1);
    pop_text_format(path, size, "%s/%s", directory, location);
    size_t offset = offset_text ? (size_t)strtoull(offset_text, NULL, 10) : 0;
    struct stat facts;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &facts) != 0) {
        onnx_fail(error, POP_FILE_LOAD_ERROR, "%s: cannot open its external data '%s': %s", what, path,
                  pop_text_from_errno(errno));
        if (file >= 0)
            close(file);
        return false;
    }
    bool there = offset <= (size_t)facts.st_size && bytes <= (size_t)facts.st_size - offset;
    if (there) {
        tensor->data = onnx_new(arena, bytes, 1);
        there = read_part(file, offset, bytes, tensor->data);
    }
    close(file);
    if (!there)
        onnx_fail(error, POP_FILE_LOAD_ERROR, "%s needs %zu bytes at %zu of '%s', which has %zu", what, bytes, offset,
                  path, (size_t)facts.st_size);
    return there;
}

/* Copies the elements of a typed field into elements of their own width. */
static void unpack_field(const Onnx__TensorProto *message, size_t size, size_t count, char *to, enum field field)
{
    for (size_t i = 0; i < count; ++i, to += size) {
        switch (field) {
        case INT32S:
            memcpy(to, &message->int32_data[i], size);
            break; /* little-endian, as raw data are */
        case INT64S:
            memcpy(to, &message->int64_data[i], size);
            break;
        case UINT64S:
            memcpy(to, &message->uint64_data[i], size);
            break;
        case FLOATS:
            memcpy(to, &message->float_data[i], size);
            break;
        case DOUBLES:
            memcpy(to, &message->double_data[i], size);
            break;
        case NO_FIELD:
            break;
        }
    }
}

static size_t count_field(const Onnx__TensorProto *message, enum field field)
{
    switch (field) {
    case INT32S:
        return message->n_int32_data;
    case INT64S:
        return message->n_int64_data;
    case UINT64S:
        return message->n_uint64_data;
    case FLOATS:
        return message->n_float_data;
    case DOUBLES:
        return message->n_double_data;
    case NO_FIELD:
        break;
    }
    return 0;
}

bool onnx_read_tensor(const Onnx__TensorProto *message, const char *directory, onnx_arena *arena,
                      tremula_onnx_tensor *tensor, const char *what, pop_error *error)
{
    *tensor = (tremula_onnx_tensor){ .type = (tremula_onnx_type)message->data_type, .rank = message->n_dims };
    size_t size = tremula_onnx_type_size(tensor->type), count = 0;
    if (!size) {
        onnx_fail(error, POP_PARSE_ERROR, "%s is a tensor of type %s (%d), which is not supported", what,
                  tremula_onnx_type_name(tensor->type), (int)message->data_type);
        return false;
    }
    if (message->n_dims > TREMULA_ONNX_MAX_RANK) {
        onnx_fail(error, POP_PARSE_ERROR, "%s has %zu dimensions; at most %d are supported", what, message->n_dims,
                  TREMULA_ONNX_MAX_RANK);
        return false;
    }
    for (size_t i = 0; i < message->n_dims; ++i) {
        if (message->dims[i] < 0) {
            onnx_fail(error, POP_PARSE_ERROR, "%s has a dimension of %" PRId64, what, message->dims[i]);
            return false;
        }
        tensor->dims[i] = (size_t)message->dims[i];
    }
    if (!onnx_count_elements(tensor->rank, tensor->dims, size, &count)) {
        onnx_fail(error, POP_PARSE_ERROR, "%s claims more than 2^40 bytes", what);
        return false;
    }
    if (message->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL)
        return read_external(message, directory, tensor, count * size, arena, what, error);
    enum field field = types[tensor->type].field;
    bool raw = message->has_raw_data;
    size_t there = raw ? message->raw_data.len : count_field(message, field), wanted = raw ? count * size : count;
    if (there != wanted) {
        onnx_fail(error, POP_PARSE_ERROR, "%s claims %zu elements of %s, %zu %s, and the file has %zu", what, count,
                  types[tensor->type].name, wanted, raw ? "bytes" : "values", there);
        return false;
    }
    tensor->data = onnx_new(arena, count, size);
    if (raw && count)
        memcpy(tensor->data, message->raw_data.data, count * size);
    else if (!raw)
        unpack_field(message, size, count, tensor->data, field);
    return true;
}

pop_status tremula_onnx_load_tensor(const char *path, tremula_onnx_tensor *tensor, pop_error *error)
{
    void *data;
    size_t size;
    *tensor = (tremula_onnx_tensor){ 0 };
    if (!onnx_read_file(path, &data, &size, error))
        return POP_FILE_LOAD_ERROR;
    Onnx__TensorProto *message = onnx__tensor_proto__unpack(NULL, size, data);
    pop_memory_free(data);
    if (!message)
        return onnx_fail(error, POP_PARSE_ERROR, "%s: this is no TensorProto of ONNX", path);
    onnx_arena arena = { 0 };
    bool done = onnx_read_tensor(message, NULL, &arena, tensor, path, error);
    onnx__tensor_proto__free_unpacked(message, NULL);
    if (done) {
        size_t bytes = tremula_onnx_tensor_elements(tensor) * tremula_onnx_type_size(tensor->type);
        void *copy = pop_memory_resize(NULL, bytes + 1, 1);
        memcpy(copy, tensor->data, bytes);
        tensor->data = copy;
    }
    onnx_arena_free(&arena);
    return done ? POP_OK : POP_PARSE_ERROR;
}
