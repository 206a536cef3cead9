// SPDX-License-Identifier: Apache-2.0
// Functions: programs that are built once and called with different tensors. A call copies arguments to the tensors
// that the function was built with, and results back.
#ifndef POPUTIL_GRAPH_FUNCTION_HPP
#define POPUTIL_GRAPH_FUNCTION_HPP

#include <poplar/Program.hpp>
#include <poputil/exceptions.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace poputil
{
namespace graphfn
{

// How a function uses an argument: reads it, writes it, both, or creates it as a result.
enum ArgType { InputArg, OutputArg, InOutArg, CreatedArg };

// How a function uses one of its tensors, and a tensor with its properties.
struct ArgSig {
    // An argument like a tensor.
    ArgSig(ArgType argType, poplar::Tensor similar, std::string name)
        : type(argType), similarTensor(std::move(similar)), debugName(std::move(name))
    {
    }
    ArgType type;                 // how it is used
    poplar::Tensor similarTensor; // tensor whose type, shape and mapping it has
    std::string debugName;        // debug name
};
// An argument that is read.
inline ArgSig input(poplar::Tensor similar, std::string debugName = "")
{
    return ArgSig(InputArg, std::move(similar), std::move(debugName));
}
// An argument that is read and written.
inline ArgSig inout(poplar::Tensor similar, std::string debugName = "")
{
    return ArgSig(InOutArg, std::move(similar), std::move(debugName));
}
// An argument that is written.
inline ArgSig output(poplar::Tensor similar, std::string debugName = "")
{
    return ArgSig(OutputArg, std::move(similar), std::move(debugName));
}
// A tensor that the function creates; each call returns a separate tensor to the caller.
inline ArgSig created(std::string debugName = "")
{
    return ArgSig(CreatedArg, poplar::Tensor(), std::move(debugName));
}

typedef std::vector<ArgSig> Signature; // The arguments of a function.

// A function that adds to a sequence and returns nothing.
class VoidFunction
{
  public:
    // Adds the function's programs to a sequence.
    typedef std::function<void(std::vector<poplar::Tensor> &, poplar::program::Sequence &)> Body;
    typedef std::function<void(std::vector<poplar::Tensor> &, poplar::program::Sequence &,
                               const poplar::DebugNameAndId &)>
        NamedBody; // A body with a debug context.

    VoidFunction(VoidFunction &&) = default;
    // inlined: calls repeat the program instead of calling it.
    VoidFunction(poplar::Graph &graphOf, Signature signature, const Body &f, bool inlined = false,
                 const poplar::DebugContext &debugContext = {})
        : graph(&graphOf), sig(std::move(signature)), inlining(inlined)
    {
        build(f, debugContext);
    }
    VoidFunction(poplar::Graph &graphOf, Signature signature, const NamedBody &f, bool inlined = false,
                 const poplar::DebugContext &debugContext = {})
        : graph(&graphOf), sig(std::move(signature)), inlining(inlined)
    {
        const poplar::DebugNameAndId name(debugContext.getPathName());
        build([&](std::vector<poplar::Tensor> &tensors, poplar::program::Sequence &seq) { f(tensors, seq, name); },
              debugContext);
    }

    // Adds a call with these arguments to a sequence; results are written to args.
    void operator()(std::vector<poplar::Tensor> &args, poplar::program::Sequence &seq,
                    const poplar::DebugContext &debugContext = {})
    {
        if (args.size() != sig.size())
            throw poplibs_error("a function of " + std::to_string(sig.size()) + " arguments is called with " +
                                std::to_string(args.size()));
        for (std::size_t i = 0; i < sig.size(); ++i)
            if (sig[i].type == InputArg || sig[i].type == InOutArg)
                seq.add(poplar::program::Copy(args[i], params[i], false, debugContext));
        if (inlining)
            seq.add(prog);
        else
            seq.add(poplar::program::Call(func, debugContext));
        for (std::size_t i = 0; i < sig.size(); ++i) {
            if (sig[i].type == CreatedArg)
                args[i] = graph->clone(params[i], sig[i].debugName);
            if (sig[i].type != InputArg)
                seq.add(poplar::program::Copy(params[i], args[i], false, debugContext));
        }
    }

  private:
    void build(const Body &f, const poplar::DebugContext &debugContext)
    {
        prog = poplar::program::Sequence(debugContext);
        for (const ArgSig &argument : sig)
            params.push_back(argument.type == CreatedArg ? poplar::Tensor()
                                                         : graph->clone(argument.similarTensor, argument.debugName));
        f(params, prog);
        for (std::size_t i = 0; i < sig.size(); ++i)
            if (!params[i].valid())
                throw poplibs_error("argument " + std::to_string(i) + " of a function was not created");
        if (!inlining)
            func = graph->addFunction(prog);
    }

    poplar::Graph *graph;
    Signature sig;
    std::vector<poplar::Tensor> params;
    poplar::program::Sequence prog;
    poplar::Function func;
    bool inlining;
};

// A function that returns a program.
class ProgramFunction
{
  public:
    // Makes the function's program.
    typedef std::function<poplar::program::Program(std::vector<poplar::Tensor> &)> Body;
    typedef std::function<poplar::program::Program(std::vector<poplar::Tensor> &, const poplar::DebugNameAndId &)>
        NamedBody; // A body with a debug context.

    // Makes the function by calling f once; inlined: each call has the programs of its own.
    ProgramFunction(poplar::Graph &graph, Signature sig, const Body &f, bool inlined = false,
                    const poplar::DebugContext &debugContext = {})
        : function(graph, std::move(sig),
                   VoidFunction::Body([&](std::vector<poplar::Tensor> &tensors, poplar::program::Sequence &seq) {
                       seq.add(f(tensors));
                   }),
                   inlined, debugContext)
    {
    }
    ProgramFunction(poplar::Graph &graph, Signature sig, const NamedBody &f, bool inlined = false,
                    const poplar::DebugContext &debugContext = {})
        : ProgramFunction(graph, std::move(sig), Body([&](std::vector<poplar::Tensor> &tensors) {
                              return f(tensors, poplar::DebugNameAndId(debugContext.getPathName()));
                          }),
                          inlined, debugContext)
    {
    }
    // A program that calls the function.
    poplar::program::Program operator()(std::vector<poplar::Tensor> &args,
                                        const poplar::DebugContext &debugContext = {})
    {
        poplar::program::Sequence seq(debugContext);
        function(args, seq, debugContext);
        return seq;
    }

  private:
    VoidFunction function;
};

// A function that adds to a sequence and returns a tensor.
class TensorFunction
{
  public:
    // Adds the function's programs to a sequence, and returns its result.
    typedef std::function<poplar::Tensor(std::vector<poplar::Tensor> &, poplar::program::Sequence &)> Body;
    typedef std::function<poplar::Tensor(std::vector<poplar::Tensor> &, poplar::program::Sequence &,
                                         const poplar::DebugNameAndId &)>
        NamedBody; // A body with a debug context.

    // Makes the function by calling f once; inlined: each call has the programs of its own.
    TensorFunction(poplar::Graph &graph, Signature sig, const Body &f, bool inlined = false,
                   const poplar::DebugContext &debugContext = {})
        : function(graph, withResult(std::move(sig)),
                   VoidFunction::Body([&](std::vector<poplar::Tensor> &tensors, poplar::program::Sequence &seq) {
                       tensors.pop_back(); // the result is not an argument of the body
                       poplar::Tensor result = f(tensors, seq);
                       tensors.push_back(result);
                   }),
                   inlined, debugContext)
    {
    }
    TensorFunction(poplar::Graph &graph, Signature sig, const NamedBody &f, bool inlined = false,
                   const poplar::DebugContext &debugContext = {})
        : TensorFunction(graph, std::move(sig),
                         Body([&](std::vector<poplar::Tensor> &tensors, poplar::program::Sequence &seq) {
                             return f(tensors, seq, poplar::DebugNameAndId(debugContext.getPathName()));
                         }),
                         inlined, debugContext)
    {
    }
    // Adds a call to a sequence and returns the result.
    poplar::Tensor operator()(std::vector<poplar::Tensor> &args, poplar::program::Sequence &seq,
                              const poplar::DebugContext &debugContext = {})
    {
        args.push_back(poplar::Tensor());
        try {
            function(args, seq, debugContext);
        } catch (...) {
            args.pop_back();
            throw;
        }
        poplar::Tensor result = args.back();
        args.pop_back();
        return result;
    }

  private:
    static Signature withResult(Signature sig)
    {
        sig.push_back(created("result"));
        return sig;
    }

    VoidFunction function;
};

} // namespace graphfn
} // namespace poputil
#endif
