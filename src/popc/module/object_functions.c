/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/module/object_functions.h"

/* .eh_frame_hdr: version 1, encodings of its parts, the address of .eh_frame, the number of functions, then for each
 * its begin and its entry, both relative to the section. */
enum { EH_VERSION = 1, EH_PC_RELATIVE4 = 0x1b, EH_UNSIGNED4 = 0x03, EH_TABLE4 = 0x3b, EH_HEAD = 12, EH_ENTRY = 8 };

static const unsigned char *section_data(const void *object, size_t size, const Elf64_Shdr *section)
{
    bool inside = section->sh_offset <= size && section->sh_size <= size - section->sh_offset;
    return inside ? (const unsigned char *)object + section->sh_offset : NULL;
}

static bool is_table(const unsigned char *data, uint64_t bytes)
{
    return data && bytes >= EH_HEAD && data[0] == EH_VERSION && data[1] == EH_PC_RELATIVE4 && data[2] == EH_UNSIGNED4 &&
           data[3] == EH_TABLE4;
}

static void read_table(struct object_functions *functions, const unsigned char *data, const Elf64_Shdr *section)
{
    uint32_t count;
    memcpy(&count, data + 8, sizeof(count));
    for (uint64_t i = 0; i < count && EH_HEAD + (i + 1) * EH_ENTRY <= section->sh_size; ++i) {
        int32_t begin;
        memcpy(&begin, data + EH_HEAD + i * EH_ENTRY, sizeof(begin));
        uint64_t address = section->sh_addr + (uint64_t)(int64_t)begin;
        bool inside = address >= functions->code_address && address - functions->code_address < functions->code_bytes &&
                      (!functions->list.count || address > functions->list.data[functions->list.count - 1].address);
        if (inside)
            *vec_push(&functions->list) = (struct object_function){ .address = address };
    }
    uint64_t end = functions->code_address + functions->code_bytes;
    for (size_t i = functions->list.count; i-- > 0; end = functions->list.data[i].address)
        functions->list.data[i].bytes = end - functions->list.data[i].address;
}

void object_functions_read(struct object_functions *functions, const void *object, size_t size,
                           const Elf64_Shdr *sections, size_t count)
{
    const Elf64_Shdr *table = NULL;
    Elf64_Ehdr head;
    *functions = (struct object_functions){ .code = NULL };
    if (size < sizeof(head))
        return;
    memcpy(&head, object, sizeof(head));
    for (size_t i = 0; i < count && head.e_machine == EM_X86_64; ++i) {
        const unsigned char *data =
            sections[i].sh_type == SHT_PROGBITS ? section_data(object, size, sections + i) : NULL;
        if (data && sections[i].sh_flags & SHF_EXECINSTR && sections[i].sh_size > functions->code_bytes) {
            functions->code = data; /* the largest: beside it are the loader's few */
            functions->code_address = sections[i].sh_addr;
            functions->code_bytes = sections[i].sh_size;
        } else if (is_table(data, sections[i].sh_size)) {
            table = sections + i;
        }
    }
    if (table && functions->code)
        read_table(functions, section_data(object, size, table), table);
}

size_t object_functions_find(const struct object_functions *functions, uint64_t address)
{
    size_t low = 0, high = functions->list.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (functions->list.data[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < functions->list.count && functions->list.data[low].address == address ? low : SIZE_MAX;
}

/* Whether a call or jump with a distance of 4 bytes may be here.  Bytes of other instructions look like one, too, but
 * then do not lead to the begin of a function. */
static unsigned bytes_before_distance(const unsigned char *at)
{
    if (at[0] == 0xe8 || at[0] == 0xe9)
        return 1;
    return at[0] == 0x0f && (at[1] & 0xf0) == 0x80 ? 2 : 0;
}

void object_functions_reach(struct object_functions *functions, size_t from, uint32_t number,
                            void (*each)(struct object_function *function, uint32_t number))
{
    VEC(size_t) waiting = { 0 };
    *vec_push(&waiting) = from;
    functions->list.data[from].seen = number;
    while (waiting.count) {
        struct object_function *f = functions->list.data + waiting.data[--waiting.count];
        const unsigned char *code = functions->code + (f->address - functions->code_address);
        each(f, number);
        for (uint64_t at = 0; at + 5 <= f->bytes; ++at) {
            unsigned before = bytes_before_distance(code + at);
            if (!before || at + before + 4 > f->bytes)
                continue;
            int32_t distance;
            memcpy(&distance, code + at + before, sizeof(distance));
            size_t called =
                object_functions_find(functions, f->address + at + before + 4 + (uint64_t)(int64_t)distance);
            if (called != SIZE_MAX && functions->list.data[called].seen != number) {
                functions->list.data[called].seen = number;
                *vec_push(&waiting) = called;
            }
        }
    }
    vec_free(&waiting);
}
