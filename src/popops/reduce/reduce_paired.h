/* SPDX-License-Identifier: Apache-2.0 */
/* popops::Reduce and ScaledReduce by OP from T to T_2: template of reduce_outputs.h. */
#define HOW PLAIN
#define OUT POP_OUTPUT
#define FACTOR
#define K           1
#define CLASS       "Reduce"
#define UPDATE_NAME "false"
#include "popops/reduce/reduce_how.h"

#if POPLIBS_JOIN(REDUCE_SCALES_, OP)
#define HOW UPDATE
#define OUT POP_INOUT
#define FACTOR
#define K           1
#define CLASS       "Reduce"
#define UPDATE_NAME "true"
#include "popops/reduce/reduce_how.h"

#define HOW         SCALE
#define OUT         POP_OUTPUT
#define FACTOR      POP_INPUT(float) k;
#define K           *v->k
#define CLASS       "ScaledReduce"
#define UPDATE_NAME "false"
#include "popops/reduce/reduce_how.h"

#define HOW         BOTH
#define OUT         POP_INOUT
#define FACTOR      POP_INPUT(float) k;
#define K           *v->k
#define CLASS       "ScaledReduce"
#define UPDATE_NAME "true"
#include "popops/reduce/reduce_how.h"
#endif
