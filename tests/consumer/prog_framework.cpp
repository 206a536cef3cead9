// SPDX-License-Identifier: Apache-2.0
// A framework's program, with the packages that it looks for.
#include <gccs/popsolver/Model.hpp>
#include <gcl/Collectives.hpp>
#include <popdist/backend.hpp>
#include <popef/Reader.hpp>
#include <popef/Writer.hpp>
#include <poplar/Graph.hpp>
#include <pvti/pvti.hpp>

#include <sstream>

int main()
{
    std::ostringstream out;
    popef::Writer writer(out);
    auto blob = writer.createOpaqueBlob("name", "model");
    blob->stream << popdist::getNumInstances();
    blob->close();
    writer.close();
    popef::Reader reader;
    std::istringstream in(out.str());
    reader.parseStream(in);
    pvti::TraceChannel channel("Framework");
    const pvti::Tracepoint point(&channel, "read(...)", 4);
    return reader.opaqueBlobs().at(0).sizeInBytes() == 1 ? 0 : 1;
}
