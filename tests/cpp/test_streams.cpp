// SPDX-License-Identifier: Apache-2.0
// Connections of an engine: streams, callbacks, host functions, remote buffers; and exceptions of callbacks.
#include <poplar/Engine.hpp>
#include <poplar/HostFunctionCallback.hpp>
#include <poplar/StreamCallback.hpp>

#include <condition_variable>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <stdexcept>

#include "run_graph.hpp"

using namespace poplar;
using namespace poplar::program;

struct StreamGraph : RunGraph {
    DataStream in, out;
    Sequence step;
    StreamGraph()
        : in(graph.addHostToDeviceFIFO("in", FLOAT, 4)), out(graph.addDeviceToHostFIFO("out", FLOAT, 4)),
          step({ Copy(in, v), Execute(addOne), Copy(v, out) })
    {
    }
};

TEST(circular_streams)
{
    StreamGraph g;
    Engine engine(g.graph, Repeat(2, g.step));
    engine.load(g.device);
    std::vector<float> from(12), to(8);
    for (unsigned i = 0; i < 12; ++i)
        from[i] = static_cast<float>(i);
    engine.connectStream("in", from.data(), from.data() + from.size());
    engine.connectStream(g.out, &to[0], &to[0] + 8);
    engine.run();
    CHECK(to[0] == 1 && to[7] == 8);
    engine.run(); // the third and, after the end, the first
    CHECK(to[0] == 9 && to[4] == 1);
    CHECK_THROWS(engine.connectStream(g.in, from.data(), from.data() + 5), stream_connection_error, "20");
}

TEST(streams_of_one_buffer)
{
    StreamGraph g;
    Engine engine(g.graph, Repeat(2, g.step));
    engine.load(g.device);
    CHECK_THROWS(engine.run(), stream_connection_error, "'in'");
    float from[4] = { 1, 2, 3, 4 };
    std::vector<float> to(4), other(4);
    const std::string name = "in";
    engine.connectStream(name, from);
    engine.connectStream(g.out, to.data());
    engine.run();
    CHECK(to[0] == 2 && to[3] == 5);
    engine.connectStream("out", other); // between runs
    engine.connectStream("in", ArrayRef<float>(to));
    engine.run();
    CHECK(other[0] == 3 && to[0] == 2);
    engine.connectStream(g.in, other);
    engine.connectStream(g.in, ArrayRef<float>(other));
    CHECK_THROWS(engine.connectStream("inn", from), stream_connection_error, "'in'");
}

// Records its calls.
class Recorder : public StreamCallback
{
  public:
    Recorder(std::string &log, bool mayPrefetch) : calls(log), ready(mayPrefetch)
    {
    }
    ~Recorder() override
    {
        calls += 'd';
    }
    Result prefetch(void *p) override
    {
        calls += 'p';
        if (!ready)
            return Result::NotAvailable;
        fill(p);
        return Result::Success;
    }
    void fetch(void *p) noexcept override
    {
        calls += 'f';
        fill(p);
    }
    void complete() override
    {
        calls += 'c';
    }
    void invalidatePrefetched() noexcept override
    {
        calls += 'i';
    }

  private:
    void fill(void *p)
    {
        ++next;
        for (unsigned i = 0; i < 4; ++i)
            static_cast<float *>(p)[i] = next;
    }
    std::string &calls;
    bool ready;
    float next = 0;
};

class OnlyFetch : public LegacyStreamCallback
{
  public:
    explicit OnlyFetch(float of) : value(of)
    {
    }
    void fetch(void *p) override
    {
        for (unsigned i = 0; i < 4; ++i)
            static_cast<float *>(p)[i] = value;
    }

  private:
    float value;
};

