// SPDX-License-Identifier: Apache-2.0
// Devices, their manager, and the IPU Model.
#include "check.hpp"

#include <poplar/DeviceManager.hpp>
#include <poplar/IPUModel.hpp>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <type_traits>

using namespace poplar;

TEST(devices_move)
{
    static_assert(!std::is_copy_constructible<Device>::value && !std::is_copy_assignable<Device>::value,
                  "a device is one handle");
    static_assert(std::is_nothrow_move_constructible<Device>::value && std::is_nothrow_move_assignable<Device>::value,
                  "variants need it");
    static_assert(std::is_nothrow_default_constructible<Device>::value, "Device device;");
    Device device;
    CHECK(!device.attach() && device.getTarget().getNumTiles() == 0);
    device = IPUModel().createDevice();
    CHECK(device.attach() && device.getTarget().getNumTiles() == 1472 && device.getId() == 0);
    std::vector<Device> devices;
    for (int i = 0; i < 5; ++i)
        devices.push_back(Device::createCPUDevice());
    devices.insert(devices.begin(), std::move(device));
    const auto found = std::find_if(devices.begin(), devices.end(), [](Device &d) { return d.attach(); });
    CHECK(found == devices.begin());
    Device taken = std::move(*found);
    CHECK(taken.getTarget().getTilesPerIPU() == 1472 && taken.attach());
    std::swap(taken, devices.back());
    CHECK(taken.getTarget().getTargetType() == TargetType::CPU);
}
TEST(attaching)
{
    const Device device = IPUModel().createDevice(), cpu = Device::createCPUDevice();
    CHECK(device.attach() && device.isAttached() && cpu.attach());
    device.detach();
    CHECK(!device.isAttached() && device.attach());
    device.reset();
    device.detach();
    CHECK_THROWS(device.reset(), poplar::runtime_error, "attached");
}
TEST(other_devices)
{
    Device device = IPUModel("ipu1").createDevice();
    CHECK(device.createVirtualDevice(16).getTarget().getNumTiles() == 16);
    CHECK_THROWS(device.createVirtualDevice(0), poplar_error, "tiles of each IPU");
    CHECK(Device::createCPUDevice(2).getTarget().getNumIPUs() == 2);
    CHECK(Device::createSimulatorDevice(Target::createIPUTarget(1, 4, "ipu2"), {}).getTarget().getNumTiles() == 4);
}
TEST(attributes)
{
    const Device device = IPUModel().createDevice();
    unsigned major = 1, minor = 1, point = 1;
    device.getDriverVersion(major, minor, point);
    CHECK(major == 0 && minor == 0 && point == 0);
    CHECK(device.getDriverIDs().size() == 1 && device.supportsRemoteBuffers() && !device.hasGateway());
    CHECK(!device.getNumaTopology().empty() && device.getNumaNodesUsedForIPUs() == device.getNumaTopology());
    CHECK(device.getAttribute("target") == "ipu2 type=ipu_model");
    CHECK(device.getAttributes().at("target") == device.getAttribute("target"));
    CHECK_THROWS(device.getAttribute("colour"), poplar_error, "colour");
}
TEST(the_manager_offers_devices)
{
    setenv("TREMULA_IPU", "ipu2 tiles=4 x4", 1);
    DeviceManager manager = DeviceManager::createDeviceManager();
    auto devices = manager.getDevices(TargetType::IPU, 1);
    CHECK(devices.size() == 4);
    CHECK(!devices.empty() && !devices[0].isAttached() && devices[0].attach() &&
          devices[0].getTarget().getTargetType() == TargetType::IPU);
    auto again = manager.getDevices(poplar::TargetType::IPU, 1, { { "gatewayMode", "true" } });
    CHECK(again.size() == 4 && !again[0].attach() && again[1].attach() && again[1].getTarget().getGatewayMode());
    CHECK(manager.getDevices(TargetType::IPU, 3).empty());
    CHECK(manager.getDevices().size() == manager.getNumDevices());
    CHECK_THROWS(manager.getDevices(TargetType::IPU, 1, { { "gatewayMod", "true" } }), invalid_option, "gatewayMode");
    for (auto &d : DeviceManager().getDevices(TargetType::IPU, 2)) {
        if (d.attach()) {
            CHECK(d.getTarget().getNumTiles() == 8 && d.getDriverIDs().size() == 2);
            break;
        }
    }
    setenv("TREMULA_IPU", "off", 1);
    CHECK(DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1).empty());
    unsetenv("TREMULA_IPU");
}
TEST(devices_by_id)
{
    setenv("TREMULA_IPU", "ipu2 x2", 1);
    const DeviceManager manager;
    unsetenv("TREMULA_IPU");
    const Device pair = std::move(manager.getDevices(TargetType::IPU, 2).at(0));
    const std::vector<unsigned> children = manager.getChildDeviceIds(pair.getId());
    CHECK(children.size() == 2 && manager.getChildDeviceIds(pair.getId(), 1) == children);
    CHECK(manager.getDevice(children[1]).getId() == children[1]);
    CHECK(manager.getDevice(children[1], { { "gatewayMode", "true" } }).hasGateway());
    CHECK_THROWS(manager.getDevice(1000), index_error, "1000");
}
TEST(models)
{
    IPUModel ipuModel;
    Device device = ipuModel.createDevice();
    CHECK(device.getTarget().getNumTiles() == 1472 && device.getTarget().getTargetType() == TargetType::IPU_MODEL);
    CHECK(IPUModel("ipu1").createDevice().getTarget().getNumTiles() == 1216);
    CHECK(IPUModel(std::string("ipu21")).createDevice({}, true, 3).getTarget().getTargetSystemString() == "ipu21");
    const poplar::IPUModel braces{ "bow" };
    CHECK(braces.createDevice({ { "gatewayMode", "true" } }).hasGateway());
    CHECK_THROWS(IPUModel("ipu3"), invalid_machine_model, "ipu3");
}
TEST(fields_of_a_model)
{
    IPUModel model("ipu1");
    CHECK(model.IPUVersion == "ipu1" && model.numIPUs == 1 && model.tilesPerIPU == 1216 &&
          model.tilesPerSuperTile == 2);
    CHECK(model.numWorkerContexts == 6 && model.memoryBytesPerTile == 262144 && model.tileClockFrequency == 1.6e9);
    CHECK(model.exchangeBytesPerCycle == 4 && model.memcpyBytesPerCycle == 8 && model.instructionBytes == 4);
    CHECK(model.supportsSuperTileSendReceive && model.interleavedMemoryElementIndex == 8 &&
          model.minIPUSyncDelay == 59);
    CHECK(model.globalSyncCycles == 500 && model.dataPathWidth == 64 && !model.compileIPUCode &&
          model.globalExchangeConstraints.empty());
    CHECK(model.relativeSyncDelay == IPUModel::RelativeSyncDelayType::AUTO && IPUModel().tilesPerIPU == 1472);
    model.numIPUs = 2;
    model.tilesPerIPU = 4;
    model.minIPUSyncDelay = 0;
    model.relativeSyncDelay = IPUModel::RelativeSyncDelayType::NO_DELAY;
    model.globalSyncCycles = 0;
    model.memoryBytesPerTile = 128 * 1024;
    model.compileIPUCode = true;
    model.supportsSuperTileSendReceive = false;
    model.globalExchangeConstraints = { GlobalExchangeConstraint(1e9, { GlobalExchangeFlow(0, 1) }),
                                        { 2e9, { { 1, 0 } } } };
    const Device device = model.createDevice();
    const Target &target = device.getTarget();
    CHECK(target.getNumTiles() == 8 && target.getMinIPUSyncDelay() == 0 && target.getGlobalSyncCycles() == 0);
    CHECK(target.getBytesPerTile() == 128 * 1024 && !target.supportsExchangeBusSharing());
    CHECK(target.getGlobalExchangeConstraints().size() == 2 &&
          target.getGlobalExchangeConstraints()[1].bandwidth == 2e9);
    CHECK(target.getNumWorkerContexts() == 6 && target.getTileClockFrequency() == 1.6e9);
    model.numWorkerContexts = 0;
    CHECK_THROWS(model.createDevice(), invalid_machine_model, "numWorkerContexts");
    model.numWorkerContexts = 6;
    model.tileClockFrequency = 0;
    CHECK_THROWS(model.createDevice(), invalid_machine_model, "tileClockFrequency");
}
// They work as the std::vector in whose place they stand, and a copy of a model has its own.
TEST(exchange_constraints_of_a_model)
{
    IPUModel model;
    model.globalExchangeConstraints.push_back({ 3e9, { GlobalExchangeFlow(0, 1) } });
    model.globalExchangeConstraints.emplace_back(4e9, std::vector<GlobalExchangeFlow>());
    IPUModel copy = model;
    std::vector<GlobalExchangeConstraint> &list = copy.globalExchangeConstraints;
    list[0].bandwidth = 5e9;
    double total = 0;
    for (const GlobalExchangeConstraint &constraint : model.globalExchangeConstraints)
        total += constraint.bandwidth;
    CHECK(total == 7e9 && copy.globalExchangeConstraints[0].bandwidth == 5e9 &&
          copy.globalExchangeConstraints.size() == 2);
    CHECK_THROWS(copy.createDevice(), invalid_machine_model, "exchange limit 1 has 0 flows");
    // Any number of constraints, each of any number of flows; the target outlives device and model.
    std::vector<GlobalExchangeFlow> flows;
    for (unsigned i = 1; i < 16; ++i)
        flows.emplace_back(0, i);
    IPUModel large;
    large.numIPUs = 16;
    large.globalExchangeConstraints.assign(100, GlobalExchangeConstraint(6e9, flows));
    const Target target = large.createDevice().getTarget();
    const std::vector<GlobalExchangeConstraint> seen = target.getGlobalExchangeConstraints();
    CHECK(seen.size() == 100 && seen[99].flows.size() == 15 && seen[99].flows[14].dst == 15);
    copy = model;
    copy.globalExchangeConstraints.clear();
    CHECK(copy.globalExchangeConstraints.empty() && !model.globalExchangeConstraints.empty());
}
// A version that is set later changes the numbers of the model, but not those that the program set.
TEST(versions_can_be_set_later)
{
    IPUModel model;
    model.tilesPerIPU = 32;
    model.IPUVersion = "ipu1";
    const Device device = model.createDevice();
    CHECK(device.getTarget().getNumTiles() == 32 && device.getTarget().getBytesPerTile() == 262144 &&
          device.getTarget().getTargetArchString() == "ipu1");
}

MAIN()
