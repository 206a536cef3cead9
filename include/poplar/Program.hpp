// SPDX-License-Identifier: Apache-2.0
// Control programs: the steps that a device executes.  Programs are handles; copies refer to the same program.
#ifndef POPLAR_PROGRAM_HPP
#define POPLAR_PROGRAM_HPP

#include <poplar/DataStream.hpp>
#include <poplar/Graph.hpp>
#include <poplar/PrintTensor.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/detail/compiled.hpp>
#include <poplar/program.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

namespace poplar
{
namespace detail
{

class ProgramList;
struct ProgramNode;

} // namespace detail
namespace program
{

// The base class; an object of it is a program that does nothing.
class POP_API Program
{
  public:
    Program() : made()
    {
    }
    Program(const Program &from);
    Program(Program &&from) noexcept;
    Program &operator=(const Program &from);
    Program &operator=(Program &&from) noexcept;
    ~Program();

    bool isEmpty() const;
    friend bool operator==(const Program &a, const Program &b)
    {
        return a.same(b);
    }
    friend bool operator!=(const Program &a, const Program &b)
    {
        return !a.same(b);
    }

    pop_program c(pop_graph *graph) const; // the C handle; created now if it was waiting for a graph

  protected:
    explicit Program(pop_program from) : made(from)
    {
    }
    Program(unsigned char kind, const DebugContext &debugContext);
    Program(unsigned char kind, const DebugContext &debugContext, const Program &body, unsigned number = 0);
    void wait(unsigned char kind, const DebugContext &debugContext, unsigned number);

    pop_program known() const;
    bool same(const Program &other) const;

    pop_program made;      // null: see node
    detail::Handle shared; // the node of a program that may wait for a graph; else null
    detail::ProgramNode *node() const;
    friend struct detail::ProgramNode;
    friend class detail::ProgramList;
};

// A list of programs that run one after another.  It may be created before any graph, and additions after it was added
// to other programs have effect there too.  A copy of a Sequence is the same program until something is added to the
// copy, which then gets a list of its own (copy on write).
class POP_API Sequence : public Program
{
    template <typename P>
    using IfOther = typename std::enable_if<std::is_base_of<Program, typename std::decay<P>::type>::value &&
                                                !std::is_base_of<Sequence, typename std::decay<P>::type>::value,
                                            int>::type;

  public:
    Sequence(const DebugContext &debugContext = {});
    Sequence(std::initializer_list<Program> programs, const DebugContext &debugContext = {});
    // The form of early releases: Sequence(a, b, ...).
    template <typename P, IfOther<P> = 0> Sequence(P &&only) : Sequence()
    {
        add(only);
    }
    template <typename... Rest>
    Sequence(const Program &first, const Program &second, const Rest &...rest) : Sequence({ first, second, rest... })
    {
    }
    Sequence(const Sequence &other);
    Sequence(Sequence &&other) noexcept;
    Sequence &operator=(const Sequence &other);
    Sequence &operator=(Sequence &&other) noexcept;

    void add(const Program &program, detail::Where where = detail::Where::here());

    // The C handle, for calls that change the sequence.
    pop_program cToGrow(pop_graph *graph, detail::Where where = detail::Where::here());

  private:
    void own(pop_where where);

