/* SPDX-License-Identifier: Apache-2.0 */
#include "image/model.h"

void model_free(struct model *model)
{
    vec_free(&model->steps);
    vec_free(&model->children);
    vec_free(&model->controls);
    vec_free(&model->functions);
    vec_free(&model->entry);
    vec_free(&model->blocks);
    vec_free(&model->op_first);
    vec_free(&model->op_steps);
    vec_free(&model->types);
    vec_free(&model->sets);
    vec_free(&model->parts);
    vec_free(&model->shares);
    vec_free(&model->counts);
    vec_free(&model->vertices);
    vec_free(&model->exchanges);
    vec_free(&model->global_exchanges);
    vec_free(&model->host_exchanges);
    vec_free(&model->flows);
    vec_free(&model->graph_counts);
    vec_free(&model->metrics);
    vec_free(&model->tiles);
    vec_free(&model->uses);
    vec_free(&model->set_vertices);
    vec_free(&model->type_vertices);
    vec_free(&model->live);
    vec_free(&model->live_lists);
    vec_free(&model->step_live);
}

size_t model_first_vertex(const struct model *model, uint32_t set)
{
    size_t low = 0, high = model->vertices.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (model->vertices.data[middle].set < set)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
