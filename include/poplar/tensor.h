/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors: immutable views of variables.
 *
 * A pop_tensor is a 64-byte value: copying it copies no data, and the cost of views (slice, reshape, transpose, ...)
 * grows with their contiguous pieces, not with their elements.  Zero ({0}) is the null tensor: queries give 0, views of
 * it are null, and a graph call that uses it records an error.  A view call that fails (index out of range, shapes that
 * do not match) records the error in the tensor's graph and returns the null tensor.
 *
 * Storage: nearly all views are held in the value itself.  pop_tensor_concat, and a reshape that strides cannot
 * express, make a node that belongs to the graph.  Loops that create many can free them with pop_graph_mark and
 * pop_graph_release (graph.h), or by reference counting with pop_tensor_retain and pop_tensor_release, as the C++
 * interface does. Connections, copies and mappings stay valid in any case.
 *
 * Every call whose name is a macro here passes the caller's line on to the function with _at. */
#ifndef POPLAR_TENSOR_H
#define POPLAR_TENSOR_H

#include <poplar/error.h>
#include <poplar/type.h>

typedef struct pop_store pop_store; /* the storage that a graph and its virtual graphs share; opaque */

enum { POP_TENSOR_DIGITS = 4, POP_TENSOR_RUNS = 7 };

/* The fields are private: use the calls.  source is a variable or a node of the store; a dimension is a run of
 * digits (extent, stride), outermost first; a dimension of extent 1 needs no digit. */
typedef struct pop_tensor {
    pop_store *store; /* of the graph; NULL: the null tensor */
    uint64_t offset;  /* elements into the source; or a pointer to a wide view when form says so */
    uint32_t source;  /* private */
    uint8_t type;     /* private */
    uint8_t rank;     /* private */
    uint8_t digits;   /* private */
    uint8_t form;     /* private */
    struct {
        uint32_t extent;          /* private */
        int32_t stride;           /* private */
    } digit[POP_TENSOR_DIGITS];   /* private */
    uint8_t run[POP_TENSOR_RUNS]; /* digits of each dimension */
    uint8_t reserved;             /* private */
} pop_tensor;

/* A shape, borrowed for the call: POP_SHAPE(3, 4), POP_SHAPE() for rank 0. */
typedef struct pop_shape {
    size_t rank;        /* number of dimensions */
    const size_t *dims; /* extents, outermost first */
} pop_shape;
/* A shape, for an argument or an initialiser: POP_SHAPE(3, 4). */
#define POP_SHAPE(...)                                                                                                 \
    ((pop_shape){ sizeof((const size_t[]){ 0, __VA_ARGS__ }) / sizeof(size_t) - 1,                                     \
                  (const size_t[]){ 0, __VA_ARGS__ } + 1 })

/* A list of dimension numbers, borrowed for the call: POP_DIMS(1, 0). */
typedef struct pop_dims {
    size_t count;         /* number of entries */
    const unsigned *list; /* the entries */
} pop_dims;
/* A list of dimensions, for an argument or an initialiser: POP_DIMS(1, 0). */
#define POP_DIMS(...)                                                                                                  \
    ((pop_dims){ sizeof((const unsigned[]){ 0, __VA_ARGS__ }) / sizeof(unsigned) - 1,                                  \
                 (const unsigned[]){ 0, __VA_ARGS__ } + 1 })

/* A list of tensors, borrowed for the call: POP_TENSORS(a, b). */
typedef struct pop_tensors {
    size_t count;           /* number of tensors */
    const pop_tensor *list; /* the tensors */
} pop_tensors;
/* A list of tensors, for an argument or an initialiser: POP_TENSORS(a, b). */
#define POP_TENSORS(...)                                                                                               \
    ((pop_tensors){ sizeof((const pop_tensor[]){ __VA_ARGS__ }) / sizeof(pop_tensor),                                  \
                    (const pop_tensor[]){ __VA_ARGS__ } })

/* Half-open range of elements, [begin, end). */
typedef struct pop_interval {
    size_t begin, end; /* first element, and one beyond the last */
} pop_interval;

