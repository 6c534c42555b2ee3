// Puts the parts together: a change of what the reader chose → numbers → pictures.

import { Chart } from "./chart.js";
import { Colors, legend, schemes } from "./colors.js";
import { loadProfile } from "./data.js";
import { Flame } from "./flame.js";
import { GroupTree, Groups, groupings, groupingsOf } from "./groups.js";
import { fillHead, heaviestProcess, titleOf } from "./head.js";
import { fillHelp } from "./help.js";
import { InvertedTree } from "./lazytree.js";
import { mergeTree, operations } from "./merge.js";
import { Panel } from "./panel.js";
import { Tally } from "./samples.js";
import { saveFolded, saveSvg } from "./save.js";
import { searchNames, stepMatch } from "./search.js";
import { sumSamples } from "./select.js";
import { State, changed } from "./state.js";
import { Table } from "./table.js";
import { Timeline } from "./timeline.js";
import { Tips } from "./tips.js";
import { TopTree, sumFunctions, sumMatches } from "./trees.js";
import { amount, byId, cut, element, onFrame, percent, setText } from "./text.js";

class App {
	constructor(profile) {
		this.profile = profile;
		const { meta } = profile, by = meta.samples ? meta.by : "none";
		const many = heaviestProcess(profile).share <= 0.6 && profile.threads.length > 1;
		profile.defaults = { by: by !== "comm" ? by : many ? "pid" : "none", event: meta.event, view: "flame",
			direction: meta.reverse ? "up" : "down", order: "name", colors: "origin",
			sort: profile.diff ? "change" : "self" };
		this.store = new State(profile, {
			view: ["flame", "chart", "table"], direction: ["down", "up"], order: ["name", "weight"], by: groupingsOf(profile),
			colors: Object.keys(schemes), operations: Object.keys(operations),
			sort: ["self", "total", "samples", "name", "binary", "first", "second", "change"]
				.flatMap(key => [key, `-${key}`]),
		});
		this.colors = new Colors(profile);
		this.nameOf = (func, tree) => func < 0 ? tree.groups[-1 - func]
			: func ? profile.names[func] : "all";
		this.seen = {};
		this.tally = profile.time ? new Tally(profile) : null;
		this.chosen = element("span", { class: "chosen" });
		this.tips = new Tips(profile, this.nameOf);
		this.makeViews();
		this.fillControls();
		this.state = this.store.read();
		this.later = onFrame(() => this.show());
		window.addEventListener("popstate", () => this.restore());
		window.addEventListener("hashchange", () => this.restore());
		this.colors.query.addEventListener("change", () => {
			this.colors.use(this.state.colors);
			this.seen = {};
			this.show();
		});
	}

	makeViews() {
		const { profile, colors, nameOf } = this;
		const hooks = {
			nameOf, onHover: (node, e, flame) => this.tips.frame(node, e, flame),
			onChoose: (node, flame) => this.chooseFunc(flame.tree.func[node]),
			onZoom: (node, flame) => this.change({ zoom: flame.pathTo(node) }, true),
			onKeyFocus: (node, flame) => this.say(this.tips.describe(node, flame).join(", ")),
			isSignificant: (node, tree) => this.isSure(tree.func[node]),
		};
		this.flame = new Flame(byId("flame"), colors, hooks, { label: "Flame graph" });
		this.chart = new Chart(byId("chart"), profile, colors, {
			nameOf, onHover: (box, e) => this.tips.sample(box, e, this.chart), onChoose: f => this.chooseFunc(f) });
		this.table = new Table(byId("table"), profile, colors, {
			onChoose: f => this.chooseFunc(f), onSort: sort => this.change({ sort }, false) });
		this.table.isSignificant = f => this.isSure(f);
		this.panel = new Panel(profile, colors, { ...hooks,
			onChoose: f => this.chooseFunc(f), onClose: () => this.change({ func: -1 }, true),
			onOperation: (op, func) => this.addOperation(op, func), isSure: f => this.isSure(f),
			onFind: f => this.findInFlame(f), onSandwich: () => this.turnSandwich() });
		if (profile.hasTime)
			this.timeline = new Timeline(profile, colors, {
				onRange: (range, done) => this.change({ range }, done || null),
				onThreads: threads => this.change({ threads }, true),
				onTip: (text, e) => this.tips.text(text, e) });
	}

