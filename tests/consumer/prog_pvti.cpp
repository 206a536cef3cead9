// SPDX-License-Identifier: Apache-2.0
// Writes a trace and reads it.
#include <pva/pva.hpp>
#include <pvti/pvti.hpp>

int main()
{
    pvti::TraceChannel channel("consumer");
    {
        pvti::Tracepoint work(&channel, "work");
    }
    const std::string path = pvti::getCurrentTraceFilename();
    pvti::closeTrace();
    return pva::openTrace(path).processes()[0].threads()[0].events()[0].label() == "work" ? 0 : 1;
}
