/* SPDX-License-Identifier: Apache-2.0 */
/* Data and functions for user.cpp, in C. */
const float shared_table[4] = { 0, 10, 20, 30 };
static int calls;

float shared_scale(float x)
{
    return x * 3;
}

int shared_count(int n)
{
    calls += 1;
    return n * 100;
}
