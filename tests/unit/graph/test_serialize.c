/* SPDX-License-Identifier: Apache-2.0 */
/* Files of tensor layouts: complete, damaged and malicious; the dump of a graph. */
#include "fixture.h"
#include "graph/view/view.h"

#include "base/container.h"
#include "graph/view/tensor.h"

#include <cbor.h>
#include <jansson.h>

struct bytes_of {
    char *data;
    size_t size;
};

static struct bytes_of written(pop_graph *graph, pop_tensors tensors, pop_serialization format)
{
    struct bytes_of b = { 0 };
    FILE *file = open_memstream(&b.data, &b.size);
    assert_true(pop_graph_serialize_tensors(graph, file, tensors, format));
    expect_no_error(graph);
    fclose(file);
    return b;
}

static size_t read_back(pop_graph *graph, const void *data, size_t size, pop_serialization format, pop_tensor *tensors,
                        size_t capacity)
{
    FILE *file = tmpfile();
    assert_int_equal(fwrite(data, 1, size, file), size);
    rewind(file);
    size_t count = pop_graph_deserialize_tensors(graph, file, format, tensors, capacity);
    fclose(file);
    return count;
}

struct element {
    const pop_store *store;
    VEC(uint64_t) list; /* variable and element, by the variable's name */
};

static bool add_run(const struct run *run, void *context)
{
    struct element *e = context;
    uint64_t name = 0;
    for (const char *c = store_name(e->store, e->store->variables.data[run->variable].name); *c; ++c)
        name = name * 31 + (unsigned char)*c;
    for (uint64_t i = 0; i < run->count; ++i)
        *vec_push(&e->list) = name << 40 | (run->offset + i);
    return true;
}

static void expect_same(pop_tensor a, pop_tensor b)
{
    assert_int_equal(pop_tensor_type(a), pop_tensor_type(b));
    assert_int_equal(pop_tensor_rank(a), pop_tensor_rank(b));
    for (size_t i = 0; i < pop_tensor_rank(a); ++i)
        assert_int_equal(pop_tensor_dim(a, i), pop_tensor_dim(b, i));
    struct element x = { .store = a.store }, y = { .store = b.store };
    tensor_each_run(a, add_run, &x);
    tensor_each_run(b, add_run, &y);
    assert_int_equal(x.list.count, y.list.count);
    if (x.list.count)
        assert_memory_equal(x.list.data, y.list.data, x.list.count * sizeof(uint64_t));
    vec_free(&x.list);
    vec_free(&y.list);
}

enum { TENSORS = 9 };

/* Views of every kind over three variables and two constants. */
static void make_tensors(pop_graph *graph, pop_tensor *t)
{
    static const float values[] = { 1, 2, 3, 4, 5 };
    pop_tensor a = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(4, 6), "a \"quoted\"\\ name\n");
    pop_tensor b = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(4, 3), "b");
    pop_tensor scalar = pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(), "scalar");
    pop_tensor constant = pop_graph_add_constant(graph, POP_FLOAT, POP_SHAPE(5), POP_FLOAT, values, "constant");
    pop_tensor fill = pop_graph_add_constant_float(graph, POP_HALF, POP_SHAPE(7, 11), 0.5, "fill");
    pop_graph_set_tile_mapping(graph, a, 1);
    pop_graph_set_tile_mapping(graph, pop_tensor_slice(a, 1, 3, 1), 3);
    pop_graph_set_tile_mapping(graph, scalar, 2);
    t[0] = a;
    t[1] = pop_tensor_transpose(pop_tensor_slice(a, 1, 4, 1));
    t[2] = pop_tensor_concat(POP_TENSORS(pop_tensor_reverse(a, 1), b), 1);
    t[3] = pop_tensor_reinterpret(scalar, POP_INT);
    t[4] = pop_tensor_broadcast(pop_tensor_expand(constant, POP_DIMS(0)), 3, 0);
    t[5] = pop_tensor_slice(fill, 2, 2, 0);
    t[6] = pop_tensor_reshape(pop_tensor_transpose(fill), POP_SHAPE(7, 1, 11));
    t[7] = pop_tensor_sub_sample(pop_tensor_flatten(a), 5, 0);
    t[8] = pop_tensor_reshape(pop_tensor_transpose(a), POP_SHAPE(2, 1, 2, 1, 3, 1, 2, 1));
}

