// SPDX-License-Identifier: Apache-2.0
// Programs without a graph.  In Poplar programs are created without a graph; in C a program belongs to one.  A program
// that uses a tensor is created in C at once, so that errors throw at the user's line.  A Sequence, a Repeat of one,
// Sync and Abort wait until they are used with a graph.
#ifndef POPLAR_IMPL_PROGRAM_NODE_HPP
#define POPLAR_IMPL_PROGRAM_NODE_HPP

#include <poplar/Program.hpp>

#include <string>
#include <utility>

namespace poplar
{
namespace detail
{

// The graph of a store; what names the operand in the error if there is none.
inline pop_graph *graphOf(const pop_store *store, const char *what, const DebugContext &debugContext)
{
    pop_graph *graph = pop_store_graph(store);
    if (!graph)
        raise(POP_CONTROL_PROGRAM_ERROR, where(debugContext), "program", "%s is a null tensor", what);
    return graph;
}

// Checks a program that C created, or throws its error.
inline pop_program checkedProgram(const DebugContext &debugContext, pop_program made, const pop_store *first,
                                  const pop_store *second = nullptr)
{
    if (made.id)
        return made;
    pop_graph *graph = pop_store_graph(first);
    if (graph && !pop_graph_error(graph))
        graph = nullptr;
    if (!graph)
        graph = pop_store_graph(second);
    if (!graph)
        raise(POP_CONTROL_PROGRAM_ERROR, where(debugContext), "program",
              "a tensor, stream or compute set of a program is null");
    raiseFrom(graph);
}

// A handle made from an id alone belongs to the graph of the tensors that it is used with.
template <typename Handle> Handle inStore(Handle handle, pop_store *store)
{
    if (!handle.store)
        handle.store = store;
    return handle;
}

// A list of programs that grows.
class ProgramList
{
  public:
    ProgramList() : list(nullptr), count(0), capacity(0)
    {
    }
    ProgramList(const ProgramList &other) : ProgramList()
    {
        for (std::size_t i = 0; i < other.count; ++i)
            add(other.list[i]);
    }
    ProgramList &operator=(const ProgramList &) = delete;
    ~ProgramList()
    {
        delete[] list;
    }

    std::size_t size() const
    {
        return count;
    }
    const program::Program &operator[](std::size_t i) const
    {
        return list[i];
    }
    Counted *takeLast(std::size_t i)
    {
        return list[i].shared.takeLast();
    }
    void add(const program::Program &program)
    {
        if (count == capacity) {
            capacity = capacity ? 2 * capacity : 4;
            program::Program *longer = new program::Program[capacity];
            for (std::size_t i = 0; i < count; ++i)
                longer[i] = std::move(list[i]);
            delete[] list;
            list = longer;
        }
        list[count++] = program;
    }
    void swap(ProgramList &other)
    {
        exchange(list, other.list);
        exchange(count, other.count);
        exchange(capacity, other.capacity);
    }

  private:
    program::Program *list;
    std::size_t count, capacity;
};

struct ProgramNode : Counted {
    enum Kind : unsigned char { SEQUENCE, BLOCK, REPEAT, EXECUTE, CALL, SYNC, ABORT };

    ProgramNode(unsigned char of, const DebugContext &debugContext)
        : Counted(end), made(), place(detail::where(debugContext)), number(0), kind(of), making(false), above(nullptr),
          next(0), name(debugContext.getPathName())
    {
    }

    pop_program made; // null until the graph is known
    pop_where place;
    unsigned number; // count of Repeat, type of Sync, id of a compute set or function; 1 for an Abort with a message
    unsigned char kind;
    bool making; // it is on the path of make(), with its parent and its next child
    ProgramNode *above;
    std::size_t next;
    std::string name, message;
    ProgramList children; // until it is created in C

    const char *debugName() const
    {
        return name.empty() ? nullptr : name.c_str();
    }
    pop_program make(pop_graph *graph);
    void add(const program::Program &child, pop_where where);
    Handle copy(pop_where where) const;

  private:
    static void end(Counted *self);
    struct Path;
    void build(pop_graph *graph);
    bool isHeldBy(ProgramNode *other);
};

// Programs may be nested deeper than the call stack allows: the path to the current one is a list, which exceptions
// unwind too.
struct ProgramNode::Path {
    ProgramNode *top;

