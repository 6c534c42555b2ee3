// The whole recording at a glance: a column a second (or what suits its length), a row a fiftieth of
// that, darker where more samples were taken. A burst of 10 ms is a cell.

import { cssColor, prepare } from "./canvas.js";
import { element, onFrame, seconds } from "./text.js";

const ROWS = 50;
const COLUMNS = [1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600];

// Of one hue, light to dark; in dark pages dark to light.
function ramp(dark) {
	return Array.from({ length: 32 }, (_, i) => {
		const p = i / 31;
		return dark ? `hsl(${24 - 10 * p} ${40 + 50 * p}% ${14 + 50 * p}%)`
			: `hsl(${34 - 28 * p} ${85 + 5 * p}% ${95 - 50 * p}%)`;
	});
}

export class Heatmap {
	// hooks: onSelect(range in ticks or null, done), onHover(text, event)
	constructor(host, profile, hooks) {
		Object.assign(this, { host, profile, hooks, range: null, drag: null });
		this.canvas = element("canvas", { role: "img",
			"aria-label": "Samples over time; choose a range by dragging" });
		host.append(this.canvas);
		const length = profile.end * profile.tick;
		this.column = COLUMNS.find(c => length / c <= 120) ?? length / 120;
		this.columns = Math.max(1, Math.ceil(length / this.column));
		this.draw = onFrame(() => this.drawNow());
		new ResizeObserver(this.draw).observe(host);
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", this.draw);
		this.canvas.addEventListener("pointerdown", e => this.onDown(e));
		this.canvas.addEventListener("pointermove", e => this.onMove(e));
		this.canvas.addEventListener("pointerup", e => this.onUp(e));
		this.canvas.addEventListener("pointerleave", () => hooks.onHover("", null));
	}

	get cell() {
		return this.column / ROWS / this.profile.tick;
	}

	set(threads, event) {
		const { profile, columns } = this, counts = new Uint32Array(columns * ROWS);
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
		this.draw();
	}

	drawNow() {
		const { host, columns, counts } = this, width = host.clientWidth, height = host.clientHeight;
		if (!width || !counts)
			return;
		const c = prepare(this.canvas, width, height), colors = ramp(cssColor("--is-dark") === "1");
		this.w = width / columns;
		this.h = height / ROWS;
		for (let i = 0; i < counts.length; i++) {
			const [x, y] = this.place(i);
			const shade = counts[i] ? 1 + Math.round(30 * Math.sqrt(counts[i] / this.max)) : 0;
			c.fillStyle = colors[shade];
			if (counts[i])
				c.fillRect(x, y, Math.max(0.5, this.w - (this.w > 4 ? 0.6 : 0)), this.h);
		}
		if (this.range)
			this.drawRange(c, width, height);
	}

	place(cell) {
		return [Math.floor(cell / ROWS) * this.w, cell % ROWS * this.h];
	}

	drawRange(c, width, height) {
		const first = Math.floor(this.range[0] / this.cell);
		const last = Math.max(first, Math.ceil(this.range[1] / this.cell) - 1);
		const a = Math.floor(first / ROWS), b = Math.floor(last / ROWS);
		c.fillStyle = cssColor("--veil");
		const top = first % ROWS * this.h, bottom = (last % ROWS + 1) * this.h;
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
		return Math.floor(x / this.w) * ROWS + Math.floor(y / this.h);
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
