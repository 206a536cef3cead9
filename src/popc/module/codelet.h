/* SPDX-License-Identifier: Apache-2.0 */
/* Description of the vertex types of a .gp file and of the code that runs them.
 *
 * Host layout of vertex state: exactly the struct that the codelet's compiler laid out; offsets and sizes come from its
 * debug information.  An edge to a scalar is a pointer (8 bytes).  A vector (edge or state) is {pointer, size_t size}
 * at its offset when has_size, else a pointer alone.  A vector of vectors is the same pair pointing at a table of
 * `inner_stride`-byte entries, each {pointer, size_t size} (size only when inner_has_size).  A vector of scalar edges
 * is a pair pointing at a table of pointers. */
#ifndef POPC_MODULE_CODELET_H
#define POPC_MODULE_CODELET_H

#include "base/vec.h"

#include <poplar/error.h>
#include <poplar/type.h>

/* Device architectures for which code is measured. */
enum device_arch { DEVICE_IPU1 = 0, DEVICE_IPU2, DEVICE_IPU21, DEVICE_ARCHS };
enum vertex_kind { VERTEX_WORKER = 0, VERTEX_SUPERVISOR, VERTEX_MULTI };
enum field_direction { FIELD_STATE = 0, FIELD_INPUT, FIELD_OUTPUT, FIELD_INOUT };
/* Shapes of fields.  For FIELD_STATE only SCALAR, VECTOR and VECTORS (of plain values) occur. */
enum field_shape {
    SHAPE_SCALAR = 0,
    SHAPE_VECTOR,      /* Input<Vector<T>>; or state Vector<T> */
    SHAPE_VECTORS,     /* Vector<Input<Vector<T>>>; or state Vector<Vector<T>> */
    SHAPE_VECTOR_LIST, /* Input<VectorList<T>>: host layout of VECTORS */
    SHAPE_SCALARS      /* Vector<Input<T>>: a vector of edges to scalars */
};
enum vector_layout {
    LAYOUT_SPAN = 0,
    LAYOUT_SHORT_SPAN,
    LAYOUT_ONE_PTR,
    LAYOUT_SCALED_PTR32,
    LAYOUT_SCALED_PTR64,
    LAYOUT_SCALED_PTR128,
    LAYOUT_COMPACT_PTR
};
enum vector_list_layout { LIST_DELTAN = 0, LIST_DELTANELEMENTS, LIST_COMPACT_DELTAN };

struct popc_assembly;
struct codelet_field {
    const char *name;
    uint8_t direction;             /* enum field_direction */
    uint8_t shape;                 /* enum field_shape */
    uint8_t type;                  /* pop_type of the elements */
    uint8_t layout;                /* enum vector_layout of the (outer) vector */
    uint8_t inner_layout;          /* of inner vectors; enum vector_list_layout for VECTOR_LIST */
    bool has_size, inner_has_size; /* whether the host struct has a size next to the pointer */
    bool interleaved;
    uint32_t alignment;     /* required alignment of the edge's data in bytes, on this host and on the device */
    uint32_t offset, bytes; /* in the state */
    uint32_t inner_stride;  /* bytes of one table entry; 0 when there is no table */
};

/* Bytes of a pointer on the host, with an optional size next to it. */
static inline uint32_t pointer_bytes(bool has_size)
{
    return has_size ? 16 : 8;
}
/* Whether the field points to a table of pointers. */
static inline bool field_has_table(const struct codelet_field *field)
{
    return field->shape == SHAPE_VECTORS || field->shape == SHAPE_VECTOR_LIST || field->shape == SHAPE_SCALARS;
}
static inline uint32_t table_stride(const struct codelet_field *field)
{
    return field->inner_stride ? field->inner_stride : pointer_bytes(field->inner_has_size);
}

/* A call of the run function for consecutive vertices of one type, whose states are stride bytes apart. For a
 * MultiVertex all six workers run on each state. */
