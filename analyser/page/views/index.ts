// SPDX-License-Identifier: Apache-2.0
// The views, in the order of the header; the first is shown first.
import { files } from "./files";
import { insights } from "./insights";
import { summary } from "./summary";
import { View } from "./view";

export const VIEWS: readonly View[] = [insights, summary, files];
