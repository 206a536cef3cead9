// SPDX-License-Identifier: Apache-2.0
// An extension module as frameworks have one: a session that runs a graph, whose report is an object of the package pva
// in Python.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <pva/pva.hpp>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace
{

class Session
{
  public:
    Session() : device(poplar::IPUModel().createDevice())
    {
        poplar::Graph graph(device.getTarget());
        const poplar::Tensor from = graph.addConstant<float>(poplar::FLOAT, { 4 }, { 1, 2, 3, 4 }, "from");
        const poplar::Tensor to = graph.addVariable(poplar::FLOAT, { 4 }, "to");
        graph.setTileMapping(from, 0);
        graph.setTileMapping(to, 1);
        engine.reset(new poplar::Engine(graph, poplar::program::Copy(from, to)));
    }
    void run()
    {
        engine->load(device);
        engine->run(0);
    }
    pva::Report getReport()
    {
        return engine->getReport();
    }

  private:
    poplar::Device device;
    std::unique_ptr<poplar::Engine> engine;
};

std::uint64_t cyclesOf(const pva::Report &report)
{
    return report.execution().totalCycles().total();
}

std::string nameOf(const std::shared_ptr<pva::Program> &program)
{
    return program->name();
}

} // namespace

PYBIND11_MODULE(extension, module)
{
    py::module_::import("pva");
    py::class_<Session>(module, "Session")
        .def(py::init<>())
        .def("run", &Session::run)
        .def("getReport", &Session::getReport);
    module.def("open", [](const std::string &path) { return pva::openReport(path); });
    module.def("tiles", [](const pva::Report &r) { return std::vector<pva::Tile>(r.compilation().tiles()); });
    module.def("programs", [](const pva::Report &r) {
        return std::vector<std::shared_ptr<pva::Program>>(r.compilation().programs());
    });
    module.def("nothing", [] { return pva::Report(); });
    module.def("cycles", cyclesOf);
    module.def("name", nameOf);
}
