// SPDX-License-Identifier: Apache-2.0
// Options in every spelling, their JSON, and profile values.
#include "check.hpp"

#include <poplar/EngineOptions.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/RuntimeOptions.hpp>

#include <cstdint>
#include <cstdlib>
#include <sstream>

using namespace poplar;

static std::size_t count(const OptionFlags &options = {})
{
    return options.size();
}
static std::string json(const ProfileValue &value, bool pretty = false)
{
    std::ostringstream out;
    serializeToJSON(out, value, pretty);
    return out.str();
}

TEST(options)
{
    const OptionFlags none, one{ { "a", "1" } }, two = { { "a", "1" }, { "b", "2" } }, parenthesised({ { "a", "1" } }),
                                                 both({ { "a", "1" }, { "b", "2" } });
    CHECK(none.size() == 0 && one.size() == 1 && two.size() == 2 && parenthesised == one && both == two && one != two);
    CHECK(count() == 0 && count({}) == 0 && count({ { "a", "1" } }) == 1 &&
          count({ { "a", "1" }, { "b", "2" } }) == 2 && count(two) == 2);
    CHECK(count(OptionFlags{ { "x", std::to_string(3) }, { std::string("y"), "z" } }) == 2);
    OptionFlags options = {};
    options.set("debug.instrument", "true");
    options.set(std::string("target.workerStackSizeInBytes"), "0x100");
    options.set({ { "debug.instrument", "false" }, { "opt.enableInlining", "1" } });
    CHECK(options.size() == 3 && options.at("debug.instrument") == "false");
    const std::string value = options.at("opt.enableInlining");
    CHECK(value == "1" && std::stoul(options.at("target.workerStackSizeInBytes"), nullptr, 16) == 256);
    CHECK_THROWS(options.at("nothing"), std::out_of_range, "'nothing'");
    CHECK(options.find("nothing") == options.end() && options.find("debug.instrument")->second == "false");
    std::string keys;
    for (const auto &option : options)
        keys += option.first + "=" + option.second + ";";
    CHECK(keys == "debug.instrument=false;opt.enableInlining=1;target.workerStackSizeInBytes=0x100;");
    for (const std::pair<const std::string, std::string> option : options)
        CHECK(!option.first.empty());
    OptionFlags copy = options;
    for (const auto &option : two)
        copy.set(option.first, option.second);
    CHECK(copy.size() == 5 && copy != options);
    OptionFlags twice{ { "k", "first" }, { "k", "last" } };
    CHECK(twice.size() == 1 && twice.at("k") == "last");
    twice.set("a", twice.at("k")); // a view of storage that is reallocated
    CHECK(twice.at("a") == "last" && twice.at("k") == "last");
    twice.clear();
    twice.set("z", StringRef());
    CHECK(twice.size() == 1 && twice.at("z").empty());
    OptionFlags backwards;
    backwards.set("b", "2");
    backwards.set("a", "1");
    CHECK(backwards == two);
    std::ostringstream out;
    out << two;
    CHECK(out.str() == "{a: 1, b: 2}");
    copy = {};
    CHECK(copy.size() == 0 && (copy = { { "a", "1" } }) == one);
    copy.clear();
    CHECK(copy == none);
    const OptionFlags::initializer_list list = { { "a", "1" } };
    CHECK(OptionFlags(list) == one);
}
TEST(options_for_c)
{
    const OptionFlags two{ { "b", "2" }, { "a", "1" } };
    const detail::Options list(two);
    const pop_options c = list;
    CHECK(c.count == 2 && std::string(c.list[0].key) == "a" && std::string(c.list[1].value) == "2");
    CHECK(static_cast<pop_options>(detail::Options({})).count == 0);
}
TEST(json_options)
{
    OptionFlags options{ { "a", "old" }, { "z", "kept" } };
    readJSON("{\"a\": \"new\", \"b\": true, \"c\": 12, \"d\": 0.5}", options);
    CHECK(options == OptionFlags({ { "a", "new" }, { "b", "true" }, { "c", "12" }, { "d", "0.5" }, { "z", "kept" } }));
    std::istringstream in("{\"e\": \"\\u00e9\"}");
    readJSON(in, options);
    CHECK(options.at("e") == "\xc3\xa9");
    const OptionFlags before = options;
    CHECK_THROWS(readJSON("[1]", options), parse_error, "must be a JSON object");
    CHECK_THROWS(readJSON("{\"a\": \"x\"", options), parse_error, "is not JSON");
    CHECK_THROWS(readJSON("{\"a\": \"x\", \"b\": [1]}", options), parse_error, "option 'b'");
    CHECK(options == before);
    unsetenv("TEST_OPTIONS");
    readJSONFromEnv("TEST_OPTIONS", options);
    CHECK(options == before);
    setenv("TEST_OPTIONS", "{\"a\": \"env\"}", 1);
    readJSONFromEnv(std::string("TEST_OPTIONS"), options);
    CHECK(options.at("a") == "env");
    setenv("TEST_OPTIONS", "{", 1);
    CHECK_THROWS(readJSONFromEnv("TEST_OPTIONS", options), parse_error, "TEST_OPTIONS");
    CHECK(json(getAsProfileValue({ { "b", "2" }, { "a", "1" } })) == "{\"a\":\"1\",\"b\":\"2\"}");
}
TEST(options_of_version_3)
{
    const RuntimeOptions runtime(OptionFlags{ { "a", "1" } }), braces = OptionFlags{ { "a", "1" } };
    const EngineOptions engine(Target::createIPUTarget(1, "ipu1"), { { "a", "1" }, { "b", "2" } });
    CHECK(count(runtime) == 1 && count(braces) == 1 && count(engine) == 2 && engine.getTarget().getNumTiles() == 1216);
    const Target ipu1 = Target::createIPUTarget(1, "ipu1"), ipu2 = Target::createIPUTarget(1, "ipu2");
    const OptionFlags flags{ { "b", "2" }, { "a", "1" } };
    const EngineOptions same(flags, ipu1), twice(flags, ipu1, 2), other(flags, ipu2), fewer({ { "a", "1" } }, ipu1);
    CHECK(same == engine && hash_value(same) == hash_value(engine) && same.getReplicationFactor() == 1);
    CHECK(twice != engine && other != engine && fewer != engine && twice.getReplicationFactor() == 2);
    CHECK(hash_value(twice) != hash_value(engine) && hash_value(other) != hash_value(engine) &&
          hash_value(fewer) != hash_value(engine));
}

