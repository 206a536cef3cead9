// SPDX-License-Identifier: Apache-2.0
// Entry point of the page.
import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { startExported } from "./data/exported";
import { Frame } from "./frame";
import { applyTheme } from "./preferences";
import { Store } from "./store";
import { startKeys } from "./ui/keys";
import { startTooltips } from "./ui/tooltip";
import { VIEWS } from "./views";

startExported();
applyTheme();
startKeys();
startTooltips();
const first = VIEWS.find((view) => !view.landing) ?? VIEWS[0];
render(<Frame store={new Store(first.id)} />, document.getElementById("page") as HTMLElement);
