/* SPDX-License-Identifier: Apache-2.0 */
/* CrossReplicaCopy: which replica sends to which. */
#include "graph/graph.h"
#include "graph/view/view.h"
#include "program/node.h"

#include "base/str.h"

enum { NO_RANK = -1 };

static bool same_shape(const struct program_call *call, pop_tensor source, pop_tensor destination)
{
    char shapes[2][64];
    pop_tensor_shape_to_string(source, shapes[0], sizeof(shapes[0]));
    pop_tensor_shape_to_string(destination, shapes[1], sizeof(shapes[1]));
    if (strcmp(shapes[0], shapes[1]) != 0)
        return store_fail(call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api,
                          "the source has shape %s, the destination %s: they must be equal", shapes[0], shapes[1]);
    if (pop_tensor_type(source) != pop_tensor_type(destination))
        return store_fail(call->store, POP_TYPE_ERROR, call->where, call->api,
                          "the source has type %s, the destination %s: they must be equal",
                          pop_type_name(pop_tensor_type(source)), pop_type_name(pop_tensor_type(destination)));
    return true;
}

/* senders[receiver], and the inverse; false when the pairs are no permutation. */
static bool find_senders(const struct program_call *call, unsigned replicas, const pop_replica_pair *pairs,
                         size_t count, int32_t *senders, int32_t *receivers)
{
    static const pop_replica_pair only = { 0, 0 };
    if (replicas == 1 && !count) { /* programs written for any factor */
        pairs = &only;
        count = 1;
    }
    const pop_status status = POP_GRAPH_REPLICATION_ERROR;
    for (unsigned r = 0; r < replicas; ++r)
        senders[r] = receivers[r] = NO_RANK;
    for (size_t i = 0; i < count; ++i) {
        unsigned from = pairs[i].sender, to = pairs[i].receiver;
        if (from >= replicas || to >= replicas)
            return store_fail(call->store, status, call->where, call->api,
                              "replica %u sends to replica %u: the graph has %u (0 to %u)", from, to, replicas,
                              replicas - 1);
        if (receivers[from] != NO_RANK || senders[to] != NO_RANK)
            return store_fail(call->store, status, call->where, call->api,
                              "replica %u %s twice: each must send once and receive once",
                              receivers[from] != NO_RANK ? from : to,
                              receivers[from] != NO_RANK ? "sends" : "receives");
        receivers[from] = (int32_t)to;
        senders[to] = (int32_t)from;
    }
    for (unsigned r = 0; r < replicas; ++r)
        if (senders[r] == NO_RANK)
            return store_fail(call->store, status, call->where, call->api,
                              "replica %u does not receive: each of the %u must send once and receive once", r,
                              replicas);
    return true;
}

static bool check_part(const struct program_call *call, const pop_cross_copy *part)
{
    return node_check_tensor(call, part->source, "the source") &&
           node_check_writable(call, part->destination, "the destination") &&
           same_shape(call, part->source, part->destination) &&
           store_has_list(call->store, POP_GRAPH_REPLICATION_ERROR, call->where, call->api, "pairs", part->num_pairs,
                          part->pairs);
}

/* The tensors of all parts side by side: all sources, or all destinations. */
static pop_tensor joined(const struct program_call *call, const pop_cross_copy *parts, size_t count, bool destinations)
{
    pop_tensor *list = mem_alloc(count * sizeof(*list));
    for (size_t i = 0; i < count; ++i)
        list[i] = pop_tensor_flatten_at(call->where, destinations ? parts[i].destination : parts[i].source);
    pop_tensor all = count == 1 ? list[0] : pop_tensor_concat_at(call->where, (pop_tensors){ count, list }, 0);
    free(list);
    return all;
}

/* Of the replicated graph that a part's tensors are of, or of the whole graph. */
static unsigned replicas_of(const pop_store *store, const pop_cross_copy *parts, size_t count)
{
    uint32_t group = 0;
    for (size_t i = 0; i < count && !group; ++i)
        group = replicate_tensor_group(store, parts[i].destination);
    return group ? store->groups.data[group - 1].replicas : store->replicas;
}

static pop_program cross_copies(const struct program_call *call, const pop_cross_copy *parts, size_t count,
                                const char *name)
{
    pop_program program = { 0 };
    unsigned replicas = replicas_of(call->store, parts, count);
    size_t all = count * replicas;
    int32_t *senders = mem_alloc((all + replicas) * sizeof(*senders));
    bool good = true;
    for (size_t i = 0; i < count && good; ++i)
        good = check_part(call, &parts[i]) &&
               (!i || pop_tensor_type(parts[i].source) == pop_tensor_type(parts[0].source) ||
                store_fail(call->store, POP_TYPE_ERROR, call->where, call->api,
                           "parts have types %s and %s: one copy has one type",
                           pop_type_name(pop_tensor_type(parts[0].source)),
                           pop_type_name(pop_tensor_type(parts[i].source)))) &&
               find_senders(call, replicas, parts[i].pairs, parts[i].num_pairs, senders + i * replicas, senders + all);
    pop_tensor source = good ? joined(call, parts, count, false) : (pop_tensor){ 0 },
               destination = good ? joined(call, parts, count, true) : (pop_tensor){ 0 };
    if (good && store_ready(call->store) && node_check_writable(call, destination, "what the parts write")) {
        struct program_node *node = node_add(call, PROGRAM_CROSS_COPY, name, &program);
        node->source = view_keep(source);
        node->destination = view_keep(destination);
        for (size_t i = 0; i < all; ++i)
            *vec_push(&node->values) = senders[i];
        for (size_t i = 0; i < count && count > 1; ++i) {
            *vec_push(&node->operands) = view_keep(parts[i].source);
            *vec_push(&node->operands) = view_keep(parts[i].destination);
        }
    }
    free(senders);
    return program;
}

pop_program pop_cross_replica_copy_at(pop_where where, pop_tensor source, pop_tensor destination,
                                      const pop_replica_pair *pairs, size_t count, const char *name)
{
    struct program_call call = { destination.store ? destination.store : source.store, where,
                                 "pop_cross_replica_copy" };
    if (!store_ready(call.store))
        return (pop_program){ 0 };
    return cross_copies(&call, &(pop_cross_copy){ source, destination, pairs, count }, 1, name);
}

pop_program pop_cross_replica_copies_at(pop_where where, const pop_cross_copy *parts, size_t count, const char *name)
{
    struct program_call call = { count && parts ? parts[0].source.store : NULL, where, "pop_cross_replica_copies" };
    return store_ready(call.store) ? cross_copies(&call, parts, count, name) : (pop_program){ 0 };
}
