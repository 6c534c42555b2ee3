// Stacks over time: every sample of one thread where there is room, else one a pixel.

import { Boxes, FONT, SMALL_FONT, cssColor, fit, onPinch, prepare } from "./canvas.js";
import { ROW } from "./flame.js";
import { isByPeriod, samplesIn } from "./samples.js";
import { element, onFrame, seconds } from "./text.js";

const AXIS = 20;

// Round steps for about `n` marks over `length`.
export function tickStep(length, n) {
	const raw = length / n, power = 10 ** Math.floor(Math.log10(raw));
	return power * [1, 2, 5, 10].find(f => f * power >= raw);
}

export class Chart {
	// hooks: nameOf(func), onHover(frame, event), onChoose(func), onRange(view)
	constructor(host, profile, colors, hooks) {
		Object.assign(this, { host, profile, colors, hooks, thread: null, view: [0, 1], matches: null,
			boxes: new Boxes("func", "sample", "to"), open: [], path: [] }); // which serve all pictures
		this.canvas = element("canvas", { tabindex: "0", role: "application",
			"aria-roledescription": "flame chart", "aria-label": "stacks over time" });
		this.space = element("div", { class: "flame-space" }, this.canvas);
		host.classList.add("flame");
		host.append(this.space);
		this.draw = onFrame(() => this.drawNow());
		new ResizeObserver(this.draw).observe(host);
		host.addEventListener("scroll", this.draw, { passive: true });
		host.addEventListener("wheel", e => this.onWheel(e), { passive: false });
		onPinch(this.canvas, (factor, at) => {
			this.down = null;
			this.scaleView(factor, at);
		});
		this.canvas.addEventListener("pointerdown", e => this.onDown(e));
		this.canvas.addEventListener("pointermove", e => this.onMove(e));
		this.canvas.addEventListener("pointerup", e => this.onUp(e));
		this.canvas.addEventListener("pointerleave", () => this.hooks.onHover(null, null));
		this.canvas.addEventListener("keydown", e => this.onKey(e));
	}

	// range in ticks
	set(tree, thread, range, event) {
		Object.assign(this, { tree, thread, event, full: range, view: range.slice() });
		this.draw();
	}

	// Indexes of the samples to draw: the first of each pixel.
	chosen() {
		const { profile, thread, view, event, width } = this;
		const [lo, hi] = samplesIn(profile, thread, [view[0] - this.interval() * 2, view[1]]);
		const list = [], perPixel = (view[1] - view[0]) / width;
		let next = -Infinity;
		this.all = true;
		for (let i = lo; i < hi; i++) {
			if (profile.event && profile.event[i] !== event)
				continue;
			if (profile.time[i] < next) {
				this.all = false;
				continue;
			}
			list.push(i);
			next = profile.time[i] + perPixel;
		}
		return list;
	}

	interval() {
		const { profile, event } = this;
		return (profile.meta.events[event]?.interval_ns || 1e6) / profile.meta.tick_ns;
	}

	// Runs f(level, node, from, to, sample) over frames, in ticks: one lasts while its node stays on the
	// stack.
	forFrames(list, f) {
		const { profile, tree, open, path } = this, interval = this.interval();
		const perPixel = (this.view[1] - this.view[0]) / this.width;
		const reach = Math.max(2.5 * interval, perPixel * 2);
		let last = -Infinity, levels = 0;
		const close = (level, t) => {
			while (levels > level) {
				const { node, from, sample } = open[--levels];
				f(levels, node, from, t, sample);
			}
		};
		for (const i of list) {
			const t = profile.time[i], leaf = tree.map[profile.stack[i]];
			if (t - last > reach)
				close(0, last + interval);
			last = t;
			if (leaf < 0) {
				close(0, t);
				continue;
			}
			const depth = tree.depth[leaf];
			for (let at = leaf, k = depth; at; at = tree.parent[at])
				path[--k] = at;
			let same = 0;
			while (same < depth && same < levels && open[same].node === path[same])
				same++;
			close(same, t);
			for (; levels < depth; levels++) {
				const box = open[levels] ??= { node: 0, from: 0, sample: 0 };
				box.node = path[levels];
				box.from = t;
				box.sample = i;
			}
		}
		close(0, last + interval);
	}

	drawNow() {
		const { host, canvas, thread, tree } = this;
		this.width = host.clientWidth;
		const height = host.clientHeight;
		if (!thread || !this.width)
			return;
		const c = prepare(canvas, this.width, height), list = this.chosen();
		c.font = FONT;
		c.textBaseline = "middle";
		this.ink = cssColor("--frame-text");
		const { stack } = this.profile, depthOf = i => tree.depth[Math.max(0, tree.map[stack[i]])];
		const depth = list.reduce((deepest, i) => Math.max(deepest, depthOf(i)), 0);
		this.space.style.height = `${Math.max(height, AXIS + depth * ROW)}px`;
		this.boxes.n = 0;
		this.scroll = host.scrollTop;
		this.height = height;
		this.forFrames(list, (level, node, from, to, sample) =>
			this.drawFrame(c, level, tree.func[node], from, to, sample));
		c.globalAlpha = 1;
		this.drawAxis(c);
	}

