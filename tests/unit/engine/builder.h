/* SPDX-License-Identifier: Apache-2.0 */
/* Images built by hand, for tests of the engine without a compiler.  The test chooses the offsets in storage. */
#ifndef TEST_BUILDER_H
#define TEST_BUILDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/state.h"
#include "image/check.h"
#include "image/move.h"
#include "popc/module/machine.h"
#include "popc/module/module.h"

#include "base/file.h"

#include <poplar/poplar.h>
#include <unistd.h>

static inline struct image *build_image(uint64_t storage_bytes)
{
    struct image *image = image_create();
    pop_error error;
    assert_int_equal(pop_target_create_ipu(1, "ipu2", &image->target, &error), POP_OK);
    image->target.type = POP_TARGET_IPU_MODEL;
    image->storage_bytes = storage_bytes;
    return image;
}

static inline uint32_t build_string(struct image *image, const char *text)
{
    uint32_t at = (uint32_t)image->strings.count;
    memcpy(vec_extend(&image->strings, strlen(text) + 1), text, strlen(text) + 1);
    return at;
}

static inline void build_move(struct image *image, uint64_t source, uint64_t destination, uint64_t bytes,
                              const struct image_digit *digits, uint32_t count)
{
    struct image_move_shape shape = { bytes, (uint32_t)image->move_digits.count, count };
    for (uint32_t d = 0; d < count; ++d)
        *vec_push(&image->move_digits) = digits[d];
    *vec_push(&image->move_shapes) = shape;
    *vec_push(&image->moves) = move_make(source, destination, (uint32_t)image->move_shapes.count - 1);
}

/* A copy of one contiguous piece. */
static inline uint32_t build_copy(struct image *image, uint64_t source, uint64_t destination, uint64_t bytes,
                                  unsigned element)
{
    build_move(image, source, destination, bytes, NULL, 0);
    *vec_push(&image->copies) = (struct image_copy){ image->moves.count - 1, bytes, 1, 0, (uint8_t)element };
    return (uint32_t)image->copies.count - 1;
}

/* A copy of count elements, strides in bytes. */
static inline uint32_t build_strided(struct image *image, uint64_t source, int64_t source_stride, uint64_t destination,
                                     int64_t destination_stride, uint64_t count, unsigned element)
{
    build_move(image, source, destination, element, &(struct image_digit){ count, source_stride, destination_stride },
               1);
    *vec_push(&image->copies) = (struct image_copy){ image->moves.count - 1, count * element, 1, 0, (uint8_t)element };
    return (uint32_t)image->copies.count - 1;
}

static inline uint32_t build_op(struct image *image, unsigned kind, uint32_t a, uint32_t b, uint32_t c, uint64_t d)
{
    *vec_push(&image->ops) = (struct image_op){ (uint16_t)kind, 0, a, b, c, d };
    return (uint32_t)image->ops.count - 1;
}

static inline uint32_t build_program(struct image *image)
{
    *vec_push(&image->programs) = (uint32_t)image->ops.count;
    return (uint32_t)image->programs.count - 1;
}

/* Elements of storage that control flow reads. */
static inline uint32_t build_operand(struct image *image, uint64_t offset, pop_type type, uint64_t elements)
{
    size_t size = pop_type_size(type);
    uint32_t copy = build_copy(image, offset, 0, elements * size, (unsigned)size);
    *vec_push(&image->operands) = (struct image_operand){ copy, (uint8_t)type, elements };
    return (uint32_t)image->operands.count - 1;
}

/* Host handles of the same name for reading and writing bytes of storage. */
static inline void build_handle(struct image *image, const char *name, uint64_t offset, uint64_t bytes)
{
    uint32_t text = build_string(image, name);
    *vec_push(&image->reads) = (struct image_handle){ text, build_copy(image, offset, 0, bytes, 1), bytes };
    *vec_push(&image->writes) = (struct image_handle){ text, build_copy(image, 0, offset, bytes, 1), bytes };
}

static inline uint32_t build_stream(struct image *image, const char *name, pop_type type, pop_stream_type direction,
                                    uint64_t elements)
{
    *vec_push(&image->streams) =
        (struct image_stream){ build_string(image, name), (uint8_t)type, (uint8_t)direction, 0, elements, 1, 1, 0 };
    return (uint32_t)image->streams.count - 1;
}

static inline void build_initial(struct image *image, uint64_t offset, const void *data, uint64_t bytes, uint64_t times)
{
    *vec_push(&image->initials) = (struct image_initial){ offset, image->data.count, bytes, times, 0 };
    memcpy(vec_extend(&image->data, bytes), data, bytes);
}

