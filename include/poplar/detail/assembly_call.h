/* SPDX-License-Identifier: Apache-2.0 */
/* What a codelet in C++ passes to the engine for a statement of inline assembly, or for a function of a .S file. */
#ifndef POPLAR_DETAIL_ASSEMBLY_CALL_H
#define POPLAR_DETAIL_ASSEMBLY_CALL_H

/* An operand.  Its kind: 'i' an integer in an m register, 'p' a pointer in one, 'f' numbers in a registers, 'e' 64 bits
 * in registers of either file, 'c' a constant that stands in the text. */
struct popc_operand {
    const char *constraint, *name; /* as in the statement; "$m0" in a constraint is the register itself */
    void *pointer;                 /* the value of kind 'p' */
    unsigned words[4];             /* that of others */
    unsigned char kind, bytes;
};

struct popc_assembly {
    const char *text;     /* of the statement, or the label of the function */
    const char *clobbers; /* with commas between */
    const char *file;     /* where the statement is; NULL: not known */
    int line;
    unsigned char calls;     /* text is a label */
    unsigned outputs, count; /* of the operands, outputs first */
    struct popc_operand *operands;
};

#endif
