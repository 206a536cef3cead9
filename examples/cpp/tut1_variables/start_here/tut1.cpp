// SPDX-License-Identifier: Apache-2.0
// Tutorial 1: programs and variables, the starting point: a device, and nothing done with it.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>

using namespace poplar;

int main()
{
    // Create the IPU Model device
    IPUModel ipuModel;
    Device device = ipuModel.createDevice();
    Target target = device.getTarget();
    std::cout << "An IPU Model of " << target.getNumTiles() << " tiles\n";

    // Create the graph, add variables to it, and write the program here
    return 0;
}
