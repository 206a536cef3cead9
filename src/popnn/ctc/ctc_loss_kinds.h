/* SPDX-License-Identifier: Apache-2.0 */
/* Template of ctc_loss_last.h: vertices with data of type IN and sums of type PARTIALS; with LAST they include the
 * label's last blank. */

POP_VERTEX(NAMED(Alpha, IN, PARTIALS, LAST))
{
    EDGES
    NUMBERS
    POP_INOUT(POP_VECTOR(PARTIALS, ONE_PTR)) alphas;        /* {steps, places} */
    POP_INPUT(POP_VECTOR(PARTIALS, ONE_PTR)) alphaPrevTime; /* the last row of the previous partition */
    POP_INPUT(POP_VECTOR(PARTIALS, ONE_PTR)) alphaPrevLabelTime;
    POP_INPUT(POP_VECTOR(PARTIALS, ONE_PTR)) alphaPrevLabel;
    POP_INOUT(POP_VECTOR(PARTIALS, ONE_PTR)) alphaOut; /* the last symbol's */
};
POP_VERTEX_NAME(NAMED(Alpha, IN, PARTIALS, LAST), VERTEX_TEXT("CTCAlpha"));
COMPUTE_OF(NAMED(Alpha, IN, PARTIALS, LAST))
{
    struct lengths valid = lengths_of(*v->validTime, *v->validLabel, v->maxTime, v->maxLabel);
    unsigned step, size;
    if (!step_of((*v->count)++, false, v->firstTime, v->timeOffset, v->maxT, valid.time, &step))
        return;
    struct part part = PART(v, 1);
    size = 2 * part.symbols + LAST;
    PARTIALS *row = v->alphas.data + (size_t)step * size;
    const IN *own = v->probabilities.data + (size_t)step * part.classes;
    struct NAMED(row, PARTIALS) before = { step            ? row - size
                                           : v->timeOffset ? v->alphaPrevTime.data
                                                           : 0,
                                           step ? v->alphaPrevLabel.data : v->alphaPrevLabelTime.data };
    for (unsigned s = 0; s < size; ++s)
        row[s] =
            (PARTIALS)(is_valid(&part, s) ? NAMED(into, PARTIALS)(&part, &before, s) + (float)own[class_of(&part, s)]
                                          : LOG_ZERO);
    if (part.symbols)
        v->alphaOut.data[0] = row[2 * part.symbols - 1];
}
POP_VERTEX(NAMED(Beta, IN, PARTIALS, LAST))
{
    EDGES
    NUMBERS
    POP_INOUT(POP_VECTOR(PARTIALS, ONE_PTR)) betas;
    POP_INPUT(POP_VECTOR(PARTIALS, ONE_PTR)) betaPrevTime; /* the first row of the next partition */
    POP_INPUT(POP_VECTOR(PARTIALS, ONE_PTR)) betaPrevLabelTime;
    POP_INPUT(POP_VECTOR(PARTIALS, ONE_PTR)) betaPrevLabel;
    POP_INOUT(POP_VECTOR(PARTIALS, ONE_PTR)) betaOut; /* the first blank's and symbol's */
};
POP_VERTEX_NAME(NAMED(Beta, IN, PARTIALS, LAST), VERTEX_TEXT("CTCBeta"));
COMPUTE_OF(NAMED(Beta, IN, PARTIALS, LAST))
{
    struct lengths valid = lengths_of(*v->validTime, *v->validLabel, v->maxTime, v->maxLabel);
    unsigned step, size;
    if (!step_of((*v->count)++, true, v->firstTime, v->timeOffset, v->maxT, valid.time, &step))
        return;
    struct part part = PART(v, 0);
    size = 2 * part.symbols + LAST;
    PARTIALS *row = v->betas.data + (size_t)step * size;
    const IN *own = v->probabilities.data + (size_t)step * part.classes;
    bool inner = step + 1 < v->maxT;
    struct NAMED(row, PARTIALS) behind = { inner ? row + size : v->betaPrevTime.data,
                                           inner ? v->betaPrevLabel.data : v->betaPrevLabelTime.data };
    if (v->timeOffset + step + 1 == valid.time)
        behind.values = 0;
    for (unsigned s = 0; s < size; ++s)
        row[s] = (PARTIALS)(is_valid(&part, s)
                                ? NAMED(out_of, PARTIALS)(&part, &behind, s, size) + (float)own[class_of(&part, s)]
                                : LOG_ZERO);
    v->betaOut.data[0] = row[0];
    v->betaOut.data[1] = (PARTIALS)(size > 1 ? (float)row[1] : LOG_ZERO);
}

/* Computes the other one of alpha and beta, step by step, in two alternating rows: time t uses row t % 2. The alpha
 * and beta of each step are summed by class, which gives the gradient; those of step 0 give the loss. */
