// SPDX-License-Identifier: Apache-2.0
// usages DIRECTORY BLOCKS TRACE: queries of a report, of a lightweight profile and of a trace, as programs make them; a
// line begins
// with the number of its usage.  usages.c and usages.py print the same text.
//  1 numbers of compute sets and tiles, version   2 sum of ipus[0].cycles over all steps   3 names of compute sets in
//  order of execution, by a visitor   4 memory of each tile beside what a tile has   5 total and maximum without gaps,
//  always live, peak   6 vertex types of each compute set   7 categories summed by IPU   8 global exchanges as borders
//  of pipeline stages   9 overlap of stream copies and compute   10 number of StreamCopyMid steps   11 live bytes by
//  step and tile, from intervals of equivalence classes   12 operations, and the lines that made variables
//  13 lightweight profile: blocks by kind   14 a trace, walked recursively   15 names of runs, their time on the host
#include <pva/pva.hpp>

// 3. Names of executed programs, by a visitor.
class Names : public pva::ProgramVisitor
{
  public:
    void visitOnTileExecute(const pva::OnTileExecuteProgram &program) override
    {
        std::cout << " " << program.name();
    }
};

static void counts(const pva::Report &report)
{
    const auto compilation = report.compilation();
    std::cout << "1 " << compilation.graph().numComputeSets() << " " << compilation.target().numTiles() << " "
              << report.poplarVersion().string() << "\n";
}

// Elements by reference, of a list that ends with its loop and of one that stays; copies of one that ends at once.
static void references(const pva::Report &report)
{
    std::size_t programs = 0;
    for (auto &program : report.compilation().programs())
        programs += program != nullptr;
    const auto tiles = report.compilation().tiles();
    auto &first = tiles[0], &again = tiles.front();
    const pva::Tile copy = report.compilation().tiles()[0];
    if (&first != &again || !(first == copy) || programs != report.compilation().programs().size())
        throw std::runtime_error("elements of lists");
}

static void execution(const pva::Report &report)
{
    std::uint64_t cycles = 0, copies = 0;
    for (const auto &step : report.execution().steps())
        cycles += step.ipus()[0].cycles();
    std::cout << "2 " << cycles << " of " << report.execution().totalCycles().total() << "\n3";
    Names names;
    for (const auto &step : report.execution().steps())
        step.program()->accept(names);
    for (const auto &step : report.execution().steps())
        copies += step.program()->type() == pva::Program::Type::StreamCopyMid;
    std::cout << "\n10 " << copies << "\n";
}

static void memory(const pva::Report &report)
{
    std::uint64_t total = 0, largest = 0, always = 0, live = 0;
    std::cout << "4 " << report.compilation().target().bytesPerTile() << ":";
    for (const auto &tile : report.compilation().tiles()) {
        std::cout << " " << tile.memory().total().includingGaps();
        total += tile.memory().total().excludingGaps();
        largest = std::max(largest, tile.memory().total().excludingGaps());
        always += tile.memory().alwaysLiveBytes();
    }
    for (const auto &step : report.compilation().livenessProgramSteps())
        live = std::max(live, step.notAlwaysLiveMemory().bytes());
    std::cout << "\n5 " << total << " " << largest << " " << always << " " << always + live << "\n";
}

static void vertices(const pva::Report &report)
{
    for (const auto &set : report.compilation().computeSets()) {
        std::cout << "6 " << set.name() << ":";
        for (const auto &vertex : set.vertices()) {
            std::uint64_t count = 0;
            for (const std::uint64_t tile : vertex.countByTile())
                count += tile;
            std::cout << " " << count << " " << vertex.type().name();
        }
        std::cout << "\n";
    }
}

static void categories(const pva::Report &report)
{
    for (const auto &ipu : report.compilation().ipus()) {
        std::uint64_t sums[5] = { 0, 0, 0, 0, 0 };
        for (const auto &tile : ipu.tiles()) {
            const auto category = tile.memory().category();
            sums[0] += category.vertexCode().total();
            sums[1] += category.internalExchangeCode().total();
            sums[2] += category.vertexInstanceState().total();
            sums[3] += category.controlCode().total();
            sums[4] += category.variable().nonInterleaved().nonOverlapped();
        }
        std::cout << "7 " << sums[0] << " " << sums[1] << " " << sums[2] << " " << sums[3] << " " << sums[4] << "\n";
    }
}

