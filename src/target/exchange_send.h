/* SPDX-License-Identifier: Apache-2.0 */
/* Sends the data of an exchange, event by event (docs/decisions/0004-exchange-rule.md).  What is read for a message is
 * in as few cache lines as possible: an exchange of a million pieces waits for memory otherwise
 * (docs/decisions/0022-memory-of-networks.md). */
#ifndef TARGET_EXCHANGE_SEND_H
#define TARGET_EXCHANGE_SEND_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define EXCHANGE_NONE UINT32_MAX
/* Of what its receivers wait for, a sender looks at this many.  Taken from tutorial 6's listing of ipu2, the only
 * published exchange of many scattered pieces (docs/decisions/0004). */
enum { EXCHANGE_LOOK = 3 };

/* A message, as its receiver sees it. */
struct exchange_receipt {
    uint32_t to : 24;
    uint32_t piece : 1;  /* of a copy: it waits for no other */
    uint32_t begins : 1; /* a row of the receiver's memory */
    uint32_t received : 1;
    uint32_t transmission;
    uint32_t prior, next; /* of the receiver's sequence; EXCHANGE_NONE at its ends, and for a piece of a copy */
};
/* Data that one tile sends to one or more: listed[first .. first + count) are to come.  A sender has its own one after
 * the other, in the order in which it sends them if it can. */
struct exchange_transmission {
    uint64_t cycles : 40;
    uint64_t from : 24;
    union {
        uint64_t order;   /* among those of its sender, until they are sorted */
        uint64_t blocked; /* until this cycle some receiver is not free */
    };
    uint32_t first, count;
    uint32_t only; /* the tile of its only receiver; EXCHANGE_NONE: there are several */
    bool ready;    /* a receiver waits for it */
    bool piece;    /* of a copy */
};
struct exchange_listed {
    uint32_t tile, receipt; /* receipt: EXCHANGE_NONE for a piece of a copy */
};
struct exchange_looked {
    uint32_t transmission, only;
};
/* What a tile sends. */
struct exchange_sender {
    uint64_t until;                               /* it sends until this cycle */
    uint64_t wake;                                /* when it tries to send next; EXCHANGE_ASLEEP */
    struct exchange_looked looked[EXCHANGE_LOOK]; /* the first that receivers wait for, in order, then EXCHANGE_NONE */
    uint32_t next, end;                           /* others: pieces of which nothing was sent */
    VEC(uint32_t) behind;                         /* a heap of all that are left */
};
#define EXCHANGE_ASLEEP UINT64_MAX
/* What a tile receives. */
struct exchange_receiver {
    uint64_t until;      /* it receives until this cycle */
    uint32_t last;       /* receipt; EXCHANGE_NONE */
    uint32_t follows;    /* receipts directly after the one before of the same row */
    uint32_t head, tail; /* of the sequence of its receipts */
    uint32_t listed;     /* the last transmission that it receives */
    bool begins;         /* a row with the next message */
    bool touched;        /* it receives or sends something */
};

struct exchange_traffic {
    struct exchange_sender *senders;     /* by tile */
    struct exchange_receiver *receivers; /* by tile */
    VEC(struct exchange_receipt) receipts;
    VEC(struct exchange_transmission) transmissions;
    VEC(struct exchange_listed) listed;
    VEC(uint64_t) events; /* a heap: cycle and tile */
};

/* Sends all transmissions, from cycle 0 on; sets until and follows of senders and receivers.  Tiles are numbered below
 * EXCHANGE_MAX_TILES; all messages together have at most EXCHANGE_MAX_CYCLES. */
void exchange_send(struct exchange_traffic *traffic);
#define EXCHANGE_MAX_TILES  ((uint32_t)1 << 24)
#define EXCHANGE_MAX_CYCLES ((uint64_t)1 << 39)

#endif