/* A module of run functions in C (struct codelet_call is known to them), through the system's compiler. */
static inline struct module *build_module(const char *source)
{
    char base[] = "engine-test-XXXXXX", path[64], command[256];
    int fd = mkstemp(base);
    assert_true(fd >= 0);
    close(fd);
    snprintf(path, sizeof(path), "%s.c", base);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"
            "struct codelet_call { void *states; size_t stride, count; unsigned workers; void *volatile current;\n"
            "    void (*fail)(struct codelet_call *, const char *, const char *, int); };\n"
            "#define EACH(T, v) for (T *v = call->states, *end = (T *)((char *)v + call->count * call->stride); \\\n"
            "    v != end && (call->current = v, true); v = (T *)((char *)v + call->stride))\n"
            "%s",
            source);
    fclose(file);
    snprintf(command, sizeof(command), "cc -O1 -s -shared -fPIC -o %s.so %s", base, path);
    assert_int_equal(system(command), 0);
    remove(path);
    remove(base);
    snprintf(path, sizeof(path), "%s.so", base);
    char *data;
    size_t size;
    assert_int_equal(file_read(path, &data, &size, NULL), POP_OK);
    remove(path);
    struct module *module = module_create("test.c", machine_level() == LEVEL_ARMV8 ? LEVEL_ARMV8 : LEVEL_X86_64);
    module->objects = arena_alloc(&module->arena, sizeof(*module->objects));
    module->object_count = 1;
    unsigned char *kept = arena_alloc(&module->arena, size);
    memcpy(kept, data, size);
    free(data);
    module->objects[0] = (struct module_object){ .data = kept, .size = size };
    return module;
}

/* The modelled program, once all ops are added: every op of one kind is a leaf step. */
static inline void build_model(struct image *image, unsigned op_kind, struct model_step step)
{
    *vec_push(&image->model.steps) = step;
    for (size_t op = 0; op < image->ops.count; ++op) {
        *vec_push(&image->model.op_first) = (uint32_t)image->model.op_steps.count;
        if (image->ops.data[op].kind == op_kind)
            *vec_push(&image->model.op_steps) = 0;
    }
    *vec_push(&image->model.op_first) = (uint32_t)image->model.op_steps.count;
}

/* The fields are copied. */
static inline void build_codelet(struct module *module, const char *name, const char *symbol, unsigned kind,
                                 uint32_t state_bytes, const struct codelet_field *fields, uint32_t count)
{
    struct codelet *codelets = arena_alloc(&module->arena, (module->codelet_count + 1) * sizeof(*codelets));
    if (module->codelet_count)
        memcpy(codelets, module->codelets, module->codelet_count * sizeof(*codelets));
    module->codelets = codelets;
    struct codelet *codelet = codelets + module->codelet_count++;
    unsigned char *defaults = arena_alloc(&module->arena, state_bytes);
    memset(defaults, 0, state_bytes);
    struct codelet_field *copy = arena_alloc(&module->arena, count * sizeof(*copy));
    memcpy(copy, fields, count * sizeof(*copy));
    *codelet = (struct codelet){ .name = arena_string(&module->arena, name),
                                 .kind = (uint8_t)kind,
                                 .state_bytes = state_bytes,
                                 .state_alignment = 8,
                                 .fields = copy,
                                 .field_count = count,
                                 .defaults = defaults,
                                 .symbol = arena_string(&module->arena, symbol),
                                 .module = module };
}

static inline struct codelet_field build_field(const char *name, unsigned direction, unsigned shape, pop_type type,
                                               uint32_t offset)
{
    bool pointer = direction != FIELD_STATE || shape != SHAPE_SCALAR, sized = pointer && shape != SHAPE_SCALAR;
    bool table = shape == SHAPE_VECTORS || shape == SHAPE_VECTOR_LIST || shape == SHAPE_SCALARS;
    return (struct codelet_field){ .name = name,
                                   .direction = (uint8_t)direction,
                                   .shape = (uint8_t)shape,
                                   .type = (uint8_t)type,
                                   .has_size = sized,
                                   .inner_has_size = table && shape != SHAPE_SCALARS,
                                   .alignment = (uint32_t)pop_type_size(type),
                                   .offset = offset,
                                   .bytes = sized     ? 16
                                            : pointer ? 8
                                                      : (uint32_t)pop_type_size(type),
                                   .inner_stride = !table                   ? 0
                                                   : shape == SHAPE_SCALARS ? 8
                                                                            : 16 };
}

static inline pop_device *build_device(void)
{
    pop_error error;
    pop_device *device = pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2" }, &error);
    assert_non_null(device);
    return device;
}

/* An engine on a checked image, loaded; takes the image. */
static inline pop_engine *build_engine(struct image *image, pop_options options, const pop_device *device)
{
    pop_error error;
    if (image_check(image, "test", &error) != POP_OK)
        fail_msg("%s", error.text);
    pop_executable executable = { .image = image };
    pop_engine *engine = pop_engine_create_from(&executable, options, &error);
    if (!engine)
        fail_msg("%s", error.text);
    image_release(image);
    if (device && pop_engine_load(engine, device, &error) != POP_OK)
        fail_msg("%s", error.text);
    return engine;
}

#define assert_fails(call, kind, words)                                                                                \
    do {                                                                                                               \
        pop_error failed_ = { .status = POP_OK };                                                                      \
        pop_error *error = &failed_;                                                                                   \
        assert_int_equal(call, kind);                                                                                  \
        assert_int_equal(failed_.status, kind);                                                                        \
        if (!strstr(failed_.text, words))                                                                              \
            fail_msg("'%s' does not contain '%s'", failed_.text, words);                                               \
    } while (0)

#endif
