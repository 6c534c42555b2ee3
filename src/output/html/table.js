// Functions in rows: the equal of the picture, for who reads or hears rather than looks.

import { zeros } from "./select.js";
import { element, number, percent, cut } from "./text.js";

const STEP = 60; // rows added when the end comes near

export class Table {
	// hooks: onChoose(func), onSort(key)
	constructor(host, profile, colors, hooks) {
		Object.assign(this, { host, profile, colors, hooks });
		this.body = element("tbody");
		this.head = element("thead");
		this.caption = element("caption", { class: "unseen" });
		host.append(element("table", {}, this.caption, this.head, this.body));
		host.addEventListener("scroll", () => {
			if (host.scrollTop + host.clientHeight > host.scrollHeight - 400)
				this.grow();
		}, { passive: true });
	}

	columns() {
		const share = (key, label, title) => ({ key, label, title, width: "110px", share: true });
		if (this.sums.second)
			return [
				share("first", "before", "Share of the first recording, with what it calls"),
				share("second", "after", "Share of the second recording, with what it calls"),
				{ key: "change", label: "change", width: "100px", title: "After minus before" },
				{ key: "name", label: "function", text: true },
				{ key: "binary", label: "binary", text: true, width: "20%" },
			];
		return [
			share("self", "self", "Time in the function's own code"),
			share("total", "total", "Time in the function and what it calls"),
			{ key: "samples", label: "samples", width: "90px", title: "Samples with it on the stack" },
			{ key: "name", label: "function", text: true },
			{ key: "binary", label: "binary", text: true, width: "22%" },
		];
	}

	valueOf(f, key) {
		const { sums, whole } = this, { funcBinary, meta } = this.profile;
		const first = () => (sums.total[f] - sums.second[f]) / (whole.first || 1);
		const second = () => sums.second[f] / (whole.second || 1);
		switch (key) {
		case "self": return sums.self[f] / (whole.all || 1);
		case "total": return sums.total[f] / (whole.all || 1);
		case "samples": return sums.count[f];
		case "first": return first();
		case "second": return second();
		case "change": return second() - first();
		case "binary": return meta.binaries[funcBinary[f]][0];
		default: return -f; // functions are numbered by name
		}
	}

	// By number of a binary: its place in order of names; equal names are one.
	binaryRanks() {
		const names = this.profile.meta.binaries.map(([name]) => name);
		const order = [...new Set(names)].sort((a, b) => a.localeCompare(b));
		return names.map(name => order.indexOf(name));
	}

	// sums: sumFunctions(); whole: { all, first, second }; matches by function, or null; sort: the key
	// of a column, most first, or with "-" before it least first
	set(sums, whole, matches, sort, current) {
		Object.assign(this, { sums, whole, current });
		const columns = this.columns(), key = sort.replace("-", "");
		this.rising = sort.startsWith("-");
		this.sort = columns.some(c => c.key === key) ? key : columns.some(c => c.key === "change")
			? "change" : "self";
		const value = this.value = zeros(sums.total.length, this.value);
		this.room ??= new Int32Array(value.length);
		let n = 0;
		const byName = this.sort === "binary" && this.binaryRanks();
		for (let f = 1; f < value.length; f++) {
			if (!sums.total[f] || (matches && !matches[f]))
				continue;
			this.room[n++] = f;
			value[f] = byName ? -byName[this.profile.funcBinary[f]]
				: this.sort === "change" ? Math.abs(this.valueOf(f, "change")) : this.valueOf(f, this.sort);
		}
		this.order = this.room.subarray(0, n).sort((a, b) => value[b] - value[a] || a - b);
		if (this.rising)
			this.order.reverse();
		this.fill(columns);
	}

	fill(columns) {
		this.shownColumns = columns;
		this.head.replaceChildren(element("tr", {}, ...columns.map(c => {
			const own = c.key === this.sort, turn = own && !this.rising ? "-" : "";
			const th = element("th", { scope: "col", class: c.text ? "text" : null,
				"aria-sort": own ? this.rising ? "ascending" : "descending" : null },
			element("button", { title: c.title, onclick: () => this.hooks.onSort(turn + c.key) },
				c.label + (own ? this.rising ? " ▴" : " ▾" : "")));
			th.style.width = c.width ?? "auto";
			return th;
		})));
		this.caption.textContent = `${number(this.order.length)} functions, by ${this.sort}`;
		this.body.replaceChildren();
		if (!this.order.length)
			this.body.append(element("tr", {}, element("td", { class: "text empty",
				colspan: columns.length }, "No function here.")));
		this.grow();
	}

	grow() {
		const from = this.body.querySelectorAll(".row").length;
		this.body.append(...Array.from(this.order.slice(from, from + STEP), f => this.row(f)));
	}

	row(f) {
		const row = element("tr", { class: f === this.current ? "row current" : "row",
			onclick: () => this.hooks.onChoose(f) });
		row.append(...this.shownColumns.map(c => this.cell(f, c)));
		return row;
	}

	cell(f, column) {
		const value = this.valueOf(f, column.key), { names } = this.profile;
		if (column.key === "name") {
			const dot = element("i", { class: "dot", "aria-hidden": "true" });
			dot.style.background = this.colors.of(f);
			return element("td", { class: "text" }, element("button",
				{ title: cut(names[f], 2000) }, dot, element("bdi", {}, cut(names[f], 300))));
		}
		if (column.key === "binary")
			return element("td", { class: "text muted" }, element("bdi", {}, cut(value, 200)));
		if (column.key === "samples")
			return element("td", { class: "muted" }, number(value));
		if (column.key === "change")
			return this.changeCell(f, value);
		const fill = element("span", { class: "fill" });
		fill.style.width = `${Math.min(100, 100 * value)}%`;
		return element("td", { class: "share" }, fill, element("span", { class: "over" },
			percent(value, 1)));
	}

	changeCell(f, value) {
		const size = Math.abs(100 * value).toFixed(2);
		const points = size === "0.00" ? size : `${value > 0 ? "+" : "−"}${size}`;
		const sure = this.isSignificant?.(f) ?? true;
		return element("td", { class: !sure ? "muted" : value > 0 ? "more" : "less",
			title: sure ? "more than chance" : "within chance" }, sure ? points : `${points} ?`);
	}
}
