// SPDX-License-Identifier: Apache-2.0
// The state of an Engine at a constant address: the C engine, and exceptions of callbacks until the call that ran them
// returns.
#ifndef POPLAR_IMPL_ENGINE_STATE_HPP
#define POPLAR_IMPL_ENGINE_STATE_HPP

#include <poplar/Engine.hpp>

#include <cstdio>
#include <ctime>
#include <exception>
#ifdef __GLIBCXX__
#include <cxxabi.h>
#endif
#include <mutex>
#include <ostream>

// Handles any exception of a callback.  pthread_exit unwinds the stack with an exception that must not be caught: the
// engine ends it.  There is no object that the handler's reference could refer to, which UBSan would report.
#ifdef __GLIBCXX__
#define POPLAR_CALLBACK __attribute__((no_sanitize("undefined")))
#define POPLAR_CATCH_ALL                                                                                               \
    catch (const abi::__forced_unwind &)                                                                               \
    {                                                                                                                  \
        throw;                                                                                                         \
    }                                                                                                                  \
    catch (...)
#else
#define POPLAR_CALLBACK
#define POPLAR_CATCH_ALL catch (...)
#endif

namespace poplar
{
namespace detail
{

inline std::size_t distance(const void *begin, const void *end)
{
    return end < begin ? 0
                       : static_cast<std::size_t>(static_cast<const char *>(end) - static_cast<const char *>(begin));
}
inline std::uint64_t nanoseconds()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}
const unsigned allReplicas = ~0u;

inline const Executable &pointedTo(const std::shared_ptr<Executable> &executable)
{
    if (!executable)
        raise(POP_POPLAR_ERROR, "the engine's executable is a null pointer");
    return *executable;
}

class EngineState
{
  public:
    Executable executable;
    pop_engine *engine;
    bool prepared;                              // by Engine::prepare
    std::unique_ptr<ProfileValue> graphProfile; // once a program has asked for it

    EngineState(const Executable &from, const OptionFlags &options)
        : executable(from), prepared(false), functions(nullptr), failures(0), out(nullptr), file(nullptr), calls(0),
          ended(false)
    {
        pop_error error;
        engine = pop_engine_create_from(executable.c(), Options(options), &error);
        if (!engine)
            raise(error);
    }
    ~EngineState()
    {
        pop_engine_destroy(engine);
        if (file)
            std::fclose(file);
        while (Function *function = functions) {
            functions = function->next;
            delete function;
        }
    }
    EngineState(const EngineState &) = delete;
    EngineState &operator=(const EngineState &) = delete;

    // A call that may run callbacks.  If one of them destroys the Engine, the run ends and the outermost call frees the
    // state.
    class Call
    {
      public:
        EngineState &state;

        explicit Call(EngineState &of) : state(of)
        {
            ++state.calls;
        }
        ~Call()
        {
            if (--state.calls == 0 && state.ended)
                remove(&state);
        }
        Call(const Call &) = delete;
        Call &operator=(const Call &) = delete;
        bool ended() const
        {
            return state.ended;
        }
    };
    static void end(EngineState *state)
    {
        if (!state || !state->calls) {
            remove(state);
            return;
        }
        state->ended = true;
        pop_engine_stop(state->engine);
    }

    // Out of line: inlined, gcc warns of a use after free, as it does not see that calls follow only while the Engine
    // exists.
    [[gnu::noinline]] static void remove(EngineState *state)
    {
        delete state;
    }

    // Called after a call that may have run callbacks: throws a callback's exception, or the error with the user's
    // line.
    void finish(pop_status status, pop_error &error, const pop_where &where)
    {
        std::exception_ptr first;
        {
            const std::lock_guard<std::mutex> lock(throwing);
            first.swap(thrown);
            if (first || status != POP_OK)
                ++failures;
        }
        if (first)
            std::rethrow_exception(first);
        check(status, error, where);
    }

    void connect(StringRef handle, unsigned replica, StreamCallbackHandle callback, const pop_where &where)
    {
        if (!callback)
            raise(POP_STREAM_CONNECTION_ERROR, where, "Engine", "the callback for stream '%s' is null",
                  handle.cloneAsString().c_str());
        const Call call(*this); // frees the previous connection
        Stream *stream = new Stream{ this, std::move(callback), 0 };
        pop_stream_callback c = { Stream::fetch,      Stream::prefetch, Stream::complete,
                                  Stream::invalidate, Stream::release,  stream };
        pop_error error;
        const CString name(handle);
        const pop_status status = replica == allReplicas
                                      ? pop_engine_connect_stream_callback(engine, name, c, &error)
                                      : pop_engine_connect_stream_callback_of(engine, name, replica, c, &error);
        if (status != POP_OK)
            delete stream; // on success C owns it and calls release
        finish(status, error, where);
    }