	fillControls() {
		const { profile } = this, { meta } = profile;
		const options = (id, entries, key) => {
			byId(id).replaceChildren(...entries.map(([value, text]) =>
				element("option", { value }, text)));
			byId(id).addEventListener("change", e =>
				this.change({ [key]: key === "event" ? Number(e.target.value) : e.target.value }, true));
		};
		options("by", groupingsOf(profile).map(k => [k, groupings[k].label]), "by");
		options("event", meta.events.map((e, i) => [i, e.name]), "event");
		options("colors", Object.entries(schemes), "colors");
		byId("by-label").hidden = !meta.samples;
		byId("event-label").hidden = !meta.samples || meta.events.length < 2;
		byId("normalize-label").hidden = !profile.diff;
		byId("colors-label").hidden = Boolean(profile.diff);
		byId("tab-chart").hidden = !profile.hasTime;
		byId("time").hidden = !profile.hasTime;
		for (const b of document.querySelectorAll("[data-view]"))
			b.addEventListener("click", () => this.change({ view: b.dataset.view }, true));
		for (const b of document.querySelectorAll("[data-direction]"))
			b.addEventListener("click", () => this.change({ direction: b.dataset.direction, zoom: [] }, true));
		byId("flip").addEventListener("click", () => this.change({ flip: !this.state.flip }, true));
		byId("order").addEventListener("click", () => this.turnOrder());
		byId("normalize").addEventListener("change", e => this.change({ normalize: e.target.checked }, true));
		byId("search").addEventListener("input", e => this.change({ search: e.target.value }, false));
		byId("search").addEventListener("keydown", e => {
			if (e.key === "Enter")
				this.nextMatch(e.shiftKey ? -1 : 1);
		});
		byId("save-folded").addEventListener("click", () => saveFolded(this.top, this.nameOf));
		byId("save-svg").addEventListener("click", () => {
			if (this.flame.tree !== this.tree) // another view is shown
				this.flame.setTree(this.tree);
			saveSvg(this.flame, titleOf(profile),
				`${byId("about").textContent} · ${byId("range-text").textContent}`);
		});
		byId("print").addEventListener("click", () => window.print());
		byId("keys").addEventListener("click", () => byId("help").showModal());
		byId("save-menu").addEventListener("toggle", () => {
			const r = byId("save").getBoundingClientRect();
			byId("save-menu").style.top = `${r.bottom + 6}px`;
			byId("save-menu").style.right = `${window.innerWidth - r.right}px`;
		});
		for (const b of byId("save-menu").children)
			b.addEventListener("click", () => byId("save-menu").hidePopover());
		document.addEventListener("keydown", e => this.onKey(e));
		fillHelp();
	}

	// `keep`: a step of its own for the back button; null: more will come, the address is for later.
	change(part, keep) {
		this.state = changed(this.state, part);
		if (keep !== null)
			this.store.write(this.state, keep);
		this.later();
	}

	turnOrder() {
		this.change({ order: this.state.order === "name" ? "weight" : "name" }, true);
	}

	turnSandwich() {
		const { state: s } = this, func = s.func < 0 && s.view === "flame" ? this.flame.pointed : s.func;
		if (func > 0)
			this.change({ func, sandwich: !s.sandwich }, true);
	}

	restore() {
		this.state = this.store.read();
		this.show();
	}

	// Makes `name` anew if one of its inputs is another than last time; `make` gets the old one, whose
	// arrays it may take over.
	memo(name, inputs, make) {
		const old = this.seen[name];
		if (old && old.inputs.every((x, i) => x === inputs[i]))
			return old.value;
		const value = make(old?.value);
		this.seen[name] = { inputs, value };
		return value;
	}

	// Whatever is grouped. What follows is made when it is first asked for: not all views need all.
	get whole() {
		return this.memo("whole", [this.sums], old => new TopTree(this.merged, this.sums, old));
	}

	// null: none
	get groups() {
		const { profile, choice, merged, sums, state: { by } } = this;
		return profile.time && by !== "none" ? this.memo("groups", [sums, by], old =>
			new Groups(profile, choice, merged, by, old)) : null;
	}

	get top() {
		const { groups, merged, state: { order } } = this;
		const tree = groups ? this.memo("grouped", [groups], old => new GroupTree(merged, groups, old))
			: this.whole;
		tree.useOrder(order);
		return tree;
	}

