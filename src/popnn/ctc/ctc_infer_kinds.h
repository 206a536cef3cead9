/* SPDX-License-Identifier: Apache-2.0 */
/* Template of ctc_infer_vertices.c for one type of data. */

POP_VERTEX(NAMED(Extend, IN))
{
    POP_INPUT(POP_VECTOR(IN, ONE_PTR)) probabilities; /* {time, classes of the partition}, starting at class `first` */
    POP_INPUT(POP_VECTOR(float, ONE_PTR)) pb;
    POP_INPUT(POP_VECTOR(float, ONE_PTR)) total;
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) last;
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) prefix;
    POP_INPUT(unsigned) validTime;
    POP_INOUT(unsigned) count;
    POP_OUTPUT(POP_VECTOR(float)) values;
    POP_OUTPUT(POP_VECTOR(unsigned, ONE_PTR)) beams;
    POP_OUTPUT(POP_VECTOR(unsigned, ONE_PTR)) symbols;
    POP_OUTPUT(POP_VECTOR(float, ONE_PTR))
    lastProbabilities; /* of the beams' last symbols, when they belong to this
                        * partition */
    POP_OUTPUT(float) blankProbability;
    unsigned classes, first, blankClass, maxTime;
};
POP_VERTEX_NAME(NAMED(Extend, IN), "popnn::CTCExtendBeams<" TEXT_OF(IN) ">");
COMPUTE_OF(NAMED(Extend, IN))
{
    unsigned step = (*v->count)++, size = (unsigned)v->values.size, row = step % 2 * size;
    if (step >= *v->validTime || step >= v->maxTime)
        return;
    const IN *own = v->probabilities.data + (size_t)step * v->classes;
    const float *pb = v->pb.data + row, *total = v->total.data + row;
    const unsigned *last = v->last.data + row, *prefix = v->prefix.data + row;
    struct found_beam found = { v->values.data, v->beams.data, v->symbols.data, 0, size };
    for (unsigned beam = 0; beam < size; ++beam) {
        for (unsigned i = 0; i < v->classes && total[beam] != LOG_ZERO; ++i) {
            unsigned symbol = v->first + i;
            if (symbol != v->blankClass && !is_there(prefix, last, size, beam, symbol))
                offer(&found, (symbol == last[beam] ? pb : total)[beam] + (float)own[i], beam, symbol);
        }
        unsigned place = last[beam] - v->first;
        v->lastProbabilities.data[beam] = place < v->classes ? (float)own[place] : LOG_ZERO;
    }
    for (unsigned i = found.count; i < size; ++i)
        found.values[i] = LOG_ZERO;
    unsigned blank = v->blankClass - v->first;
    *v->blankProbability = blank < v->classes ? (float)own[blank] : LOG_ZERO;
}

POP_VERTEX(NAMED(Labels, IN))
{
    POP_INPUT(POP_VECTOR(float, ONE_PTR)) total;
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) length;
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) parent;
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) addend;
    POP_INPUT(unsigned) validTime;
    POP_OUTPUT(POP_VECTOR(IN)) probabilities;
    POP_OUTPUT(POP_VECTOR(unsigned, ONE_PTR)) lengths;
    POP_OUTPUT(POP_VECTOR(unsigned, ONE_PTR)) labels; /* {paths, time} */
    unsigned maxTime, beams;
};
POP_VERTEX_NAME(NAMED(Labels, IN), "popnn::CTCBeamLabels<" TEXT_OF(IN) ">");
COMPUTE_OF(NAMED(Labels, IN))
{
    bool fits = *v->validTime <= v->maxTime;
    unsigned steps = fits ? *v->validTime : 0, row = steps % 2 * v->beams;
    for (unsigned path = 0; path < v->probabilities.size; ++path) {
        unsigned *label = v->labels.data + (size_t)path * v->maxTime, beam = path;
        bool there = fits && v->total.data[row + path] != LOG_ZERO;
        unsigned length = there ? v->length.data[row + path] : 0, left = length;
        float total = there ? v->total.data[row + path] : NO_PATH;
        v->probabilities.data[path] = (IN)(total < NO_PATH ? NO_PATH : total);
        v->lengths.data[path] = length;
        for (unsigned i = length; i < v->maxTime; ++i)
            label[i] = NONE;
        for (unsigned step = steps; left; --step) {
            size_t at = (size_t)(step - 1) * v->beams + beam;
            beam = v->parent.data[at];
            if (v->addend.data[at] != NONE)
                label[--left] = v->addend.data[at];
        }
    }
}
