/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's files of one array: a magic number, a version, the length of a header, the header as a Python dictionary,
 * elements (NumPy's format specification, versions 1.0 and 2.0). */
#include "onnx/model/tensor_file.h"

#include <errno.h>
#include <poplar/memory.h>
#include <poplar/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *code;
    tremula_onnx_type type;
} codes[] = {
    { "<f4", TREMULA_ONNX_FLOAT },  { "<f8", TREMULA_ONNX_DOUBLE }, { "<f2", TREMULA_ONNX_FLOAT16 },
    { "|u1", TREMULA_ONNX_UINT8 },  { "|i1", TREMULA_ONNX_INT8 },   { "<u2", TREMULA_ONNX_UINT16 },
    { "<i2", TREMULA_ONNX_INT16 },  { "<u4", TREMULA_ONNX_UINT32 }, { "<i4", TREMULA_ONNX_INT32 },
    { "<u8", TREMULA_ONNX_UINT64 }, { "<i8", TREMULA_ONNX_INT64 },  { "|b1", TREMULA_ONNX_BOOL },
};
enum { CODES = sizeof(codes) / sizeof(codes[0]) };

/* The text behind a key of the header, without leading spaces; NULL when there is none. */
static const char *find_key(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    at = at ? strchr(at + strlen(key), ':') : NULL;
    return at ? at + 1 + strspn(at + 1, " ") : NULL;
}

static pop_status parse_header(const char *path, const char *header, tremula_onnx_tensor *tensor, pop_error *error)
{
    const char *descr = find_key(header, "'descr'"), *order = find_key(header, "'fortran_order'"),
               *shape = find_key(header, "'shape'");
    if (!descr || *descr != '\'' || !order || !shape || *shape != '(')
        return onnx_fail(error, POP_PARSE_ERROR, "%s: its header is not NumPy's", path);
    if (strncmp(order, "False", 5) != 0)
        return onnx_fail(error, POP_PARSE_ERROR, "%s: its array is in Fortran order; save it in C order", path);
    for (size_t i = 0; i < CODES; ++i)
        if (strncmp(descr + 1, codes[i].code, 3) == 0 && descr[4] == '\'')
            tensor->type = codes[i].type;
    if (tensor->type == TREMULA_ONNX_UNDEFINED)
        return onnx_fail(error, POP_PARSE_ERROR, "%s: elements of type %.6s are not supported", path, descr);
    for (++shape; *shape && *shape != ')';) {
        char *end;
        unsigned long long dim = strtoull(shape, &end, 10);
        if (end == shape || tensor->rank == TREMULA_ONNX_MAX_RANK)
            return onnx_fail(error, POP_PARSE_ERROR, "%s: its shape has no numbers, or more than %d", path,
                             TREMULA_ONNX_MAX_RANK);
        tensor->dims[tensor->rank++] = (size_t)dim;
        shape = end + strspn(end, ", ");
    }
    return POP_OK;
}

static pop_status parse_npy(const char *path, const char *data, size_t size, tremula_onnx_tensor *tensor,
                            pop_error *error)
{
    bool magic = size >= 12 && memcmp(data, "\x93NUMPY", 6) == 0 && (data[6] == 1 || data[6] == 2);
    if (!magic)
        return onnx_fail(error, POP_PARSE_ERROR, "%s: this is no file of NumPy's format 1 or 2", path);
    const unsigned char *bytes = (const unsigned char *)data;
    size_t length = bytes[8] | (size_t)bytes[9] << 8, begin = 10;
    if (data[6] == 2) {
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
        begin = 12;
    }
    char header[1024] = "";
    if (length > size - begin || length >= sizeof(header))
        return onnx_fail(error, POP_PARSE_ERROR, "%s: its header is longer than the file, or than %zu bytes", path,
                         sizeof(header));
    memcpy(header, data + begin, length);
    pop_status status = parse_header(path, header, tensor, error);
    if (status != POP_OK)
        return status;
    size_t count, width = tremula_onnx_type_size(tensor->type), rest = size - begin - length;
    if (!onnx_count_elements(tensor->rank, tensor->dims, width, &count) || count * width != rest)
        return onnx_fail(error, POP_PARSE_ERROR, "%s: its shape does not match the %zu bytes of its elements", path,
                         rest);
    tensor->data = pop_memory_resize(NULL, rest + 1, 1);
    memcpy(tensor->data, data + begin + length, rest);
    return POP_OK;
}

pop_status tremula_onnx_load_npy(const char *path, tremula_onnx_tensor *tensor, pop_error *error)
{
    void *data;
    size_t size;
    *tensor = (tremula_onnx_tensor){ 0 };
    if (!onnx_read_file(path, &data, &size, error))
        return POP_FILE_LOAD_ERROR;
    pop_status status = parse_npy(path, data, size, tensor, error);
    pop_memory_free(data);
    return status;
}

static bool write_npy(FILE *file, const tremula_onnx_tensor *tensor, const char *code)
{
    char header[512];
    size_t length =
        (size_t)snprintf(header, sizeof(header), "{'descr': '%s', 'fortran_order': False, 'shape': (", code);
    for (size_t i = 0; i < tensor->rank; ++i)
        length += (size_t)snprintf(header + length, sizeof(header) - length, "%zu,", tensor->dims[i]);
    length += (size_t)snprintf(header + length, sizeof(header) - length, "), }");
    size_t padded = (10 + length + 1 + 63) / 64 * 64 - 10; /* elements begin at a multiple of 64 bytes */
    unsigned char start[10] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)padded, (unsigned char)(padded >> 8)
    };
    memset(header + length, ' ', padded - length);
    header[padded - 1] = '\n';
    size_t bytes = tremula_onnx_tensor_elements(tensor) * tremula_onnx_type_size(tensor->type);
    return fwrite(start, 1, sizeof(start), file) == sizeof(start) && fwrite(header, 1, padded, file) == padded &&
           fwrite(tensor->data, 1, bytes, file) == bytes;
}

/* Written beside and renamed: a file with the final name is whole. */
pop_status tremula_onnx_save_npy(const char *path, const tremula_onnx_tensor *tensor, pop_error *error)
{
    const char *code = NULL;
    for (size_t i = 0; i < CODES; ++i)
        if (codes[i].type == tensor->type)
            code = codes[i].code;
    if (!code)
        return onnx_fail(error, POP_TYPE_ERROR, "%s: NumPy has no type for elements of %s", path,
                         tremula_onnx_type_name(tensor->type));
    size_t size = strlen(path) + 16;
    char *partial = pop_memory_resize(NULL, size, 1);
    pop_text_format(partial, size, "%s.XXXXXX", path);
    int descriptor = mkstemp(partial);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    bool done = file && write_npy(file, tensor, code);
    int reason = errno;
    if (file && fclose(file) != 0) {
        done = false;
        reason = errno;
    }
    if (done && rename(partial, path) != 0) {
        done = false;
        reason = errno;
    }
    if (!done && file)
        unlink(partial);
    pop_memory_free(partial);
    return done ? POP_OK
                : onnx_fail(error, POP_FILE_LOAD_ERROR, "%s: cannot write it: %s", path, pop_text_from_errno(reason));
}