static void boundaries(const pva::Report &report)
{
    const auto run = report.execution().runs()[0];
    for (const auto &step : run.steps()) {
        if (step.program()->type() != pva::Program::Type::GlobalExchange)
            continue;
        for (const auto &ipu : step.ipus())
            if (ipu.dataIn() + ipu.dataOut() > 64)
                std::cout << "8 " << step.program()->name() << " " << ipu.activeCycles().from().max() << " "
                          << ipu.activeCycles().to().max() << "\n";
    }
    std::uint64_t overlap = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> copies;
    for (const auto &step : run.steps())
        if (step.program()->type() == pva::Program::Type::StreamCopyMid)
            copies.emplace_back(step.ipus()[0].activeCycles().from().max(), step.ipus()[0].activeCycles().to().max());
    for (const auto &step : run.steps()) {
        if (step.program()->type() != pva::Program::Type::OnTileExecute)
            continue;
        const auto range = step.ipus()[0].activeCycles();
        for (const auto &copy : copies) {
            const std::uint64_t from = std::max(copy.first, range.from().max()),
                                to = std::min(copy.second, range.to().max());
            overlap += to > from ? to - from : 0;
        }
    }
    std::cout << "9 " << overlap << " of " << copies.size() << " copies\n";
}

static void lowered(const pva::Report &report)
{
    const auto steps = report.compilation().livenessProgramSteps();
    std::uint64_t live = 0, always = 0, vars = 0;
    for (const auto &var : report.compilation().loweredVariables().allBriefVars()) {
        ++vars;
        always += var.equivalenceClass().id() == 1 ? var.bytes() : 0;
        for (const auto &interval : var.equivalenceClass().steps())
            live += var.bytes() * (interval.end() - interval.start());
    }
    const auto ofTile = report.compilation().loweredVariables().forTile(1);
    std::cout << "11 " << steps.size() << " steps, " << (vars ? "variables" : "none") << " " << vars << " " << always
              << " " << live << " " << ofTile.size() << "\n11 tile 1:";
    std::vector<std::uint64_t> bytes(steps.size());
    for (const auto &var : report.compilation().loweredVariables().allBriefVars())
        for (const auto &interval : var.equivalenceClass().steps())
            for (std::uint64_t step = interval.start(); var.tileId() == 1 && step < interval.end(); ++step)
                bytes[step] += var.bytes();
    for (std::size_t i = 0; i < bytes.size(); ++i)
        std::cout << " " << bytes[i] << "/" << steps[i].notAlwaysLiveMemoryForTile(1).bytes();
    std::cout << "\n";
}

static void operations(const pva::Report &report)
{
    const pva::OperationAnalysis analysis(report);
    std::cout << "12 " << analysis.operations().size() << " " << report.debugContexts().size() << "\n";
    for (const auto &operation : analysis.operations())
        std::cout << "12 " << operation.name() << " " << operation.programs().size() << " "
                  << operation.debugContext().layer() << "\n";
    for (const auto &variable : report.compilation().variables()) {
        const auto context = variable.debugContext();
        const std::string file = context.location().fileName();
        std::cout << "12 " << variable.name() << " " << variable.bytes() << " " << file.substr(file.rfind('/') + 1)
                  << ":" << context.location().lineNumber() << " "
                  << (context.json().find("\"category\":\"variable\"") != std::string::npos) << "\n";
    }
}

static void runs(const pva::Report &report)
{
    for (const auto &run : report.execution().runs())
        std::cout << "15 " << run.name() << " " << run.steps().size() << " "
                  << (run.microseconds().end() >= run.microseconds().start()) << "\n";
}

static void blocks(const pva::Report &report)
{
    std::uint64_t common = 0, overflow = 0, flush = 0, copy = 0, cycles = 0;
    for (const auto &block : report.execution().blocks(0)) {
        common += block.isCommon();
        overflow += block.isOverflow();
        flush += block.isBlockFlush();
        copy += block.isStreamCopy();
        cycles += block.isCommon() && block.cyclesTo() ? block.cyclesTo() - block.cyclesFrom() : 0;
    }
    std::cout << "13 " << report.execution().blocks(0).size() << " "
              << report.execution().blocks(0)[0].program()->name() << " " << common << " " << overflow << " " << flush
              << " " << copy << " " << cycles << "\n";
}

static void event(const pva::Event &of, unsigned depth)
{
    std::cout << "14 " << depth << " " << of.channel() << "/" << of.label() << " "
              << static_cast<std::uint64_t>(of.duration()) << " " << of.metadata() << "\n";
    for (const auto &child : of.children())
        event(child, depth + 1);
}