	drawFrame(c, level, func, from, to, sample) {
		const { view, width, height, scroll, matches, boxes } = this, scale = width / (view[1] - view[0]);
		const x = Math.max(0, (from - view[0]) * scale), right = Math.min(width, (to - view[0]) * scale);
		const y = AXIS + level * ROW - scroll, w = Math.max(0.6, right - x);
		if (y < -ROW || y > height || right < 0)
			return;
		c.globalAlpha = matches && !matches[func] ? 0.28 : 1;
		c.fillStyle = this.colors.of(func);
		c.fillRect(x, y, Math.max(0.6, w - (w > 3 ? 1 : 0)), ROW - 1);
		const box = boxes.add(x, y, w);
		boxes.func[box] = func;
		boxes.sample[box] = sample;
		boxes.to[box] = to;
		const label = fit(c, this.hooks.nameOf(func), w - 8);
		if (label) {
			c.fillStyle = this.ink;
			c.fillText(label, x + 4, y + (ROW - 1) / 2);
		}
	}

	drawAxis(c) {
		const { profile, view, width } = this, from = view[0] * profile.tick;
		const length = (view[1] - view[0]) * profile.tick, step = tickStep(length, width / 110);
		c.fillStyle = cssColor("--ground");
		c.fillRect(0, 0, width, AXIS - 1);
		c.fillStyle = cssColor("--muted");
		c.font = SMALL_FONT;
		const note = "one sample a pixel: zoom in (Ctrl + wheel) for all";
		const end = this.all ? width : width - c.measureText(note).width - 70;
		for (let t = Math.ceil(from / step) * step; t < from + length; t += step) {
			const x = (t - from) / length * width;
			if (x > end)
				break;
			c.fillRect(x, AXIS - 5, 1, 4);
			c.fillText(seconds(t, step), x + 4, AXIS / 2);
		}
		if (!this.all)
			c.fillText(note, end + 66, AXIS / 2);
	}

	// What is told of the box under the pointer, or null.
	boxAt(e) {
		const r = this.canvas.getBoundingClientRect(), { boxes, profile } = this;
		const i = boxes.find(e.clientX - r.left, e.clientY - r.top, ROW);
		return i < 0 ? null : { func: boxes.func[i], from: profile.time[boxes.sample[i]], to: boxes.to[i],
			sample: boxes.sample[i] };
	}

	onDown(e) {
		this.down = { x: e.clientX, y: e.clientY, view: this.view, scroll: this.host.scrollTop };
		this.canvas.setPointerCapture(e.pointerId);
	}

	onMove(e) {
		const { down } = this;
		if (!down || !(e.buttons & 1)) {
			this.hooks.onHover(this.boxAt(e), e);
			return;
		}
		const dx = e.clientX - down.x;
		down.moved ||= Math.abs(dx) + Math.abs(e.clientY - down.y) > 4;
		if (!down.moved)
			return;
		const step = dx * (down.view[1] - down.view[0]) / this.width;
		this.setView(down.view[0] - step, down.view[1] - step);
		this.host.scrollTop = down.scroll - (e.clientY - down.y);
	}

	onUp(e) {
		const moved = this.down?.moved, box = this.boxAt(e);
		this.down = null;
		if (!moved && box)
			this.hooks.onChoose(box.func);
	}

	onWheel(e) {
		const sideways = Math.abs(e.deltaX) > Math.abs(e.deltaY) || e.shiftKey;
		if (!e.ctrlKey && !e.metaKey && !sideways)
			return;
		e.preventDefault();
		const [a, b] = this.view;
		if (sideways && !e.ctrlKey) {
			const step = (e.deltaX || e.deltaY) * (b - a) / this.width;
			this.setView(a + step, b + step);
		} else {
			const r = this.canvas.getBoundingClientRect();
			this.scaleView(Math.exp(e.deltaY * 0.003), (e.clientX - r.left) / this.width);
		}
	}

	scaleView(factor, at = 0.5) {
		const [a, b] = this.view, middle = a + (b - a) * at;
		const span = Math.max(20, Math.min(this.full[1] - this.full[0], (b - a) * factor));
		this.setView(middle - span * at, middle + span * (1 - at));
	}

	setView(a, b) {
		const [from, to] = this.full, span = Math.min(to - from, b - a);
		a = Math.max(from, Math.min(to - span, a));
		this.view = [a, a + span];
		this.draw();
	}

	onKey(e) {
		const [a, b] = this.view, step = (b - a) / 8;
		const keys = {
			ArrowLeft: () => this.setView(a - step, b - step),
			ArrowRight: () => this.setView(a + step, b + step),
			"+": () => this.scaleView(0.7), "=": () => this.scaleView(0.7),
			"-": () => this.scaleView(1 / 0.7), Home: () => this.setView(...this.full),
		};
		if (!keys[e.key] || e.ctrlKey || e.metaKey)
			return;
		e.preventDefault();
		keys[e.key]();
	}

	describe(box) {
		const { profile } = this;
		return {
			at: seconds(box.from * profile.tick, this.interval() * profile.tick / 10),
			lasts: (box.to - box.from) * profile.tick,
			period: isByPeriod(profile, this.event) ? profile.period[box.sample] : null,
		};
	}
}
