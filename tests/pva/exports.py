# SPDX-License-Identifier: Apache-2.0
"""exports.py DIRECTORY PERFETTO CHROME CSV JSON: exports against the report.  The Perfetto file is read as protobuf defines and as a perfetto.protos.Trace."""
import csv
import json
import sys

import pva

report = pva.openReport(sys.argv[1])
hertz = report.compilation.target.clockFrequency
per_ipu = [[] for _ in report.compilation.ipus]
for step in report.execution.steps:
    for i, ipu in enumerate(step.ipus):
        if ipu.cycles:
            per_ipu[i].append((ipu.activeCycles.cyclesFrom.min, ipu.activeCycles.cyclesTo.max, step.program.type.name, step.program.name))


def varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if not byte & 128:
            return number, at


def message(data, fields, where):
    """The fields of a message, each a list: fields has the wire type of each (0 number, 2 bytes)."""
    at, found = 0, {}
    while at < len(data):
        tag, at = varint(data, at)
        field, wire = tag >> 3, tag & 7
        assert fields.get(field) == wire, "%s: field %d of type %d" % (where, field, wire)
        if wire == 0:
            value, at = varint(data, at)
        else:
            size, at = varint(data, at)
            assert at + size <= len(data), where
            value, at = data[at : at + size], at + size
        found.setdefault(field, []).append(value)
    assert at == len(data), where
    return found


def one(found, field):
    assert len(found[field]) == 1
    return found[field][0]


tracks, slices, counters, last = {}, {}, [], {}
with open(sys.argv[2], "rb") as file:
    trace = message(file.read(), {1: 2}, "Trace")
for packet in trace[1]:
    packet = message(packet, {8: 0, 10: 0, 11: 2, 60: 2}, "TracePacket")
    assert one(packet, 10) == 1  # every packet of one sequence
    if 60 in packet:
        descriptor = message(one(packet, 60), {1: 0, 2: 2, 5: 0, 8: 2}, "TrackDescriptor")
        uuid = one(descriptor, 1)
        assert uuid not in tracks and 11 not in packet
        tracks[uuid] = one(descriptor, 2).decode("utf-8")
        if 8 in descriptor:
            message(one(descriptor, 8), {6: 2}, "CounterDescriptor")
        continue
    event = message(one(packet, 11), {4: 2, 9: 0, 11: 0, 22: 2, 23: 2, 30: 0}, "TrackEvent")
    uuid, kind, time = one(event, 11), one(event, 9), one(packet, 8)
    assert uuid in tracks, "a track is described before its events"
    assert time >= last.get(uuid, 0), "events of a track are in order of time"
    last[uuid] = time
    if kind == 4:
        counters.append(one(event, 30))
        continue
    track = slices.setdefault(uuid, [])
    if kind == 1:
        assert not track or track[-1][1] is not None, "slices of a track do not overlap"
        for annotation in event[4]:
            message(annotation, {3: 0, 10: 2}, "DebugAnnotation")
        track.append([time, None, one(event, 22).decode(), one(event, 23).decode()])
    else:
        assert kind == 2 and track and track[-1][1] is None, "an end has a begin"
        track[-1][1] = time
assert all(each[-1][1] is not None for each in slices.values())
ns = 1e9 / hertz
for i, expected in enumerate(per_ipu):
    found = sorted(tuple(s) for uuid, track in slices.items() if tracks[uuid].split(",")[0] == "IPU %d" % i for s in track)
    wanted = sorted((int(a * ns + 0.5), int(b * ns + 0.5), kind, name or kind) for a, b, kind, name in expected)
    assert found == wanted, (found[:3], wanted[:3])
assert [s[3] for uuid, track in slices.items() if tracks[uuid] == "runs" for s in track] == [run.name for run in report.execution.runs]
assert {tracks[uuid] for uuid in slices} >= {"tile 0", "tile 5"}
always = sum(tile.memory.alwaysLiveBytes for tile in report.compilation.tiles)
assert max(counters) == always + report.worstLivenessStep().notAlwaysLiveMemory.bytes

with open(sys.argv[3]) as file:
    chrome = json.load(file)["traceEvents"]
names = {event["tid"]: event["args"]["name"] for event in chrome if event["ph"] == "M" and event["name"] == "thread_name"}
for i, expected in enumerate(per_ipu):
    found = sorted((round(e["ts"] * hertz / 1e6), e["args"]["cycles"], e["cat"]) for e in chrome if e["ph"] == "X" and names[e["tid"]].split(",")[0] == "IPU %d" % i)
    assert [f[0] for f in found] == sorted(a for a, _, _, _ in expected)
    assert [f[1] for f in sorted(found)] and len(found) == len(expected)

with open(sys.argv[4], newline="") as file:
    rows = list(csv.DictReader(file))
with open(sys.argv[5]) as file:
    values = json.load(file)["slices"]
assert len(rows) == len(values)
for row, value in zip(rows, values):
    assert row["lane"] == value["lane"] and int(row["from"]) == value["from"] and int(row["to"]) == value["to"] and row["name"] == value["name"]
for i, expected in enumerate(per_ipu):
    found = sorted((v["from"], v["to"], v["type"], v["name"]) for v in values if v["lane"].split(",")[0] == "IPU %d" % i)
    assert found == sorted(expected)
print("passed")
