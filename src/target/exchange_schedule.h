/* SPDX-License-Identifier: Apache-2.0 */
/* The static schedule of an exchange (docs/decisions/0004-exchange-rule.md).  A tile receives the messages of a compute
 * set in the order of its requests; each sender sends, of what its receivers wait for, the first message whose waiting
 * receivers are free.  Data with several receivers are sent once to all that are free, two words a cycle if both tiles
 * of each of their buses receive them. */
#ifndef TARGET_EXCHANGE_SCHEDULE_H
#define TARGET_EXCHANGE_SCHEDULE_H

#include <poplar/target.h>

/* Exchanges of more messages, or of more words than any machine holds, are not scheduled: every end is 0, so a tile
 * takes the cycles of its words. */
enum { EXCHANGE_SCHEDULE_MAX = 1 << 20 };

#define EXCHANGE_ONCE UINT64_MAX

struct exchange_schedule;
struct exchange_schedule *exchange_schedule_create(const pop_target *target);
void exchange_schedule_free(struct exchange_schedule *schedule);

/* Begins a new row of the tile's memory: the next message does not continue the one before. */
void exchange_schedule_row(struct exchange_schedule *schedule, uint32_t tile);
/* The next message that `to` receives; tiles are numbered over all IPUs.  what: identifies the data, equal for all its
 * receivers; EXCHANGE_ONCE: there is no other receiver. */
void exchange_schedule_message(struct exchange_schedule *schedule, uint32_t from, uint32_t to, uint64_t bytes,
                               uint64_t what);
/* A message of a copy, whose parts have no order at their receiver: it waits for all of them at once.  Their sender has
 * them in the order of address. */
void exchange_schedule_piece(struct exchange_schedule *schedule, uint32_t from, uint32_t to, uint64_t bytes,
                             uint64_t what, uint64_t address);
/* Schedules all messages, after which none may be added; the queries below are valid until they are removed. */
void exchange_schedule_finish(struct exchange_schedule *schedule);
/* The cycle after the last word that a tile sends or receives. */
uint64_t exchange_schedule_end(const struct exchange_schedule *schedule, uint32_t tile);
/* Messages that a tile receives directly after the previous one of the same row. */
uint32_t exchange_schedule_follows(const struct exchange_schedule *schedule, uint32_t tile);
/* Removes all messages. */
void exchange_schedule_clear(struct exchange_schedule *schedule);

#endif