TEST(callbacks)
{
    std::string log;
    StreamGraph g;
    std::vector<float> seen;
    {
        Engine engine(g.graph, Repeat(3, g.step));
        engine.load(g.device);
        engine.connectStreamToCallback("in", std::unique_ptr<Recorder>(new Recorder(log, true)));
        engine.connectStreamToCallback(g.out, [&](void *p) { seen.push_back(*static_cast<float *>(p)); });
        engine.run();
        CHECK(seen == std::vector<float>({ 2, 3, 4 }));
        CHECK(log.compare(0, 2, "fc") == 0);
        Engine moved = std::move(engine);
        log.clear();
        moved.connectStreamToCallback(g.in, std::unique_ptr<OnlyFetch>(new OnlyFetch(7)));
        CHECK(log.back() == 'd');
        moved.connectStreamToCallback("out", 0,
                                      StreamCallbackHandle([&](void *p) { seen.assign(1, *static_cast<float *>(p)); }));
        moved.run();
        CHECK(seen[0] == 8);
        int ended = 0;
        const auto end = [&ended](OnlyFetch *callback) { ++ended, delete callback; };
        moved.connectStreamToCallback(g.in, std::unique_ptr<OnlyFetch, decltype(end) &>(new OnlyFetch(1), end));
        CHECK(ended == 0);
        std::unique_ptr<StreamCallback> base(new Recorder(log, false));
        moved.connectStreamToCallback(
            g.in, std::unique_ptr<OnlyFetch, std::function<void(OnlyFetch *)>>(new OnlyFetch(2), end));
        CHECK(ended == 1);
        moved.connectStreamToCallback(g.in, 0, std::move(base));
        CHECK(ended == 2);
        moved.run();
        CHECK(seen[0] == 4);
        CHECK_THROWS(moved.connectStreamToCallback("in", 1, [](void *) {}), graph_replication_error, "replica 1");
        CHECK_THROWS(moved.connectStreamToCallback("in", std::unique_ptr<StreamCallback>()), stream_connection_error,
                     "null");
        CHECK_THROWS(moved.connectStreamToCallback("none", [](void *) {}), stream_connection_error, "'none'");
        log.clear();
    }
    CHECK(log == "d" || log == "id"); // prefetched data is dropped with the engine
}

TEST(prefetch)
{
    for (bool available : { true, false }) {
        std::string log;
        StreamGraph g;
        std::vector<float> seen;
        Engine engine(g.graph, Repeat(5, g.step),
                      { { "exchange.streamBufferOverlap", "none" }, { "exchange.enablePrefetch", "true" } });
        engine.load(g.device);
        engine.connectStreamToCallback("in", std::unique_ptr<Recorder>(new Recorder(log, available)));
        engine.connectStreamToCallback("out", [&](void *p) { seen.push_back(*static_cast<float *>(p)); });
        engine.run();
        CHECK(seen == std::vector<float>({ 2, 3, 4, 5, 6 }));
        CHECK(log == (available ? "fcpcpcpcpcp" : "fcpfcpfcpfcpfcp"));
        log.clear();
        engine.load(g.device);
        CHECK(log == (available ? "i" : ""));
    }
}

// Waits for the callback that receives results.
struct Handshake {
    std::mutex lock;
    std::condition_variable came;
    int sent = 0, received = 0;
};

class Patient : public StreamCallback
{
  public:
    explicit Patient(Handshake &m) : meeting(m)
    {
    }
    Result prefetch(void *p) override
    {
        std::unique_lock<std::mutex> lock(meeting.lock);
        meeting.came.wait(lock, [&] { return meeting.received == meeting.sent; });
        fill(p);
        return Result::Success;
    }
    void fetch(void *p) override
    {
        const std::lock_guard<std::mutex> lock(meeting.lock);
        fill(p);
    }
    void complete() override
    {
    }

  private:
    void fill(void *p)
    {
        ++meeting.sent;
        for (unsigned i = 0; i < 4; ++i)
            static_cast<float *>(p)[i] = static_cast<float>(meeting.sent);
    }
    Handshake &meeting;
};

TEST(a_prefetch_waits_for_a_result)
{
    for (const char *mode : { "dedicated", "collaborative" }) {
        StreamGraph g;
        Handshake meeting;
        float last = 0;
        Engine engine(g.graph, Repeat(50, g.step),
                      { { "exchange.streamBufferOverlap", "none" },
                        { "exchange.enablePrefetch", "true" },
                        { "streamCallbacks.multiThreadMode", mode },
                        { "streamCallbacks.numWorkerThreads", "auto" } });
        engine.load(g.device);
        engine.connectStreamToCallback("in", std::unique_ptr<Patient>(new Patient(meeting)));
        engine.connectStreamToCallback("out", [&](void *p) {
            const std::lock_guard<std::mutex> lock(meeting.lock);
            ++meeting.received;
            last = *static_cast<float *>(p);
            meeting.came.notify_all();
        });
        engine.run();
        CHECK(meeting.received == 50 && last == 51);
    }
}

struct Mine : std::exception {
    const char *what() const noexcept override
    {
        return "mine";
    }
};
struct NoException {
    int number;
};

template <typename F> static int numberThrown(F call)
{
    try {
        call();
    } catch (const NoException &thrown) {
        return thrown.number;
    }
    return 0;
}

// Objects on its stack are destroyed, and the engine can be used again.
TEST(a_callback_that_ends_its_thread_ends_the_run)
{
    StreamGraph g;
    Engine engine(g.graph, g.step);
    engine.load(g.device);
    float data[4] = { 1, 2, 3, 4 };
    engine.connectStream("out", data, data + 4);
    std::shared_ptr<int> alive = std::make_shared<int>(0);
    engine.connectStreamToCallback("in", [alive](void *) {
        std::shared_ptr<int> on_the_stack = alive;
        pthread_exit(nullptr);
    });
    CHECK_THROWS(engine.run(), runtime_error, "a callback of stream 'in' called pthread_exit");
    engine.connectStream("in", data, data + 4);
    CHECK(alive.use_count() == 1);
    engine.load(g.device);
    engine.run();
    CHECK(data[0] == 2);
}

