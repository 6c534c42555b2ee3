// One function: its numbers, who calls it, what it calls, its lines.

import { Flame } from "./flame.js";
import { operations } from "./merge.js";
import { sumLines } from "./select.js";
import { functionTree } from "./trees.js";
import { amount, byId, cut, element, intervalText, percent } from "./text.js";

const CONTEXT = 3; // lines of source around one with weight
const MOST_LINES = 400;

export class Panel {
	// hooks: onChoose(func), onClose(), onOperation(op, func), nameOf(func), onHover(...), onFlame(func)
	constructor(profile, colors, hooks) {
		Object.assign(this, { profile, colors, hooks, host: byId("panel"), func: -1 });
		this.callers = element("div", { class: "mini" });
		this.callees = element("div", { class: "mini" });
		const choose = (node, flame) => hooks.onChoose(flame.tree.func[node]);
		const common = { nameOf: hooks.nameOf, onHover: hooks.onHover, onChoose: choose,
			onZoom: () => {}, onKeyFocus: hooks.onKeyFocus, isSignificant: hooks.isSignificant };
		this.up = new Flame(this.callers, colors, common, { small: true, label: "callers" });
		this.up.flip = true;
		this.down = new Flame(this.callees, colors, common, { small: true, label: "callees" });
	}

	// model: { merged, whole, sums (by function), choice, unit }
	set(func, model) {
		this.host.hidden = func < 0;
		if (func < 0)
			return;
		const { names, meta, funcBinary, inlined } = this.profile;
		const binary = meta.binaries[funcBinary[func]];
		const lines = sumLines(this.profile, model.choice, func);
		this.host.replaceChildren(
			element("div", { class: "panel-head" },
				element("h2", {}, element("bdi", {}, cut(names[func], 10000))),
				element("button", { "aria-label": "Close", title: "Close (Esc)",
					onclick: () => this.hooks.onClose() }, "×")),
			element("p", { class: "where", title: binary[1] },
				`${binary[0]}${inlined[func] ? " · inlined" : ""}`),
			this.figures(func, model), this.actions(func),
			element("h3", {}, "Called by"), this.callers,
			element("h3", {}, "Calls"), this.callees,
			...this.source(lines, model));
		this.up.setTree(functionTree(model.merged, model.whole, func, true));
		this.down.setTree(functionTree(model.merged, model.whole, func, false));
		this.callers.scrollTop = this.callers.scrollHeight;
	}

	figures(func, { sums, whole, unit }) {
		const all = whole.total[0], n = whole.count[0];
		const line = (label, weight, count) => [
			element("span", {}, label), element("b", {}, percent(weight, all)),
			element("span", { title: "95 % interval of the share" },
				`${amount(weight, unit)}, ${intervalText(count, n)}`)];
		if (!sums.second)
			return element("div", { class: "figures" },
				...line("self", sums.self[func], sums.selfCount[func]),
				...line("total", sums.total[func], sums.count[func]));
		const second = whole.second[0], first = all - second;
		const pair = (label, total, part) => [element("span", {}, label),
			element("b", {}, `${percent(total - part, first)} → ${percent(part, second)}`),
			element("span", {}, this.hooks.isSure(func) ? "more than chance" : "within chance")];
		return element("div", { class: "figures" },
			...pair("self", sums.self[func], sums.selfSecond[func]),
			...pair("total", sums.total[func], sums.second[func]));
	}

	actions(func) {
		const buttons = Object.entries(operations).map(([op, { label, help }]) =>
			element("button", { title: help, "data-op": op,
				onclick: () => this.hooks.onOperation(op, func) }, label));
		const copy = element("button", { onclick: () => this.copy(func, copy) }, "Copy name");
		const find = element("button", { title: "Find it in the flame graph",
			onclick: () => this.hooks.onFind(func) }, "Find");
		return element("div", { class: "actions" }, ...buttons, find, copy);
	}

	async copy(func, button) {
		const name = this.profile.names[func];
		try {
			await navigator.clipboard.writeText(name);
		} catch {
			const field = element("textarea", { class: "unseen" });
			field.value = name;
			button.after(field);
			field.select();
			document.execCommand("copy");
			field.remove();
		}
		button.textContent = "Copied";
		setTimeout(() => {
			button.textContent = "Copy name";
		}, 1200);
	}

	source(lines, model) {
		if (!lines.length)
			return [];
		const files = new Map();
		for (const l of lines)
			files.set(l.file, [...(files.get(l.file) ?? []), l]);
		const all = model.whole.total[0];
		return [element("h3", {}, "Lines (self, total)"), ...[...files].flatMap(([file, list]) => {
			const [path, text] = this.profile.files[file];
			const rows = text === undefined ? list.map(l => this.line(l, "", all))
				: this.textLines(list, text.split("\n"), all);
			return [element("p", { class: "path" }, element("bdi", {}, path)),
				element("table", { class: "lines" }, ...rows)];
		})];
	}

	textLines(list, text, all) {
		const byNumber = new Map(list.map(l => [l.line, l])), shown = new Set();
		for (const { line } of list)
			for (let i = line - CONTEXT; i <= line + CONTEXT; i++)
				if (i > 0 && i <= text.length)
					shown.add(i);
		const rows = [];
		let last = 0;
		for (const i of [...shown].sort((a, b) => a - b).slice(0, MOST_LINES)) {
			if (last && i > last + 1)
				rows.push(element("tr", {}, element("td", { class: "n", colspan: "3" }, "⋯")));
			rows.push(this.line(byNumber.get(i) ?? { line: i, self: 0, total: 0 }, text[i - 1], all));
			last = i;
		}
		return rows;
	}

	line({ line, self, total }, text, all) {
		const hot = all && total / all >= 0.005;
		return element("tr", { class: hot ? "hot" : null },
			element("td", { class: "n" }, self ? percent(self, all) : ""),
			element("td", { class: "n" }, total ? percent(total, all) : ""),
			element("td", { class: "n" }, String(line)),
			element("td", { class: "code", title: text }, cut(text, 400)));
	}
}
