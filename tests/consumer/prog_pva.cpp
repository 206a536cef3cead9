// SPDX-License-Identifier: Apache-2.0
// As published programs are written: one include, which also includes <algorithm>, <iostream> and <iomanip>.
#include <pva/pva.hpp>

class Visitor : public pva::ProgramVisitor
{
  public:
    void visitOnTileExecute(const pva::OnTileExecuteProgram &program) override
    {
        std::cout << "  OnTileExecute " << program.name() << std::endl;
    }
};

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    auto report = pva::openReport(argv[1]);
    std::cout << "Example information from profile:\n"
              << "  Number of compute sets: " << report.compilation().graph().numComputeSets() << "\n"
              << "  Number of tiles on target: " << report.compilation().target().numTiles() << "\n"
              << "  Version of Poplar used: " << report.poplarVersion().string() << std::endl;
    Visitor visitor;
    for (const auto &step : report.execution().steps())
        step.program()->accept(visitor);
    auto tiles = report.compilation().tiles();
    auto largest = std::max_element(tiles.begin(), tiles.end(), [](const pva::Tile &a, const pva::Tile &b) {
        return a.memory().total().includingGaps() < b.memory().total().includingGaps();
    });
    std::cout << std::setw(12) << std::setprecision(3) << std::fixed
              << static_cast<double>(largest->memory().total().includingGaps()) / 1024 << " kB at most on a tile\n";
    return report.compilation().target().numTiles() == 4 && largest->memory().total().includingGaps() > 0 ? 0 : 1;
}
