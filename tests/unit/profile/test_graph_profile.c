/* SPDX-License-Identifier: Apache-2.0 */
/* The graph profile of a model built by hand: every field of the guide, and no others. */
#include "unit/profile/values.h"

#include "profile/graph_profile.h"
#include "unit/profile/model.h"

static void the_fields_are_the_guides(void **state)
{
    (void)state;
    struct image *image = small_image(POP_TARGET_IPU_MODEL);
    pop_profile_value p = graph_profile(image, NULL);
    expect_keys(&p, "",
                "computeSets controlPrograms exchanges externalExchanges functionPrograms graph hostExchanges memory "
                "optimizationInfo "
                "programs target vertexTypes");
    expect_keys(
        &p, "target",
        "bytesPerIPU bytesPerTile clockFrequency minSyncDelay numIPUs numTiles relativeSyncDelayByTile tilesPerIPU "
        "totalMemory type");
    expect(&p, "target.type", "\"IPU_MODEL\"");
    expect(&p, "target.totalMemory", "2555904");
    assert_int_equal(pop_profile_size(pop_profile_path(&p, "target.relativeSyncDelayByTile")), 4);
    expect(&p, "graph", "{\"numComputeSets\":1,\"numEdges\":9,\"numVars\":3,\"numVertices\":3}");
    expect(&p, "optimizationInfo", "{\"steps\":9}");
    expect(&p, "vertexTypes",
           "{\"estimates\":[\"counted\",\"given\"],\"names\":[\"Sum\",\"poplar_rt::ShortMemcpy\"],\"sizes\":[12,8]}");
    expect(&p, "computeSets",
           "{\"cycleEstimates\":{\"activeCyclesByTile\":[[0,100,100,30]],\"activeCyclesByVertexType\":[[200,30]],"
           "\"cyclesByTile\":[[0,600,600,30]]},"
           "\"names\":[\"Layer/Convolve\"],\"vertexCounts\":[[1,2]],\"vertexTypes\":[[1,0]]}");
    expect(&p, "exchanges",
           "{\"bytesReceivedByTile\":[[0,4,4,4]],\"bytesSentByTile\":[[4,0,0,0]],\"codeBytesByTile\":[[8,12,12,12]],"
           "\"cyclesByTile\":[[20,30,30,30]]}");
    expect(&p, "externalExchanges", "{\"bytesReceivedByTile\":[],\"bytesSentByTile\":[],\"estimatedCyclesByTile\":[]}");
    expect(&p, "hostExchanges",
           "{\"bytesReceivedByTile\":[[0,0,0,0]],\"bytesSentByTile\":[[0,0,400,0]],\"estimatedCyclesByTile\":[[0,0,84,"
           "0]]}");
    pop_profile_free(&p);
    image_release(image);
}

static void programs_have_the_fields_of_their_type(void **state)
{
    (void)state;
    struct image *image = small_image(POP_TARGET_IPU_MODEL);
    pop_profile_value p = graph_profile(image, NULL);
    expect(&p, "controlPrograms", "[0]");
    expect(&p, "functionPrograms", "[7]");
    expect(&p, "programs",
           "[{\"children\":[1,2,3,5,6],\"type\":\"Sequence\"},"
           "{\"exchange\":0,\"memoryByInstruction\":{\"delay\":24,\"exchange\":0,\"other\":0,\"receiveAddress\":0,"
           "\"receiveFormat\":0,\"receiveMux\":0,"
           "\"send\":8,\"sendWithPutAddress\":0,\"sendWithPutFormat\":0,\"sendWithPutMux\":0,\"total\":32},\"name\":\"/"
           "ExchangePre\",\"type\":\"DoExchange\"},"
           "{\"type\":\"Sync\"},{\"children\":[4],\"type\":\"Repeat\"},{\"computeSet\":0,\"name\":\"Layer/"
           "Convolve\",\"type\":\"OnTileExecute\"},"
           "{\"target\":0,\"type\":\"Call\"},{\"exchange\":0,\"type\":\"StreamCopy\"},{\"children\":[8],\"type\":"
           "\"Sequence\"},{\"type\":\"WriteUndef\"}]");
    pop_profile_free(&p);
    image_release(image);
}

