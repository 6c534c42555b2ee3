// A strip per thread: how much of a CPU it used over time.

import { cssColor, prepare } from "./canvas.js";
import { tickStep } from "./chart.js";
import { isByPeriod, samplesIn } from "./samples.js";
import { threadLabel } from "./select.js";
import { byId, element, onFrame, percent, seconds } from "./text.js";

const FEW = 6;

export class Strips {
	// hooks: onThreads(set or null), onSelect(range, done), onView(view)
	constructor(profile, colors, hooks) {
		Object.assign(this, { profile, colors, hooks, list: byId("strips"), axis: byId("axis"),
			shade: byId("shade"), all: false, filter: "", picked: null, view: [0, profile.end] });
		this.draw = onFrame(() => this.drawNow());
		this.listen();
	}

	listen() {
		const frame = byId("strips-frame");
		new ResizeObserver(this.draw).observe(frame);
		frame.addEventListener("pointerdown", e => this.onDown(e));
		frame.addEventListener("pointermove", e => this.onMove(e));
		frame.addEventListener("pointerup", e => this.onUp(e));
		frame.addEventListener("wheel", e => this.onWheel(e), { passive: false });
		this.list.addEventListener("scroll", this.draw, { passive: true });
		byId("thread-search").addEventListener("input", e => {
			this.filter = e.target.value.toLowerCase();
			this.fill();
		});
		byId("more-threads").addEventListener("click", () => {
			this.all = !this.all;
			this.fill();
		});
	}

	set(event) {
		const { profile } = this;
		this.event = event;
		const e = profile.meta.events[event];
		this.byPeriod = isByPeriod(profile, event);
		this.interval = (e?.interval_ns || 0) / profile.meta.tick_ns;
		this.weights = profile.threads.map(t => this.weightOf(t, t.first, t.end));
		this.order = profile.threads.filter(t => this.weights[t.id])
			.sort((a, b) => this.weights[b.id] - this.weights[a.id] || a.tid - b.tid);
		this.whole = this.weights.reduce((a, b) => a + b, 0);
		this.fill();
	}

	weightOf(t, lo, hi) {
		const { profile, event } = this;
		if (!profile.event && !this.byPeriod)
			return hi - lo;
		let sum = 0;
		for (let i = lo; i < hi; i++)
			if (!profile.event || profile.event[i] === event)
				sum += this.byPeriod ? profile.period[i] : 1;
		return sum;
	}

	fill() {
		const found = this.order.filter(t => !this.filter ||
			threadLabel(t).toLowerCase().includes(this.filter));
		const shown = this.all || this.filter ? found : found.slice(0, FEW);
		this.rows = shown.map(t => this.row(t));
		this.list.replaceChildren(...this.rows.map(r => r.label));
		const more = byId("more-threads");
		more.hidden = found.length <= FEW || Boolean(this.filter);
		more.textContent = this.all ? "fewer" : `all ${found.length} threads`;
		more.setAttribute("aria-expanded", String(this.all));
		byId("thread-search").hidden = this.order.length <= FEW;
		this.showPicked();
		this.draw();
	}

	row(t) {
		const share = percent(this.weights[t.id], this.whole);
		const canvas = element("canvas", { "aria-hidden": "true" });
		const button = element("button", { class: "strip-name", "aria-pressed": "false",
			title: `${threadLabel(t)} (process ${t.pid}): click to choose, with Ctrl to add`,
			onclick: e => this.pick(t, e.ctrlKey || e.metaKey || e.shiftKey) },
		element("bdi", { class: "strip-comm" }, t.comm),
		element("span", { class: "strip-tid" }, String(t.tid)),
		element("span", { class: "strip-share" }, share));
		const label = element("div", { class: "strip", role: "listitem" }, button, canvas);
		return { t, label, canvas, button };
	}

	pick(t, add) {
		const now = this.picked;
		let next = new Set(add && now ? now : []);
		if (now?.has(t.id) && (add || now.size === 1))
			next.delete(t.id);
		else
			next.add(t.id);
		if (!next.size)
			next = null;
		this.hooks.onThreads(next);
	}

	setPicked(picked) {
		this.picked = picked;
		this.showPicked();
		this.draw();
	}

	showPicked() {
		for (const { t, label, button } of this.rows ?? []) {
			const on = Boolean(this.picked?.has(t.id));
			button.setAttribute("aria-pressed", String(on));
			label.classList.toggle("picked", on);
			label.classList.toggle("unpicked", Boolean(this.picked) && !on);
		}
	}

	setRange(range) {
		this.range = range;
		this.placeShade();
	}

	setView(view) {
		const end = this.profile.end, span = Math.max(50, Math.min(end, view[1] - view[0]));
		const from = Math.max(0, Math.min(end - span, view[0]));
		this.view = [from, from + span];
		this.draw();
	}

	placeShade() {
		const { range, view, shade } = this, span = view[1] - view[0];
		shade.hidden = !range;
		if (!range)
			return;
		const clamp = x => Math.max(0, Math.min(1, (x - view[0]) / span));
		shade.style.left = `${100 * clamp(range[0])}%`;
		shade.style.width = `${100 * (clamp(range[1]) - clamp(range[0]))}%`;
	}

