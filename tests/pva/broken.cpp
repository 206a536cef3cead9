// SPDX-License-Identifier: Apache-2.0
// broken DIRECTORY: follows every reference of a report, as programs do that expect a complete one.  Exits with 3 and
// the
// text of the error if one is thrown; never with a signal.
#include <pva/pva.hpp>

#include <iostream>

namespace
{

std::size_t read(const pva::Program &program)
{
    std::size_t read = program.name().size() + program.typeName().size() + program.computeset().name().size();
    if (program.type() == pva::Program::Type::Call)
        read += program.target()->name().size();
    for (const auto &child : program.children())
        read += child->typeName().size();
    for (const auto &var : program.vars())
        read += var.name().size();
    return read + program.debugContext().location().fileName().size();
}

std::size_t read(const pva::CompilationReport &compilation)
{
    std::size_t read_ = 0;
    for (const auto &program : compilation.programs())
        read_ += read(*program);
    for (const auto &program : compilation.controlPrograms())
        read_ += read(*program);
    for (const auto &program : compilation.functions())
        read_ += read(*program);
    for (const auto &step : compilation.livenessProgramSteps()) {
        read_ += step.program()->name().size();
        for (const auto &variable : step.notAlwaysLiveMemory().variables())
            read_ += variable.name().size();
    }
    for (const auto &set : compilation.computeSets())
        for (const auto &vertices : set.vertices())
            read_ += set.name().size() + vertices.type().name().size() + vertices.count();
    for (const auto &tile : compilation.tiles()) {
        read_ += tile.memory().category().vertexCode().total() + tile.memory().total().includingGaps();
        for (const auto &vertex : tile.memory().vertices())
            read_ += vertex.type().name().size();
    }
    for (const auto &variable : compilation.loweredVariables().allVars())
        read_ += variable.name().size() + variable.equivalenceClass().id() + variable.unloweredVar().name().size();
    return read_;
}

std::size_t read(const pva::ExecutionReport &execution, std::size_t tiles)
{
    std::size_t read = 0;
    for (const auto &step : execution.steps()) {
        read += step.program()->name().size() + step.run().name().size() + step.ipus()[0].cycles();
        read += step.cyclesByTile().size() + step.cyclesFromByTile().size();
        for (const auto &set : step.computeSets())
            read += set.name().size();
    }
    for (const auto &run : execution.runs())
        for (const auto &step : run.steps())
            read += step.program()->typeName().size();
    for (std::size_t tile = 0; tile < tiles; ++tile)
        for (const auto &block : execution.blocks(tile))
            read += (block.isOverflow() || block.isUnknown() ? 0 : block.program()->name().size()) +
                    block.run().name().size();
    return read;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    try {
        const pva::Report report = pva::openReport(argv[1]);
        std::size_t bytes =
            read(report.compilation()) + read(report.execution(), report.compilation().target().numTiles());
        for (const auto &operation : report.operations())
            for (const auto &program : operation.programs())
                bytes += program->name().size();
        for (const auto &step : report.longestSteps(static_cast<std::size_t>(-1)))
            bytes += step.program()->name().size();
        std::cout << bytes << " read\n";
        return 0;
    } catch (const pva::Error &error) {
        std::cout << error.what() << "\n";
        return 3;
    }
}