static void layouts_are_read_back(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4), *other = fixture_graph(1, 4);
    pop_tensor t[TENSORS], back[TENSORS];
    make_tensors(graph, t);
    for (int format = POP_SERIALIZE_BINARY; format <= POP_SERIALIZE_JSON; ++format) {
        struct bytes_of file = written(graph, (pop_tensors){ TENSORS, t }, (pop_serialization)format);
        size_t before = pop_graph_num_variables(other);
        assert_int_equal(read_back(other, file.data, file.size, (pop_serialization)format, back, TENSORS), TENSORS);
        expect_no_error(other);
        assert_int_equal(pop_graph_num_variables(other), before + 6); /* and one for the empty view */
        for (int i = 0; i < TENSORS; ++i)
            expect_same(t[i], back[i]);
        assert_true(pop_tensor_intersects(back[0], back[2])); /* shared storage is still shared */
        assert_true(pop_tensor_contains_aliases(back[4]));
        double value;
        assert_true(pop_tensor_constant_double(back[6], &value));
        assert_true(value == 0.5);
        assert_true(pop_tensor_constant_double(pop_tensor_at(pop_tensor_at(back[4], 2), 3), &value));
        assert_true(value == 4);
        pop_interval_lists mapping, original;
        assert_true(pop_graph_get_tile_mapping(other, back[1], NULL, &mapping));
        assert_true(pop_graph_get_tile_mapping(graph, t[1], NULL, &original));
        assert_memory_equal(mapping.first, original.first, 5 * sizeof(size_t));
        assert_memory_equal(mapping.intervals, original.intervals, mapping.first[4] * sizeof(pop_interval));
        pop_interval_lists_free(&mapping);
        pop_interval_lists_free(&original);
        pop_tensor one;
        assert_int_equal(read_back(other, file.data, file.size, (pop_serialization)format, &one, 1),
                         TENSORS); /* the count in the file */
        expect_same(t[0], one);
        free(file.data);
    }
    pop_graph_destroy(graph);
    pop_graph_destroy(other);
}

static void broken_files_are_refused(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4), *other = fixture_graph(1, 4);
    pop_tensor t[TENSORS], back[TENSORS];
    make_tensors(graph, t);
    for (int format = POP_SERIALIZE_BINARY; format <= POP_SERIALIZE_JSON; ++format) {
        struct bytes_of file = written(graph, (pop_tensors){ TENSORS, t }, (pop_serialization)format);
        for (size_t size = 0; size + 2 < file.size; size += 13) {
            assert_int_equal(read_back(other, file.data, size, (pop_serialization)format, back, TENSORS), 0);
            EXPECT_ERROR(other, POP_PARSE_ERROR, "");
            assert_int_equal(pop_graph_num_variables(other), 0);
        }
        for (size_t at = 0; at < file.size && format == POP_SERIALIZE_BINARY; at += 3) {
            file.data[at] ^= 0x10;
            assert_int_equal(read_back(other, file.data, file.size, (pop_serialization)format, back, TENSORS), 0);
            EXPECT_ERROR(other, POP_PARSE_ERROR, "");
            file.data[at] ^= 0x10;
        }
        free(file.data);
    }
    pop_graph_destroy(graph);
    pop_graph_destroy(other);
}

/* JSON has no checksum: altered digits give either a consistent layout or an error. */
static void altered_json_is_safe(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_tensor t[TENSORS], back[TENSORS];
    make_tensors(graph, t);
    struct bytes_of file = written(graph, (pop_tensors){ TENSORS, t }, POP_SERIALIZE_JSON);
    unsigned refused = 0;
    for (size_t at = 0; at < file.size; ++at)
        for (const char *with = "9-\"[0z"; *with; ++with) {
            char old = file.data[at];
            if (old == *with)
                continue;
            file.data[at] = *with;
            pop_graph *other = fixture_graph(1, 4);
            size_t count = read_back(other, file.data, file.size, POP_SERIALIZE_JSON, back, TENSORS);
            file.data[at] = old;
            for (size_t i = 0; i < count && i < TENSORS; ++i) {
                struct element e = { .store = other->store };
                if (pop_tensor_num_elements(back[i]) < 100000)
                    tensor_each_run(back[i], add_run, &e);
                for (size_t k = 0; k < e.list.count; ++k)
                    assert_true((e.list.data[k] & 0xffffffffff) < (uint64_t)1 << 40);
                vec_free(&e.list);
            }
            refused += !count;
            if (!count && pop_graph_error(other))
                EXPECT_ERROR(other, POP_PARSE_ERROR, "");
            pop_graph_destroy(other);
        }
    assert_true(refused > file.size);
    free(file.data);
    pop_graph_destroy(graph);
}