static void trace(const pva::Trace &trace)
{
    for (const auto &process : trace.processes())
        for (const auto &thread : process.threads()) {
            std::cout << "14 " << process.name() << " " << thread.name() << " "
                      << (trace.process(process.pid()).thread(thread.tid()) == thread) << "\n";
            for (const auto &each : thread.events())
                event(each, 0);
        }
}

static void programs(const pva::Report &report)
{
    for (const auto &program : report.compilation().programs()) {
        std::uint64_t code = 0, cycles = 0;
        for (const std::uint64_t bytes : program->codeBytesByTile())
            code += bytes;
        for (const std::uint64_t tile : program->estimatedCyclesByTile())
            cycles += tile;
        std::cout << "p " << program->_id() << " " << program->typeName() << " " << program->name() << " "
                  << program->children().size() << " " << code << " " << cycles << " " << program->computeset().name()
                  << "\n";
    }
    auto steps = std::vector<pva::ExecutionStep>(report.execution().steps());
    std::stable_partition(steps.begin(), steps.end(), [](const pva::ExecutionStep &step) {
        return step.program()->type() == pva::Program::Type::DoExchange;
    });
    std::cout << "e " << steps[0].program()->name();
    for (const std::uint64_t cycles : steps[0].cyclesByTile())
        std::cout << " " << cycles;
    std::cout << "\n";
}

static void questions(const pva::Report &report)
{
    std::cout << "q " << report.peakTile().tileId() << " " << report.peakTile().memory().total().includingGaps()
              << "\n";
    for (const auto &step : report.longestSteps(5))
        std::cout << "q " << step.program()->typeName() << " " << step.program()->name() << " "
                  << step.ipus()[0].cycles() << "\n";
    const auto worst = report.worstLivenessStep();
    std::cout << "q " << worst.program()->name() << " " << worst.notAlwaysLiveMemory().bytes();
    for (const auto &variable : worst.notAlwaysLiveMemory().variables())
        std::cout << " " << variable.name() << "=" << variable.size();
    std::cout << "\nq";
    for (const auto &variable : report.compilation().alwaysLiveVariables())
        std::cout << " " << variable.name() << "=" << variable.size();
    std::cout << "\n";
}

static void stepFigures(const pva::ExecutionStep &step)
{
    using Type = pva::Program::Type;
    const Type type = step.program()->type();
    std::uint64_t from = 0, to = 0, cycles = 0, tiles = 0;
    for (const auto &ipu : step.ipus()) {
        from = std::max(from, ipu.allCycles().from().max());
        to = std::max(to, ipu.allCycles().to().max());
        cycles = std::max<std::uint64_t>(cycles, ipu.cycles());
        tiles += ipu.activeTiles();
    }
    std::cout << "f " << step.program()->typeName();
    if (type != Type::Sync && type != Type::Sans && type != Type::SyncAns) {
        std::cout << " from " << from << " to " << to;
        if (type != Type::StreamCopyBegin && type != Type::StreamCopyEnd)
            std::cout << " cycles " << cycles << " tiles " << tiles;
        const std::string name = step.program()->name();
        std::cout << (name.empty() ? "" : " ") << name;
    }
    std::cout << "\n";
}

static void figures(const pva::Report &report)
{
    std::uint64_t sum = 0, largest = 0;
    for (const auto &tile : report.compilation().tiles()) {
        const std::uint64_t bytes = tile.memory().total().includingGaps();
        sum += bytes;
        largest = std::max(largest, bytes);
    }
    std::cout << "f memory " << sum << " " << largest << "\nf cycles " << report.execution().totalCycles().total()
              << "\n";
    for (const auto &step : report.execution().steps())
        stepFigures(step);
}

int main(int argc, char **argv)
{
    std::cout.imbue(std::locale::classic()); // the three languages print the same, in any locale
    if (argc != 4)
        return 2;
    try {
        const pva::Report report = pva::openReport(argv[1]);
        counts(report);
        references(report);
        execution(report);
        memory(report);
        vertices(report);
        categories(report);
        boundaries(report);
        lowered(report);
        operations(report);
        runs(report);
        programs(report);
        questions(report);
        figures(report);
        blocks(pva::openReport(argv[2]));
        trace(pva::openTrace(argv[3]));
    } catch (const std::exception &error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
    return 0;
}