    bool borrowed = false; // shares another sequence's list until something is added
};

// A program that profiles show as a separate step.
class POP_API Block : public Program
{
  public:
    Block(const Program &body, const DebugContext &debugContext = {});
};

// Runs the vertices of a compute set.
class POP_API Execute : public Program
{
  public:
    Execute(ComputeSet set, const DebugContext &debugContext = {});
    // Writes the AND of all vertices' return values to a scalar.
    Execute(ComputeSet set, const Tensor &consensus, const DebugContext &debugContext = {});
};

// Copies a tensor to another, to or from a stream or a remote buffer.
class POP_API Copy : public Program
{
  public:
    Copy(const Tensor &source, const Tensor &destination, bool dontOutline = false,
         const DebugContext &debugContext = {});
    Copy(const Tensor &source, const Tensor &destination, const DebugContext &debugContext);
    Copy(const Tensor &source, const Tensor &destination, const char *name,
         SourceLocation location = SourceLocation::Current());
    Copy(const DataStream &stream, const Tensor &destination, bool optimiseMemory = false,
         const DebugContext &debugContext = {});
    Copy(const DataStream &stream, const Tensor &destination, const DebugContext &debugContext);
    Copy(const DataStream &stream, const Tensor &destination, const char *name,
         SourceLocation location = SourceLocation::Current());
    Copy(const Tensor &source, const DataStream &stream, bool optimiseMemory = false,
         const DebugContext &debugContext = {});
    Copy(const Tensor &source, const DataStream &stream, const DebugContext &debugContext);
    Copy(const Tensor &source, const DataStream &stream, const char *name,
         SourceLocation location = SourceLocation::Current());
    Copy(const RemoteBuffer &buffer, const Tensor &destination, const DebugContext &debugContext = {});
    // offset: row indices, as many as destination has rows.
    Copy(const RemoteBuffer &buffer, const Tensor &destination, const Tensor &offset,
         const DebugContext &debugContext = {});
    Copy(const Tensor &source, const RemoteBuffer &buffer, const DebugContext &debugContext = {});
    Copy(const Tensor &source, const RemoteBuffer &buffer, const Tensor &offset, const DebugContext &debugContext = {});

    // Loads a function's code from remote memory.  No effect: all code is on the tiles (Graph::addFunctionBuffer).
    Copy(const FunctionBuffer &buffer, const Function &function, const DebugContext &debugContext = {});

  private:
    static pop_program between(const Tensor &source, const Tensor &destination, bool dontOutline,
                               const DebugContext &debugContext);
};

// Copies to another replica: senders to receivers, by number.  Each replica of the graph sends once and receives once
// (graph_replication_error).
class POP_API CrossReplicaCopy : public Program
{
  public:
    CrossReplicaCopy(const Tensor &source, const Tensor &destination, const std::map<unsigned, unsigned> &replicaMap,
                     const DebugContext &debugContext = {});

  private:
    static pop_program between(const Tensor &source, const Tensor &destination,
                               const std::map<unsigned, unsigned> &replicaMap, const DebugContext &debugContext);
};

// Repeats its body until Engine::stop, an Abort or an exception of a callback ends the run.
class POP_API Loop : public Program
{
  public:
    // Repeats body without an end.
    Loop(const Program &body, const DebugContext &debugContext = {});
};

// Runs body a fixed number of times.
class POP_API Repeat : public Program
{
  public:
    Repeat(unsigned count, const Program &body, const DebugContext &debugContext = {});
};

// Runs condition, tests the scalar predicate, runs body, and again.
class POP_API RepeatWhileTrue : public Program
{
  public:
    RepeatWhileTrue(const Program &condition, const Tensor &predicate, const Program &body,
                    const DebugContext &debugContext = {});
};

// As RepeatWhileTrue, as long as the predicate is false.
class POP_API RepeatWhileFalse : public Program
{
  public:
    RepeatWhileFalse(const Program &condition, const Tensor &predicate, const Program &body,
                     const DebugContext &debugContext = {});
};

// Runs one of two programs, as a scalar says.
class POP_API If : public Program
{
  public:
    If(const Tensor &predicate, const Program &trueBody, const Program &falseBody,
       const DebugContext &debugContext = {});

  private:
    static pop_program make(const Tensor &predicate, const Program &trueBody, const Program &falseBody,
                            const DebugContext &debugContext);
};

// Runs the case whose value control has, otherwise the default program, which is empty at first.
class POP_API Switch : public Program
{
  public:
    typedef std::vector<std::pair<std::int32_t, Program>> Cases; // Values with their programs.