/* Intervals, borrowed: POP_INTERVALS({0, 2}, {5, 6}). */
typedef struct pop_interval_list {
    size_t count;             /* number of intervals */
    const pop_interval *list; /* the intervals */
} pop_interval_list;
/* A list of intervals, for an argument or an initialiser: POP_INTERVALS({0, 2}, {5, 6}). */
#define POP_INTERVALS(...)                                                                                             \
    ((pop_interval_list){ sizeof((const pop_interval[]){ __VA_ARGS__ }) / sizeof(pop_interval),                        \
                          (const pop_interval[]){ __VA_ARGS__ } })

/* Lists of intervals, owned by the receiver and freed with pop_interval_lists_free; {0} is empty.  List i is
 * intervals[first[i]] up to intervals[first[i + 1]]; first has count + 1 entries (NULL when count is 0).  As a tile
 * mapping, i is the tile. */
typedef struct pop_interval_lists {
    size_t count;            /* number of lists */
    size_t *first;           /* count + 1 positions in intervals */
    pop_interval *intervals; /* intervals of all lists, one list after another */
} pop_interval_lists;

/* A range of one variable's elements. */
typedef struct pop_variable_interval {
    uint32_t variable;     /* the variable's number in its graph */
    pop_interval interval; /* elements of it */
} pop_variable_interval;

/* How pop_tensor_upsample makes new elements: REPEAT copies the nearest. */
typedef enum pop_upsample_method { POP_UPSAMPLE_REPEAT = 0 } pop_upsample_method;

POP_BEGIN_DECLS

POP_API void pop_interval_lists_free(pop_interval_lists *lists); /* Frees the lists and makes them empty. */

/* Reference counting of view nodes, for languages with destructors; an alternative to marks. A node is freed once no
 * retained value and no other node refers to it; pop_graph_release does not free it earlier. After the first retain,
 * any release may free earlier nodes that were not retained: retain all values that you keep, or none. A retained value
 * keeps its graph's store alive. No effect on values without a node (pop_tensor_has_node). */
POP_API void pop_tensor_retain(const pop_tensor *t);
POP_API void pop_tensor_release(const pop_tensor *t);
/* Whether retaining the value has an effect: it refers to a node of its graph. */
static inline bool pop_tensor_has_node(const pop_tensor *t)
{
    return (t->form & 1) || t->source >> 31;
}

/* ---- queries: no call here records an error; a null tensor gives 0, false or POP_TYPE_NULL ---- */
POP_API bool pop_tensor_valid(pop_tensor t);             /* Whether the tensor is not the null tensor. */
POP_API pop_type pop_tensor_type(pop_tensor t);          /* Type of the elements. */
POP_API size_t pop_tensor_rank(pop_tensor t);            /* Number of dimensions. */
POP_API size_t pop_tensor_dim(pop_tensor t, size_t dim); /* 0 for a dimension that t lacks */
POP_API size_t pop_tensor_num_elements(pop_tensor t);    /* Number of elements: the product of the extents. */
/* Writes at most capacity dims, returns the rank. */
POP_API size_t pop_tensor_shape(pop_tensor t, size_t *dims, size_t capacity);
/* Same elements in the same order and the same shape. */
POP_API bool pop_tensor_equal(pop_tensor a, pop_tensor b);
/* Whether the flattened tensor is one contiguous region of one variable, or empty. */
POP_API bool pop_tensor_is_contiguous(pop_tensor t);
/* Whether some element occurs in t more than once. */
POP_API bool pop_tensor_contains_aliases(pop_tensor t);
POP_API bool pop_tensor_contains_constant(pop_tensor t); /* Whether some element belongs to a constant. */
/* Whether t has neither aliases nor constants. */
POP_API bool pop_tensor_is_parallel_writeable(pop_tensor t);
/* Whether the tensors share an element. */
POP_API bool pop_tensor_intersects(pop_tensor a, pop_tensor b);
/* Maximal runs of flattened elements that are consecutive in one variable: intervals of t, in order; *regions is
 * malloc'ed (free it). */
