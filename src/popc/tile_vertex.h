/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices whose code on a tile is in assembly: linking their code, and running it on a vertex's fields.
 *
 * A run copies the state and the fields from host memory into the memory of a tile, in the device's layout, executes
 * the vertex's workers or its supervisor (tile/machine.h), and copies back what the fields allow. */
#ifndef POPC_TILE_VERTEX_H
#define POPC_TILE_VERTEX_H

#include "popc/module/codelet.h"
#include "popc/module/device_code.h"

#include "base/str.h"
#include "tile/machine.h"

/* Linked code of a vertex type. Threads can share it: each run uses a tile of its own. */
struct tile_vertex;

/* NULL when no module has an object with the vertex's label (then *missing is true), or its code cannot be linked; with
 * the reason. */
struct tile_vertex *tile_vertex_link(const struct codelet *codelet, struct module *const *modules, size_t count,
                                     enum device_arch arch, bool *missing, struct str *why);
void tile_vertex_free(struct tile_vertex *vertex);
/* Whether its code draws random numbers or sets their state. */
bool tile_vertex_is_random(const struct tile_vertex *vertex);
/* Appends the label of a vertex type: "__runCodelet_popops__Fill___float" for "popops::Fill<float>". */
void tile_vertex_label(const char *type, struct str *label);

/* Whether it loads weights, or uses them. */
bool tile_vertex_has_weights(const struct tile_vertex *vertex);

/* The tile whose vertices of this type TREMULA_TILE_TRACE=TYPE:TILE traces; -2: all tiles, -1: none. */
long tile_vertex_traced(const char *type);
/* Traces what a tile does from now on if `traced` is -2 or the tile's number, else no longer. */
struct tile;
void tile_vertex_trace(struct tile *tile, const struct codelet *codelet, long traced, uint32_t number);

/* The sizes of a type's code: bytes are those of the section with its label, shared_bytes of the others that it
 * reaches; the stack is what DEF_STACK_USAGE declares for the label. *module has the label. False where
 * tile_vertex_link gives NULL. */
bool tile_vertex_code(const struct codelet *codelet, struct module *const *modules, size_t count, enum device_arch arch,
                      struct device_code *code, const struct module **module);

struct tile_vertex_run {
    unsigned char *state;       /* in the host's layout */
    const uint64_t *edge_bytes; /* as image.h has them: in field order, for each edge its bytes; a field with a table
                                   has its number of entries, then the bytes of each */
    const uint32_t *addresses;  /* of edge_bytes, as image.edge_addresses; NULL: the run chooses them */
    uint32_t fp_ictl;           /* floating-point control of the workers */
    uint32_t tile;              /* number of the vertex's tile; UINT32_MAX: not known */
    uint64_t (*random)[2];      /* states of the workers' random numbers, kept for the next vertex; NULL: seeds */
    uint64_t seed;              /* of the workers' random numbers */
    uint64_t *weights;          /* TILE_WEIGHTS words of the tile, kept for the next vertex; NULL: what there is */
    bool counts;                /* lines are counted: tile_vertex_lines */
    bool checked;               /* accesses outside of the fields end the run */
    uint64_t max_slots;         /* 0: the default */
    /* results */
    bool agreed;     /* compute() would have returned true */
    uint64_t cycles; /* of a worker for worker codelets, else of the tile */
    char text[480];  /* of a run that failed */
    char file[128];  /* the line of the instruction that failed; "" when it is not known */
    int line;
};
bool tile_vertex_run(struct tile_vertex *vertex, struct tile_vertex_run *run);
/* Calls back for the lines of all runs that counted them. No run is in progress. */
void tile_vertex_lines(const struct tile_vertex *vertex, tile_line_callback callback, void *user);

#endif
