/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices whose code on a tile is in assembly: they run in the interpreter of a tile (popc/tile_vertex.h). */
#ifndef ENGINE_EXTERNAL_H
#define ENGINE_EXTERNAL_H

#include "image/image.h"
#include "popc/popc.h"
#include "popc/tile_vertex.h"

#include <pthread.h>

struct externals;
/* What a call needs to know besides its codelet_call. */
struct external_call {
    struct tile_vertex *vertex;
    const struct image *image;
    const struct image_set *set;
    uint64_t first; /* vertex of the set that call->states belongs to */
    bool checked;
    uint64_t (*random)[2]; /* of the replica: six workers of each tile; NULL: no code draws random numbers */
    bool counts;           /* lines are counted for the report */
    uint64_t *counted;     /* by vertex of the set: adds the cycles that it took; NULL: nobody asks */
    /* of C++ codelets with inline assembly or functions in assembly */
    struct tile_calls *calls;
    struct tile_call *assembler; /* the tile of this thread; NULL until the first statement */
    const void *assembled;       /* the vertex that it has */
    const struct codelet *codelet;
    struct tile_weights *weights; /* of the replica, by tile; NULL: no code has any */
    uint64_t turn;                /* of the set that runs: counts the sets */
    uint64_t words[TILE_WEIGHTS]; /* of the vertex that has begun */
};

/* What a tile's vertices loaded for the AMP and SLIC units. The vertices of one set, which threads share, all begin
 * with what there was before it; the last one that loads any, in the order of vertices, counts. */
struct tile_weights {
    pthread_mutex_t lock;
    uint64_t turn, vertex; /* that loaded `now` */
    uint64_t before[TILE_WEIGHTS], now[TILE_WEIGHTS];
};
/* Weights of all tiles, zero; NULL when no code has any. The caller frees them. */
struct pop_engine;
struct tile_weights *externals_weights(const struct pop_engine *engine);

/* Links the assembly code of the image's external vertex types; link_error when it cannot be linked. A type without a
 * label in any object runs its compute in C++, and is warned of. *externals is NULL when there is none. */
pop_status externals_link(const struct image *image, const char *api, struct externals **externals, pop_error *error);
/* What inline assembly in the image's codelets, and calls of functions in assembly, need; NULL when there are none. */
struct tile_calls *externals_calls(const struct image *image);
void externals_free(struct externals *externals);
/* NULL when the codelet (an index of the image) runs its compute. */
struct tile_vertex *external_of(const struct externals *externals, uint32_t codelet);
/* States of the random numbers of all workers of all tiles; NULL when no code draws any. The caller frees them. */
uint64_t (*externals_random(const struct externals *externals, const struct image *image, uint64_t seed))[2];
/* Whether a replica's run is captured in a report. */
struct replica;
bool external_counts(const struct pop_engine *engine, const struct replica *replica);
/* codelet_call.assemble: call is the first member of an execute_frame. */
void external_assemble(struct codelet_call *call, struct popc_assembly *assembly);
/* Records what the vertices of a set took, which the op executed. */
struct engine_run;
void external_book(struct engine_run *run, const struct image_set *set, uint32_t op);
/* Writes the lines of assembly that captured runs executed to the engine's report. No run is in progress. */
void external_report(const struct pop_engine *engine);
/* Gives the thread's tile back. */
void external_end(struct external_call *external);
/* The run function of such vertices: call is the first member of an execute_frame. */
bool external_run(struct codelet_call *call);

#endif