POP_VERTEX(NAMED(GivenAlpha, IN, PARTIALS, LAST))
{
    EDGES
    NUMBERS
    POP_INPUT(POP_VECTOR(PARTIALS, ONE_PTR)) alphas;
    POP_INOUT(POP_VECTOR(PARTIALS, ONE_PTR)) grads;    /* {steps, classes} */
    POP_INOUT(POP_VECTOR(PARTIALS, ONE_PTR)) betaTemp; /* {2, places} */
    POP_INPUT(POP_VECTOR(PARTIALS, ONE_PTR)) betaPrevTime;
    POP_INPUT(POP_VECTOR(PARTIALS, ONE_PTR)) betaPrevLabelTime;
    POP_INPUT(POP_VECTOR(PARTIALS, ONE_PTR)) betaPrevLabel;
    POP_INOUT(POP_VECTOR(PARTIALS, ONE_PTR)) betaOut;
    POP_INOUT(PARTIALS) loss;
};
POP_VERTEX_NAME(NAMED(GivenAlpha, IN, PARTIALS, LAST), VERTEX_TEXT("CTCGradGivenAlpha"));
COMPUTE_OF(NAMED(GivenAlpha, IN, PARTIALS, LAST))
{
    struct lengths valid = lengths_of(*v->validTime, *v->validLabel, v->maxTime, v->maxLabel);
    unsigned step = ~0u;
    bool runs = step_of((*v->count)++, true, v->firstTime, v->timeOffset, v->maxT, valid.time, &step);
    if (step == ~0u)
        return;
    struct part part = PART(v, 0);
    unsigned size = 2 * part.symbols + LAST, time = v->timeOffset + step;
    PARTIALS *grads = v->grads.data + (size_t)step * part.classes;
    const IN *own = v->probabilities.data + (size_t)step * part.classes;
    NAMED(no_step, PARTIALS)(grads, part.classes, !runs && !part.first);
    if (time == 0) /* without steps only an empty label is possible, with probability 1 */
        *v->loss = (PARTIALS)(!valid.time && !part.valid_label && !part.first ? 0.0f : LOG_ZERO);
    if (!runs)
        return;
    bool inner = step + 1 < v->maxT;
    size_t other = (size_t)((time + 1) % 2) * size;
    struct NAMED(row, PARTIALS) behind = { (inner ? v->betaTemp.data : v->betaPrevTime.data) + other,
                                           inner ? v->betaPrevLabel.data : v->betaPrevLabelTime.data };
    if (time + 1 == valid.time)
        behind.values = 0;
    PARTIALS *row = v->betaTemp.data + (size_t)(time % 2) * size;
    const PARTIALS *alphas = v->alphas.data + (size_t)step * size;
    for (unsigned s = 0; s < size; ++s) {
        float sum = LOG_ZERO;
        if (is_valid(&part, s)) {
            unsigned c = class_of(&part, s);
            float beta = NAMED(out_of, PARTIALS)(&part, &behind, s, size), both = beta + (float)alphas[s];
            sum = beta + (float)own[c];
            NAMED(add_to, PARTIALS)(grads + c, both);
            if (time == 0)
                NAMED(add_to, PARTIALS)(v->loss, both);
        }
        row[s] = (PARTIALS)sum;
    }
    v->betaOut.data[0] = row[0];
    v->betaOut.data[1] = (PARTIALS)(size > 1 ? (float)row[1] : LOG_ZERO);
}
POP_VERTEX(NAMED(GivenBeta, IN, PARTIALS, LAST))
{
    EDGES
    NUMBERS
    POP_INPUT(POP_VECTOR(PARTIALS, ONE_PTR)) betas;
    POP_INOUT(POP_VECTOR(PARTIALS, ONE_PTR)) grads;
    POP_INOUT(POP_VECTOR(PARTIALS, ONE_PTR)) alphaTemp;
    POP_INPUT(POP_VECTOR(PARTIALS, ONE_PTR)) alphaPrevTime;
    POP_INPUT(POP_VECTOR(PARTIALS, ONE_PTR)) alphaPrevLabelTime;
    POP_INPUT(POP_VECTOR(PARTIALS, ONE_PTR)) alphaPrevLabel;
    POP_INOUT(POP_VECTOR(PARTIALS, ONE_PTR)) alphaOut;
};
POP_VERTEX_NAME(NAMED(GivenBeta, IN, PARTIALS, LAST), VERTEX_TEXT("CTCGradGivenBeta"));
COMPUTE_OF(NAMED(GivenBeta, IN, PARTIALS, LAST))
{
    struct lengths valid = lengths_of(*v->validTime, *v->validLabel, v->maxTime, v->maxLabel);
    unsigned step = ~0u;
    bool runs = step_of((*v->count)++, false, v->firstTime, v->timeOffset, v->maxT, valid.time, &step);
    if (step == ~0u)
        return;
    struct part part = PART(v, 1);
    unsigned size = 2 * part.symbols + LAST, time = v->timeOffset + step;
    PARTIALS *grads = v->grads.data + (size_t)step * part.classes;
    const IN *own = v->probabilities.data + (size_t)step * part.classes;
    NAMED(no_step, PARTIALS)(grads, part.classes, !runs && !part.first);
    if (!runs)
        return;
    size_t other = (size_t)((time + 1) % 2) * size; /* offset of the row of the previous step, which is also that of
                                                     * the next */
    struct NAMED(row, PARTIALS) before = { (step ? v->alphaTemp.data : v->alphaPrevTime.data) + other,
                                           step ? v->alphaPrevLabel.data : v->alphaPrevLabelTime.data };
    PARTIALS *row = v->alphaTemp.data + (size_t)(time % 2) * size;
    const PARTIALS *betas = v->betas.data + (size_t)step * size;
    for (unsigned s = 0; s < size; ++s) {
        float sum = LOG_ZERO;
        if (is_valid(&part, s)) {
            unsigned c = class_of(&part, s);
            float alpha = NAMED(into, PARTIALS)(&part, &before, s);
            sum = alpha + (float)own[c];
            NAMED(add_to, PARTIALS)(grads + c, alpha + (float)betas[s]);
        }
        row[s] = (PARTIALS)sum;
    }
    if (part.symbols)
        v->alphaOut.data[0] = row[2 * part.symbols - 1];
}
