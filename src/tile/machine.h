/* SPDX-License-Identifier: Apache-2.0 */
/* Interpreter of a tile: six workers and a supervisor over the tile's memory (docs/reference/tile-isa.md, 1 and 2).
 * A tile is used by one thread; its program can be shared. */
#ifndef TILE_MACHINE_H
#define TILE_MACHINE_H

#include "tile/isa.h"

#include "base/vec.h"

struct tile;
struct tile_program;

enum tile_exception {
    TILE_NONE = 0,
    TILE_PBRK0 = 2,
    TILE_PBRK1 = 3,
    TILE_FP = 5,
    TILE_CONFLICT = 6,
    TILE_INVALID_ADDR = 8,
    TILE_INVALID_OP = 9,
    TILE_INVALID_PC = 10,
    TILE_INVALID_INSTR = 12,
    TILE_LIMIT = 100,  /* of this interpreter: more slots than allowed */
    TILE_OUTSIDE = 101 /* of this interpreter: an access outside of what the vertex may access */
};

struct tile_fault {
    enum tile_exception code;
    uint32_t pc, address; /* address: of the access, else 0 */
    uint32_t first;       /* of a conflict: the address of the first access; address is that of the second */
    unsigned context;     /* worker, or TILE_WORKERS for the supervisor */
    char text[200];
};

enum tile_permission { TILE_MAY_READ = 1, TILE_MAY_WRITE = 2 };

/* Called before each step that is traced, and with a NULL line after the last one. */
struct tile_tracer {
    void (*trace)(void *user, const char *line);
    void *user;
};

/* The tile's memory has the program's code and data; everything else is zero. NULL without host memory. */
struct tile *tile_create(const struct tile_program *program);
void tile_free(struct tile *tile);
/* Bytes of the tile's memory at an address; NULL when they are not all memory. */
unsigned char *tile_memory(struct tile *tile, uint32_t address, uint32_t bytes);
/* Checks all accesses against permissions, which begin empty; false without host memory. */
bool tile_watch(struct tile *tile, bool watch);
void tile_allow(struct tile *tile, uint32_t address, uint32_t bytes, unsigned permissions);

/* Host memory that stands at addresses of the tile, in or outside of its memory: accesses go to the host's. */
struct tile_window {
    unsigned char *host;
    uint32_t address, bytes;
    uint32_t behind; /* bytes behind it that may be loaded */
    bool writable;
};
struct tile_windows {
    VEC(struct tile_window) list;
};
/* The windows must outlive their use; NULL: none. */
void tile_use_windows(struct tile *tile, const struct tile_windows *windows);
void tile_trace(struct tile *tile, const struct tile_tracer *tracer);
/* Counts how often each word's step is executed; the array has a number for each word of the code. NULL: not. */
void tile_count(struct tile *tile, uint64_t *executed);
/* Calls back for each line of the source that a program's counted steps come from, as often as it has such steps. */
struct tile_line_count {
    const char *file;
    uint32_t line;
    uint64_t executions, slots; /* issue slots */
};
typedef void (*tile_line_callback)(void *user, const struct tile_line_count *count);
void tile_counted_lines(const struct tile_program *program, const uint64_t *executed, tile_line_callback callback,
                        void *user);
/* A run that takes more issue slots of one context ends with TILE_LIMIT. */
void tile_limit(struct tile *tile, uint64_t slots);

/* Registers of a context: m0 to m15 are 0 to 15, a0 to a15 are 32 to 47. */
uint32_t tile_register(const struct tile *tile, unsigned context, unsigned place);
void tile_set_register(struct tile *tile, unsigned context, unsigned place, uint32_t value);
/* FP_ICTL: what a worker's FP_CTL is when it starts. */
void tile_set_fp_ictl(struct tile *tile, uint32_t value);
void tile_set_prng(struct tile *tile, unsigned worker, uint64_t s0, uint64_t s1);
void tile_get_prng(const struct tile *tile, unsigned worker, uint64_t *s0, uint64_t *s1);
void tile_set_scratch(struct tile *tile, unsigned worker, uint32_t address);

/* The weights of AMP and SLIC, which all workers share. */
enum { TILE_WEIGHTS = 64 };
void tile_set_weight(struct tile *tile, unsigned word, uint64_t bits);
void tile_set_weights(struct tile *tile, const uint64_t words[TILE_WEIGHTS]);
void tile_get_weights(const struct tile *tile, uint64_t words[TILE_WEIGHTS]);

/* Sets the contexts' registers and accumulators, which a vertex must not rely on: to zero, or to values that show. */
void tile_clear_contexts(struct tile *tile, bool poison);
void tile_set_id(struct tile *tile, uint32_t id);

struct tile_result {
    bool agreed;             /* no worker ended with false */
    uint64_t slots;          /* of the worker that took longest */
    uint64_t cycles;         /* of the supervisor, with what it waited */
    struct tile_fault fault; /* code is TILE_NONE when the run ended well */
};
/* Runs one worker (`workers` 1, on context 0) or all six from an entry to their end. */
bool tile_run_workers(struct tile *tile, uint32_t entry, uint32_t vertex, unsigned workers, struct tile_result *result);
/* Makes a tile go on with another program of the same architecture; contexts keep their state. */
void tile_switch(struct tile *tile, const struct tile_program *program);
/* Sets the floating-point state of all contexts as at the start of a vertex. */
void tile_begin_vertex(struct tile *tile, uint32_t vertex);
/* Runs one worker from an entry to its exit, as it is: registers and floating-point state stay. */
bool tile_go_on(struct tile *tile, unsigned worker, uint32_t entry, struct tile_result *result);
/* Calls a function of supervisor code with m0 = argument, m11 = stack; ends when it returns and no worker runs. */
bool tile_run_supervisor(struct tile *tile, uint32_t entry, uint32_t argument, uint32_t stack,
                         struct tile_result *result);

#endif