	// What the flame graph shows.
	get tree() {
		const { groups, merged, whole } = this;
		return this.state.direction === "down" ? this.top : this.memo("up", [whole, groups], old =>
			new InvertedTree(merged, whole, groups, old));
	}

	get functions() {
		return this.memo("functions", [this.whole],
			old => sumFunctions(this.merged, this.whole, this.profile.names.length, old));
	}

	// From what was chosen to numbers.
	compute() {
		const { state: s, profile } = this;
		this.merged = this.memo("merged", [JSON.stringify(s.operations)],
			() => mergeTree(profile, s.operations));
		this.choice = { event: s.event, range: s.range, threads: s.threads, normalize: s.normalize };
		this.sums = this.memo("sums", [this.merged, s.event, s.range?.join() ?? "",
			s.threads && [...s.threads].join(), s.normalize],
		old => {
			this.tally?.choose(this.choice);
			return sumSamples(profile, this.choice, this.merged, this.tally, old);
		});
		this.found = this.memo("found", [s.search], () => searchNames(profile.names, s.search));
		this.unit = this.unitOf(s.event);
		this.tips.unit = this.unit;
		this.tips.samples = this.sums.samples;
	}

	unitOf(event) {
		const e = this.profile.meta.events[event];
		return e?.by_period ? e.unit : "samples";
	}

	show() {
		const { state: s, profile } = this;
		this.compute();
		if (this.seen.scheme !== s.colors) {
			this.seen.scheme = s.colors;
			this.colors.use(s.colors);
			byId("legend").replaceChildren(...legend(profile, this.colors));
			this.flame.draw();
		}
		if (this.timeline) {
			if (this.seen.event !== s.event)
				this.timeline.setEvent(this.seen.event = s.event);
			this.timeline.set(s);
		}
		this.memo("controls", [s.view, s.direction, s.flip, s.order, s.by, s.event, s.colors, s.normalize,
			s.search], () => this.showControls() ?? true);
		this.showCrumbs();
		this.showFound();
		this.showView();
		this.panel.setSandwich(s.sandwich);
		this.memo("panel", [s.func, s.func < 0 ? null : this.whole, s.colors], () =>
			this.panel.set(s.func, s.func < 0 ? null : { merged: this.merged, whole: this.whole,
				sums: this.functions, weights: this.tally?.weights ?? profile.self, choice: this.choice,
				unit: this.unit }) ?? true);
		this.panel.setMatches(this.found?.matches ?? null);
		if (!this.headFilled)
			this.showHead();
	}

	// Of all samples, whatever is chosen below.
	showHead() {
		const { profile, state: s } = this, { event } = profile.meta;
		this.headFilled = true;
		if (!s.operations.length && !s.range && !s.threads && s.event === event) {
			fillHead(profile, this.sums, this.functions);
			return;
		}
		const merged = mergeTree(profile, []);
		const choice = { event, range: null, threads: null }, tally = profile.time && new Tally(profile);
		tally?.choose(choice);
		const sums = sumSamples(profile, choice, merged, tally);
		fillHead(profile, sums, sumFunctions(merged, new TopTree(merged, sums), profile.names.length));
	}

	showView() {
		const { state: s, profile, flame, chart } = this, matches = this.found?.matches ?? null;
		for (const view of ["flame", "chart", "table"])
			byId(view).hidden = s.view !== view;
		flame.matches = chart.matches = matches;
		flame.marked = s.func;
		if (s.view === "flame") {
			flame.flip = s.flip;
			const path = s.zoom.join("."), { tree } = this;
			this.memo("flame", [tree, path, s.flip, s.order], () => {
				if (flame.tree !== tree || flame.order !== s.order ||
					flame.pathTo(flame.zoomed).join(".") !== path)
					flame.setTree(tree, 0);
				flame.order = s.order;
				const node = flame.nodeOf(s.zoom);
				if (flame.zoomed !== node) {
					flame.setTree(tree, node);
					flame.reveal(node);
				}
				flame.resize();
				return true;
			});
			flame.draw();
		} else if (s.view === "chart") {
			const thread = this.chartThread();
			this.memo("chart", [this.merged, thread, s.range?.join(), s.event], () =>
				chart.set(this.merged, thread, s.range ?? [0, profile.end], s.event) ?? true);
			chart.draw();
		} else {
			const all = this.whole.total[0], second = this.whole.second?.[0];
			this.memo("table", [this.functions, this.found, s.sort, s.func, s.colors], () =>
				this.table.set(this.functions, { all, first: all - second, second }, matches, s.sort,
					s.func) ?? true);
		}
	}