    Switch(const Tensor &control, const DebugContext &debugContext = {});
    Switch(const Tensor &control, const Cases &cases, const DebugContext &debugContext = {});
    Switch(const Tensor &control, const Program &defaultCase, const DebugContext &debugContext = {});
    Switch(const Tensor &control, const Cases &cases, const Program &defaultCase,
           const DebugContext &debugContext = {});
    // A value without a case ends the run with application_runtime_error.
    static Switch switchWithBoundsChecking(const Tensor &control, const DebugContext &debugContext = {});
    static Switch switchWithBoundsChecking(const Tensor &control, const Cases &cases,
                                           const DebugContext &debugContext = {});
    // The program guarantees that there is none; it is checked nevertheless.
    static Switch switchWithUnreachableDefault(const Tensor &control, const DebugContext &debugContext = {});
    static Switch switchWithUnreachableDefault(const Tensor &control, const Cases &cases,
                                               const DebugContext &debugContext = {});

    Switch &add(std::int32_t value, const Program &body, detail::Where where = detail::Where::here());

  private:
    static pop_program make(const Tensor &control, const DebugContext &debugContext);
    struct Unreachable {
    };
    Switch(Unreachable, const Tensor &control, const DebugContext &debugContext);
    void addAll(const Cases &cases, pop_where where);
    void setDefault(const Program &body, pop_where where);
};

// Runs a function of the graph.
class POP_API Call : public Program
{
  public:
    Call(Function function, const DebugContext &debugContext = {});
    Call(HostFunction function, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs,
         const DebugContext &debugContext = {});

  private:
    static pop_program callHost(HostFunction function, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs,
                                const DebugContext &debugContext);
};

// Prints a tensor.
class POP_API PrintTensor : public Program
{
  public:
    // The title is the tensor's debug name.
    PrintTensor(const Tensor &t, const DebugContext &debugContext = {});
    PrintTensor(const Tensor &t, const PrintTensorFmt &format, const DebugContext &debugContext = {});
    PrintTensor(StringRef title, const Tensor &t, const DebugContext &debugContext = {});
    PrintTensor(StringRef title, const Tensor &t, const PrintTensorFmt &format, const DebugContext &debugContext = {});

  private:
    static pop_program print(const char *title, const Tensor &t, const PrintTensorFmt *format,
                             const DebugContext &debugContext);
};

// Says that a tensor's elements are not read before they are written.
class POP_API WriteUndef : public Program
{
  public:
    WriteUndef(const Tensor &t, const DebugContext &debugContext = {});
};

// Says that a tensor is the same in all replicas, where checks are on.
class POP_API AssumeEqualAcrossReplicas : public Program
{
  public:
    AssumeEqualAcrossReplicas(const Tensor &t, const DebugContext &debugContext = {});
};

// A sync, which takes time and has no other effect.
class POP_API Sync : public Program
{
  public:
    Sync(SyncType type, const DebugContext &debugContext = {});
};

// Ends the run with application_runtime_error.
class POP_API Abort : public Program
{
  public:
    Abort(const DebugContext &debugContext = {});
    Abort(const char *message, const DebugContext &debugContext = {});
    Abort(const std::string &message, const DebugContext &debugContext = {});
};

// Ends the run if a scalar is not zero.
class POP_API AbortOnCondition : public Program
{
  public:
    AbortOnCondition(const Tensor &condition, const DebugContext &debugContext = {});
    AbortOnCondition(const Tensor &condition, const char *message, const DebugContext &debugContext = {});
    AbortOnCondition(const Tensor &condition, const std::string &message, const DebugContext &debugContext = {});

  private:
    static pop_program make(const Tensor &condition, const char *message, const DebugContext &debugContext);
};

// Prints message and tensor, then ends the run.
class POP_API ErrorProgram : public Program
{
  public:
    ErrorProgram(StringRef message, const Tensor &t, const DebugContext &debugContext = {});
};

// The tree of a program as indented text.
POP_API void dumpProgram(const Graph &graph, const Program &program, std::ostream &out);

} // namespace program

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/Program.hpp>
#endif
#endif
