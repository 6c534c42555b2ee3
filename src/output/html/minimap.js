// The whole flame graph in a strip, while only a part of it is shown: where that lies, and the way to
// other parts. The strip is at the side that the root is not: frames stay where they are as it comes.

import { cssColor, prepare } from "./canvas.js";
import { element, onFrame } from "./text.js";

const HEIGHT = 40; // as in the style sheet

export class Minimap {
	// row: pixels of a frame's height
	constructor(flame, row) {
		Object.assign(this, { flame, row, seen: [] });
		this.canvas = element("canvas", { tabindex: "0", role: "scrollbar", "aria-orientation": "horizontal",
			"aria-label": "Shown part of the flame graph", "aria-controls": flame.host.id });
		this.host = element("div", { id: "minimap", hidden: true }, this.canvas);
		this.whole = document.createElement("canvas");
		flame.host.before(this.host);
		this.draw = onFrame(() => this.drawNow());
		this.listen();
	}

	listen() {
		const { canvas } = this;
		canvas.addEventListener("pointerdown", e => {
			canvas.setPointerCapture(e.pointerId);
			this.moveTo(e);
		});
		canvas.addEventListener("pointermove", e => canvas.hasPointerCapture(e.pointerId) && this.moveTo(e));
		canvas.addEventListener("keydown", e => {
			const { flame } = this, [x0, x1] = flame.view;
			const sideways = { ArrowLeft: -0.1, ArrowRight: 0.1 }[e.key], down = { ArrowUp: -1, ArrowDown: 1 }[e.key];
			if (sideways)
				flame.setView(x0 + sideways * (x1 - x0), x1 + sideways * (x1 - x0));
			else if (down)
				flame.host.scrollTop += 3 * this.row * down;
			else
				return;
			e.preventDefault();
		});
	}

	// Height of a level in the strip.
	get scale() {
		return Math.min(6, HEIGHT / (this.flame.tree.maxDepth + 1));
	}

	// The middle of what is shown goes to where the pointer is.
	moveTo(e) {
		const { flame, row, scale } = this, r = this.canvas.getBoundingClientRect();
		const [x0, x1] = flame.view, half = (x1 - x0) / 2, at = (e.clientX - r.left) / r.width;
		const middle = at * (flame.tree.total[0] || 1), y = e.clientY - r.top;
		flame.setView(middle - half, middle + half);
		const fromRoot = (flame.flip ? HEIGHT - y : y) / scale * row;
		flame.host.scrollTop = (flame.flip ? Math.max(flame.height, flame.visible) - fromRoot : fromRoot) -
			flame.visible / 2;
	}

	// To be called when the flame graph was drawn.
	drawNow() {
		const { flame, host, canvas } = this, { tree, view, width } = flame, all = tree.total[0] || 1;
		host.hidden = view[1] - view[0] > 0.999 * all;
		host.classList.toggle("above", flame.flip);
		if (host.hidden)
			return;
		this.drawWhole();
		const c = prepare(canvas, width, HEIGHT), left = view[0] / all * width;
		c.drawImage(this.whole, 0, 0, width, HEIGHT);
		const wide = Math.max(3, (view[1] - view[0]) / all * width), [top, high] = this.shownRows();
		c.fillStyle = cssColor("--veil");
		c.globalAlpha = 0.7;
		c.fillRect(0, 0, left, HEIGHT);
		c.fillRect(left + wide, 0, width, HEIGHT);
		c.globalAlpha = 1;
		c.strokeStyle = cssColor("--accent");
		c.lineWidth = 2;
		c.strokeRect(Math.min(left, width - 3) + 1, top + 1, Math.max(1, wide - 2), Math.max(1, high - 2));
		const part = (view[1] - view[0]) / all;
		canvas.setAttribute("aria-valuenow", String(Math.round(part < 1 ? view[0] / all / (1 - part) * 100 : 0)));
	}

	// [top, height] in the strip of the levels in view.
	shownRows() {
		const { flame, row, scale } = this, { host, visible, height } = flame;
		const from = flame.flip ? Math.max(height, visible) - host.scrollTop - visible : host.scrollTop;
		const high = Math.max(4, Math.min(HEIGHT, visible / row * scale));
		const top = Math.min(HEIGHT - high, from / row * scale);
		return [flame.flip ? HEIGHT - top - high : top, high];
	}

	// What all of the graph looks like: made anew only if that is another.
	drawWhole() {
		const { flame } = this, { tree, width, colors, flip } = flame;
		const seen = [tree, tree.order, tree.maxDepth, width, colors.scheme, colors.dark, flip, window.devicePixelRatio];
		if (seen.every((x, i) => x === this.seen[i]))
			return;
		this.seen = seen;
		this.drawFrames(prepare(this.whole, width, HEIGHT));
	}

	// From left to right. Of a graph with more levels than pixels only some levels are drawn, and none
	// is made that is deeper than those there are.
	drawFrames(c) {
		const { flame: { tree, width, flip }, scale } = this, ends = [];
		const factor = width / (tree.total[0] || 1), step = Math.ceil(1 / scale), high = step * scale;
		const dim = cssColor("--frame-dim");
		for (let node = 0, level = 0; ;) {
			const x = tree.start[node] * factor, tail = node && tree.total[node] * factor < 1 && tree.tapers(node);
			const up = tree.parent[node], edge = (tree.start[up] + tree.total[up]) * factor;
			const w = tail ? edge - x : tree.total[node] * factor; // a tail is drawn as one
			if (level % step === 0 && x + w > (ends[level] ?? 0)) {
				const y = level * scale;
				c.fillStyle = tail ? dim : this.flame.colorOf(node);
				c.fillRect(x, flip ? HEIGHT - y - high : y, Math.max(0.7, w), high > 3 ? high - 0.5 : high);
				ends[level] = Math.max(x + w, x + 1);
			}
			let next = w >= 1 && !tail && level < tree.maxDepth ? tree.firstKid(node) : 0;
			if (next) {
				node = next;
				level++;
				continue;
			}
			const last = tail ? node : 0;
			while (node && !(next = node === last ? 0 : tree.nextKid(node))) {
				node = tree.parent[node];
				level--;
			}
			if (!node)
				return;
			node = next;
		}
	}
}