	// The busiest of those chosen.
	chartThread() {
		const { threads } = this.state, { strips } = this.timeline;
		return strips.order.find(t => !threads || threads.has(t.id)) ?? strips.order[0] ??
			this.profile.threads[0];
	}

	showControls() {
		const { state: s } = this;
		for (const b of document.querySelectorAll("[data-view]")) {
			b.setAttribute("aria-selected", String(b.dataset.view === s.view));
			b.tabIndex = b.dataset.view === s.view ? 0 : -1;
		}
		for (const b of document.querySelectorAll("[data-direction]"))
			b.setAttribute("aria-pressed", String(b.dataset.direction === s.direction));
		for (const id of ["direction", "flip", "order"])
			byId(id).hidden = s.view !== "flame";
		byId("by-label").hidden = s.view !== "flame" || !this.profile.time;
		byId("flip").setAttribute("aria-pressed", String(s.flip));
		byId("order").setAttribute("aria-pressed", String(s.order === "weight"));
		byId("order").disabled = s.direction === "up";
		byId("by").value = s.by;
		byId("event").value = String(s.event);
		byId("colors").value = s.colors;
		byId("normalize").checked = s.normalize;
		if (byId("search").value !== s.search)
			byId("search").value = s.search;
	}

	crumbs() {
		const { state: s, profile } = this;
		const name = f => cut((f < 0 ? this.groups?.names[-1 - f] : profile.names[f]) ?? "?", 80);
		const path = s.view === "flame" && !s.sandwich ? s.zoom : [];
		const from = Math.max(0, path.length - 6), crumbs = [];
		const chips = s.operations.map((o, i) => element("span", { class: "operation" },
			element("bdi", { title: operations[o.op].help }, `${operations[o.op].label}: ${name(o.func)}`),
			element("button", { "aria-label": `Undo ${operations[o.op].label}`, onclick: () => this.change(
				{ operations: s.operations.filter((_, k) => k !== i), zoom: [] }, true) }, "×")));
		if (s.view === "chart" && !s.sandwich) {
			const t = this.chartThread();
			crumbs.push(element("span", {}, "Stacks over time of "), element("span", { class: "here" },
				element("bdi", {}, t.comm), ` ${t.tid}`));
		} else if (path.length) {
			crumbs.push(element("button", { onclick: () => this.zoomPath([]) }, "all"));
			if (from)
				crumbs.push(element("span", {}, "› …"));
			for (let i = from; i < path.length - 1; i++)
				crumbs.push(element("span", {}, "›"), element("button",
					{ onclick: () => this.zoomPath(path.slice(0, i + 1)) },
					element("bdi", {}, name(path[i]))));
			crumbs.push(element("span", {}, "›"), element("bdi", { class: "here" }, name(path.at(-1))));
		}
		return [...chips, ...crumbs];
	}

	showCrumbs() {
		const { state: s, sums } = this;
		const named = s.zoom.some(f => f < 0) ? this.groups : null;
		this.memo("crumbs", [s.view, s.sandwich, s.zoom, s.operations, s.threads, s.event, named], () =>
			byId("crumbs").replaceChildren(...this.crumbs(), element("span", { class: "gap" }),
				byId("found"), this.chosen) ?? true);
		const part = s.range || s.threads || sums.dropped;
		setText(this.chosen, amount(sums.samples, "samples") +
			(this.unit === "samples" ? "" : ` · ${amount(sums.weight, this.unit)}`) +
			(part ? " in this selection" : "") +
			(sums.dropped ? ` · ${amount(sums.dropped, this.unit)} left out` : ""));
	}

	zoomPath(path) {
		this.flame.zoomTo(this.flame.nodeOf(path));
	}

	showFound() {
		const { found, whole } = this, field = byId("search");
		field.setAttribute("aria-invalid", String(Boolean(found?.literal)));
		field.title = found?.literal ? "no regular expression: searched as text" : "";
		byId("found").textContent = found
			? `${percent(sumMatches(this.merged, whole, found.matches), whole.total[0])} matched` : "";
	}

	chooseFunc(func) {
		if (func > 0)
			this.change({ func }, true);
	}

	addOperation(op, func) {
		if (!this.state.operations.some(o => o.op === op && o.func === func))
			this.change({ operations: [...this.state.operations, { op, func }], zoom: [] }, true);
	}