    void connect(StringRef handle, unsigned replica, HostCallbackHandle callback, const pop_where &where)
    {
        if (!callback)
            raise(POP_STREAM_CONNECTION_ERROR, where, "Engine", "the callback for host function '%s' is null",
                  handle.cloneAsString().c_str());
        const Call call(*this);
        const CString name(handle);
        pop_error error;
        std::size_t inputs, outputs;
        check(pop_engine_host_function_arguments(engine, name, &inputs, &outputs, &error), error, where);
        Function *function =
            new Function{ this, std::move(callback), handle.cloneAsString(), replica, inputs, outputs, functions };
        functions = function; // this object frees it in any case
        check(pop_engine_connect_host_function_of(engine, name, replica, Function::call, function, &error), error,
              where);
        for (Function *newer = function; newer->next; newer = newer->next)
            if (newer->next->handle == function->handle &&
                newer->next->replica == replica) { // C no longer calls that one
                Function *before = newer->next;
                newer->next = before->next;
                delete before;
                return;
            }
    }

    void printTo(std::ostream &to)
    {
        out = &to;
        if (file)
            return;
        cookie_io_functions_t functionsOfFile = cookie_io_functions_t();
        functionsOfFile.write = EngineState::write;
        file = fopencookie(this, "w", functionsOfFile);
        if (!file)
            raise(POP_POPLAR_ERROR, "no memory for the stream of PrintTensor");
        pop_engine_set_print_stream(engine, file);
    }

  private:
    struct Stream {
        EngineState *state;
        StreamCallbackHandle callback;
        unsigned failures; // the engine's count at the begin of the run that prefetches

        // Exceptions must not propagate through C: the first is kept and ends the run.
        POPLAR_CALLBACK static pop_status fetch(void *buffer, void *user)
        {
            try {
                return of(user).callback->fetch(buffer), POP_OK;
            }
            POPLAR_CATCH_ALL
            {
                return of(user).state->caught();
            }
        }
        POPLAR_CALLBACK static pop_prefetch prefetch(void *buffer, void *user)
        {
            try {
                return of(user).callback->prefetch(buffer) == StreamCallback::Success ? POP_PREFETCH_SUCCESS
                                                                                      : POP_PREFETCH_NOT_AVAILABLE;
            }
            POPLAR_CATCH_ALL
            {
                of(user).state->caughtSince(of(user).failures);
                return POP_PREFETCH_NOT_AVAILABLE;
            }
        }
        POPLAR_CALLBACK static void complete(void *user)
        {
            of(user).failures = of(user).state->failed(); // the next prefetch is for this run
            try {
                of(user).callback->complete();
            }
            POPLAR_CATCH_ALL
            {
                of(user).state->caught();
            }
        }
        POPLAR_CALLBACK static void invalidate(void *user)
        {
            try {
                of(user).callback->invalidatePrefetched();
            }
            POPLAR_CATCH_ALL
            {
                of(user).state->caught();
            }
        }
        static void release(void *user)
        {
            delete static_cast<Stream *>(user);
        }

        static Stream &of(void *user)
        {
            return *static_cast<Stream *>(user);
        }
    };
    struct Function {
        EngineState *state;
        HostCallbackHandle callback;
        std::string handle;
        unsigned replica;
        std::size_t inputs, outputs;
        Function *next;

        POPLAR_CALLBACK static pop_status call(const void *const *in, void *const *out, void *user)
        {
            Function &self = *static_cast<Function *>(user);
            try {
                return (*self.callback)(ArrayRef<const void *>(in, self.inputs), ArrayRef<void *>(out, self.outputs)),
                       POP_OK;
            }
            POPLAR_CATCH_ALL
            {
                return self.state->caught();
            }
        }
    };

    unsigned failed()
    {
        const std::lock_guard<std::mutex> lock(throwing);
        return failures;
    }
    // Called in an exception handler.
    pop_status caught()
    {
        return caughtSince(failed());
    }

    // A prefetch on a worker thread may end after its run has failed: its exception is then dropped.
    pop_status caughtSince(unsigned failuresBefore)
    {
        const std::lock_guard<std::mutex> lock(throwing);
        if (failures != failuresBefore)
            return POP_RUNTIME_ERROR;
        if (!thrown)
            thrown = std::current_exception();
        pop_engine_stop(engine); // this run, not one that begins once the lock is free
        return POP_RUNTIME_ERROR;
    }

    POPLAR_CALLBACK static ssize_t write(void *user, const char *text, std::size_t size)
    {
        EngineState *self = static_cast<EngineState *>(user);
        try {
            self->out->write(text, static_cast<std::streamsize>(size));
        }
        POPLAR_CATCH_ALL
        {
            self->caught();
        }
        return static_cast<ssize_t>(size);
    }

    Function *functions; // the newest first
    std::exception_ptr thrown;
    std::mutex throwing; // callbacks may run on worker threads
    unsigned failures;   // calls that failed
    std::ostream *out;
    std::FILE *file;
    unsigned calls; // in progress
    bool ended;     // the Engine was destroyed
};

} // namespace detail
} // namespace poplar
#undef POPLAR_CALLBACK
#undef POPLAR_CATCH_ALL
#endif