	drawNow() {
		const plots = byId("plots");
		plots.style.right = `${this.list.offsetWidth - this.list.clientWidth}px`;
		this.width = plots.getBoundingClientRect().width;
		if (!this.width)
			return;
		const seen = this.list.getBoundingClientRect();
		const rows = (this.rows ?? []).filter(({ label }) => {
			const r = label.getBoundingClientRect();
			return r.bottom >= seen.top && r.top <= seen.bottom;
		});
		this.bins = Math.max(1, Math.floor(this.width / 3));
		for (const row of rows)
			row.sums = this.sumsOf(row.t);
		const full = this.fullScale(rows);
		for (const row of rows)
			this.drawRow(row, full);
		this.drawAxis();
		this.placeShade();
	}

	sumsOf(t) {
		const { view, profile, bins } = this, sums = new Float64Array(bins);
		const step = (view[1] - view[0]) / bins, [lo, hi] = samplesIn(profile, t, view);
		for (let i = lo; i < hi; i++)
			if (!profile.event || profile.event[i] === this.event)
				sums[Math.min(bins - 1, (profile.time[i] - view[0]) / step | 0)] +=
					this.byPeriod ? profile.period[i] : 1;
		return sums;
	}

	// All strips in sight have one scale: their highest, or a whole CPU where that is less.
	fullScale(rows) {
		let top = 1;
		for (const { sums } of rows)
			for (const s of sums)
				top = Math.max(top, s);
		if (!this.interval || this.byPeriod)
			return top;
		return Math.min(top, Math.max(1, (this.view[1] - this.view[0]) / this.bins / this.interval));
	}

	drawRow({ t, canvas, label, sums }, full) {
		const { width, bins } = this, height = label.clientHeight - 3;
		const c = prepare(canvas, width, height), w = width / bins;
		c.fillStyle = cssColor(!this.picked || this.picked.has(t.id) ? "--strip" : "--strip-off");
		for (let k = 0; k < bins; k++) {
			const h = Math.min(1, sums[k] / full) * height, x = Math.round(k * w);
			if (h > 0)
				c.fillRect(x, height - Math.max(1, h), Math.round((k + 1) * w) - x, Math.max(1, h));
		}
	}

	drawAxis() {
		const { view, profile, axis } = this, from = view[0] * profile.tick;
		const length = (view[1] - view[0]) * profile.tick;
		const step = tickStep(length, Math.max(2, this.width / 110)), marks = [];
		for (let t = Math.ceil(from / step - 1e-9) * step; t < from + length; t += step) {
			const mark = element("span", { class: "mark" }, seconds(t, step));
			mark.style.left = `${100 * (t - from) / length}%`;
			marks.push(mark);
		}
		axis.replaceChildren(...marks);
	}

	tickAt(e) {
		const r = byId("plots").getBoundingClientRect();
		const part = Math.max(0, Math.min(1, (e.clientX - r.left) / r.width));
		return this.view[0] + part * (this.view[1] - this.view[0]);
	}

	onDown(e) {
		const r = byId("plots").getBoundingClientRect();
		if (e.clientX < r.left || e.target.closest("button, input"))
			return;
		this.drag = { tick: this.tickAt(e), x: e.clientX, y: e.clientY, moved: false };
		byId("strips-frame").setPointerCapture(e.pointerId);
	}

	onMove(e) {
		if (!this.drag || !(e.buttons & 1))
			return;
		this.drag.moved ||= Math.abs(e.clientX - this.drag.x) > 3;
		if (this.drag.moved)
			this.choose(e, false);
	}

	choose(e, done) {
		const a = this.drag.tick, b = this.tickAt(e);
		this.hooks.onSelect([Math.floor(Math.min(a, b)), Math.ceil(Math.max(a, b))], done);
	}

	onUp(e) {
		const { drag } = this;
		this.drag = null;
		if (drag?.moved) {
			this.drag = drag;
			this.choose(e, true);
			this.drag = null;
		} else if (drag) {
			const row = this.rows.find(({ label }) => {
				const r = label.getBoundingClientRect();
				return e.clientY >= r.top && e.clientY < r.bottom;
			});
			if (row)
				this.pick(row.t, e.ctrlKey || e.metaKey || e.shiftKey);
		}
	}

	onWheel(e) {
		const sideways = Math.abs(e.deltaX) > Math.abs(e.deltaY) || e.shiftKey;
		if (!e.ctrlKey && !e.metaKey && !sideways)
			return;
		e.preventDefault();
		const [a, b] = this.view, span = b - a;
		if (sideways && !e.ctrlKey) {
			const step = (e.deltaX || e.deltaY) * span / this.width;
			this.setView([a + step, b + step]);
		} else {
			const at = this.tickAt(e), factor = Math.exp(e.deltaY * 0.003);
			this.setView([at - (at - a) * factor, at + (b - at) * factor]);
		}
	}
}