static void memory_has_all_its_tables(void **state)
{
    (void)state;
    struct image *image = small_image(POP_TARGET_IPU_MODEL);
    pop_profile_value p = graph_profile(image, NULL);
    expect(&p, "memory.byTile",
           "{\"interleaved\":[0,0,0,50],\"interleavedIncludingGaps\":[0,0,0,64],\"nonInterleaved\":[100,100,100,100],"
           "\"nonInterleavedIncludingGaps\":[120,120,120,120],\"overflowed\":[0,0,0,0],\"overflowedIncludingGaps\":[0,"
           "0,0,0],"
           "\"total\":[100,100,100,150],\"totalIncludingGaps\":[120,120,120,4096]}");
    assert_int_equal(pop_profile_size(pop_profile_path(&p, "memory.byCategory")), 25);
    expect(&p, "memory.byCategory.variable",
           "{\"interleaved\":{\"nonOverlapped\":[0,0,0,50],\"overlapped\":[0,0,0,0]},\"nonInterleaved\":{"
           "\"nonOverlapped\":[0,0,0,0],"
           "\"overlapped\":[40,40,40,40]},\"overflowed\":{\"nonOverlapped\":[0,0,0,0],\"overlapped\":[0,0,0,0]},"
           "\"total\":[40,40,40,90]}");
    expect(&p, "memory.byCategory.stack.total", "[60,60,60,60]");
    expect(&p, "memory.byCategory.vertexCode.total", "[0,0,0,0]");
    expect_keys(&p, "memory.byComputeSet",
                "codeBytes copyPtrBytes descriptorBytes edgePtrBytes paddingBytes totalBytes vertexDataBytes");
    expect(&p, "memory.byComputeSet.totalBytes", "[[0,66,66,36]]");
    expect(&p, "memory.byVertexType.totalBytes", "[[0,66,66,0],[0,0,0,36]]");
    expect(&p, "memory.byVertexType.codeBytes", "[[0,40,40,0],[0,0,0,20]]");
    pop_profile_free(&p);
    image_release(image);
}

static void liveness_is_a_tree_over_calls(void **state)
{
    (void)state;
    struct image *image = small_image(POP_TARGET_IPU_MODEL);
    pop_profile_value p = graph_profile(image, NULL);
    expect(&p, "memory.liveness.alwaysLive",
           "{\"bytesByTile\":[60,60,60,60],\"variables\":[{\"name\":\"stack\",\"size\":240}]}");
    expect(&p, "memory.liveness.notAlwaysLive.maxBytes", "160");
    expect(&p, "memory.liveness.notAlwaysLive.maxBytesByTile", "[40,40,40,40]");
    expect(&p, "memory.liveness.notAlwaysLive.byProgram",
           "[{\"children\":[{\"bytes\":120,\"program\":1,\"variables\":[{\"name\":\"weights\",\"size\":120}]},{"
           "\"program\":2},"
           "{\"children\":[{\"bytes\":160,\"program\":4,\"variables\":[{\"name\":\"stack\",\"size\":40},{\"name\":"
           "\"weights\",\"size\":120}]}],\"program\":3},"
           "{\"children\":[{\"children\":[{\"bytes\":120,\"program\":8,\"variables\":[{\"name\":\"weights\",\"size\":"
           "120}]}],\"program\":7}],\"program\":5},"
           "{\"bytes\":120,\"program\":6,\"variables\":[{\"name\":\"weights\",\"size\":120}]}],\"program\":0}]");
    /* Variables and lists are stored once: copies share them, and a change of one copy changes no other. */
    pop_profile_value copy = pop_profile_copy(&p);
    pop_profile_value list = pop_profile_copy(pop_profile_path(&p, "memory.liveness.alwaysLive.variables"));
    pop_profile_push(&list, pop_profile_uint(1));
    char *before = json_of(&p), *after = json_of(&copy);
    assert_string_equal(before, after);
    assert_int_equal(pop_profile_size(pop_profile_path(&p, "memory.liveness.alwaysLive.variables")), 1);
    free(before);
    free(after);
    pop_profile_free(&p);
    char *alone = json_of(&copy); /* valid after the first is freed */
    free(alone);
    pop_profile_free(&list);
    pop_profile_free(&copy);
    image_release(image);
}

