/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of threads and events of a trace. */
#include "pva/reader.h"

uint64_t thread_count(pva_object o)
{
    return query_uint(o.file, "SELECT max(position) + 1 FROM threads WHERE process = ?1 AND ?2 >= 0", o.key, 0, 0);
}
pva_object thread_at(pva_object o, uint64_t i)
{
    return object_make(o.file, PVA_CLASS_THREAD, i, o.key, 0);
}
/* Threads and events share one numbering: an event's parent is a thread or an event. */
static uint64_t node_id(pva_object o)
{
    return table_uint(o.file, o.type == PVA_CLASS_THREAD ? TABLE_THREAD : TABLE_EVENT, o.owner, o.key, 1);
}
uint64_t event_count(pva_object o)
{
    return query_uint(o.file, "SELECT max(position) + 1 FROM events WHERE parent = ?1 AND ?2 >= 0", node_id(o), 0, 0);
}
pva_object event_at(pva_object o, uint64_t i)
{
    return object_make(o.file, PVA_CLASS_EVENT, i, node_id(o), 0);
}
void event_time(pva_object o, struct value *v)
{
    v->real = (double)table_int(o.file, TABLE_EVENT, o.owner, o.key, 4) / 1e3;
}
void event_duration(pva_object o, struct value *v)
{
    v->real = (double)table_int(o.file, TABLE_EVENT, o.owner, o.key, 5) / 1e3;
}
