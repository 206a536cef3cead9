/* SPDX-License-Identifier: Apache-2.0 */
/* The graph profile's programs: each step a map with the fields of its type (the guide, Program structure). */
#include "profile/graph_profile.h"
#include "profile/profile.h"

static const char *const tags[] = {
#define MODEL_KIND(constant, tag) [MODEL_##constant] = tag,
#include "image/model_kinds.def"
#undef MODEL_KIND
};
static const char *const instructions[] = {
#define MODEL_INSTRUCTION(constant, name) [MODEL_##constant##_INSTRUCTION] = name,
#include "image/model_instructions.def"
#undef MODEL_INSTRUCTION
};

static pop_profile_value children_profile(const struct model *model, const struct model_step *step)
{
    pop_profile_value vector = profile_vector(step->children);
    for (size_t i = 0; i < step->children; ++i)
        pop_profile_push(&vector, pop_profile_uint(model->children.data[step->first_child + i]));
    return vector;
}

/* The table is in the order of names, and "total" comes after them. */
static pop_profile_value instructions_profile(const struct model_exchange *exchange)
{
    pop_profile_value map = profile_map(MODEL_INSTRUCTIONS + 1);
    uint64_t total = 0;
    for (size_t i = 0; i < MODEL_INSTRUCTIONS; ++i) {
        profile_add(&map, instructions[i], pop_profile_uint(exchange->instructions[i]));
        total += exchange->instructions[i];
    }
    profile_add(&map, "total", pop_profile_uint(total));
    return map;
}

static bool has_children(unsigned kind)
{
    return kind == MODEL_SEQUENCE || kind == MODEL_REPEAT || kind == MODEL_REPEAT_WHILE || kind == MODEL_IF ||
           kind == MODEL_IF_ELSE || kind == MODEL_SWITCH;
}

static pop_profile_value program_profile(const struct image *image, const struct model_step *step)
{
    const struct model *model = &image->model;
    const char *name = image_string(image, step->name);
    pop_profile_value map = profile_map(4);
    if (has_children(step->kind))
        profile_add(&map, "children", children_profile(model, step));
    if (step->kind == MODEL_EXECUTE)
        profile_add(&map, "computeSet", pop_profile_uint(step->index));
    if (step->kind == MODEL_EXCHANGE || step->kind == MODEL_GLOBAL_EXCHANGE || step->kind == MODEL_STREAM_COPY)
        profile_add(&map, "exchange", pop_profile_uint(step->index));
    if (step->kind == MODEL_EXCHANGE)
        profile_add(&map, "memoryByInstruction", instructions_profile(model->exchanges.data + step->index));
    if (*name)
        profile_add(&map, "name", pop_profile_string(name));
    if (step->kind == MODEL_CALL)
        profile_add(&map, "target", pop_profile_uint(step->index));
    profile_add(&map, "type", pop_profile_string(step->mark == MODEL_BLOCK ? "Block" : tags[step->kind]));
    return map;
}

pop_profile_value programs_profile(const struct image *image)
{
    pop_profile_value vector = profile_vector(image->model.steps.count);
    for (size_t i = 0; i < image->model.steps.count; ++i)
        pop_profile_push(&vector, program_profile(image, image->model.steps.data + i));
    return vector;
}