	// The widest frame of a function.
	findInFlame(func) {
		const { merged, whole } = this;
		let best = 0;
		for (let i = 1; i < merged.n; i++)
			if (merged.func[i] === func && (!best || whole.total[i] > whole.total[best]))
				best = i;
		const path = [];
		for (let i = best; i; i = merged.parent[i])
			path.unshift(merged.func[i]);
		this.change({ view: "flame", direction: "down", by: "none", zoom: path }, true);
	}

	// Two shares differ by more than chance: what the file says or, where it does not, two
	// proportions' z (95 %).
	isSure(func) {
		const { profile } = this;
		if (profile.significant && func >= 0)
			return Boolean(profile.significant[func]);
		if (!profile.diff || func < 0)
			return true;
		const { functions, sums } = this;
		const scale = sums.scaleB, b = functions.second[func] / scale, nB = this.whole.second[0] / scale;
		const a = functions.total[func] - functions.second[func];
		const nA = this.whole.total[0] - this.whole.second[0];
		const p = (a + b) / (nA + nB || 1), error = Math.sqrt(p * (1 - p) * (1 / nA + 1 / nB));
		return error > 0 && Math.abs(a / nA - b / nB) / error > 1.96;
	}

	say(text) {
		byId("live").textContent = text;
	}

	nextMatch(step) {
		const { flame, panel, found, state: s } = this;
		if (found && (s.sandwich || s.view === "flame"))
			stepMatch(s.sandwich ? [panel.up, panel.down] : [flame], found.matches, step);
	}

	// One thing at a time, the innermost first.
	escape() {
		const { state: s } = this;
		if (s.search) {
			byId("search").blur();
			this.change({ search: "" }, true);
		} else if (s.func >= 0) {
			this.change(s.sandwich ? { sandwich: false } : { func: -1 }, true);
		} else if (s.zoom.length && s.view === "flame") {
			this.zoomPath([]);
		} else if (s.operations.length) {
			this.change({ operations: [] }, true);
		} else if (s.range || s.threads) {
			this.change({ range: null, threads: null }, true);
		}
	}

	onKey(e) {
		if (e.key === "Escape") {
			if (!document.querySelector("dialog[open], [popover]:popover-open"))
				this.escape();
			return;
		}
		const typing = e.target.closest?.("input[type=search], select, textarea, dialog");
		if (typing || e.ctrlKey || e.metaKey || e.altKey)
			return;
		const { state: s, timeline } = this, by = groupingsOf(this.profile);
		const actions = {
			"/": () => byId("search").select(), "?": () => byId("help").showModal(),
			1: () => this.change({ view: "flame" }, true),
			2: () => this.profile.hasTime && this.change({ view: "chart" }, true),
			3: () => this.change({ view: "table" }, true),
			i: () => this.change({ direction: s.direction === "up" ? "down" : "up", zoom: [] }, true),
			s: () => this.turnSandwich(), f: () => this.change({ flip: !s.flip }, true), o: () => this.turnOrder(),
			g: () => this.profile.time &&
				this.change({ by: by[(by.indexOf(s.by) + 1) % by.length], zoom: [] }, true),
			n: () => this.nextMatch(1), N: () => this.nextMatch(-1),
			z: () => timeline?.zoom(), t: () => timeline?.fold(),
			"[": () => timeline?.nudge(-1, false), "]": () => timeline?.nudge(1, false),
			"{": () => timeline?.nudge(-1, true), "}": () => timeline?.nudge(1, true),
			Backspace: () => this.zoomPath(s.zoom.slice(0, -1)),
		};
		if (!actions[e.key] || s.sandwich && ["i", "f", "o", "g", "Backspace"].includes(e.key))
			return; // the latter of a picture that is not shown
		e.preventDefault();
		actions[e.key]();
	}
}

async function start() {
	const data = byId("data"), message = byId("message");
	try {
		if (typeof DecompressionStream === "undefined")
			throw new Error("this browser is too old: it cannot unpack data (DecompressionStream)");
		const profile = await loadProfile(data.textContent);
		data.remove();
		byId("main").hidden = false;
		const app = new App(profile);
		message.hidden = true;
		document.body.classList.remove("loading");
		app.show();
		performance.mark("usable");
	} catch (e) {
		message.textContent = `The recording in this page cannot be read: ${e.message}`;
		throw e;
	}
}

start();