POP_API size_t pop_tensor_contiguous_regions(pop_tensor t, pop_interval **regions);
/* The runs of pop_tensor_contiguous_regions as ranges of variables; *regions is malloc'ed (free it). */
POP_API size_t pop_tensor_var_regions(pop_tensor t, pop_variable_interval **regions);
/* The value of a tensor whose elements are all constants and equal, converted to double or int64; false for other
 * tensors. */
POP_API bool pop_tensor_constant_double(pop_tensor t, double *value);
/* The value of a tensor whose elements are all constants and equal, as an integer; false for other tensors. */
POP_API bool pop_tensor_constant_int64(pop_tensor t, int64_t *value);
/* "{3,4}"; returns the length, the buffer is always terminated. */
POP_API size_t pop_tensor_shape_to_string(pop_tensor t, char *buffer, size_t size);
/* "a[0:4],b[3:5]" after type and shape: the variables' debug names and ranges. */
POP_API size_t pop_tensor_to_string(pop_tensor t, char *buffer, size_t size);

/* ---- views: errors are index_error (a bound) or poplar_error (shapes) with the user's line ---- */
#define pop_tensor_at(...) pop_tensor_at_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_tensor_at_at(pop_where where, pop_tensor t, size_t index); /* t[index]; drops dimension 0 */
#define pop_tensor_index(...) pop_tensor_index_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_tensor_index_at(pop_where where, pop_tensor t, pop_shape indices); /* drops the leading dims */
#define pop_tensor_slice(...) pop_tensor_slice_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_tensor_slice_at(pop_where where, pop_tensor t, size_t begin, size_t end,
                                       unsigned dim); /* [begin, end) of dim */
/* Elements of the interval along dim; index_error if it is not within the tensor. */
#define pop_tensor_slice_interval(...) pop_tensor_slice_interval_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_tensor_slice_interval_at(pop_where where, pop_tensor t, pop_interval interval, unsigned dim);
#define pop_tensor_slice_nd(...) pop_tensor_slice_nd_at(POP_HERE, __VA_ARGS__)
/* slice(begins, ends): one pair for each of the leading dimensions. */
POP_API pop_tensor pop_tensor_slice_nd_at(pop_where where, pop_tensor t, pop_shape begins, pop_shape ends);
#define pop_tensor_slices(...) pop_tensor_slices_at(POP_HERE, __VA_ARGS__)
/* One slice per interval, to slices[0 .. intervals.count).  False when one failed. */
POP_API bool pop_tensor_slices_at(pop_where where, pop_tensor t, pop_interval_list intervals, unsigned dim,
                                  pop_tensor *slices);
#define pop_tensor_slices_nested(...) pop_tensor_slices_nested_at(POP_HERE, __VA_ARGS__)
/* One tensor per inner list: its slices concatenated. */
POP_API bool pop_tensor_slices_nested_at(pop_where where, pop_tensor t, const pop_interval_lists *lists, unsigned dim,
                                         pop_tensor *slices);
#define pop_tensor_slices_indices(...) pop_tensor_slices_indices_at(POP_HERE, __VA_ARGS__)
/* One slice of extent 1 per index. */
POP_API bool pop_tensor_slices_indices_at(pop_where where, pop_tensor t, pop_dims indices, unsigned dim,
                                          pop_tensor *slices);
/* The tensor with one dimension, in row-major order. */
#define pop_tensor_flatten(...) pop_tensor_flatten_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_tensor_flatten_at(pop_where where, pop_tensor t);
#define pop_tensor_flatten_dims(...) pop_tensor_flatten_dims_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_tensor_flatten_dims_at(pop_where where, pop_tensor t, unsigned begin,
                                              unsigned end); /* dims [begin, end) */
/* The elements in another shape, in row-major order; their number must be the same. */
#define pop_tensor_reshape(...) pop_tensor_reshape_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_tensor_reshape_at(pop_where where, pop_tensor t, pop_shape shape);
/* Replaces the dimensions from begin up to end by dims, which have as many elements together. */
#define pop_tensor_reshape_partial(...) pop_tensor_reshape_partial_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_tensor_reshape_partial_at(pop_where where, pop_tensor t, unsigned begin, unsigned end,
                                                 pop_shape dims);
