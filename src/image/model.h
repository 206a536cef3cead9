/* SPDX-License-Identifier: Apache-2.0 */
/* The program as the modelled machine runs it: a tree of steps, what each step costs on each tile, and what is in the
 * memory of each tile. It is part of the image, so that an executable brings its profile along.  Profiles
 * (docs/reports/profiling.md) are writers over this and over a trace of what was run.
 *
 * Tables by tile are runs: neighbouring tiles with equal figures share an entry, tiles without any have none; entries
 * are in order of tile. Tiles are numbered through all IPUs of the target.  Names are strings of the image; 0 is none.
 */
#ifndef IMAGE_MODEL_H
#define IMAGE_MODEL_H

#include "base/vec.h"

enum model_kind {
#define MODEL_KIND(constant, tag) MODEL_##constant,
#include "image/model_kinds.def"
#undef MODEL_KIND
    MODEL_KINDS
};
/* What the middle of a stream copy moves: between the host's streams, remote buffers, or both. */
enum model_stream { MODEL_STREAM_HOST = 0, MODEL_STREAM_REMOTE, MODEL_STREAM_MIXED };
/* Internal: within each IPU.  External: of all IPUs and the host. */
enum model_sync { MODEL_SYNC_INTERNAL = 0, MODEL_SYNC_EXTERNAL };

/* A step; an entry of the profile's programs.  index: EXECUTE: of sets; EXCHANGE: exchanges; GLOBAL_EXCHANGE:
 * global_exchanges; STREAM_COPY: host_exchanges; CALL: functions.  detail: STREAM_COPY: enum model_stream; SYNC: enum
 * model_sync.  Children: the entries of model.children; IF has its then, IF_ELSE then and else, SWITCH its cases in
 * order and its default last, REPEAT its body, REPEAT_WHILE condition and body. */
enum model_mark {
    MODEL_NO_MARK = 0,
    MODEL_BLOCK,       /* a SEQUENCE: a block of lightweight profiling, with its stamps as its first and last child */
    MODEL_BLOCK_BEGIN, /* an EXECUTE: the stamp at its begin, at its end */
    MODEL_BLOCK_END,
    MODEL_BLOCK_FLUSH, /* a STREAM_COPY: buffers go to the host */
    MODEL_MARKS
};
struct model_step {
    uint8_t kind, detail;
    uint8_t mark; /* enum model_mark */
    uint32_t name, index;
    uint32_t first_child, children;
    uint32_t program; /* of the graph, that it comes from: index + 1, 0 for none */
};

/* A compute set, the compiler's own included, on tiles [tile, tile + tiles): cycles with and without idle threads
 * (docs/reference/ipu-model.md, 2.1). */
struct model_part {
    uint32_t tile, tiles;
    uint64_t cycles, active;
};
/* Adds a tile's cycles to the last part, if that is equal and beside it. */
static inline bool model_part_joins(struct model_part *last, const struct model_part *part)
{
    bool joins = last->tile + last->tiles == part->tile && last->cycles == part->cycles && last->active == part->active;
    last->tiles += joins ? part->tiles : 0;
    return joins;
}
/* Its vertices of one type; flops: floating-point operations of one execution, of vertices that have an estimate. */
struct model_share {
    uint32_t type, vertices;
    uint64_t active, flops;
};
/* Vertices of a type in a set, on each of tiles [tile, tile + tiles). */
struct model_count {
    uint32_t set, type, tile, tiles, vertices;
};
/* missing_estimate: a vertex type without an estimate; the set's cycles are then 0. */
struct model_set {
    uint32_t name, missing_estimate, parts, shares;
    uint64_t first_part, first_share;
    uint32_t set; /* of the graph: index + 1, 0: the compiler's own */
};
/* Where cycles of vertices come from: all from the program and its libraries; counted from the device's code (some
 * vertices of the type at least); guessed from its size, where it cannot be counted. */
/* MODEL_COUNTED: on data that is zero; MODEL_EXECUTED: likewise, but counted again whenever it runs. */
enum model_estimate { MODEL_GIVEN = 0, MODEL_COUNTED, MODEL_GUESSED, MODEL_EXECUTED, MODEL_ESTIMATES };
/* A vertex type in use; bytes of one vertex's state on the device; enum model_estimate. */
struct model_type {
    uint32_t name, state_bytes;
    uint8_t estimate;
};

