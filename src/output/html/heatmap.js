// The whole recording at a glance: a column a second (or what suits its length), up to 50 rows that
// divide it, stronger where more samples were taken. A burst of 10 ms in a minute is a cell.

import { cssColor, prepare } from "./canvas.js";
import { byId, element, onFrame, seconds, span } from "./text.js";

const ROWS = [50, 25, 20, 10], MOST_COLUMNS = 120;
const COLUMNS = [1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600];

// Of one hue, light to dark; in dark pages dark to light.
function ramp(dark) {
	return Array.from({ length: 32 }, (_, i) => {
		const p = i / 31;
		return dark ? `hsl(${20 + 14 * p} ${30 + 48 * p}% ${15 + 45 * p}%)`
			: `hsl(${36 - 20 * p} ${84 - 6 * p}% ${94 - 42 * p}%)`;
	});
}

export class Heatmap {
	// hooks: onSelect(range in ticks or null, done), onHover(text, event)
	constructor(host, profile, hooks) {
		Object.assign(this, { host, profile, hooks, range: null, drag: null });
		this.canvas = element("canvas", { role: "img",
			"aria-label": "Samples over time; choose a range by dragging" });
		this.veil = element("canvas", { class: "veil", "aria-hidden": "true" }); // the chosen range
		host.append(this.canvas, this.veil);
		const length = profile.end * profile.tick;
		this.divide(length);
		this.columns = Math.max(1, Math.ceil(length / this.column));
		byId("heat-text").replaceChildren(element("b", {}, "Sub-second heat map"),
			`each column ${span(this.column)}, read downwards in cells of ` +
			`${span(this.column / this.rows)}; stronger: more samples`);
		this.drawRange = onFrame(() => this.drawRangeNow());
		this.draw = onFrame(() => {
			this.drawNow();
			this.drawRange();
		});
		new ResizeObserver(this.draw).observe(host);
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", this.draw);
		this.canvas.addEventListener("pointerdown", e => this.onDown(e));
		this.canvas.addEventListener("pointermove", e => this.onMove(e));
		this.canvas.addEventListener("pointerup", e => this.onUp(e));
		this.canvas.addEventListener("pointerleave", () => hooks.onHover("", null));
	}

	// A cell is some sampling intervals long: else it would show their beat, not the program.
	divide(length) {
		const { meta } = this.profile, least = 4 * (meta.events[meta.event]?.interval_ns || 1e6) / 1e9;
		const rows = column => ROWS.find(r => column / r >= least);
		this.column = COLUMNS.find(c => length / c <= MOST_COLUMNS && rows(c)) ??
			Math.max(length / MOST_COLUMNS, least * ROWS[0]);
		this.rows = rows(this.column);
	}

	get cell() {
		return this.column / this.rows / this.profile.tick;
	}

	set(threads, event) {
		const { profile, columns } = this, counts = new Uint32Array(columns * this.rows);
		for (const t of profile.threads) {
			if (threads && !threads.has(t.id))
				continue;
			for (let i = t.first; i < t.end; i++)
				if (!profile.event || profile.event[i] === event)
					counts[Math.min(counts.length - 1, profile.time[i] / this.cell | 0)]++;
		}
		this.counts = counts;
		this.max = counts.reduce((a, b) => Math.max(a, b), 1);
		this.draw();
	}

	setRange(range) {
		this.range = range;
		this.drawRange();
	}

	drawNow() {
		const { host, counts } = this, width = host.clientWidth, height = host.clientHeight;
		if (!width || !counts)
			return;
		const c = prepare(this.canvas, width, height), colors = ramp(cssColor("--is-dark") === "1");
		this.w = width * this.column / (this.profile.end * this.profile.tick);
		this.h = height / this.rows;
		for (let i = 0; i < counts.length; i++) {
			const [x, y] = this.place(i);
			const shade = counts[i] ? 1 + Math.round(30 * Math.sqrt(counts[i] / this.max)) : 0;
			c.fillStyle = colors[shade];
			if (counts[i])
				c.fillRect(x, y, Math.max(0.5, this.w - (this.w > 4 ? 0.6 : 0)), this.h);
		}
	}

	place(cell) {
		return [Math.floor(cell / this.rows) * this.w, cell % this.rows * this.h];
	}

	drawRangeNow() {
		const width = this.host.clientWidth, height = this.host.clientHeight;
		if (!width || !this.w)
			return;
		const c = prepare(this.veil, width, height);
		if (!this.range)
			return;
		const first = Math.floor(this.range[0] / this.cell);
		const last = Math.max(first, Math.ceil(this.range[1] / this.cell) - 1);
		const a = Math.floor(first / this.rows), b = Math.floor(last / this.rows);
		c.fillStyle = cssColor("--veil");
		const top = first % this.rows * this.h, bottom = (last % this.rows + 1) * this.h;
		c.fillRect(0, 0, a * this.w, height);
		c.fillRect((b + 1) * this.w, 0, width, height);
		c.fillRect(a * this.w, 0, this.w, top);
		c.fillRect(b * this.w, bottom, this.w, height);
		c.strokeStyle = cssColor("--accent");
		c.lineWidth = 1.5;
		c.beginPath();
		c.moveTo(a * this.w, top);
		c.lineTo((a + 1) * this.w, top);
		if (b > a) {
			c.lineTo((a + 1) * this.w, 0);
			c.lineTo((b + 1) * this.w, 0);
		}
		c.lineTo((b + 1) * this.w, bottom);
		c.lineTo(b * this.w, bottom);
		if (b > a) {
			c.lineTo(b * this.w, height);
			c.lineTo(a * this.w, height);
		}
		c.closePath();
		c.stroke();
	}

	cellAt(e) {
		const r = this.canvas.getBoundingClientRect();
		const x = Math.max(0, Math.min(r.width - 1, e.clientX - r.left));
		const y = Math.max(0, Math.min(r.height - 1, e.clientY - r.top));
		return Math.floor(x / this.w) * this.rows + Math.floor(y / this.h);
	}

	onDown(e) {
		this.drag = this.cellAt(e);
		this.canvas.setPointerCapture(e.pointerId);
	}

	onMove(e) {
		const cell = this.cellAt(e);
		if (this.drag === null || !(e.buttons & 1)) {
			this.tell(cell, e);
			return;
		}
		if (cell !== this.drag)
			this.choose(cell, false);
	}

	choose(cell, done) {
		const from = Math.min(cell, this.drag), to = Math.max(cell, this.drag) + 1;
		this.hooks.onSelect([from * this.cell, Math.min(this.profile.end, to * this.cell)], done);
	}

	onUp(e) {
		if (this.drag !== null)
			this.choose(this.cellAt(e), true);
		this.drag = null;
	}

	tell(cell, e) {
		const from = cell * this.cell * this.profile.tick, step = this.cell * this.profile.tick;
		this.hooks.onHover(`${seconds(from, step)} – ${seconds(from + step, step)}: ` +
			`${this.counts?.[cell] ?? 0} samples`, e);
	}
}
