// SPDX-License-Identifier: Apache-2.0
// Counted loops (poputil/loop.h).
#ifndef POPUTIL_LOOP_HPP
#define POPUTIL_LOOP_HPP

#include <poplar/Program.hpp>
#include <poputil/detail/call.hpp>
#include <poputil/loop.h>

#include <functional>

namespace poputil
{

// Returns the loop's body; the tensor is the counter, a scalar UNSIGNED_INT.
typedef std::function<poplar::program::Program(const poplar::Tensor &)> CountedLoopBodyType;

inline poplar::program::Sequence countedLoop(poplar::Graph &graph, std::size_t begin, std::size_t end, std::size_t step,
                                             const CountedLoopBodyType &body,
                                             const poplar::DebugContext &debugContext = {})
{
    struct Body {
        const CountedLoopBodyType &f;
        poplar::program::Program program; // keeps the program alive until C has taken it
        detail::Callback callback;
        static pop_program call(pop_graph *graph, pop_tensor i, void *user)
        {
            Body *body = static_cast<Body *>(user);
            pop_program made = pop_program();
            body->callback.run([&] {
                body->program = body->f(poplar::Tensor(i));
                made = body->program.c(graph);
            });
            return made;
        }
    } call = { body, poplar::program::Program(), detail::Callback() };
    struct Made : poplar::program::Program {
        explicit Made(pop_program from) : Program(from)
        {
        }
    };
    pop_program made = poputil_counted_loop_at(poplar::detail::where(debugContext), graph.c(), begin, end, step,
                                               poplar::detail::name(debugContext), Body::call, &call);
    call.callback.rethrow();
    detail::check(graph.c());
    poplar::program::Sequence loop{ poplar::DebugContext(debugContext) };
    loop.add(Made(made));
    return loop;
}
// The argument order of release 1.2.
inline poplar::program::Sequence countedLoop(poplar::Graph &graph, std::size_t begin, std::size_t end, std::size_t step,
                                             const poplar::DebugContext &debugContext, const CountedLoopBodyType &body)
{
    return countedLoop(graph, begin, end, step, body, debugContext);
}
// Counts from 0 in steps of 1.
inline poplar::program::Sequence countedLoop(poplar::Graph &graph, std::size_t count, const CountedLoopBodyType &body,
                                             const poplar::DebugContext &debugContext = {})
{
    return countedLoop(graph, 0, count, 1, body, debugContext);
}
inline poplar::program::Sequence countedLoop(poplar::Graph &graph, std::size_t count,
                                             const poplar::DebugContext &debugContext, const CountedLoopBodyType &body)
{
    return countedLoop(graph, 0, count, 1, body, debugContext);
}

} // namespace poputil
#endif
