/* SPDX-License-Identifier: Apache-2.0 */
/* The executable image: what the compiler emits and the engine runs, as flat arrays that can be written to a file and
 * read back in a process that has no graph.  Addresses are byte offsets; nothing in it is a pointer but the arrays
 * themselves.
 *
 * Storage: one block holds every variable, each 64-byte aligned and followed by 64 readable bytes; one more block
 * (scratch) holds the gathered copies of edges that are not contiguous.  Vertex states are in image->states as the
 * codelet's struct has them, their pointers as references (below) that loading turns into addresses. */
#ifndef IMAGE_IMAGE_H
#define IMAGE_IMAGE_H

#include "base/file.h"
#include "base/options.h"
#include "graph/store/debug_calls.h"
#include "image/model.h"
#include "image/placement.h"
#include "popc/module/codelet.h"

#include <poplar/engine.h>
#include <stdio.h>

/* A pointer slot of a state: the block in the top two bits, a byte offset into it in the rest.  0 (block NONE) is NULL.
 */
enum image_block { BLOCK_NONE = 0, BLOCK_STORAGE = 1, BLOCK_SCRATCH = 2, BLOCK_STATE = 3 };
#define IMAGE_REF(block, offset) ((uint64_t)(block) << 62 | (uint64_t)(offset))
#define IMAGE_REF_BLOCK(ref)     ((enum image_block)((ref) >> 62))
#define IMAGE_REF_OFFSET(ref)    ((ref) & (((uint64_t)1 << 62) - 1))

/* No block is larger, so that an offset has 48 bits, and sums of a few sizes do not overflow. */
#define IMAGE_BYTES_MAX ((uint64_t)1 << 48)

/* A rectangular move of bytes: for each index tuple of its shape's digits (outermost first), `bytes` bytes from source
 * to destination.  Strides are in bytes; digits are image->move_digits[first_digit ...].  Programs have millions of
 * moves of a few shapes. */
struct image_digit {
    uint64_t extent;
    int64_t source, destination;
};
struct image_move_shape {
    uint64_t bytes;
    uint32_t first_digit, digits;
};
struct image_move { /* image/move.h decodes it */
    uint32_t source, destination;
    uint16_t source_high, destination_high;
    uint32_t shape; /* index of image->move_shapes */
};
/* A copy: its moves, in order.  Offsets are into storage, except on the side that is a buffer (streams, host access,
 * gathers).  When `overlaps`, source and destination share elements: everything is read before anything is written. */
struct image_copy {
    uint64_t first_move, bytes;
    uint32_t moves;
    uint8_t overlaps;
    uint8_t element_bytes;
};

/* A run of vertices of one type in a set, states `stride` bytes apart from image->states + states on. */
struct image_group {
    uint32_t codelet;
    uint32_t first_vertex_in_set;
    uint64_t count, states, stride;
};
/* An edge that is gathered before its vertex runs (copy from storage to scratch; source side storage, destination side
 * the scratch offset in `scratch`) and/or scattered after it.  Sorted by vertex.  Vertices up to last_vertex may use
 * what is gathered here or for the same run of vertices: a run is executed as a whole. */
struct image_gather {
    uint32_t vertex_in_set, last_vertex;
    uint32_t before, after; /* index + 1 of image->copies, 0 none */
    uint64_t scratch, bytes;
};
struct image_set {
    uint32_t name, where_file; /* strings */
    int32_t where_line;
    uint32_t first_group, groups;
    uint64_t first_gather, gathers;
    uint64_t vertices;
    uint64_t work; /* host bytes touched, to estimate whether threads are faster */
    uint64_t scratch_bytes;
    uint32_t missing_estimate;  /* string: a vertex type without an estimate, 0: all have one */
    uint64_t first_vertex_id;   /* into image->vertex_ids, in the order of the groups */
    uint64_t first_vertex_tile; /* likewise into image->vertex_tiles */
    uint64_t counted;   /* its vertices' first entry of image->vertex_cycles + 1; 0: none is counted as it runs */
    uint32_t model_set; /* of the model, where counted is not 0 */
};

