// What a reader does with the picture: focus, zoom, search, direction; the view is in the address.
import { build, depth, describe, end, graph, group, layout, make, measureFont, n, nameOf, nodes,
	numberOf, parent, percent, readFrames, resize, reveal, root, shown, state, titleOf, total, ui,
	width, widths } from "./flame.js";

// ---- focus: one frame at a time can be reached by Tab
let focused = 0;

function focusFrame(i, scroll = true) {
	nodes[focused].removeAttribute("tabindex");
	focused = i;
	const g = nodes[i];
	g.setAttribute("tabindex", "0");
	g.setAttribute("role", "treeitem");
	g.setAttribute("aria-level", depth[i] + 1);
	g.setAttribute("aria-label", titleOf(i).join(", "));
	g.focus({ preventScroll: true });
	if (scroll)
		g.children[1].scrollIntoView({ block: "nearest" });
}

function setEntry(i) {
	nodes[focused].removeAttribute("tabindex");
	focused = i;
	nodes[i].setAttribute("tabindex", "0");
	nodes[i].setAttribute("role", "treeitem");
}

// The widest child that is shown; -1 if there is none.
function childOf(i) {
	let best = -1;
	for (let j = i + 1; j < end[i]; j = end[j])
		if (shown[j] && (best < 0 || widths[j] > widths[best]))
			best = j;
	return best;
}

function besides(i, step) {
	for (let j = i + step; j >= 0 && j < n; j += step)
		if (depth[j] === depth[i] && shown[j])
			return j;
	return -1;
}

function nextHit(step) {
	for (let k = 1; k <= n; k++) {
		const j = ((focused + step * k) % n + n) % n;
		if (hits[j] && shown[j])
			return j;
	}
	return -1;
}

// ---- zoom, search, direction
function zoom(i, remember = true) {
	state.zoom = i;
	layout();
	reveal();
	if (!shown[focused])
		setEntry(i);
	tellFound();
	describe(-1);
	if (remember)
		save(true);
}

function compile(text) {
	return new RegExp(text, /\p{Lu}/u.test(text.replace(/\\[a-z]/gi, "")) ? "u" : "iu");
}

let hits = new Uint8Array(n); // by frame: the search matches its name

function mark(matches) {
	for (let i = 0; i < n; i++)
		if (hits[i] !== matches[i])
			nodes[i].classList.toggle("hit", !!matches[i]);
	hits = matches;
	group.classList.toggle("searching", !!state.search);
}

// Weight of the stacks through a match at or above `from`: nested matches count once.
function matchedWeight(from) {
	let sum = 0;
	for (let i = from; i < end[from];) {
		if (hits[i]) {
			sum += total[i];
			i = end[i];
		} else {
			i++;
		}
	}
	return sum;
}

let found = { all: 0, frames: 0, error: "" };

function search(text, remember = true) {
	const matches = new Uint8Array(n);
	state.search = text;
	found = { all: 0, frames: 0, error: "" };
	try {
		const re = text ? compile(text) : null;
		for (let i = 0; re && i < n; i++)
			if (!nodes[i].children[1].classList.contains("m") && re.test(nameOf(i)))
				found.frames += matches[i] = 1;
	} catch (e) {
		found.error = "not a regular expression";
		ui.found.title = e.message;
	}
	if (found.error)
		state.search = "";
	mark(matches);
	found.all = matchedWeight(0);
	tellFound();
	ui.reset.disabled = !state.zoom && !state.search;
	if (remember)
		save(false);
}

function tellFound() {
	ui.found.classList.toggle("bad", !!found.error);
	ui.input.classList.toggle("bad", !!found.error);
	ui.input.setAttribute("aria-invalid", !!found.error);
	if (found.error)
		return ui.found.replaceChildren(found.error);
	ui.found.removeAttribute("title");
	if (!state.search)
		return ui.found.replaceChildren();
	const value = make("b", {}, percent(found.all, total[0]));
	const parts = ["matched ", value];
	if (state.zoom)
		parts.push(` \u00b7 ${percent(matchedWeight(state.zoom), total[state.zoom])} of zoom`);
	parts.push(` \u00b7 ${found.frames} ${found.frames === 1 ? "frame" : "frames"}`);
	ui.found.replaceChildren(...parts);
}

function invert(on, remember = true) {
	state.inverted = on;
	ui.invert.setAttribute("aria-pressed", on);
	layout();
	reveal();
	if (remember)
		save(false);
}

function reset() {
	ui.input.value = "";
	search("", false);
	zoom(0);
}

