// SPDX-License-Identifier: Apache-2.0
// Debug names in every spelling that programs use, and the records of DebugInfo.
#include "check.hpp"

#include <poplar/DebugContext.hpp>
#include <poplar/ProfileValue.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>

using namespace poplar;

static std::string path(const DebugContext &debugContext = {})
{
    return debugContext.getPathName();
}
static unsigned line(const DebugContext &debugContext = {})
{
    return debugContext.getSourceLocation().getLineNumber();
}
static std::string named(const DebugNameAndId &dnai)
{
    return dnai.getPathName();
}

// Classes that libraries derive from DebugInfo, as templates and with a second base.
namespace library
{
class OpDebugInfo : public DebugInfo
{
  public:
    OpDebugInfo(const DebugContext &debugContext, std::string api) : DebugInfo(debugContext, "library")
    {
        setValue("api", api);
    }
    void add(const std::string &name, const ProfileValue &value)
    {
        setValue(name, value);
    }
};
template <typename T> class TypedDebugInfo : public OpDebugInfo
{
  public:
    TypedDebugInfo(const DebugContext &debugContext, const std::vector<T> &values,
                   const std::string &api = __builtin_FUNCTION())
        : OpDebugInfo(debugContext, api)
    {
        ProfileValue::Vector list;
        for (const T &value : values)
            list.push_back(ProfileValue(value));
        add("values", list);
    }
};
} // namespace library

TEST(every_spelling_is_a_context)
{
    const std::string text = "text";
    CHECK(path() == "" && path({}) == "" && path("lit") == "lit" && path({ "lit" }) == "lit" && path(text) == "text" &&
          path({ text }) == "text");
    CHECK(path(text + "/x") == "text/x" && path({ text + "/x" }) == "text/x" && path(StringRef("ref")) == "ref" &&
          path({ StringRef("ref") }) == "ref");
    CHECK(path(std::string("a name that is too long to be short") + "er") == "a name that is too long to be shorter");
    const DebugContext outer("outer");
    CHECK(path(outer) == "outer" && path({ outer }) == "outer" && path({ outer, "x" }) == "outer/x" &&
          path({ outer, text }) == "outer/text");
    const DebugNameAndId dnai("name");
    CHECK(path(dnai) == "name" && path({ dnai }) == "name" && path({ dnai, "x" }) == "name/x" &&
          path({ dnai, "/x" }) == "name/x" && path({ dnai, text }) == "name/text" &&
          path({ dnai, text + "/y" }) == "name/text/y");
    const DebugInfo di({ outer, "op" }, "layer");
    CHECK(path(di) == "outer/op" && path({ di }) == "outer/op" && path({ di, "x" }) == "outer/op/x" &&
          path({ di, "/x" }) == "outer/op/x" && path({ di, text }) == "outer/op/text");
    const library::OpDebugInfo op({ di, "sub" }, "api");
    CHECK(path(op) == "outer/op/sub" && path({ op }) == "outer/op/sub" && path({ op, "x" }) == "outer/op/sub/x");
    const library::TypedDebugInfo<int> typed("typed", { 1, 2 });
    CHECK(path({ typed }) == "typed" && path({ typed, "x" }) == "typed/x");
    DebugContext copy = { di, "copied" };
    CHECK(path(copy) == "outer/op/copied" && path(DebugContext(copy)) == "outer/op/copied" &&
          path(std::move(copy)) == "outer/op/copied");
}
TEST(contexts_have_their_line)
{
    const unsigned here = __LINE__;
    CHECK(line() == here + 1 && line({}) == here + 1);
    CHECK(line("x") == here + 2 && line({ std::string("x") }) == here + 2);
    const DebugNameAndId dnai;
    CHECK(line({ dnai, "x" }) == here + 4);
    const DebugContext context("x");
    CHECK(line({ context, "y" }) == here + 5); // the line of the operation's call
    CHECK(context.getSourceLocation().isValid() && !SourceLocation().isValid());
    CHECK(check::contains(context.getSourceLocation().getFileName(), "test_debug"));
    CHECK(std::string(SourceLocation::Current().getFunctionName()) == "contexts_have_their_line" &&
          SourceLocation::Current().getLineNumber() == here + 9);
    CHECK(SourceLocation("f", "g.cpp", 3).getLineNumber() == 3 && line({ "x", SourceLocation("f", "g.cpp", 3) }) == 3);
}
TEST(names_and_ids)
{
    const DebugInfo di("op", "layer");
    const DebugNameAndId empty, id(di.getId()), full("x", di.getId(), "parent");
    CHECK(empty.getPathName() == "" && id.getPathName() == "" && full.getPathName() == "parent/x");
    CHECK(id.getId() == di.getId() && full.getId() == di.getId() && DebugNameAndId(di).getId() == di.getId());
    CHECK(named("a") == "a" && named(std::string("b")) == "b" && named({}) == "" && named(di) == "op" &&
          named({ di }) == "op");
    CHECK(named({ di, "x" }) == "op/x" && named({ full, "y" }) == "parent/x/y" && named({ full }) == "parent/x" &&
          named({ full, std::string("y") }) == "parent/x/y");
    CHECK(DebugContext(full, "z").getPathName() == "parent/x/z");
    std::ostringstream written;
    written << full << ' ' << empty;
    CHECK(written.str() == "parent/x ");
    CHECK(DebugInfo("a", "l").getId() != DebugInfo("a", "l").getId());
}

static std::string contents(const char *file)
{
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}
static void writeRecords()
{
    const DebugInfo outer("outer", "framework");
    const library::TypedDebugInfo<double> op({ outer, "op" }, { 0.5, 2 });
}
TEST(records_are_written)
{
    const char *const file = "test_debug_records.out";
    writeRecords();
    DebugInfo::initializeStreamer(file, DebugSerializationFormat::JSON);
    writeRecords();
    DebugInfo::closeStreamer();
    const std::string text = contents(file);
    CHECK(check::contains(text, "\"contexts\":[{\"api\":\"writeRecords\"") &&
          check::contains(text, "\"values\":[0.5,2]"));
    CHECK(check::contains(text, "\"layer\":\"library\"") && check::contains(text, "\"parentId\":"));
    CHECK(check::contains(text, "\"stringTable\":[\"\",\"outer/op\"") && check::contains(text, "test_debug.cpp"));
    DebugInfo::initializeStreamer(file);
    {
        DebugInfo info("x", "layer");
        CHECK(info.setValue("number", 3));
    }
    DebugInfo::closeStreamer();
    CHECK(contents(file).substr(0, 10) == "\xa2\x68"
                                          "contexts");
    std::remove(file);
    DebugInfo info("x", "layer");
    CHECK(!info.setValue("number", 3));
    CHECK_THROWS(DebugInfo::initializeStreamer("no/such/place"), file_load_error, "no/such/place");
}

MAIN()