#define IMAGE_COUNTED ((uint64_t)1 << 63)

/* Where the tiles' registers are in storage, a row for each tile; 0: the programs do not use it.  flags: enum
 * image_flag, 32 bits each; seeds: words of 32 bits. */
enum image_flag { IMAGE_FLAG_INV = 0, IMAGE_FLAG_DIV0, IMAGE_FLAG_OFLO, IMAGE_FLAG_ESR, IMAGE_FLAG_NANOO, IMAGE_FLAGS };
struct image_registers {
    uint64_t flags, seeds;
    uint32_t tiles, seed_words;
};

/* Where a vertex was added, and its tile. */
struct image_place {
    uint32_t file, tile; /* file: string, 0: unknown */
    int32_t line;
};

enum image_op_kind {
#define IMAGE_OP(constant, function) OP_##constant,
#include "image/ops.def"
#undef IMAGE_OP
    OP_KINDS
};
#define OP_NONE UINT32_MAX
#define FIGURE_MAX                                                                                                     \
    ((uint64_t)1 << 48) /* cycles and bytes of one step on one tile, and of a tile's memory, are not more */
struct image_op {
    uint16_t kind; /* enum image_op_kind */
    uint16_t reserved;
    uint32_t a, b, c;
    uint64_t d;
};
struct image_case {
    int64_t value;
    uint32_t target;
};
/* Elements read by control flow or prints: a copy plan to a buffer, and what they are. */
struct image_operand {
    uint32_t copy;
    uint8_t type;
    uint64_t elements;
};
struct image_print {
    uint32_t title;
    uint32_t operand;
    uint32_t first_dim, rank; /* of image->dims */
    uint32_t metadata;        /* of a QUARTER operand: the operand of its metadata + 1; 0 otherwise */
    pop_print_format format;
    uint8_t format_given;
};
struct image_handle {
    uint32_t name, copy;
    uint64_t bytes;
};
struct image_stream {
    uint32_t name;
    uint8_t type, direction, mode;
    uint64_t elements;
    uint32_t buffering_depth;
    uint32_t copies;     /* of a stream of createReplicatedGraph: one for each replica, of which this is the first; 1 of
                            others; 0: this is one of those that follow the first */
    uint32_t first_copy; /* where the others are */
};
struct image_remote {
    uint32_t name;
    uint8_t type;
    uint64_t elements, repeats;
    uint32_t copies, first_copy; /* see image_stream */
};
struct image_host_function {
    uint32_t name;
    uint32_t first_argument, inputs, outputs;
};
struct image_argument {
    uint8_t type;
    uint64_t elements;
};
/* Contents at load: `bytes` bytes at image->data + data to storage offset; repeated `times` times (a fill).  own: each
 * replica has bytes of its own, one after another. */
struct image_initial {
    uint64_t offset, data, bytes, times;
    uint8_t own;
};
/* Variables as checked mode and dumps name them; sorted by offset. */
struct image_variable {
    uint64_t offset, bytes;
    uint32_t name;
    uint8_t type;
};
struct image_codelet {
    uint32_t module, index; /* of modules[module]->codelets */
};
/* Checked mode: bytes of each edge of each vertex, in state order (only when compiled for it). */