/* A valid checksum does not prove that the data is valid: altered sections with a recomputed checksum. */
static void altered_sections_are_safe(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_tensor t[TENSORS], back[TENSORS];
    make_tensors(graph, t);
    struct bytes_of file = written(graph, (pop_tensors){ TENSORS, t }, POP_SERIALIZE_BINARY);
    struct container_section sections[4];
    unsigned char *copies[4];
    size_t count;
    pop_error error;
    assert_int_equal(container_open("TREMTENS", 1, "", "", file.data, file.size, sections, 4, &count, &error), POP_OK);
    for (size_t section = 0; section < count; ++section) {
        unsigned char *bytes = mem_copy(sections[section].data, sections[section].size);
        sections[section].data = bytes;
        size_t whole = sections[section].size;
        for (size_t at = 0; at < whole; ++at)
            for (unsigned flip = 1; flip < 256; flip *= 2) {
                char *altered;
                size_t size;
                bytes[at] ^= (unsigned char)flip;
                sections[section].size = flip == 128 ? at : whole; /* and truncations */
                container_build("TREMTENS", 1, sections, count, &altered, &size);
                bytes[at] ^= (unsigned char)flip;
                pop_graph *other = fixture_graph(1, 4);
                if (!read_back(other, altered, size, POP_SERIALIZE_BINARY, back, TENSORS) && pop_graph_error(other))
                    EXPECT_ERROR(other, POP_PARSE_ERROR, "");
                free(altered);
                pop_graph_destroy(other);
            }
        sections[section].size = whole;
        copies[section] = bytes;
    }
    for (size_t section = 0; section < count; ++section)
        free(copies[section]);
    free(file.data);
    pop_graph_destroy(graph);
}

static void impossible_layouts_are_refused(void **state)
{
    (void)state;
    static const char head[] =
        "{\"version\":1,\"variables\":[{\"name\":\"v\",\"type\":\"float\",\"elements\":10,\"mapping\":[%s]}],"
        "\"tensors\":[{\"type\":\"%s\",\"shape\":[%s],\"pieces\":[%s]}]}";
    static const struct {
        const char *mapping, *type, *shape, *pieces, *words;
    } rows[] = {
        { "", "float", "5", "{\"variable\":0,\"offset\":0,\"digits\":[[5,2]]}", NULL },
        { "", "float", "5", "{\"variable\":0,\"offset\":1,\"digits\":[[5,2]]}", NULL },
        { "", "float", "5", "{\"variable\":0,\"offset\":2,\"digits\":[[5,2]]}", "piece 0 of tensor 0" },
        { "", "float", "5", "{\"variable\":0,\"offset\":3,\"digits\":[[5,-1]]}", "piece 0 of tensor 0" },
        { "", "float", "5", "{\"variable\":0,\"offset\":4,\"digits\":[[5,-1]]}", NULL },
        { "", "float", "5", "{\"variable\":1,\"offset\":0,\"digits\":[[5,1]]}", "piece 0 of tensor 0" },
        { "", "float", "5", "{\"variable\":0,\"offset\":0,\"digits\":[[4,1]]}", "5 elements" },
        { "", "float", "3", "{\"variable\":0,\"offset\":0,\"digits\":[[4,1]]}", "piece 0 of tensor 0" },
        { "", "half", "5", "{\"variable\":0,\"offset\":0,\"digits\":[[5,1]]}", "piece 0 of tensor 0" },
        { "", "double", "5", "{\"variable\":0,\"offset\":0,\"digits\":[[5,1]]}", "no valid type" },
        { "", "float", "5", "{\"variable\":0,\"offset\":0,\"digits\":[[5,9223372036854775807]]}", "piece 0" },
        { "", "float", "9223372036854775807", "{\"variable\":0,\"offset\":0,\"digits\":[[9223372036854775807,1]]}",
          "piece 0" },
        { "", "float", "9223372036854775807,9223372036854775807", "", "too many elements" },
        { "[0,5,1],[5,10,2]", "float", "", "{\"variable\":0,\"offset\":9,\"digits\":[]}", NULL },
        { "[0,5,4]", "float", "0", "", "mapped to tile 4" },
        { "[0,11,1]", "float", "0", "", "no list of its ranges" },
        { "[0,5,1],[4,6,1]", "float", "0", "", "no list of its ranges" },
        { "[0,-5,1]", "float", "0", "", "something is missing" },
    };
    pop_graph *graph = fixture_graph(1, 4);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        char text[1024];
        pop_tensor back;
        int size = snprintf(text, sizeof(text), head, rows[i].mapping, rows[i].type, rows[i].shape, rows[i].pieces);
        size_t count = read_back(graph, text, (size_t)size, POP_SERIALIZE_JSON, &back, 1);
        assert_int_equal(count, !rows[i].words);
        if (rows[i].words)
            EXPECT_ERROR(graph, POP_PARSE_ERROR, rows[i].words);
        expect_no_error(graph);
    }
    pop_graph_deserialize_tensors(graph, NULL, POP_SERIALIZE_JSON, NULL, 0);
    EXPECT_ERROR(graph, POP_FILE_LOAD_ERROR, "NULL");
    pop_graph_serialize_tensors(graph, stdout, POP_TENSORS({ 0 }), POP_SERIALIZE_JSON);
    EXPECT_ERROR(graph, POP_POPLAR_ERROR, "null");
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        assert_false(pop_graph_serialize(graph, full, POP_SERIALIZE_JSON));
        EXPECT_ERROR(graph, POP_FILE_LOAD_ERROR, "cannot be written");
        fclose(full);
    }
    pop_graph_destroy(graph);
}