TEST(profile_values)
{
    const ProfileValue null, truth(true), integer(-3), natural(4u), wide(std::uint64_t(1) << 63), real(0.5),
        single(1.5f), literal("text"), string(std::string("string")), list(ProfileValue::Vector{ 1, "two", 3.5 }),
        map(ProfileValue::Map{ { "a", 1 }, { "b", list } });
    CHECK(truth.asBool() && integer.asInt() == -3 && natural.asUint() == 4 && wide.asUint() == std::uint64_t(1) << 63 &&
          real.asDouble() == 0.5);
    CHECK(single.asDouble() == 1.5 && literal.asString() == "text" && string.asString() == "string" &&
          integer.asDouble() == -3 && real.asInt() == 0);
    CHECK(list.size() == 3 && list[0].asInt() == 1 && list[1u].asString() == "two" &&
          list.asVector().back().asDouble() == 3.5);
    CHECK(map.size() == 2 && map["a"].asUint() == 1 && map[std::string("b")][2].asDouble() == 3.5 &&
          map.asMap().at("a").asInt() == 1);
    CHECK(map.getOrNull("a") && !map.getOrNull("c") && !list.getOrNull("a"));
    CHECK(null.type() == ProfileValue::Type::NONE && truth.type() == ProfileValue::Type::BOOL &&
          integer.type() == ProfileValue::Type::INT && natural.type() == ProfileValue::Type::UINT &&
          real.type() == ProfileValue::Type::DOUBLE && literal.type() == ProfileValue::Type::STRING &&
          list.type() == ProfileValue::Type::VECTOR && map.type() == ProfileValue::Type::MAP);
    CHECK(ProfileValue(ProfileValue::Vector{ 1, map, list }).sumInt() == 1 + 1 + 4 + 4 && map.sumDouble() == 5.5 &&
          map.sumUint() == 5);
    CHECK(integer == ProfileValue(-3) && integer != natural && natural == ProfileValue(4) &&
          ProfileValue(2) == ProfileValue(2.0) && list != map);
    CHECK(list == ProfileValue(list) && map == ProfileValue(map) && literal != string && null == ProfileValue());
    CHECK_THROWS(map["c"], poplar_error, "'c'");
    CHECK_THROWS(list[3], index_error, "element 3");
    CHECK_THROWS(list.asMap(), poplar_error, "a vector, not a map");
    CHECK_THROWS(literal.asInt(), poplar_error, "a string");
}
TEST(profile_values_are_built)
{
    ProfileValue::Map map;
    map["name"] = "x";
    map["count"] = 3;
    map["size"] = std::size_t(5);
    map["long"] = 7l;
    map["flag"] = false;
    map.insert({ "list", ProfileValue::Vector() });
    map.insert({ "text", ProfileValue(StringRef("t")) });
    ProfileValue::Vector list;
    list.push_back(1);
    list.emplace_back("two");
    map["list"] = list;
    ProfileValue value = map;
    value.asMap()["late"] = 1;
    ProfileValue moved = std::move(value), assigned;
    assigned = moved;
    CHECK(assigned == moved && json(assigned) == "{\"count\":3,\"flag\":false,\"late\":1,\"list\":[1,\"two\"],\"long\":"
                                                 "7,\"name\":\"x\",\"size\":5,\"text\":\"t\"}");
    assigned = assigned["list"];
    CHECK(json(assigned) == "[1,\"two\"]");
    unsigned long total = 0;
    for (const auto &member : moved.asMap())
        total += member.first.size();
    CHECK(total == 33);
}
TEST(profile_values_are_written)
{
    const ProfileValue value(
        ProfileValue::Map{ { "a", ProfileValue::Vector{ 1, -2, true } }, { "b", "x\"y" }, { "c", ProfileValue() } });
    CHECK(json(value) == "{\"a\":[1,-2,true],\"b\":\"x\\\"y\",\"c\":null}");
    CHECK(json(value, true) == "{\n  \"a\":[1,-2,true],\n  \"b\":\"x\\\"y\",\n  \"c\":null\n}\n");
    std::ostringstream cbor;
    serializeToCBOR(cbor, value);
    CHECK(cbor.str() == std::string("\xa3\x61\x61\x83\x01\x21\xf5\x61\x62\x63x\"y\x61\x63\xf6"));
    pop_profile_value read;
    CHECK(pop_profile_read_cbor(cbor.str().data(), cbor.str().size(), &read, nullptr) == POP_OK &&
          ProfileValue(read) == value);
}
// Values from C are read in place; a program's changes are its own, and references that it holds stay valid.
TEST(profile_values_from_c)
{
    const auto read = [](const char *text) {
        pop_profile_value c;
        CHECK(pop_profile_read_json(text, std::strlen(text), &c, nullptr) == POP_OK);
        return ProfileValue(c);
    };
    const char *const text = "{\"a\":[1,[2.5],\"x\"],\"b\":{\"c\":true,\"d\":-4},\"e\":null}";
    ProfileValue value = read(text);
    CHECK(json(value) == text && value.size() == 3 && value["a"].size() == 3 && value["b"].size() == 2 &&
          value["e"].size() == 0);
    CHECK(value["a"][0].asUint() == 1 && value["a"][1][0].asDouble() == 2.5 && value["a"][2].asString() == "x" &&
          value["b"]["c"].asBool());
    CHECK(value["b"]["d"].asInt() == -4 && value.getOrNull("e") && !value.getOrNull("") && !value.getOrNull("c") &&
          !value.getOrNull("f"));
    CHECK_THROWS(value["a"][3], index_error, "element 3 of a profile's vector of 3");
    CHECK_THROWS(value["b"][0], poplar_error, "a map, not a vector");
    CHECK(value.sumInt() == 1 + 2 - 4 && value.sumDouble() == -0.5 && read("[]").size() == 0 &&
          read("{}").size() == 0 && read("7").asInt() == 7);

    const ProfileValue before = value, &b = value["b"], &c = b["c"];
    ProfileValue::Map &map = value.asMap();
    map["b"].asMap()["d"] = "changed";
    map["a"].asVector().push_back(5);
    map.erase("e");
    CHECK(json(value) == "{\"a\":[1,[2.5],\"x\",5],\"b\":{\"c\":true,\"d\":\"changed\"}}" &&
          value["a"][3].asInt() == 5 && !value.getOrNull("e"));
    CHECK(json(before) == text && before == read(text) && before != value && c.asBool() && b["d"].asInt() == -4);
    ProfileValue copy = value;
    copy.asMap()["b"] = 1;
    CHECK(value["b"].size() == 2 && copy["b"].asInt() == 1 && &before.asMap() == &before.asMap() &&
          before.asMap().at("a").asVector().size() == 3);
    value = before["a"];
    CHECK(json(value) == "[1,[2.5],\"x\"]" &&
          &static_cast<const ProfileValue &>(value).asVector() == &before["a"].asVector());
    const ProfileValue child = read(text)["b"]; // outlives its parent
    CHECK(child["d"].asInt() == -4 && child.asMap().begin()->first == "c");
}

MAIN()
