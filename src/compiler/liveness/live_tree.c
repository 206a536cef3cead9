/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the model as a flow: control programs first, each function after all its callers. */
#include "compiler/liveness/live.h"
#include "compiler/liveness/liveness.h"

struct tree_frame {
    uint32_t step, next; /* child to visit */
};
struct call_site {
    uint32_t position, function;
};
struct tree {
    struct compiler *c;
    const struct steps_result *steps;
    struct live *live;
    VEC(struct tree_frame) open;
    VEC(uint32_t) roots; /* functions whose calls are all after them */
    uint32_t *waiting;   /* by function: calls that were not met yet */
    uint32_t *root_of;   /* by function: position */
    VEC(struct call_site) calls;
};

static enum flow_kind flow_kind_of(const struct tree *t, uint32_t step)
{
    const struct compiler *c = t->c;
    uint32_t node = t->steps->origins.data[step].node;
    switch (c->image->model.steps.data[step].kind) {
    case MODEL_SEQUENCE:
        return FLOW_SEQUENCE;
    case MODEL_REPEAT:
        return node != NONE && c->store->programs.data[node]->count ? FLOW_LOOP : FLOW_SKIP;
    case MODEL_REPEAT_WHILE:
        return FLOW_WHILE;
    case MODEL_IF:
    case MODEL_IF_ELSE:
    case MODEL_SWITCH:
        return FLOW_BRANCH;
    default:
        return c->image->model.steps.data[step].kind == MODEL_CALL ? FLOW_CALL : FLOW_LEAF;
    }
}

static void visit(struct tree *t, uint32_t step)
{
    const struct model_step *s = &t->c->image->model.steps.data[step];
    struct flow *flow = &t->live->flow;
    enum flow_kind kind = flow_kind_of(t, step);
    *vec_push(&t->live->step) = step;
    if (kind == FLOW_LEAF) {
        flow_leaf(flow);
    } else if (kind == FLOW_CALL) {
        uint32_t position = flow_call(flow);
        *vec_push(&t->calls) = (struct call_site){ position, s->index };
        if (!--t->waiting[s->index])
            *vec_push(&t->roots) = s->index;
    } else {
        uint32_t position = flow_open(flow, kind);
        flow->nodes.data[position].open = s->kind == MODEL_IF || !s->children;
        *vec_push(&t->open) = (struct tree_frame){ step, 0 };
    }
}

static uint32_t visit_root(struct tree *t, uint32_t root)
{
    uint32_t position = (uint32_t)t->live->step.count;
    const struct model *model = &t->c->image->model;
    t->live->flow.open = FLOW_NONE;
    visit(t, root);
    while (t->open.count) {
        struct tree_frame *top = &t->open.data[t->open.count - 1];
        const struct model_step *s = &model->steps.data[top->step];
        if (top->next < s->children) {
            visit(t, model->children.data[s->first_child + top->next++]);
        } else {
            flow_close(&t->live->flow);
            --t->open.count;
        }
    }
    return position;
}

void live_tree(struct compiler *c, const struct steps_result *steps, struct live *live)
{
    const struct model *model = &c->image->model;
    struct tree t = { .c = c, .steps = steps, .live = live };
    t.waiting = mem_zero(model->functions.count, sizeof(*t.waiting));
    t.root_of = mem_zero(model->functions.count, sizeof(*t.root_of));
    for (size_t i = 0; i < model->steps.count; ++i)
        if (model->steps.data[i].kind == MODEL_CALL)
            ++t.waiting[model->steps.data[i].index];
    for (size_t i = 0; i < model->controls.count; ++i)
        *vec_push(&live->flow.controls) = visit_root(&t, model->controls.data[i]);
    for (size_t i = 0; i < t.roots.count; ++i)
        t.root_of[t.roots.data[i]] = visit_root(&t, model->functions.data[t.roots.data[i]]);
    for (size_t i = 0; i < t.calls.count; ++i)
        live->flow.nodes.data[t.calls.data[i].position].callee = t.root_of[t.calls.data[i].function];
    flow_ready(&live->flow);
    vec_free(&t.open);
    vec_free(&t.roots);
    vec_free(&t.calls);
    free(t.waiting);
    free(t.root_of);
}
