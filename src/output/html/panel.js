// One function: its numbers, who calls it, what it calls, its lines and instructions.

import { instructions, sourceLines } from "./code.js";
import { Flame } from "./flame.js";
import { operations } from "./merge.js";
import { functionTree } from "./lazytree.js";
import { amount, byId, cut, element, intervalText, percent } from "./text.js";

export class Panel {
	// hooks: onChoose(func), onClose(), onOperation(op, func), onSandwich(), nameOf(func), onHover(...), onFlame(func)
	constructor(profile, colors, hooks) {
		Object.assign(this, { profile, colors, hooks, host: byId("panel"), edge: byId("panel-edge") });
		this.callers = element("div", { class: "mini" });
		this.callees = element("div", { class: "mini" });
		this.numbers = element("div", { class: "figures" });
		this.code = element("div");
		const choose = (node, flame) => hooks.onChoose(flame.tree.func[node]);
		const common = { nameOf: hooks.nameOf, onHover: hooks.onHover, onChoose: choose,
			onZoom: () => {}, onKeyFocus: hooks.onKeyFocus, isSignificant: hooks.isSignificant };
		this.wide = element("button", { "aria-pressed": "false", class: "turns", onclick: () => hooks.onSandwich(),
			title: "Callers above, callees below, in the room of the main picture; and back (s)" }, "Sandwich");
		this.up = new Flame(this.callers, colors, common, { small: true, label: "callers" });
		this.up.flip = true;
		this.down = new Flame(this.callees, colors, common, { small: true, label: "callees" });
		this.listen();
	}

	// The edge is dragged, or moved by the arrow keys.
	listen() {
		const { edge } = this;
		edge.addEventListener("pointerdown", e => edge.setPointerCapture(e.pointerId));
		edge.addEventListener("pointermove", e => edge.hasPointerCapture(e.pointerId) &&
			this.setWidth(window.innerWidth - e.clientX));
		edge.addEventListener("keydown", e => {
			const step = { ArrowLeft: 30, ArrowRight: -30 }[e.key];
			if (step)
				this.setWidth(this.host.offsetWidth + step);
		});
	}

	setWidth(width) {
		const part = Math.max(0.2, Math.min(0.7, width / window.innerWidth));
		this.host.style.setProperty("--width", `${100 * part}%`);
		this.edge.setAttribute("aria-valuenow", String(Math.round(100 * part)));
	}

	// Callers above and callees below in the room of the view; else beside it.
	setSandwich(on) {
		const views = byId("views");
		if (this.sandwich === on)
			return;
		this.sandwich = on;
		if (on && views.contains(document.activeElement))
			this.wide.focus();
		document.body.classList.toggle("sandwich", on);
		this.wide.setAttribute("aria-pressed", String(on));
		for (const flame of [this.up, this.down])
			flame.setSmall(!on);
	}

	// What the search found, null: there is none
	setMatches(matches) {
		for (const flame of [this.up, this.down]) {
			if (flame.matches !== matches)
				flame.draw();
			flame.matches = matches;
		}
	}

	// model: { merged, whole, sums (by function), weights (by node as recorded), choice, unit }
	set(func, model) {
		this.host.hidden = this.edge.hidden = func < 0;
		if (func < 0)
			return;
		if (this.func !== func)
			this.build(func);
		this.numbers.replaceChildren(...this.figures(func, model));
		this.code.replaceChildren(...sourceLines(this.profile, model, func),
			...instructions(this.profile, model, func));
		this.up.setTree(functionTree(model.merged, model.whole, func, true, this.up.tree));
		this.down.setTree(functionTree(model.merged, model.whole, func, false, this.down.tree));
		if (this.func !== func)
			this.callers.scrollTop = this.callers.scrollHeight;
		this.func = func;
	}

	// What does not change with what is chosen of the recording.
	build(func) {
		const { names, meta, funcBinary, inlined } = this.profile, binary = meta.binaries[funcBinary[func]];
		this.host.replaceChildren(
			element("div", { class: "panel-head" },
				element("h2", {}, element("bdi", {}, cut(names[func], 10000))),
				element("button", { "aria-label": "Close", title: "Close (Esc)",
					onclick: () => this.hooks.onClose() }, "×")),
			element("div", { class: "panel-top" },
				element("p", { class: "where", title: binary[1] },
					`${binary[0]}${inlined[func] ? " · inlined" : ""}`),
				this.numbers, this.actions(func)),
			element("h3", {}, "Called by"), this.callers,
			element("h3", {}, "Calls"), this.callees, this.code);
	}

	figures(func, { sums, whole, unit }) {
		const all = whole.total[0], n = whole.count[0];
		const line = (label, weight, count) => [
			element("span", {}, label), element("b", {}, percent(weight, all)),
			element("span", { title: "95 % interval of the share" },
				`${amount(weight, unit)}, ${intervalText(count, n)}`)];
		if (!sums.second)
			return [...line("self", sums.self[func], sums.selfCount[func]),
				...line("total", sums.total[func], sums.count[func])];
		const second = whole.second[0], first = all - second;
		const pair = (label, total, part) => [element("span", {}, label),
			element("b", {}, `${percent(total - part, first)} → ${percent(part, second)}`),
			element("span", {}, this.hooks.isSure(func) ? "more than chance" : "within chance")];
		return [...pair("self", sums.self[func], sums.selfSecond[func]),
			...pair("total", sums.total[func], sums.second[func])];
	}

	actions(func) {
		const buttons = Object.entries(operations).map(([op, { label, help }]) =>
			element("button", { title: help, "data-op": op,
				onclick: () => this.hooks.onOperation(op, func) }, label));
		const copy = element("button", { onclick: () => this.copy(func, copy) }, "Copy name");
		const find = element("button", { title: "Find it in the flame graph",
			onclick: () => this.hooks.onFind(func) }, "Find");
		return element("div", { class: "actions" }, this.wide, ...buttons, find, copy);
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
}