TEST(exceptions_of_callbacks_are_thrown_by_run)
{
    StreamGraph g;
    Engine engine(g.graph, { Repeat(3, g.step), Execute(g.addOne) });
    engine.load(g.device);
    int calls = 0;
    float to[4], v[4];
    engine.connectStream("out", to);
    engine.connectStreamToCallback("in", [&](void *) {
        if (++calls == 2)
            throw std::out_of_range("the data is over");
    });
    CHECK_THROWS(engine.run(0), std::out_of_range, "the data is over");
    CHECK(calls == 2);
    engine.run(1); // the engine works as before
    engine.readTensor("v", v);
    calls = 5;
    engine.run(0);
    CHECK(calls == 8);
    engine.connectStreamToCallback("in", [](void *) { throw NoException{ 42 }; });
    CHECK(numberThrown([&] { engine.run(0); }) == 42);

    struct Throws : StreamCallback {
        char where;
        explicit Throws(char at) : where(at)
        {
        }
        Result prefetch(void *)
        {
            check('p');
            return Success;
        }
        void fetch(void *p)
        {
            std::memset(p, 0, 16);
            check('f');
        }
        void complete()
        {
            check('c');
        }
        void check(char at)
        {
            if (at == where)
                throw Mine();
        }
    };
    Engine prefetching(g.graph, g.step,
                       { { "exchange.streamBufferOverlap", "none" }, { "exchange.enablePrefetch", "true" } });
    prefetching.load(g.device);
    prefetching.connectStream("out", to);
    for (char where : { 'p', 'f', 'c' }) {
        prefetching.connectStreamToCallback("in", std::unique_ptr<Throws>(new Throws(where)));
        CHECK_THROWS(prefetching.run(0), Mine, "mine");
    }
    Engine threads(g.graph, Repeat(100000, g.step),
                   { { "exchange.streamBufferOverlap", "none" },
                     { "exchange.enablePrefetch", "true" },
                     { "streamCallbacks.multiThreadMode", "dedicated" },
                     { "streamCallbacks.numWorkerThreads", "2" } });
    threads.load(g.device);
    threads.connectStream("out", to);
    for (unsigned round = 0; round < 20;
         ++round) // a prefetch may end after its run: its exception reaches no other call
        for (char where : { 'p', 'f', 'c' }) {
            threads.connectStreamToCallback("in", std::unique_ptr<Throws>(new Throws(where)));
            CHECK_THROWS(threads.run(0), Mine, "mine");
        }
    prefetching.connectStreamToCallback("in", std::unique_ptr<Throws>(new Throws('-')));
    prefetching.run(0);
    CHECK(to[0] == 1);
}

TEST(host_functions)
{
    RunGraph g;
    typedef Graph::HostFunctionArgument Argument;
    HostFunction sum = g.graph.addHostFunction("sum", { Argument(FLOAT, 4), Argument(INT, 1) }, { Argument(FLOAT, 4) });
    Engine engine(g.graph, Sequence{ Call(sum, { g.v, g.counter }, { g.v }) });
    engine.load(g.device);
    CHECK_THROWS(engine.run(), stream_connection_error, "'sum'");
    auto add = [](ArrayRef<const void *> in, ArrayRef<void *> out) {
        CHECK(in.size() == 2 && out.size() == 1);
        for (unsigned i = 0; i < 4; ++i)
            static_cast<float *>(out[0])[i] =
                static_cast<const float *>(in[0])[i] + static_cast<float>(*static_cast<const int *>(in[1]));
    };
    engine.connectHostFunction("sum", 0, add);
    int counter = 5;
    float v[4];
    engine.writeTensor("counter", &counter);
    engine.run();
    engine.run();
    engine.readTensor("v", v);
    CHECK(v[1] == 10);
    struct Fails : HostCallback {
        void operator()(ArrayRef<const void *>, ArrayRef<void *>) override
        {
            throw Mine();
        }
    };
    engine.connectHostFunction(sum, 0, std::unique_ptr<Fails>(new Fails));
    CHECK_THROWS(engine.run(), Mine, "mine");
    engine.readTensor("v", v);
    CHECK(v[1] == 10);
    CHECK_THROWS(engine.connectHostFunction("som", 0, add), stream_connection_error, "'sum'");
    CHECK_THROWS(engine.connectHostFunction("sum", 1, add), graph_replication_error, "replica 1");
}