#define pop_tensor_dim_shuffle(...) pop_tensor_dim_shuffle_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_tensor_dim_shuffle_at(pop_where where, pop_tensor t,
                                             pop_dims permutation); /* new dim i is old permutation[i] */
#define pop_tensor_dim_shuffle_partial(...) pop_tensor_dim_shuffle_partial_at(POP_HERE, __VA_ARGS__)
/* Moves dims source[i] to positions destination[i]; the other dims keep their order in the remaining positions. */
POP_API pop_tensor pop_tensor_dim_shuffle_partial_at(pop_where where, pop_tensor t, pop_dims source,
                                                     pop_dims destination);
/* Moves a dimension to another place; the others keep their order. */
#define pop_tensor_dim_roll(...) pop_tensor_dim_roll_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_tensor_dim_roll_at(pop_where where, pop_tensor t, unsigned dim, unsigned new_index);
#define pop_tensor_transpose(...) pop_tensor_transpose_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_tensor_transpose_at(pop_where where, pop_tensor t); /* reverses the order of the dims */
#define pop_tensor_expand(...) pop_tensor_expand_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_tensor_expand_at(pop_where where, pop_tensor t,
                                        pop_dims dims); /* a 1 before each of these input dims */
#define pop_tensor_squeeze(...) pop_tensor_squeeze_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_tensor_squeeze_at(pop_where where, pop_tensor t,
                                         pop_dims dims); /* removes these dims of extent 1 */
#define pop_tensor_broadcast(...) pop_tensor_broadcast_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_tensor_broadcast_at(pop_where where, pop_tensor t, unsigned times,
                                           unsigned dim); /* t, times over, along dim */
/* Makes each element along dim `scale` elements. */
#define pop_tensor_upsample(...) pop_tensor_upsample_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_tensor_upsample_at(pop_where where, pop_tensor t, unsigned scale, unsigned dim,
                                          pop_upsample_method method);
/* Every stride-th element along dim, beginning with the first. */
#define pop_tensor_sub_sample(...) pop_tensor_sub_sample_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_tensor_sub_sample_at(pop_where where, pop_tensor t, unsigned stride, unsigned dim);
/* The elements along dim in reverse order. */
#define pop_tensor_reverse(...) pop_tensor_reverse_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_tensor_reverse_at(pop_where where, pop_tensor t, unsigned dim);
#define pop_tensor_reinterpret(...) pop_tensor_reinterpret_at(POP_HERE, __VA_ARGS__)
/* The elements' bits as another type of the same size; type_error otherwise. */
POP_API pop_tensor pop_tensor_reinterpret_at(pop_where where, pop_tensor t, pop_type type);
#define pop_tensor_concat(...) pop_tensor_concat_at(POP_HERE, __VA_ARGS__)
/* Concatenates along dim; the other dims and all types must be equal. An empty list is an error (it has no type). */
POP_API pop_tensor pop_tensor_concat_at(pop_where where, pop_tensors tensors, unsigned dim);
#define pop_tensor_append(...) pop_tensor_append_at(POP_HERE, __VA_ARGS__)
/* Appends b to a along dimension dim of a; b has one dimension less. */
POP_API pop_tensor pop_tensor_append_at(pop_where where, pop_tensor a, pop_tensor b, unsigned dim);

/* ---- metadata of 8-bit floats (metadata.h) ---- */
/* Whether the tensor has metadata: QUARTER tensors have. */
POP_API bool pop_tensor_has_metadata(pop_tensor t);
/* The metadata of a QUARTER tensor, of shape {}; tensor_metadata_error for other types. */
#define pop_tensor_get_metadata(...) pop_tensor_get_metadata_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_tensor_get_metadata_at(pop_where where, pop_tensor t);
/* Makes the variables of a QUARTER tensor share a metadata element from now on, for all of their views; returns t. */
#define pop_tensor_associate_metadata(...) pop_tensor_associate_metadata_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_tensor_associate_metadata_at(pop_where where, pop_tensor t, pop_tensor metadata);

POP_END_DECLS
#endif
