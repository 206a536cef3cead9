/* SPDX-License-Identifier: Apache-2.0 */
#include "image/image.h"
#include "popc/module/module.h"

#include <stdlib.h>

struct image *image_create(void)
{
    struct image *image = MEM_NEW(struct image);
    image->references = 1;
    image->replicas = 1;
    *vec_push(&image->strings) = 0;
    return image;
}

unsigned image_device_ipus(const struct image *image)
{
    return image->device_ipus ? image->device_ipus : image->target.num_ipus;
}

pop_target image_device_target(const struct image *image)
{
    pop_target target = image->target;
    target.num_ipus = image_device_ipus(image);
    return target;
}

bool image_has_op(const struct image *image, enum image_op_kind kind)
{
    for (size_t i = 0; i < image->ops.count; ++i)
        if (image->ops.data[i].kind == kind)
            return true;
    return false;
}

/* Executables are shared by engines on several threads. */
struct image *image_retain(struct image *image)
{
    if (image)
        __atomic_add_fetch(&image->references, 1, __ATOMIC_RELAXED);
    return image;
}

void image_release(struct image *image)
{
    if (!image || __atomic_sub_fetch(&image->references, 1, __ATOMIC_ACQ_REL))
        return;
    for (size_t i = 0; i < image->modules.count; ++i)
        module_release(image->modules.data[i]);
    image_file_close(image);
    placement_free(image->placement);
    options_free(&image->options);
    free(image->name);
    vec_free(&image->senders);
    vec_free(&image->strings);
    vec_free(&image->modules);
    vec_free(&image->codelets);
    vec_free(&image->states);
    vec_free(&image->groups);
    vec_free(&image->gathers);
    vec_free(&image->sets);
    vec_free(&image->move_digits);
    vec_free(&image->move_shapes);
    vec_free(&image->moves);
    vec_free(&image->copies);
    vec_free(&image->ops);
    vec_free(&image->cases);
    vec_free(&image->operands);
    vec_free(&image->dims);
    vec_free(&image->prints);
    vec_free(&image->programs);
    vec_free(&image->reads);
    vec_free(&image->writes);
    vec_free(&image->streams);
    vec_free(&image->remotes);
    vec_free(&image->host_functions);
    vec_free(&image->arguments);
    vec_free(&image->initials);
    vec_free(&image->data);
    vec_free(&image->variables);
    vec_free(&image->vertex_ids);
    vec_free(&image->registers);
    vec_free(&image->vertex_tiles);
    vec_free(&image->edge_bytes);
    vec_free(&image->edge_first);
    vec_free(&image->vertex_places);
    vec_free(&image->edge_addresses);
    vec_free(&image->vertex_cycles);
    model_free(&image->model);
    free(image);
}
