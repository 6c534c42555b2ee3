// Functions in rows: the equal of the picture, for who reads or hears rather than looks.

import { heaviestFirst } from "./order.js";
import { zeros } from "./samples.js";
import { element, number, percent, cut, setText } from "./text.js";

const shareColumn = (key, label, title) => ({ key, label, title, width: "110px", share: true });

const ONE = [
	shareColumn("self", "self", "Time in the function's own code"),
	shareColumn("total", "total", "Time in the function and what it calls"),
	{ key: "samples", label: "samples", width: "90px", title: "Samples with it on the stack" },
	{ key: "name", label: "function", text: true },
	{ key: "binary", label: "binary", text: true, width: "22%" },
];

const PAIR = [
	shareColumn("first", "before", "Share of the first recording, with what it calls"),
	shareColumn("second", "after", "Share of the second recording, with what it calls"),
	{ key: "change", label: "change", width: "100px", title: "After minus before" },
	{ key: "name", label: "function", text: true },
	{ key: "binary", label: "binary", text: true, width: "20%" },
];

const STEP = 40; // rows added when the end comes near
const NEAR = 400; // pixels
const LOW = 20; // pixels: no row is lower

export class Table {
	// hooks: onChoose(func), onSort(key)
	constructor(host, profile, colors, hooks) {
		Object.assign(this, { host, profile, colors, hooks, rows: [], least: STEP, top: 0 });
		this.columns = profile.diff ? PAIR : ONE;
		this.body = element("tbody", { onclick: e => this.onClick(e) });
		this.head = element("thead");
		this.caption = element("caption", { class: "unseen" });
		this.none = element("tr", {}, element("td", { class: "text empty", colspan: this.columns.length },
			"No function here."));
		host.append(element("table", {}, this.caption, this.head, this.body));
		host.addEventListener("scroll", () => {
			this.top = host.scrollTop;
			if (this.top + host.clientHeight > host.scrollHeight - NEAR)
				this.grow(this.rows.length + STEP);
		}, { passive: true });
		new ResizeObserver(() => {
			this.least = Math.max(STEP, Math.ceil((host.clientHeight + NEAR) / LOW));
			if (this.order)
				this.grow(this.least);
		}).observe(host);
	}

	onClick(e) {
		const row = this.rows.find(({ tr }) => tr.contains(e.target));
		if (row)
			this.hooks.onChoose(row.func);
	}