struct codelet_call {
    void *states;
    size_t stride, count;
    unsigned workers;       /* worker ids of a MultiVertex: 0 .. workers-1 */
    void *volatile current; /* the state being run; identifies the vertex when fail is called */
    /* Called by the codelet's assert, abort and the like; does not return.  Set by the engine before each call. */
    void (*fail)(struct codelet_call *call, const char *message, const char *file, int line);
    /* Converts a float to the bits of a half, for code that follows the floating-point behaviour (module_behaving). */
    uint16_t (*narrow)(struct codelet_call *call, float value);
    unsigned (*tile)(struct codelet_call *call); /* of the current vertex; NULL: not known */
    /* Memory that the thread keeps for codelets (keep.c of the engine); NULL: there is none. Codelets of the libraries
     * call it as popc_keep_block. */
    void *(*keep)(unsigned key, size_t bytes);
    uint64_t seed; /* of the random numbers of the vertex at states; that of the vertex i further on is seed + i */
    /* For the code itself.  Whoever makes a call sets drawn and timed to NULL. */
    uint64_t generator[2];     /* of random numbers of the vertex drawn and its worker */
    const void *drawn, *timed; /* the vertices to which generator and cycles belong */
    unsigned worker, drawn_worker, cycles;
    /* Executes inline assembly, or a function of a .S file; does not return when that fails. */
    void (*assemble)(struct codelet_call *call, struct popc_assembly *assembly);
};
/* True when every compute() returned true (void counts as true). */
typedef bool (*codelet_run)(struct codelet_call *call);

struct codelet {
    const char *name; /* vertex type, as addVertex spells it */
    uint8_t kind;     /* enum vertex_kind */
    uint32_t state_bytes, state_alignment;
    struct codelet_field *fields;
    uint32_t field_count;
    const unsigned char *defaults; /* state_bytes: the image of a default-constructed vertex (zeros in C) */
    const char **constraints;      /* text of each, for example "elem(*a) != elem(*b)" */
    uint32_t constraint_count;
    const char *symbol; /* name of the run function */
    uint32_t object;    /* index of the object that defines it */
    bool external;      /* isExternalCodelet: its code on a tile is in assembly (tile_vertex.h) */
    struct module *module;
};

/* A relocatable object for a device. */
struct module_code {
    const unsigned char *data; /* NULL: there is none */
    size_t size;
};

/* A host shared object as bytes; a module has one for each of its source files. */
struct module_object {
    const unsigned char *data;
    size_t size;
    void *handle; /* dlopen handle after module_link; NULL before */
    const unsigned char
        *counted; /* device object that device_machine.h interprets (popc --target), for the first target; else NULL */
    size_t counted_size;
    const char *source; /* name of its file, for messages */
    bool shares;        /* it has functions or variables for other objects, or uses theirs (resolve.h) */
    bool assembles;     /* its code has inline assembly of the tile, or calls functions of .S files */
    bool asks_tile;     /* its code asks for the tile of its vertices (codelet_call.tile) */
    struct module_code measured[DEVICE_ARCHS]; /* from which sizes are measured; only of objects that share */
};

/* A source, kept for later compilations (device_count.c). */
enum popc_language { POPC_BY_NAME = 0, POPC_C, POPC_CPP, POPC_ASSEMBLY };
struct module_source {
    enum popc_language language; /* not POPC_BY_NAME */
    const char *name, *text, *flags;
    size_t size; /* of text */
};

/* An assembly source's object for one architecture (tile/object.h). */
struct module_tile {
    uint8_t arch; /* enum device_arch */
    const unsigned char *data;
    size_t size;         /* 0: the architecture refused the source */
    const char *refused; /* the assembler's messages then, else "" */
};

struct device_code;
/* A loaded .gp: its object code and its vertex types. Reference-counted: graphs and images share it between threads. */
struct module {
    unsigned references;
    const char *name; /* name of its file, for messages */
    unsigned level;   /* enum machine_level of its code */
    struct module_object *objects;
    uint32_t object_count;
    struct codelet *codelets;
    uint32_t codelet_count;
    struct module_tile *tiles;
    uint32_t tile_count;
    struct module *behaving; /* see module_behaving; NULL: not requested yet, or not available */
    bool asked_behaving;
    struct device_code *devices[DEVICE_ARCHS]; /* by codelet (popc/device_code.h); NULL when not measured */
    unsigned later;                            /* bits 1 << arch: device_code_of measures it from source at first use */
    const char *uses; /* code that keeps the computes when compiled for a device; "" when merged from several */
    struct module_source *source; /* the source that this process compiled it from; NULL for a module of a .gp file */
    struct arena arena;           /* owns everything above */
};

#endif
