// The keys, and what the page can do, in a box.

import { byId, element } from "./text.js";

const keys = [
	["/", "search"], ["n  N", "next, previous match"],
	["1  2  3", "flame graph, over time, table"], ["i", "top-down or bottom-up"],
	["s", "the function's callers and callees at full size, and back"],
	["f", "root at the top or at the bottom"], ["o", "side by side by name, or heaviest first"],
	["g", "next way to group"],
	["← ↑ ↓ →", "move among frames"], ["Enter", "zoom into the frame, show its function"],
	["Home", "zoom out"], ["Backspace", "one frame out"],
	["+  −", "wider, narrower"], ["Ctrl + wheel", "zoom where the pointer is"],
	["[  ]", "move the chosen time"], ["{  }", "shrink, grow the chosen time"],
	["z", "strips show the chosen time only"], ["t", "fold the time away"],
	["Esc", "clears: search, sandwich, panel, zoom, time"], ["?", "this box"],
];

export function fillHelp() {
	byId("help").replaceChildren(
		element("h2", {}, "Keys"),
		element("dl", { class: "keys" }, ...keys.flatMap(([key, what]) => [
			element("dt", {}, element("kbd", {}, key)), element("dd", {}, what)])),
		element("p", {}, "Drag over the heat map or the strips to choose a time, click a strip to " +
			"choose its thread (Ctrl adds): everything below follows. Drag the flame graph to pan; " +
			"where it is zoomed in, a strip shows all of it: click or drag there, or use the arrow keys."),
		element("form", { method: "dialog" }, element("button", {}, "Close")));
}