	valueOf(f, key) {
		const { sums, whole } = this, { funcBinary, meta } = this.profile;
		switch (key) {
		case "self": return sums.self[f] / (whole.all || 1);
		case "total": return sums.total[f] / (whole.all || 1);
		case "samples": return sums.count[f];
		case "first": return (sums.total[f] - sums.second[f]) / (whole.first || 1);
		case "second": return sums.second[f] / (whole.second || 1);
		case "change": return this.valueOf(f, "second") - this.valueOf(f, "first");
		case "binary": return meta.binaries[funcBinary[f]][0];
		default: return this.profile.names[f];
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
		const key = sort.replace("-", "");
		this.rising = sort.startsWith("-");
		this.sort = this.columns.some(c => c.key === key) ? key : this.profile.diff ? "change" : "self";
		this.sortFunctions(matches);
		this.fillHead();
		this.fill();
	}

	// By function: what it is sorted by, the greatest first; null: by name, by which they are numbered.
	sortValues() {
		const { sort, sums } = this;
		if (sort === "name")
			return null;
		const plain = { self: sums.self, total: sums.total, samples: sums.count }[sort];
		if (plain)
			return plain;
		const value = this.value = zeros(sums.total.length, this.value);
		const ranks = sort === "binary" && this.binaryRanks();
		for (let f = 1; f < value.length; f++)
			value[f] = ranks ? ranks.length - ranks[this.profile.funcBinary[f]] : Math.abs(this.valueOf(f, sort));
		return value;
	}

	sortFunctions(matches) {
		const { total } = this.sums, room = this.room ??= new Int32Array(total.length);
		let n = 0;
		for (let f = 1; f < total.length; f++)
			if (total[f] && (!matches || matches[f]))
				room[n++] = f;
		this.order = room.subarray(0, n);
		const values = this.sortValues();
		if (values)
			heaviestFirst(this.order, values);
		if (this.rising)
			this.order.reverse();
	}

	fillHead() {
		setText(this.caption, `${number(this.order.length)} functions, by ${this.sort}`);
		const shown = `${this.sort} ${this.rising}`;
		if (this.shown === shown)
			return;
		this.shown = shown;
		this.head.replaceChildren(element("tr", {}, ...this.columns.map(c => {
			const own = c.key === this.sort, turn = own && !this.rising ? "-" : "";
			const th = element("th", { scope: "col", class: c.text ? "text" : null,
				"aria-sort": own ? this.rising ? "ascending" : "descending" : null },
			element("button", { title: c.title, onclick: () => this.hooks.onSort(turn + c.key) },
				c.label + (own ? this.rising ? " ▴" : " ▾" : "")));
			th.style.width = c.width ?? "auto";
			return th;
		})));
	}

	// Rows stay from selection to selection; what they say changes.
	fill() {
		const n = Math.min(this.order.length, this.top ? Math.max(this.rows.length, this.least) : this.least);
		for (const { tr } of this.rows.splice(n))
			tr.remove();
		for (let k = 0; k < this.rows.length; k++)
			this.write(this.rows[k], this.order[k]);
		this.grow(n);
		if (n)
			this.none.remove();
		else
			this.body.append(this.none);
	}

	grow(n) {
		const from = this.rows.length;
		for (let k = from; k < n && k < this.order.length; k++)
			this.write(this.rows[k] = this.newRow(), this.order[k]);
		this.body.append(...this.rows.slice(from).map(r => r.tr));
	}

	newRow() {
		const cells = this.columns.map(column => this.newCell(column));
		return { tr: element("tr", {}, ...cells.map(c => c.td)), cells, func: -1 };
	}

	newCell(column) {
		const td = element("td", { class: column.share ? "share" : column.text ? "text" : "muted" });
		const cell = { td, column, said: td };
		if (column.text)
			cell.said = element("bdi");
		if (column.share) {
			cell.fill = element("span", { class: "fill" });
			cell.said = element("span", { class: "over" });
			td.append(cell.fill, cell.said);
		} else if (column.key === "name") {
			cell.dot = element("i", { class: "dot", "aria-hidden": "true" });
			cell.button = element("button", {}, cell.dot, cell.said);
			td.append(cell.button);
		} else if (column.key === "binary") {
			td.classList.add("muted");
			td.append(cell.said);
		}
		return cell;
	}

	write(row, func) {
		row.func = func;
		row.tr.className = func === this.current ? "row current" : "row";
		for (const cell of row.cells)
			this.writeCell(cell, func, this.valueOf(func, cell.column.key));
	}

	writeCell(cell, func, value) {
		const { column } = cell;
		if (column.share) {
			cell.fill.style.width = `${Math.min(100, 100 * value).toFixed(2)}%`;
			setText(cell.said, percent(value, 1));
		} else if (column.key === "name") {
			cell.dot.style.background = this.colors.of(func);
			cell.button.title = cut(value, 2000);
			setText(cell.said, cut(value, 300));
		} else if (column.key === "binary") {
			setText(cell.said, cut(value, 200));
		} else if (column.key === "samples") {
			setText(cell.said, number(value));
		} else {
			this.writeChange(cell.td, func, value);
		}
	}

	writeChange(td, func, value) {
		const size = Math.abs(100 * value).toFixed(2);
		const points = size === "0.00" ? size : `${value > 0 ? "+" : "−"}${size}`;
		const sure = this.isSignificant?.(func) ?? true;
		td.className = !sure ? "muted" : value > 0 ? "more" : "less";
		td.title = sure ? "more than chance" : "within chance";
		setText(td, sure ? points : `${points} ?`);
	}
}