static void a_graph_as_json(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_tensor t = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(2, 3), "t \"x\"");
    pop_graph_set_tile_mapping(graph, t, 2);
    pop_compute_set set = pop_graph_add_compute_set(graph, "set");
    pop_vertex mix = pop_graph_add_vertex(graph, set, "test::Mix<float>");
    pop_graph_connect(graph, mix, "rows", t);
    pop_graph_connect(graph, mix, "in", pop_tensor_at(pop_tensor_transpose(t), 1));
    pop_graph_set_field_int(graph, mix, "n", 3);
    pop_graph_set_field_size(graph, mix, "ins", 2);
    pop_vertex add = pop_graph_add_vertex(graph, set, "Add");
    pop_graph_map_vertex(graph, add, 1);
    struct bytes_of b = { 0 };
    FILE *file = open_memstream(&b.data, &b.size);
    assert_true(pop_graph_serialize(graph, file, POP_SERIALIZE_JSON));
    fclose(file);
    assert_true(b.size > 2 && memcmp(b.data + b.size - 2, "}\n", 2) == 0); /* whole lines */
    json_error_t wrong;
    json_t *root = json_loadb(b.data, b.size, 0, &wrong);
    if (!root)
        fail_msg("%s at line %d", wrong.text, wrong.line);
    const json_t *vertices = json_object_get(root, "vertices"),
                 *fields = json_object_get(json_array_get(vertices, 0), "fields");
    assert_int_equal(json_array_size(vertices), 2);
    assert_int_equal(json_array_size(json_object_get(fields, "rows")), 2);
    assert_int_equal(json_array_size(json_object_get(fields, "in")), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(vertices, 1), "tile")), 1);
    assert_string_equal(
        json_string_value(json_object_get(json_array_get(json_object_get(root, "variables"), 0), "name")), "t \"x\"");
    /* each range of the mapping: begin, end, tile */
    char *variables = json_dumps(json_object_get(root, "variables"), JSON_COMPACT);
    if (!strstr(variables, "[0,6,2]"))
        fail_msg("no range [0,6,2] in %s", variables);
    free(variables);
    json_decref(root);
    free(b.data);

    struct bytes_of binary = { 0 };
    file = open_memstream(&binary.data, &binary.size);
    assert_true(pop_graph_serialize(graph, file, POP_SERIALIZE_BINARY));
    fclose(file);
    struct cbor_load_result result;
    cbor_item_t *same = cbor_load((const unsigned char *)binary.data, binary.size, &result);
    assert_int_equal(result.error.code, CBOR_ERR_NONE);
    assert_int_equal(result.read, binary.size);
    assert_int_equal(cbor_map_size(same), 6); /* format, version, target, variables, computeSets, vertices */
    assert_int_equal(cbor_array_size(cbor_map_handle(same)[5].value), 2);
    cbor_decref(&same);
    free(binary.data);
    pop_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_are_read_back),          cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(altered_json_is_safe),           cmocka_unit_test(altered_sections_are_safe),
        cmocka_unit_test(impossible_layouts_are_refused), cmocka_unit_test(a_graph_as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
