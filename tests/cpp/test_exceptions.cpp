// SPDX-License-Identifier: Apache-2.0
// The exceptions: their base classes, their constructors, and the classes of C errors.
#include "check.hpp"

#include <poplar/DebugContext.hpp>
#include <poplar/exceptions.hpp>

#include <type_traits>

using namespace poplar;

// Constructed from a text, caught as its base class.
template <typename Error, typename Base> static bool is(const char *type)
{
    static_assert(std::is_base_of<Base, Error>::value && std::is_base_of<poplar_error, Error>::value, "the hierarchy");
    static_assert(std::is_copy_constructible<Error>::value && std::is_copy_assignable<Error>::value,
                  "exceptions are values");
    try {
        throw Error(std::string("text"));
    } catch (const Base &error) {
        if (std::string(error.what()) != "text" || error.type != type)
            return false;
    }
    const Error literal("literal"), copy = literal;
    return std::string(copy.what()) == "literal" && copy.type == type;
}
#define IS(Error, Base) CHECK((is<Error, Base>(#Error)))

TEST(building)
{
    static_assert(std::is_base_of<std::runtime_error, poplar_error>::value, "programs catch std::exception");
    IS(poplar_error, poplar_error);
    IS(graph_object_creation_error, poplar_error);
    IS(graph_object_load_error, poplar_error);
    IS(graph_program_compilation_error, poplar_error);
    IS(file_load_error, poplar_error);
    IS(unknown_vertex_type, poplar_error);
    IS(unknown_field, poplar_error);
    IS(index_error, poplar_error);
    IS(type_error, poplar_error);
    IS(no_size_specified, poplar_error);
    IS(tensor_creation_error, poplar_error);
    IS(tensor_metadata_error, poplar_error);
    IS(control_program_error, poplar_error);
    IS(invalid_tile_mapping, poplar_error);
    IS(graph_replication_error, poplar_error);
    IS(no_environment, poplar_error);
    IS(parse_error, poplar_error);
    IS(invalid_option, poplar_error);
    CHECK((is<poplar::overflow_error, poplar_error>("overflow_error")));
    CHECK(std::string(graph_object_load_error("a.gp", "no such file").what()) == "a.gp: no such file");
    CHECK(check::contains(unknown_field("Vertex", "in").what(), "Vertex") &&
          check::contains(unknown_field("Vertex", "in").what(), "in"));
    CHECK(std::string(index_error("slice", 7).what()) == "slice: 7");
}
TEST(compiling)
{
    IS(graph_connection_error, poplar_error);
    IS(graph_cycle_error, poplar_error);
    IS(graph_recursion_error, poplar_error);
    IS(memory_elem_constraints_error, poplar_error);
    IS(graph_memory_allocation_error, poplar_error);
    IS(stream_memory_allocation_error, poplar_error);
    IS(missing_perf_estimate, poplar_error);
    IS(invalid_machine_model, poplar_error);
    IS(link_error, poplar_error);
    IS(symbol_error, poplar_error);
    static_assert(std::is_same<missing_cycle_estimate, missing_perf_estimate>::value, "the old name");
    CHECK(link_error("cannot link", "ld: no symbol").output == "ld: no symbol" &&
          link_error("cannot link").output.empty());
    CHECK(std::string(symbol_error("main", 3).what()) == "symbol 'main' on tile 3");
}
TEST(running)
{
    IS(stream_connection_error, poplar_error);
    IS(tensor_io_state_error, poplar_error);
    CHECK((is<poplar::runtime_error, poplar_error>("runtime_error")));
    IS(application_runtime_error, poplar::runtime_error);
    IS(system_runtime_error, poplar::runtime_error);
    IS(recoverable_runtime_error, system_runtime_error);
    IS(unrecoverable_runtime_error, system_runtime_error);
    IS(unknown_runtime_error, system_runtime_error);
    const recoverable_runtime_error error(RecoveryAction::PARTITION_RESET, "link lost");
    CHECK(error.getRecoveryAction() == RecoveryAction::PARTITION_RESET && std::string(error.what()) == "link lost");
    CHECK(toString(error.getRecoveryAction()) == "PARTITION_RESET" &&
          toString(RecoveryAction::FULL_RESET) == "FULL_RESET" && toString(RecoveryAction::IPU_RESET) == "IPU_RESET" &&
          toString(RecoveryAction::LINK_RESET) == "LINK_RESET");
}
TEST(profiling)
{
    IS(profiling_disabled, poplar_error);
    IS(missing_profile_data, poplar_error);
    IS(missing_graph_profile, poplar_error);
}

// Every kind of C error has its class, with the error's text and source location.
TEST(c_errors_become_exceptions)
{
    for (int kind = POP_OK + 1; kind < POP_STATUS_COUNT; ++kind) {
        pop_error c = pop_error();
        c.status = static_cast<pop_status>(kind);
        std::strcpy(c.api, "pop_call");
        std::strcpy(c.text, "what was seen");
        std::strcpy(c.artifact, "report.json");
        c.where = pop_where{ "model.cpp", 12, 0 };
        try {
            detail::raise(c);
        } catch (const poplar_error &error) {
            CHECK(error.type == pop_status_name(c.status));
            CHECK(std::string(error.what()).find("what was seen\n") == 0 &&
                  check::contains(error.what(), "model.cpp:12"));
            const auto *memory = dynamic_cast<const graph_memory_allocation_error *>(&error);
            CHECK((memory != nullptr) == (kind == POP_GRAPH_MEMORY_ALLOCATION_ERROR) &&
                  (!memory || memory->profilePath == "report.json"));
        }
    }
    CHECK_THROWS(detail::raise(POP_LINK_ERROR, "x"), link_error, "x");
}
TEST(locations_can_be_attached)
{
    try {
        try {
            throw invalid_option("unknown option");
        } catch (poplar_error &error) {
            error.attachSourceLocation({ "layer/op", SourceLocation("build", "model.cpp", 7) });
            throw;
        }
    } catch (const invalid_option &error) {
        CHECK(std::string(error.what()) == "unknown option\n  in layer/op\n  at model.cpp:7");
    }
}

MAIN()
