// SPDX-License-Identifier: Apache-2.0
/// A report: its parts, facts about its writer, and operations.
#ifndef PVA_REPORT_HPP
#define PVA_REPORT_HPP

#include <pva/compilation.hpp>
#include <pva/execution.hpp>

#include <algorithm>
#include <cstdio>

#include <pva/methods.def>

namespace pva
{

// The version of the software that made the report.
class PoplarVersion : public Object
{
  public:
    PVA_OBJECT(PoplarVersion)
    PVA_METHOD_INT(majorVer, POPLAR_VERSION_MAJOR)
    PVA_METHOD_INT(minorVer, POPLAR_VERSION_MINOR)
    PVA_METHOD_INT(pointVer, POPLAR_VERSION_POINT)
    PVA_METHOD_TEXT(packageHash, POPLAR_VERSION_PACKAGE_HASH)
    PVA_METHOD_TEXT(string, POPLAR_VERSION_STRING)
};

// The version of the report's format.
class ProfileReportVersion : public Object
{
  public:
    PVA_OBJECT(ProfileReportVersion)
    PVA_METHOD_INT(majorVer, VERSION_MAJOR)
    PVA_METHOD_INT(minorVer, VERSION_MINOR)
    PVA_METHOD_INT(pointVer, VERSION_POINT)
    PVA_METHOD_BOOL(isUnstableFormat, VERSION_IS_UNSTABLE_FORMAT)
    PVA_METHOD_BOOL(isClosed, VERSION_IS_CLOSED)
};

// What of a run was recorded.
class InstrumentationSettings : public Object
{
  public:
    // What the cycles of compute were recorded for.
    enum class Compute { Off = 0, Vertex, Tile, Ipu, Device, Unknown };
    // What the cycles of external exchanges were recorded for.
    enum class ExternalExchange { Off = 0, Tile, Unknown };
    PVA_OBJECT(InstrumentationSettings)
    // What the cycles of compute were recorded for.
    Compute compute() const
    {
        return static_cast<Compute>(natural(PVA_INSTRUMENTATION_COMPUTE));
    }
    // What the cycles of external exchanges were recorded for.
    ExternalExchange externalExchange() const
    {
        return static_cast<ExternalExchange>(natural(PVA_INSTRUMENTATION_EXTERNAL_EXCHANGE));
    }
    PVA_METHOD_TEXT(mode, INSTRUMENTATION_MODE)
};

// An option and its value.
class Option : public Object
{
  public:
    PVA_OBJECT(Option)
    PVA_METHOD_TEXT(name, OPTION_NAME)
    PVA_METHOD_TEXT(value, OPTION_VALUE)
    PVA_METHOD_BOOL(isSet, OPTION_IS_SET)
};

// A library call, with its cycles and memory.
class Operation : public Object
{
  public:
    PVA_OBJECT(Operation)
    PVA_METHOD_TEXT(name, OPERATION_NAME)
    PVA_METHOD_LIST(std::shared_ptr<Program>, programs, OPERATION_PROGRAMS)
    PVA_METHOD_LIST(Variable, vars, OPERATION_VARS)
    PVA_METHOD_UINT(firstStepIndex, OPERATION_FIRST_STEP_INDEX)
    PVA_METHOD_UINT(lastStepIndex, OPERATION_LAST_STEP_INDEX)
    PVA_METHOD_OBJECT(DebugContext, debugContext, OPERATION_DEBUG_CONTEXT)
    PVA_METHOD_LIST(DebugContext, replacedDebugContext, OPERATION_REPLACED_DEBUG_CONTEXT)
};

/// A report, from openReport or poplar::Engine::getReport.
class Report : public Object
{
  public:
    PVA_OBJECT(Report)
    PVA_METHOD_OBJECT(CompilationReport, compilation, REPORT_COMPILATION)
    PVA_METHOD_OBJECT(ExecutionReport, execution, REPORT_EXECUTION)
    PVA_METHOD_OBJECT(InstrumentationSettings, instrumentationSettings, REPORT_INSTRUMENTATION_SETTINGS)
    PVA_METHOD_OBJECT(PoplarVersion, poplarVersion, REPORT_POPLAR_VERSION)
    PVA_METHOD_OBJECT(ProfileReportVersion, version, REPORT_VERSION)
    PVA_METHOD_LIST(Option, options, REPORT_OPTIONS)
    PVA_METHOD_LIST(Operation, operations, REPORT_OPERATIONS)
    PVA_METHOD_LIST(DebugContext, debugContexts, REPORT_DEBUG_CONTEXTS)
    /// Which of the report's files are not used, and why; empty when all are.
    PVA_METHOD_TEXT(warning, REPORT_WARNING)
    /// The tile that needs the most memory; the steps with the most cycles; the liveness step with the most live bytes.
    Tile peakTile() const
    {
        const pva_object found = pva_peak_tile(object.file);
        detail::check(file);
        return Tile(file, found);
    }
    std::vector<ExecutionStep> longestSteps(std::size_t count) const
    {
        std::vector<pva_object> found(std::min(count, execution().steps().size()));
        found.resize(pva_longest_steps(object.file, found.data(), found.size()));
        detail::check(file);
        std::vector<ExecutionStep> steps;
        for (const pva_object &step : found)
            steps.push_back(ExecutionStep(file, step));
        return steps;
    }
    LivenessProgramStep worstLivenessStep() const
    {
        const pva_object found = pva_worst_liveness_step(object.file);
        detail::check(file);
        return LivenessProgramStep(file, found);
    }
    /// Opens a report for exclusive use: its file and directory are removed at once, and the report stays readable.
    inline static Report openTemporary(const std::string &profilePath);
};

/// Programs of a report, grouped by the library calls that made them; requires debug.cbor.
class OperationAnalysis
{
  public:
    // The operations of a report.
    explicit OperationAnalysis(const Report &report_) : report(report_)
    {
    }
    // All operations.
    List<Operation> operations() const
    {
        return report.operations();
    }

  private:
    Report report;
};

inline Report openReport(const std::string &profilePath)
{
    pop_error error = pop_error();
    pva_file *file = pva_open_report(profilePath.c_str(), nullptr, &error);
    const detail::FileRef kept = detail::opened(file, error);
    return Report(kept, pva_root(file));
}

inline Report openReport(const std::string &profilePath, const std::string &debugCborPath)
{
    pop_error error = pop_error();
    pva_file *file = pva_open_report(profilePath.c_str(), debugCborPath.c_str(), &error);
    const detail::FileRef kept = detail::opened(file, error);
    return Report(kept, pva_root(file));
}

inline Report Report::openTemporary(const std::string &profilePath)
{
    struct Remover {
        const std::string &path;
        ~Remover()
        {
            const std::string directory = path.substr(0, path.rfind('/'));
            std::remove(path.c_str());
            std::remove((directory + "/debug.cbor").c_str());
            std::remove(directory.c_str());
        }
    } remover{ profilePath };
    return openReport(profilePath);
}

} // namespace pva

#include <pva/methods.def>

#endif