// ---- the view is in the address, so that it can be shared
function save(step) {
	const q = new URLSearchParams();
	if (state.zoom)
		q.set("zoom", state.zoom);
	if (state.search)
		q.set("search", state.search);
	if (state.inverted !== (root.dataset.inverted === "1"))
		q.set("layout", state.inverted ? "icicle" : "flame");
	const hash = "#" + q;
	if (hash === (location.hash || "#"))
		return;
	try {
		history[step ? "pushState" : "replaceState"](null, "", hash);
	} catch {
		// A sandboxed document has no address of its own.
	}
}

function restore() {
	const q = new URLSearchParams(location.hash.slice(1));
	const z = Number(q.get("zoom"));
	const text = q.get("search") ?? "";
	const layoutName = q.get("layout");
	state.inverted = layoutName ? layoutName === "icicle" : root.dataset.inverted === "1";
	ui.invert.setAttribute("aria-pressed", state.inverted);
	ui.input.value = text;
	state.zoom = Number.isInteger(z) && z > 0 && z < n ? z : 0;
	search(text, false);
	if (width)
		zoom(state.zoom, false);
	else
		describe(-1);
}

// ---- events
const frameOf = event => {
	const g = event.target.closest?.("#frames > g");
	return g ? numberOf.get(g) : -1;
};

function toggleKeys(on) {
	ui.keys.hidden = !on;
	ui.help.setAttribute("aria-expanded", on);
}

function escape() {
	if (!ui.keys.hidden)
		return toggleKeys(false);
	if (ui.input.value) {
		ui.input.value = "";
		search("");
	} else if (document.activeElement !== ui.input && state.zoom) {
		zoom(0);
	}
	if (document.activeElement === ui.input)
		focusFrame(shown[focused] ? focused : state.zoom, false);
}

function openSearch() {
	ui.input.focus();
	ui.input.select();
}

function go(i) {
	if (i >= 0)
		focusFrame(i);
}

function move(key, i) {
	const up = state.inverted ? "ArrowDown" : "ArrowUp";
	switch (key) {
	case "ArrowUp":
	case "ArrowDown":
		return go(key === up ? childOf(i) : parent[i]);
	case "ArrowLeft":
		return go(besides(i, -1));
	case "ArrowRight":
		return go(besides(i, 1));
	case "Home":
		return go(state.zoom);
	case "Enter":
	case " ":
		zoom(i);
		return focusFrame(i, false);
	}
}

const COMMANDS = {
	"/": openSearch,
	"?": () => toggleKeys(ui.keys.hidden),
	i: () => invert(!state.inverted),
	n: () => go(nextHit(1)),
	N: () => go(nextHit(-1)),
	Escape: escape,
};
const MOVES = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "Enter", " "];

function onKey(event) {
	const key = event.key;
	if ((event.ctrlKey || event.metaKey) && !event.altKey && key === "f") {
		event.preventDefault();
		return openSearch();
	}
	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	if (event.target === ui.input) {
		if (key === "Escape") {
			event.preventDefault();
			escape();
		} else if (key === "Enter" && nextHit(1) >= 0) {
			focusFrame(nextHit(1));
		}
		return;
	}
	const onButton = event.target.localName === "button";
	if (MOVES.includes(key) && !onButton) {
		event.preventDefault();
		const i = frameOf(event);
		move(key, i >= 0 ? i : focused);
	} else if (Object.hasOwn(COMMANDS, key)) {
		event.preventDefault();
		COMMANDS[key]();
	}
}

function listen() {
	group.addEventListener("click", e => {
		const i = frameOf(e);
		if (i < 0)
			return;
		zoom(i);
		focusFrame(i, false);
	});
	group.addEventListener("mouseover", e => describe(frameOf(e)));
	group.addEventListener("mouseleave", () => describe(-1));
	group.addEventListener("focusin", e => describe(frameOf(e)));
	ui.input.addEventListener("input", () => search(ui.input.value));
	ui.reset.addEventListener("click", reset);
	ui.invert.addEventListener("click", () => invert(!state.inverted));
	ui.help.addEventListener("click", () => toggleKeys(ui.keys.hidden));
	document.addEventListener("keydown", onKey);
	addEventListener("hashchange", restore);
	addEventListener("popstate", restore);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolor);
	new ResizeObserver(resize).observe(ui.scroll);
}

// The legend's patches are HTML, which has no fill.
function recolor() {
	for (const i of root.querySelectorAll(".legend i"))
		i.style.background = getComputedStyle(root.querySelector(`#legend .${i.dataset.of}`)).fill;
}

// Out of the document while it changes, so that the browser lays it out only once.
group.remove();
readFrames();
build();
measureFont();
setEntry(0);
restore();
resize();
graph.append(group);
reveal();
listen();
