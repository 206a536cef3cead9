/* SPDX-License-Identifier: Apache-2.0 */
#include "target/copy_cost.h"

#include "target/cost.h"

#include <string.h>

/* The vertex types are published; which copy each one does, and all these costs, are inferred from averages:
 * - ShortMemcpy: 70 cycles and 2 an atom.  One word takes 72 (tutorial 7: 63 of them, 4,536); LBM's longer ones
 * take 76.4 and 83.0 on average.
 * - Strided copy: 1 cycle, 6 a piece and 2 an atom.  100 single words take 801 (LBM).
 * - Supervisor copy: 284 cycles and one for 8 bytes.  8 KiB take 1,308; the guide's take 290.9 on average.
 * An atom is the unit of a move: the alignment that all pieces have. */
enum { SHORT_SETUP = 70, STRIDED_SETUP = 1, PIECE = 6, ATOM = 2, DOUBLE_ATOM = 1, SUPERVISOR_SETUP = 284 };

/* Inferred without a figure: the minimum number of atoms of a long memcpy, and the minimum part of a worker in a copy
 * that several workers share. */
enum { LONG_ATOMS = 64, MIN_PART = 64 };

/* Two pointers (the guide's copies have 7.6 bytes of pointers and 7.4 of descriptors on average; most are strided). */
enum { POINTERS = 8, MEMCPY_DESCRIPTOR = 4, STRIDED_DESCRIPTOR = 8 };

static uint64_t divide_up(uint64_t value, uint64_t by)
{
    return value / by + (value % by != 0);
}

static const char *strided_type(const struct copy_shape *shape)
{
    if (shape->alignment >= 8)
        return shape->scatters ? "poplar_rt::DstStridedCopy64BitMultiAccess" : "poplar_rt::StridedCopy64BitMultiAccess";
    if (shape->alignment >= 4)
        return shape->scatters ? "poplar_rt::DstStridedCopyDA32" : "poplar_rt::StridedCopyDA32";
    return shape->scatters ? "poplar_rt::DstLongStridedCopy" : "poplar_rt::LongStridedCopy";
}

/* The number of vertices that share the given number of atoms. */
static uint32_t share_out(const pop_target *target, uint64_t atoms)
{
    uint64_t parts = atoms / MIN_PART;
    return parts < 1 ? 1 : parts < target->num_worker_contexts ? (uint32_t)parts : target->num_worker_contexts;
}

static struct copy_vertex finish(struct copy_vertex vertex, uint32_t descriptor)
{
    vertex.pointer_bytes = POINTERS;
    vertex.descriptor_bytes = descriptor;
    vertex.state_bytes = POINTERS + descriptor;
    return vertex;
}

struct copy_vertex copy_vertex_for(const pop_target *target, const struct copy_shape *shape)
{
    uint64_t atoms = divide_up(shape->bytes, shape->alignment ? shape->alignment : 1);
    if (shape->pieces <= 1 && shape->alignment >= 8) {
        uint64_t cycles = SUPERVISOR_SETUP + cost_memcpy(target, shape->bytes);
        return finish((struct copy_vertex){ "poplar_rt::Memcpy64BitSupervisor", true, 1, cycles, 0, 0, 0 },
                      MEMCPY_DESCRIPTOR);
    }
    uint32_t vertices = share_out(target, atoms);
    uint64_t each = divide_up(atoms, vertices);
    if (shape->pieces <= 1) {
        const char *type = atoms < LONG_ATOMS ? "poplar_rt::ShortMemcpy" : "poplar_rt::LongMemcpy";
        return finish((struct copy_vertex){ type, false, vertices, SHORT_SETUP + ATOM * each, 0, 0, 0 },
                      MEMCPY_DESCRIPTOR);
    }
    uint64_t cycles = STRIDED_SETUP + PIECE * divide_up(shape->pieces, vertices) +
                      (shape->alignment >= 8 ? DOUBLE_ATOM : ATOM) * each;
    return finish((struct copy_vertex){ strided_type(shape), false, vertices, cycles, 0, 0, 0 }, STRIDED_DESCRIPTOR);
}

uint32_t copy_code_bytes(const char *type)
{
    static const struct {
        const char *type;
        uint32_t bytes;
    } codes[] = {
#define COPY_CODE(type, bytes) { type, bytes },
#include "target/copy_code.def"
#undef COPY_CODE
    };
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); ++i)
        if (strcmp(codes[i].type, type) == 0)
            return codes[i].bytes;
    return 0;
}
