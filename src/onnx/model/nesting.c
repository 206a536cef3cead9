/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/model/model.h"

/* Reads a varint at *at; false at the end of the data. */
static bool read_varint(const uint8_t *data, size_t size, size_t *at, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && *at < size; shift += 7) {
        uint8_t byte = data[(*at)++];
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

bool onnx_nesting_within(const ProtobufCMessageDescriptor *type, const uint8_t *data, size_t size, unsigned limit)
{
    if (limit == 0)
        return false;
    size_t at = 0;
    uint64_t key, length;
    while (at < size && read_varint(data, size, &at, &key)) {
        switch (key & 7) {
        case 0:
            if (!read_varint(data, size, &at, &length))
                return true;
            continue;
        case 1:
            length = 8;
            break;
        case 5:
            length = 4;
            break;
        case 2:
            if (!read_varint(data, size, &at, &length))
                return true;
            break;
        default:
            return true;
        }
        if (length > size - at)
            return true;
        const ProtobufCFieldDescriptor *field =
            (key & 7) == 2 ? protobuf_c_message_descriptor_get_field(type, (unsigned)(key >> 3)) : NULL;
        if (field && field->type == PROTOBUF_C_TYPE_MESSAGE &&
            !onnx_nesting_within(field->descriptor, data + at, (size_t)length, limit - 1))
            return false;
        at += (size_t)length;
    }
    return true;
}
