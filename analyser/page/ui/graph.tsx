// SPDX-License-Identifier: Apache-2.0
// A graph of programs (rounded) and variables (boxes), with an edge for each read and write.
import { useMemo } from "preact/hooks";
import { GraphNode, OperationGraph } from "../data/operations";
import { NODE_HEIGHT, NODE_WIDTH, Placed, drawGraph, edgeCurve, place } from "../draw/graph";
import { typeColour } from "../draw/types";
import { bytes, cycles } from "../text/format";
import { shortName, tailName } from "../text/names";
import { Drawing } from "./savepicture";

const CHARACTERS = 25;

function edgePath(from: Placed, to: Placed): string {
    const { x1, y1, x2, y2, bend } = edgeCurve(from, to);
    return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

function labelOf(node: GraphNode): string {
    if (node.count > 1) return `${tailName(shortName(node.label), CHARACTERS - 6)} × ${node.count}`;
    return tailName(shortName(node.label) || node.type, CHARACTERS);
}

/** For files: plain colours, because files have no style sheet. */
export function graphDrawing(graph: OperationGraph, name: string): Drawing {
    const { width, height } = place(graph);
    const plain = (node: GraphNode) => (node.kind === "program" ? typeColour(node.type) : colourOf(node));
    const look = { line: "#7a8699", ink: "#1b2430", colour: plain, label: labelOf };
    return { name, width: width + 24, height: height + 24, draw: (pen) => drawGraph(pen, graph, look) };
}

function colourOf(node: GraphNode): string {
    if (node.kind === "program") return `color-mix(in srgb, ${typeColour(node.type)} 45%, white)`;
    return node.alwaysLive ? "#c9e7c5" : "#cfe2f6";
}

function tipOf(node: GraphNode): string {
    const size = node.kind === "program" ? cycles(node.size) : bytes(node.size);
    const several = node.count > 1 ? `${node.count} equal variables` : "variable";
    const kind = node.kind === "program" ? node.type : node.alwaysLive ? `${several}, always live` : several;
    return `${node.label || "(no name)"}\n${kind}, ${size}`;
}

export interface GraphProps {
    graph: OperationGraph;
    scale: number;
    selected: number; // node; -1: none
    onSelect: (node: number) => void;
    onOpen: (node: number) => void;
}

export function Graph({ graph, scale, selected, onSelect, onOpen }: GraphProps) {
    const { placed, width, height } = useMemo(() => place(graph), [graph]);
    return (
        <div class="graph-scroll">
            <svg
                width={width * scale}
                height={height * scale}
                viewBox={`0 0 ${width} ${height}`}
                role="img"
                aria-label="graph of programs and variables"
            >
                {graph.edges.map((edge, i) => (
                    <path
                        key={i}
                        class={`graph-edge ${edge.from === selected || edge.to === selected ? "of-selected" : ""}`}
                        d={edgePath(placed[edge.from], placed[edge.to])}
                    />
                ))}
                {graph.nodes.map((node, i) => (
                    <g
                        key={i}
                        class={`graph-node ${i === selected ? "selected" : ""}`}
                        data-node={`${node.kind} ${node.id}`}
                        data-tip={tipOf(node)}
                        transform={`translate(${placed[i].x} ${placed[i].y})`}
                        onClick={() => onSelect(i)}
                        onDblClick={() => onOpen(i)}
                    >
                        <rect
                            width={NODE_WIDTH}
                            height={NODE_HEIGHT}
                            rx={node.kind === "program" ? 10 : 2}
                            style={{ fill: colourOf(node) }}
                        />
                        <text x={8} y={16}>
                            {labelOf(node)}
                        </text>
                    </g>
                ))}
            </svg>
        </div>
    );
}
