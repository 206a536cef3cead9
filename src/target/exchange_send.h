/* SPDX-License-Identifier: Apache-2.0 */
/* Sends the data of an exchange, event by event (docs/decisions/0004-exchange-rule.md). */
#ifndef TARGET_EXCHANGE_SEND_H
#define TARGET_EXCHANGE_SEND_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define EXCHANGE_NONE UINT32_MAX

/* A message, as its receiver sees it. */
struct exchange_receipt {
    uint32_t to : 24;
    uint32_t piece : 1;  /* of a copy: it waits for no other */
    uint32_t begins : 1; /* a row of the receiver's memory */
    uint32_t received : 1;
    uint32_t transmission;
    uint32_t prior, next; /* of the receiver's sequence; EXCHANGE_NONE at its ends, and for a piece of a copy */
};
/* Data that one tile sends to one or more: listed[first .. first + count) are the receipts that are to come.  A sender
 * has its own one after the other, in the order in which it sends them if it can. */
struct exchange_transmission {
    uint64_t cycles : 40;
    uint64_t from : 24;
    union {
        uint64_t order;   /* among those of its sender, until they are sorted */
        uint64_t blocked; /* until this cycle some receiver is not free */
    };
    uint32_t first, count;
    bool ready; /* a receiver waits for it; at first: of a piece of a copy */
};
struct exchange_receiver {
    uint32_t tile, receipt; /* receipt: EXCHANGE_NONE for a piece of a copy */
};
struct exchange_port {
    uint64_t sends_until, receives_until, end;
    uint64_t wake;       /* when the tile tries to send next; EXCHANGE_ASLEEP */
    VEC(uint32_t) ready; /* transmissions that a receiver waits for: the first few in order, then a heap */
    uint32_t last;       /* receipt; EXCHANGE_NONE */
    uint32_t listed;     /* the last transmission that it receives */
    uint32_t head, tail; /* of the sequence of what the tile receives */
    uint32_t follows;
    bool touched, begins;
};
#define EXCHANGE_ASLEEP UINT64_MAX

struct exchange_traffic {
    struct exchange_port *ports; /* of each tile */
    VEC(struct exchange_receipt) receipts;
    VEC(struct exchange_transmission) transmissions;
    VEC(struct exchange_receiver) listed;
    VEC(uint64_t) events; /* a heap: cycle and tile */
};

/* Sends all transmissions, from cycle 0 on; sets end and follows of the ports.  Tiles are numbered below
 * EXCHANGE_MAX_TILES; all messages together have at most EXCHANGE_MAX_CYCLES.  What is read for a sender is contiguous,
 * and for a piece of a copy nothing of its receipt: copies of a million pieces wait for memory otherwise. */
void exchange_send(struct exchange_traffic *traffic);
#define EXCHANGE_MAX_TILES  ((uint32_t)1 << 24)
#define EXCHANGE_MAX_CYCLES ((uint64_t)1 << 39)

#endif
