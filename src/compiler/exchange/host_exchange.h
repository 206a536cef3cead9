/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between tiles and the host, as host exchanges of the model. */
#ifndef COMPILER_EXCHANGE_HOST_EXCHANGE_H
#define COMPILER_EXCHANGE_HOST_EXCHANGE_H

#include "compiler/common/owners.h"
#include "compiler/common/tables.h"
#include "compiler/exchange/marks.h"

/* One exchange being collected; a new one begins when an IPU has as much as one stream copy may move. */
struct host_exchange {
    struct compiler *c;
    struct owners *owners;
    const char *name;
    struct host_tile {
        uint64_t sent, received;
        uint32_t packets;
        uint32_t part;  /* whose last piece may go on; 0: none */
        uint64_t piece; /* bytes of it */
    } * tiles;
    struct marks arranged; /* elements of a view that the host arranges */
    uint32_t part;         /* number of the latest part: one of a variable, of one view */
    VEC(uint32_t) touched;
    uint64_t *ipu_bytes, *ipu_packets; /* by IPU */
    uint64_t from_host, to_host;       /* packets */
    bool remote;                       /* what is added is of a remote buffer: neither from the host nor to it */
    VEC(uint32_t) made;                /* indices of model.host_exchanges */
};
void host_exchange_init(struct host_exchange *host, struct compiler *c, struct owners *owners);
void host_exchange_free(struct host_exchange *host);
/* A view that goes to the host, or comes from it. */
void host_exchange_add(struct host_exchange *host, const struct view *view, bool to_host);
/* A view that the host arranges: its elements go in the order of the tiles' memory, so that what a tile has of a
 * variable is one piece, however the view mixes it. */
void host_exchange_add_arranged(struct host_exchange *host, const struct view *view, bool to_host);
/* Adds bytes that tiles take in equal shares of at least a packet, in the tensor's order: what is at a byte is on the
 * tile of its share. */
void host_exchange_add_shares(struct host_exchange *host, uint64_t bytes, bool to_host);
uint64_t host_exchange_share(const pop_target *target, uint64_t bytes);
/* So many bytes from the host to a tile, in packets. */
/* Bytes of a grain, which is a packet, to the tile that takes it in; first: they are the first of it. */
void host_exchange_grain(struct host_exchange *host, uint32_t tile, uint64_t bytes, bool first);
void host_exchange_word(struct host_exchange *host, uint32_t tile, uint64_t bytes, uint32_t packets);
/* So many bytes from a tile to the host. */
void host_exchange_to_host(struct host_exchange *host, uint32_t tile, uint64_t bytes);
/* Between these, what is added belongs together: host->made has the exchanges then, at least one (of nothing, perhaps).
 */
void host_exchange_begin(struct host_exchange *host, const char *name);
void host_exchange_end(struct host_exchange *host);

#endif
