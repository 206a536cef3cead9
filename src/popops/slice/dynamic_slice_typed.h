/* SPDX-License-Identifier: Apache-2.0 */
/* popops::DynamicSlice2d<T>, DynamicUpdateSlice2d<T> and their forms of one region: template of
 * dynamic_slice_vertices.c. */
POP_VERTEX(TYPED(Slice2d))
{
    POP_INPUT(unsigned) offset;
    POP_INPUT(POP_VECTORS(T)) baseT;
    POP_OUTPUT(POP_VECTORS(T)) subT;
    POP_STATE(unsigned) numBaseElements;
    POP_STATE(unsigned) numSubElements;
    POP_STATE(unsigned) numRegions;
};
POP_VERTEX_NAME(TYPED(Slice2d), "popops::DynamicSlice2d<" T_NAME ">");
COMPUTE(Slice2d){ COPY_ROWS(v, subT.data[sub], baseT.data[base]) }

POP_VERTEX(TYPED(Update2d))
{
    POP_INPUT(unsigned) offset;
    POP_INOUT(POP_VECTORS(T)) baseT;
    POP_INPUT(POP_VECTORS(T)) subT;
    POP_STATE(unsigned) numBaseElements;
    POP_STATE(unsigned) numSubElements;
    POP_STATE(unsigned) numRegions;
};
POP_VERTEX_NAME(TYPED(Update2d), "popops::DynamicUpdateSlice2d<" T_NAME ">");
COMPUTE(Update2d){ COPY_ROWS(v, baseT.data[base], subT.data[sub]) }

POP_SUPERVISOR_VERTEX(TYPED(Slice1d))
{
    POP_INPUT(unsigned) offset;
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) baseT;
    POP_OUTPUT(POP_VECTOR(T, ONE_PTR)) subT;
    POP_STATE(unsigned) numBaseElements;
    POP_STATE(unsigned) numSubElements;
    POP_STATE(unsigned) regionSize;
};
POP_VERTEX_NAME(TYPED(Slice1d), "popops::DynamicSliceSupervisor<" T_NAME ">");
COMPUTE(Slice1d){ COPY_REGION(v, subT, i, baseT, row) }

POP_SUPERVISOR_VERTEX(TYPED(Update1d))
{
    POP_INPUT(unsigned) offset;
    POP_INOUT(POP_VECTOR(T, ONE_PTR)) baseT;
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) subT;
    POP_STATE(unsigned) numBaseElements;
    POP_STATE(unsigned) numSubElements;
    POP_STATE(unsigned) regionSize;
};
POP_VERTEX_NAME(TYPED(Update1d), "popops::DynamicUpdateSliceSupervisor<" T_NAME ">");
COMPUTE(Update1d)
{
    COPY_REGION(v, baseT, row, subT, i)
}