TEST(remote_buffers)
{
    RunGraph g;
    RemoteBuffer far = g.graph.addRemoteBuffer("far", FLOAT, 4, 2);
    Tensor row = g.graph.addConstant(INT, {}, 1);
    g.graph.setTileMapping(row, 0);
    Engine engine(g.graph, Sequence{ Copy(far, g.v, row), Execute(g.addOne), Copy(g.v, far, row) });
    float from[4] = { 1, 2, 3, 4 }, to[4] = {};
    CHECK_THROWS(engine.copyToRemoteBuffer(from, "far", 1), runtime_error, "load");
    engine.load(g.device);
    const std::string name = "far";
    const int repeat = 1;
    CHECK_THROWS(engine.copyToRemoteBuffer(ArrayRef<float>(from, 1), "far"), tensor_io_state_error, "bytes");
    engine.copyToRemoteBuffer(from, name, repeat);
    engine.copyToRemoteBuffer(from, "far", 0, 0);
    engine.copyToRemoteBuffer(ArrayRef<float>(from), "far", 1);
    engine.run();
    engine.run(); // contents are kept
    engine.copyFromRemoteBuffer(name, to, 1);
    CHECK(to[0] == 3 && to[3] == 6);
    engine.copyFromRemoteBuffer("far", static_cast<void *>(to), 0, 0);
    CHECK(to[0] == 1);
    CHECK_THROWS(engine.copyFromRemoteBuffer("far", to, 2), index_error, "2");
    CHECK_THROWS(engine.copyToRemoteBuffer(from, "fat", 0), poplar_error, "'far'");
}

TEST(a_callback_stops_its_run)
{
    StreamGraph g;
    Engine engine(g.graph, Repeat(1000, g.step));
    engine.load(g.device);
    float to[4];
    int calls = 0;
    engine.connectStream("out", to);
    engine.connectStreamToCallback("in", [&](void *) {
        if (++calls == 3)
            engine.stop();
    });
    engine.run();
    CHECK(calls == 3);
}

// After the run, callbacks and their captures are released when the call returns, also with an exception.
TEST(a_callback_destroys_its_engine)
{
    for (bool throws : { false, true }) {
        StreamGraph g;
        std::unique_ptr<Engine> engine(new Engine(g.graph, Repeat(1000, g.step)));
        engine->load(g.device);
        float to[4];
        int calls = 0;
        const std::shared_ptr<int> held(new int(1));
        engine->connectStream("out", to);
        engine->connectStreamToCallback("in", [&, held](void *p) {
            engine.reset();
            std::memset(p, 0, 4 * sizeof(float));
            calls += *held;
            if (throws)
                throw Mine();
        });
        if (throws)
            CHECK_THROWS(engine->run(), Mine, "mine");
        else
            engine->run();
        CHECK(calls == 1 && !engine && held.use_count() == 1);
    }
}

// A released callback may connect its stream, or destroy the engine.
TEST(a_released_callback_uses_its_engine)
{
    struct Going : StreamCallback {
        std::function<void()> last;
        explicit Going(std::function<void()> f) : last(f)
        {
        }
        ~Going()
        {
            last();
        }
        Result prefetch(void *) override
        {
            return Result::NotAvailable;
        }
        void fetch(void *) override
        {
        }
        void complete() override
        {
        }
    };
    StreamGraph g;
    std::unique_ptr<Engine> engine(new Engine(g.graph, g.step));
    engine->load(g.device);
    float from[4] = { 1, 1, 1, 1 }, other[4] = { 5, 5, 5, 5 }, to[4];
    engine->connectStream("out", to);
    engine->connectStreamToCallback("in",
                                    std::unique_ptr<Going>(new Going([&] { engine->connectStream("in", other); })));
    engine->connectStream("in", from);
    engine->run();
    CHECK(to[0] == 6);
    engine->connectStreamToCallback("in", std::unique_ptr<Going>(new Going([&] { engine.reset(); })));
    engine->connectStream("in", from);
    CHECK(!engine);
}

// A host function cannot replace itself while it runs.
TEST(a_host_function_connects_itself)
{
    RunGraph g;
    HostFunction sum = g.graph.addHostFunction("sum", {}, {});
    Engine engine(g.graph, Sequence{ Call(sum, {}, {}) });
    engine.load(g.device);
    int calls = 0;
    const auto count = [&](ArrayRef<const void *>, ArrayRef<void *>) { ++calls; };
    engine.connectHostFunction(
        "sum", 0, [&](ArrayRef<const void *>, ArrayRef<void *>) { engine.connectHostFunction("sum", 0, count); });
    CHECK_THROWS(engine.run(), stream_connection_error, "by its own callback");
    engine.connectHostFunction("sum", 0, count);
    engine.run();
    CHECK(calls == 1);
}

MAIN()
