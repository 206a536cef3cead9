// SPDX-License-Identifier: Apache-2.0
// An event of the host in the tab of details.
import { HostEvent } from "../../data/host";
import { useJson } from "../../data/load";
import { count, time } from "../../text/format";
import { Empty } from "../../ui/tabs";
import { Row, TabProps } from "./parts";

/** Metadata is JSON: an object is shown by its members. */
function metadataRows(text: string | null | undefined): [string, string][] {
    if (!text) return [];
    try {
        const value = JSON.parse(text) as unknown;
        if (value && typeof value === "object" && !Array.isArray(value))
            return Object.entries(value).map(([name, one]) => [
                name,
                typeof one === "string" ? one : JSON.stringify(one),
            ]);
        return [["Metadata", typeof value === "string" ? value : JSON.stringify(value)]];
    } catch {
        return [["Metadata", text]];
    }
}

export function EventFacts({ index, props }: { index: number; props: TabProps }) {
    const model = props.models[props.side];
    const { value: event, error } = useJson<HostEvent>("trace/host_event", { report: model.report, index });
    if (error) return <Empty>{error}</Empty>;
    if (!event) return <Empty>Reading the event.</Empty>;
    const when = new Date(event.startMicroseconds / 1000).toISOString().replace("T", " ");
    return (
        <div class="details-tab" data-event={event.index}>
            <div class="trace-facts">
                <p class="path">{event.label}</p>
                <table class="trace-figures">
                    <tbody>
                        <Row title="Time on the host">
                            <span data-figure="time">
                                {event.ended ? time(event.nanoseconds, 1e9) : "an instant, or it never ended"}
                            </span>
                        </Row>
                        <Row title="Began">{when}</Row>
                        <Row title="From (cycle)">{count(Math.round(event.from - model.base()))}</Row>
                        <Row title="Process">
                            <span data-figure="process">{`${event.process} ${event.pid}`}</span>
                        </Row>
                        <Row title="Thread">{`${event.thread} ${event.tid}`}</Row>
                        <Row title="Channel">{event.channel ?? ""}</Row>
                        {metadataRows(event.metadata).map(([name, text]) => (
                            <Row key={name} title={name}>
                                {text}
                            </Row>
                        ))}
                    </tbody>
                </table>
                <button type="button" onClick={() => props.go(event)}>
                    Fit the event
                </button>
            </div>
        </div>
    );
}