/* Twenty functions that each call the next one twice: a million call stacks, and a program nested deeper than any
 * reader follows. */
static void endless_trees_end(void **state)
{
    (void)state;
    struct image *image = image_create();
    struct model *m = &image->model;
    pop_target_from_text("ipu2 tiles=2", &image->target, NULL);
    for (uint32_t i = 0; i < 20; ++i) {
        ADD(m->functions, { i });
        ADD(m->steps, { .kind = MODEL_SEQUENCE, .first_child = 2 * i, .children = 2 });
        ADD_ALL(m->children, 20 + i, 20 + i);
    }
    for (uint32_t i = 0; i < 20; ++i)
        ADD(m->steps, { .kind = i == 19 ? MODEL_SYNC : MODEL_CALL, .index = i + 1 });
    ADD(m->controls, { 0 });
    for (uint32_t i = 0; i < 100000; ++i) { /* nested 100,000 deep */
        ADD(m->steps, { .kind = MODEL_SEQUENCE, .first_child = (uint32_t)m->children.count, .children = i < 99999 });
        if (i < 99999)
            ADD(m->children, { 41 + i });
    }
    ADD(m->controls, { 40 });
    pop_profile_value p = graph_profile(image, NULL), again;
    char *text = json_of(&p);
    assert_int_equal(pop_profile_read_json(text, strlen(text), &again, NULL), POP_OK);
    pop_profile_free(&again);
    free(text);
    pop_profile_free(&p);
    image_release(image);
}

static void a_cpu_has_a_target_and_counts(void **state)
{
    (void)state;
    struct image *image = image_create();
    image->target = pop_target_create_cpu(true, 1);
    pop_profile_value p = graph_profile(image, NULL);
    expect_keys(&p, "", "graph target");
    expect(&p, "target.type", "\"CPU\"");
    expect(&p, "graph", "{\"numComputeSets\":0,\"numEdges\":0,\"numVars\":0,\"numVertices\":0}");
    pop_profile_free(&p);
    image_release(image);
}

static void hardware_has_no_estimates(void **state)
{
    (void)state;
    struct image *image = small_image(POP_TARGET_IPU);
    pop_profile_value p = graph_profile(image, NULL);
    expect_keys(&p, "computeSets", "names vertexCounts vertexTypes");
    pop_profile_free(&p);
    image_release(image);
}

static void arrays_by_tile_can_be_changed(void **state)
{
    (void)state;
    struct by_tile by = by_tile_begin(6, 2);
    by_tile_add(&by, 1, 2, 7);
    by_tile_add(&by, 5, 1, 8);
    pop_profile_value map = pop_profile_map_new();
    pop_profile_value *vector = pop_profile_set(&map, "v", by_tile_end(&by));
    assert_true(pop_profile_sum_uint(vector) == 22);
    assert_int_equal(profile_run(vector, 1), 2);
    pop_profile_push(vector, pop_profile_int(-1));
    expect(&map, "v", "[0,7,7,0,0,8,-1]");
    pop_profile_free(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fields_are_the_guides), cmocka_unit_test(programs_have_the_fields_of_their_type),
        cmocka_unit_test(memory_has_all_its_tables), cmocka_unit_test(liveness_is_a_tree_over_calls),
        cmocka_unit_test(endless_trees_end),         cmocka_unit_test(a_cpu_has_a_target_and_counts),
        cmocka_unit_test(hardware_has_no_estimates), cmocka_unit_test(arrays_by_tile_can_be_changed),
    };
    return cmocka_run_group_tests_name("graph profile", tests, NULL, NULL);
}
