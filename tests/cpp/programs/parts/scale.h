// SPDX-License-Identifier: Apache-2.0
#pragma once
#ifndef SCALE
#define SCALE 1.0f
#endif
static inline float scaled(float x)
{
    return x * SCALE;
}
