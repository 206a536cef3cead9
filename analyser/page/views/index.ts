// SPDX-License-Identifier: Apache-2.0
// The views, in the order of the header; the first is the default.
import { exported } from "../data/exported";
import { difference } from "./difference";
import { files } from "./files";
import { flame } from "./flame";
import { insights } from "./insights";
import { landing } from "./landing";
import { liveness } from "./liveness";
import { memory } from "./memory";
import { operations } from "./operations";
import { programs } from "./programs";
import { source } from "./source";
import { sql } from "./sql";
import { summary } from "./summary";
import { trace } from "./trace";
import { View } from "./view";

const ALL: readonly View[] = [
    insights,
    summary,
    memory,
    liveness,
    programs,
    operations,
    trace,
    source,
    flame,
    difference,
    sql,
    files,
    landing,
];

// An exported page has no server, so it has neither queries nor other reports.
const SERVED: readonly View[] = [sql, difference, landing];

export const VIEWS: readonly View[] = exported ? ALL.filter((view) => !SERVED.includes(view)) : ALL;
