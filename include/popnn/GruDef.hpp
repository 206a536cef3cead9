// SPDX-License-Identifier: Apache-2.0
// The units of a GRU cell.
#ifndef POPNN_GRU_DEF_HPP
#define POPNN_GRU_DEF_HPP

#include <popnn/gru.h>

// Units of a GRU.
enum BasicGruCellUnit {
    BASIC_GRU_CELL_RESET_GATE = POPNN_GRU_RESET_GATE,
    BASIC_GRU_CELL_UPDATE_GATE = POPNN_GRU_UPDATE_GATE,
    BASIC_GRU_CELL_CANDIDATE = POPNN_GRU_CANDIDATE,
    BASIC_GRU_CELL_NUM_UNITS = POPNN_GRU_UNITS
};

#endif