    Path() : top(nullptr)
    {
    }
    Path(const Path &) = delete;
    Path &operator=(const Path &) = delete;
    ~Path()
    {
        while (top)
            leave();
    }
    void enter(ProgramNode *node)
    {
        if (node->making)
            raise(POP_GRAPH_RECURSION_ERROR, node->place, "program", "a program holds itself");
        node->making = true;
        node->above = top;
        node->next = 0;
        top = node;
    }
    void leave()
    {
        top->making = false;
        top = top->above;
    }
};

// Creates the children first.  On an error the program is unchanged.
POPLAR_IMPL pop_program ProgramNode::make(pop_graph *graph)
{
    if (made.id)
        return made;
    if (!graph)
        raise(POP_CONTROL_PROGRAM_ERROR, place, "program", "a program was used without a graph");
    Path path;
    path.enter(this);
    while (path.top) {
        ProgramNode *node = path.top;
        if (node->next < node->children.size()) {
            ProgramNode *child = node->children[node->next++].node();
            if (child && !child->made.id)
                path.enter(child);
        } else {
            node->build(graph);
            path.leave();
        }
    }
    return made;
}

// From children that were created.
POPLAR_IMPL void ProgramNode::build(pop_graph *graph)
{
    pop_program built;
    pop_store *store = nullptr;
    switch (kind) {
    case SEQUENCE:
        built = pop_sequence_at(place, graph, debugName());
        break;
    case BLOCK:
        built = pop_block_at(place, children[0].c(graph), debugName());
        break;
    case REPEAT:
        built = pop_repeat_at(place, number, children[0].c(graph), debugName());
        break;
    case SYNC:
        built = pop_sync_at(place, graph, static_cast<pop_sync_type>(number), debugName());
        break;
    case ABORT:
        built = pop_abort_at(place, graph, number ? message.c_str() : nullptr, debugName());
        break;
    default: { // a compute set or function that was made from its id
        store = pop_sequence_at(place, graph, nullptr).store;
        const pop_compute_set set = { store, number };
        const pop_function function = { store, number };
        built = kind == EXECUTE ? pop_execute_at(place, set, debugName()) : pop_call_at(place, function, debugName());
    }
    }
    if (!built.id)
        raiseFrom(graph);
    if (kind == SEQUENCE)
        for (std::size_t i = 0; i < children.size(); ++i)
            pop_sequence_add_at(place, built, children[i].c(graph));
    check(graph);
    made = built;
    ProgramList none;
    none.swap(children);
}

// Destroys exclusively owned children iteratively instead of recursively.
POPLAR_IMPL void ProgramNode::end(Counted *self)
{
    ProgramNode *ending = static_cast<ProgramNode *>(self);
    ending->above = nullptr;
    while (ending) {
        ProgramNode *node = ending;
        ending = node->above;
        for (std::size_t i = 0; i < node->children.size(); ++i)
            if (Counted *last = node->children.takeLast(i)) {
                ProgramNode *child = static_cast<ProgramNode *>(last);
                child->above = ending;
                ending = child;
            }
        delete node;
    }
}

// Whether it is equal to, or nested in, another waiting program.  Visited programs are a list.
POPLAR_IMPL bool ProgramNode::isHeldBy(ProgramNode *other)
{
    bool held = false;
    ProgramNode *last = other;
    other->making = true;
    other->above = nullptr;
    for (ProgramNode *node = other; node && !held; node = node->above) {
        held = node == this;
        for (std::size_t i = 0; i < node->children.size(); ++i) {
            ProgramNode *child = node->children[i].node();
            if (!child || child->making)
                continue;
            child->making = true;
            child->above = nullptr;
            last->above = child;
            last = child;
        }
    }
    for (ProgramNode *node = other; node; node = node->above)
        node->making = false;
    return held;
}

POPLAR_IMPL void ProgramNode::add(const program::Program &child, pop_where where)
{
    if (!child.node() && !child.made.id)
        return; // an empty program
    if (!made.id) {
        pop_program known = child.known();
        if (!known.id) {
            if (child.node() == this ||
                (handles > 1 && isHeldBy(child.node()))) // a circle would stay in memory for ever
                raise(POP_GRAPH_RECURSION_ERROR, where, "program", "a program cannot hold itself");
            children.add(child);
            return;
        }
        make(pop_store_graph(known.store));
    }
    pop_graph *graph = pop_store_graph(made.store);
    pop_sequence_add_at(where, made, child.c(graph));
    check(graph);
}

POPLAR_IMPL Handle ProgramNode::copy(pop_where where) const
{
    ProgramNode *other = new ProgramNode(*this);
    const Handle owned(other);
    if (made.id) {
        other->made = pop_sequence_copy_at(where, made);
        if (!other->made.id)
            raiseFrom(pop_store_graph(made.store));
    }
    return owned;
}

// Programs for a C call, in a graph.
class Programs
{
  public:
    Programs(pop_graph *graph, ArrayRef<program::Program> programs)
        : count(programs.size()), list(count, sizeof(pop_program))
    {
        for (std::size_t i = 0; i < count; ++i)
            data()[i] = programs.data()[i].c(graph);
    }
    pop_program *data() const
    {
        return static_cast<pop_program *>(list.at);
    }
    std::size_t size() const
    {
        return count;
    }

  private:
    std::size_t count;
    Memory list;
};

} // namespace detail

namespace program
{

POPLAR_IMPL Program::Program(unsigned char kind, const DebugContext &debugContext)
    : made(), shared(new detail::ProgramNode(kind, debugContext))
{
}
POPLAR_IMPL detail::ProgramNode *Program::node() const
{
    return static_cast<detail::ProgramNode *>(shared.get());
}
// If the body's graph is known, the program is created at once.
POPLAR_IMPL Program::Program(unsigned char kind, const DebugContext &debugContext, const Program &body, unsigned number)
    : Program(kind, debugContext)
{
    node()->number = number;
    node()->children.add(body);
    const pop_program inner = body.known();
    if (inner.id)
        node()->make(pop_store_graph(inner.store));
}
POPLAR_IMPL void Program::wait(unsigned char kind, const DebugContext &debugContext, unsigned number)
{
    shared = detail::Handle(new detail::ProgramNode(kind, debugContext));
    node()->number = number;
}
POPLAR_IMPL pop_program Program::known() const
{
    return shared.get() ? node()->made : made;
}
POPLAR_IMPL pop_program Program::c(pop_graph *graph) const
{
    if (shared.get())
        return node()->make(graph);
    return made.id ? made : pop_sequence_at(pop_where(), graph, nullptr);
}
POPLAR_IMPL bool Program::isEmpty() const
{
    const pop_program program = known();
    if (program.id)
        return pop_program_is_empty(program);
    return !shared.get() || (node()->kind == detail::ProgramNode::SEQUENCE && !node()->children.size());
}
POPLAR_IMPL bool Program::same(const Program &other) const
{
    const pop_program a = known(), b = other.known();
    return a.id && b.id ? pop_program_equal(a, b) : shared.get() == other.shared.get() && !a.id && !b.id;
}

} // namespace program
} // namespace poplar
#endif