enum model_instruction {
#define MODEL_INSTRUCTION(constant, name) MODEL_##constant##_INSTRUCTION,
#include "image/model_instructions.def"
#undef MODEL_INSTRUCTION
    MODEL_INSTRUCTIONS
};
/* An exchange on tiles [tile, tile + tiles): bytes and cycles of each, bytes of its code, packets (host exchanges). */
struct model_flow {
    uint32_t tile, tiles;
    uint64_t sent, received, cycles;
    uint32_t code_bytes, packets;
};
/* instructions: bytes of code of each kind, over all tiles (internal exchanges). */
struct model_exchange {
    uint32_t name, flows;
    uint64_t first_flow;
    uint64_t from_host, to_host; /* packets of a stream copy, each of which is a copy in the code of its tile */
    uint64_t instructions[MODEL_INSTRUCTIONS];
};

enum model_category {
#define MODEL_CATEGORY(constant, name) MODEL_##constant##_CATEGORY,
#include "image/model_categories.def"
#undef MODEL_CATEGORY
    MODEL_CATEGORIES
};
enum model_region { MODEL_NON_INTERLEAVED = 0, MODEL_INTERLEAVED, MODEL_OVERFLOWED, MODEL_REGIONS };
/* One tile's memory: bytes used in each region, the same up to the last used byte, and bytes from the start of memory
 * to the last used one. always_live and max_live: bytes live all the time, and at most beside them. */
struct model_tile {
    uint64_t bytes[MODEL_REGIONS], with_gaps[MODEL_REGIONS];
    uint64_t total_with_gaps, always_live, max_live;
};
/* Bytes of one category in one region, by tile.  ALONE: addresses that nothing else has.  OVERLAPPED: bytes that share
 * addresses with others at other times, each counted.  SHARED: the addresses of these, counted once, of MULTIPLE where
 * several categories share one.  ALONE and SHARED of all categories add up to a tile's bytes. */
enum model_overlap { MODEL_ALONE = 0, MODEL_OVERLAPPED, MODEL_SHARED, MODEL_OVERLAPS };
struct model_use {
    uint8_t category, region, overlapped /* enum model_overlap */;
    uint32_t tile, tiles;
    uint64_t bytes;
};
/* Vertices of a set, or of a type, by tile (the guide, Memory by compute set). */
struct model_vertices {
    uint32_t of, tile, tiles;
    uint64_t code, copy_pointers, descriptors, edge_pointers, padding, vertex_data;
};
/* Variables of one name that are live together, over all tiles. */
struct model_live {
    uint32_t name;
    uint64_t bytes;
};
/* A set of them, in order of name: entries [first, first + count) of model.live. */
struct model_live_list {
    uint64_t first;
    uint32_t count;
    uint64_t bytes;
};
/* A vertex of a program's set, and what it takes (tile cycles). */
struct model_vertex {
    uint32_t set, type;
    uint64_t cycles;
};
/* A fact about the compilation (optimizationInfo). */
struct model_metric {
    uint32_t name;
    double value;
};

struct model {
    /* steps */
    VEC(struct model_step) steps;
    VEC(uint32_t) children; /* of steps */
    VEC(uint32_t)
    controls; /* control programs: the first step of each; one tree when several programs share a Switch (see entry) */
    VEC(uint32_t) functions; /* of CALL */
    VEC(uint32_t)
    entry; /* leaf steps that every run begins with: how the host says which of several programs to run; else empty */
    VEC(uint32_t)
    blocks; /* lightweight profiling: how many records a tile's buffer holds, then the tiles that record; empty: none */
    VEC(uint32_t) op_first; /* by op of the image, and one more: its first entry of op_steps */
    VEC(uint32_t) op_steps; /* leaf steps that an execution of the op runs, in order */
    /* costs */
    VEC(struct model_type) types;
    VEC(struct model_set) sets;
    VEC(struct model_part) parts;
    VEC(struct model_share) shares;
    VEC(struct model_count) counts;    /* by set; of one set and type by tile */
    VEC(struct model_vertex) vertices; /* by set; only with debug.computeInstrumentationLevel vertex */
    VEC(struct model_exchange) exchanges;
    VEC(struct model_exchange) global_exchanges;
    VEC(struct model_exchange) host_exchanges;
    VEC(struct model_flow) flows; /* of all three */
    VEC(uint64_t) graph_counts;   /* compute sets, edges, variables, vertices */
    VEC(struct model_metric) metrics;
    /* memory */
    VEC(struct model_tile) tiles;
    VEC(struct model_use) uses;               /* by category, region, overlapped, tile */
    VEC(struct model_vertices) set_vertices;  /* by set, tile */
    VEC(struct model_vertices) type_vertices; /* by type, tile */
    VEC(struct model_live) live;
    VEC(struct model_live_list) live_lists; /* [0] is what is always live */
    VEC(uint32_t) step_live;                /* by step: index of live_lists, 0 for steps that have none */
};

void model_free(struct model *model);
/* The index of the first of a set's vertices; where it has none, or vertices are not kept, that of the next set's. */
size_t model_first_vertex(const struct model *model, uint32_t set);

#endif
