/* SPDX-License-Identifier: Apache-2.0 */
/* N numbers at a time: template of vector_loops.h for N. */
#define LANES       POPLIBS_JOIN(lanes, N)
#define HALF_LANES  POPLIBS_JOIN(half_lanes, N)
#define LOAD(type)  POPLIBS_JOIN(POPLIBS_JOIN(load, N), _##type)
#define STORE(type) POPLIBS_JOIN(POPLIBS_JOIN(store, N), _##type)

typedef float LANES __attribute__((vector_size(4 * N)));
typedef half HALF_LANES __attribute__((vector_size(2 * N)));
static inline LANES LOAD(float)(const float *from)
{
    LANES value;
    memcpy(&value, from, sizeof(value));
    return value;
}
static inline LANES LOAD(half)(const half *from)
{
    HALF_LANES value;
    memcpy(&value, from, sizeof(value));
    return __builtin_convertvector(value, LANES);
}
static inline void STORE(float)(float *to, LANES value)
{
    memcpy(to, &value, sizeof(value));
}
static inline void STORE(half)(half *to, LANES value)
{
    HALF_LANES rounded = __builtin_convertvector(value, HALF_LANES);
    memcpy(to, &rounded, sizeof(rounded));
}
#undef LANES
#undef HALF_LANES
#undef LOAD
#undef STORE