struct image {
    unsigned references;
    pop_target target;
    struct option_set options; /* engine options in force at compile time */
    char *name;                /* of the engines that it is made for; NULL: none */
    struct file_view file;     /* it was read from, with the arrays that have no capacity; empty: none */
    uint32_t replicas;         /* of the program; target, storage and model are those of one */
    uint32_t device_ipus;      /* of all of them */
    uint64_t storage_bytes, scratch_bytes;
    VEC(uint32_t) senders; /* of copies between replicas: a sender for each replica, in a row for each copy */
    VEC(char) strings;     /* [0] is 0: string 0 is none; others are offsets */
    VEC(struct module *) modules;
    VEC(struct image_codelet) codelets;
    VEC(unsigned char) states; /* vertex states, vector state data, tables of inner vectors */
    VEC(struct image_group) groups;
    VEC(struct image_gather) gathers;
    VEC(struct image_set) sets;
    VEC(struct image_digit) move_digits;
    VEC(struct image_move_shape) move_shapes;
    VEC(struct image_move) moves;
    VEC(struct image_copy) copies;
    VEC(struct image_op) ops;
    VEC(struct image_case) cases;
    VEC(struct image_operand) operands;
    VEC(uint64_t) dims;
    VEC(struct image_print) prints;
    VEC(uint32_t) programs;          /* first op of each control program */
    VEC(struct image_handle) reads;  /* copy: storage to a buffer */
    VEC(struct image_handle) writes; /* copy: a buffer to storage */
    VEC(struct image_stream) streams;
    VEC(struct image_remote) remotes;
    VEC(struct image_host_function) host_functions;
    VEC(struct image_argument) arguments;
    VEC(struct image_initial) initials;
    VEC(unsigned char) data;
    VEC(struct image_variable) variables;
    VEC(uint32_t) vertex_ids; /* the graph's, of all vertices in group order */
    VEC(uint64_t)
    edge_bytes; /* checked mode only: for each vertex in group order, for each edge field in field order, the bytes of
                   its data; a field with a table gives its entry count, then the bytes of each entry */
    VEC(uint64_t) edge_first; /* checked mode only: where a vertex's entries start, in the order of vertex_ids */
    VEC(struct image_place) vertex_places; /* checked mode only, in the order of vertex_ids; empty: unknown */
    VEC(uint32_t)
    edge_addresses; /* of edge_bytes, for vertices in assembly: where the compiler placed the data, from the start of
                       the tile's memory, + 1; 0: not known. Empty: none is */
    VEC(uint64_t)
    vertex_cycles;               /* of sets with counted vertices: the cycles of a vertex, or with IMAGE_COUNTED those
                                    beside what is counted as it runs */
    struct placement *placement; /* of its variables in tile memory; NULL when no report uses it */
    struct debug_contexts contexts; /* of the graph that it was compiled from; 0 in one that was read from a file */
    VEC(struct image_registers) registers; /* at most one */
    VEC(uint32_t)
    vertex_tiles;       /* of each vertex, in the order of vertex_ids; with registers.flags, and where code asks */
    struct model model; /* the same programs as the machine would run them; empty for a CPU target */
};

struct report;
struct pop_executable {
    struct image *image;
    struct report *report; /* of compiling, until an engine takes it; NULL: none */
};

/* What a device must be to run it: the target of all replicas. */
pop_target image_device_target(const struct image *image);
unsigned image_device_ipus(const struct image *image);
bool image_has_op(const struct image *image, enum image_op_kind kind);
struct image *image_create(void);
struct image *image_retain(struct image *image);
void image_release(struct image *image);
/* Whether the machine is modelled: not on a CPU, and not where debug.model says no. */
static inline bool image_modelled(const struct image *image)
{
    return image->model.op_first.count > 0;
}
static inline const char *image_string(const struct image *image, uint32_t string)
{
    return string ? image->strings.data + string : "";
}

/* file.c: an image as a file. */

/* A hash of the program: equal for images that run the same programs on the same data, whichever process compiled them.
 */
uint64_t image_program_hash(const struct image *image);
/* A hash of all that compiling made, names and model included: equal for an image and the file that it was saved to. */
uint64_t image_hash(const struct image *image);
/* The image as a file (base/container.h), and back.  Everything read is checked, so that no altered file can make the
 * engine read or write outside its blocks. */
void image_write(const struct image *image, char **data, size_t *size);
/* Writes it as it goes, without a copy; false, and errno set, when that failed. */
bool image_put(const struct image *image, FILE *file);
/* The image takes the file's bytes, whether or not it can be read: its large arrays stay in them. */
pop_status image_open(const char *name, struct file_view *file, struct image **image, pop_error *error);
/* Reads an image from a copy of the bytes. */
pop_status image_read(const char *name, const void *data, size_t size, struct image **image, pop_error *error);
/* Gives up the file that an image was read from, with the arrays that are in it. */
void image_file_close(struct image *image);

#endif
