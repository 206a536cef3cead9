// SPDX-License-Identifier: Apache-2.0
// Trace points written by libpvti, as pva::openTrace reads them.
#include <pva/pva.hpp>
#include <pvti/pvti.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

static int bad;
#define CHECK(what) ((what) ? (void)0 : (std::printf("%s:%d: %s\n", __FILE__, __LINE__, #what), (void)++bad))

static void record()
{
    pvti::TraceChannel channel("test"), silent("silent", false);
    for (int i = 0; i < 10; ++i) {
        pvti::Tracepoint epoch(&channel, "epoch", pvti::createJsonMetadata("{\"i\":" + std::to_string(i) + "}"));
        pvti::Tracepoint::begin(&channel, "step");
        usleep(1000);
        pvti::Tracepoint::end(&channel, "step");
        pvti::Tracepoint::event(&channel, "tick");
        pvti::Tracepoint nothing(&silent, "nothing");
    }
    pvti::Tracepoint::end(&channel, "was never begun");
    pvti::Tracepoint::begin(&channel, "never ends");
    std::thread other([&] {
        pvti::ThreadName name("worker");
        pvti::Tracepoint work(&channel, "work");
    });
    other.join();
    auto series = pvti::Graph("loss", "nats").addSeries("train");
    series.add(2.5);
    series.add(1.5);
    pvti::HeatmapInt heatmap("sizes", { 0, 10, 100 }, "B");
    heatmap.add({ 1, 2, 50, -5, 1000 });
}

static void read(const std::string &path)
{
    const pva::Trace trace = pva::openTrace(path);
    CHECK(trace.processes().size() == 1);
    const pva::Process process = trace.process(static_cast<std::uint64_t>(getpid()));
    CHECK(process && process.name() == "pva_test_trace");
    CHECK(process.threads().size() == 2);
    CHECK(process.threads()[1].name() == "worker" && process.threads()[1].events()[0].label() == "work");
    const pva::Thread thread = process.thread(static_cast<std::uint64_t>(getpid()));
    CHECK(thread.events().size() == 11);
    double last = 0;
    for (const auto &event : thread.events()) {
        CHECK(event.timestamp() >= last && event.timestamp() > 1.6e15);
        last = event.timestamp();
        if (event.label() == "never ends") {
            CHECK(event.duration() == 0 && event.children().empty());
            continue;
        }
        CHECK(event.label() == "epoch" && event.channel() == "test" && event.metadata().find("{\"i\":") == 0);
        const auto children = event.children();
        CHECK(children.size() == 2 && children[0].label() == "step" && children[1].label() == "tick");
        CHECK(children[0].duration() >= 1000 && children[0].duration() <= event.duration() &&
              children[1].duration() == 0);
    }
    CHECK(!process.thread(1));
}

static bool equals(const std::string &path, const char *sql, const std::string &wanted)
{
    struct Found {
        std::string text;
    } found;
    pop_error error;
    pva_file *file = pva_open_trace(path.c_str(), &error);
    const pop_status status = pva_sql(
        file, sql,
        [](void *context, size_t columns, const char *const *, const pva_value *values) {
            for (size_t i = 0; values && i < columns; ++i)
                static_cast<Found *>(context)->text += std::string(values[i].text ? values[i].text : "NULL") + " ";
            return true;
        },
        &found, &error);
    pva_close(file);
    if (status != POP_OK || found.text != wanted)
        std::printf("%s: '%s' %s\n", sql, found.text.c_str(), status == POP_OK ? "" : error.text);
    return status == POP_OK && found.text == wanted;
}

int main()
{
    char directory[] = "/tmp/pvti-XXXXXX";
    if (!mkdtemp(directory))
        return 1;
    const std::string options = "{\"enable\":\"true\",\"directory\":\"" + std::string(directory) + "/made/below\"}";
    const pid_t choosy = fork(); // has one of two channels
    if (choosy == 0) {
        setenv("PVTI_OPTIONS",
               ("{\"enable\":\"true\",\"directory\":\"" + std::string(directory) +
                "/choosy\", \"channels\":\"other, wanted\"}")
                   .c_str(),
               1);
        pvti::TraceChannel channel("test"), wanted("wanted");
        pvti::Tracepoint::event(&channel, "no");
        pvti::Tracepoint::event(&wanted, "yes");
        {
            const char label[] = { 'c', 'u', 't', 's' };
            pvti::Tracepoint cut(&wanted, label, 3);
        }
        const std::string own = pvti::getCurrentTraceFilename();
        pvti::closeTrace();
        const auto events = pva::openTrace(own).processes()[0].threads()[0].events();
        _exit(events.size() == 2 && events[0].label() == "yes" && events[1].label() == "cut" ? 0 : 1);
    }
    int chose = 1;
    CHECK(waitpid(choosy, &chose, 0) == choosy && chose == 0);
    setenv("PVTI_OPTIONS", options.c_str(), 1);
    CHECK(pvti::getCurrentTraceFilename().empty());
    record();
    const std::string path = pvti::getCurrentTraceFilename();
    CHECK(path.find("/made/below/") != std::string::npos &&
          path.find("_GMT_" + std::to_string(getpid()) + ".pvti") != std::string::npos);
    const pid_t child = fork(); // writes its own file
    if (child == 0) {
        pvti::TraceChannel channel("test");
        pvti::Tracepoint::event(&channel, "of the child");
        const std::string own = pvti::getCurrentTraceFilename();
        pvti::closeTrace();
        _exit(own != path && pva::openTrace(own).processes()[0].threads()[0].events()[0].label() == "of the child" ? 0
                                                                                                                   : 1);
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    read(path); // while it is being written
    pvti::closeTrace();
    read(path);
    CHECK(equals(path,
                 "SELECT s.name, v.value FROM series s JOIN series_values v ON v.graph = s.graph AND v.series = "
                 "s.number ORDER BY v.timestamp",
                 "train 2.5 train 1.5 "));
    CHECK(equals(path, "SELECT hex(bin_quantities) FROM HEATMAP_DATA", "0300000002000000 "));
    CHECK(equals(path, "SELECT closed FROM format", "1 "));
    pvti::TraceChannel channel("test");
    CHECK(pvti::checkTraceChannel("test") && !pvti::checkTraceChannel("silent"));
    pvti::Tracepoint::event(&channel, "in a second file");
    const std::string second = pvti::getCurrentTraceFilename();
    CHECK(second != path &&
          pva::openTrace(second).processes()[0].threads()[0].events()[0].label() == "in a second file");
    pvti::closeTrace();
    try {
        pva::openTrace("/dev/null");
        CHECK(!"an empty file is no trace");
    } catch (const pva::Error &error) {
        CHECK(std::string(error.what()).find("is no trace") != std::string::npos);
    }
    CHECK(std::system(("rm -rf " + std::string(directory)).c_str()) == 0);
    std::printf("%s\n", bad ? "failed" : "passed");
    return bad != 0;
}
