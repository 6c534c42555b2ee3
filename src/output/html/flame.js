// A flame graph on a canvas: draws a tree, tells which frame is where, zooms, pans, takes keys.

import { Boxes, FONT, cssColor, fit, onPinch, prepare } from "./canvas.js";
import { differenceColor } from "./colors.js";
import { Minimap } from "./minimap.js";
import { GrownTree } from "./trees.js";
import { element, onFrame } from "./text.js";

export const ROW = 19;
const SMALL_ROWS = 9; // that a small one shows
const HAIR = 0.4; // narrower frames are drawn together
const SHORT = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 180; // ms

export class Flame {
	// hooks: nameOf(func), onHover(node, event), onChoose(node), onZoom(node), onKeyFocus(node)
	// small: some rows high, and what is clicked is chosen, not zoomed
	constructor(host, colors, hooks, { small = false, label } = {}) {
		Object.assign(this, { host, colors, hooks, small, zooms: !small, tree: null, view: [0, 1], zoomed: 0, thin: [],
			focused: -1, hovered: -1, flip: false, matches: null, boxes: new Boxes("node"), marked: -1 });
		this.canvas = element("canvas", { tabindex: "0", role: "application",
			"aria-roledescription": "flame graph", "aria-label": label });
		this.space = element("div", { class: "flame-space" }, this.canvas);
		host.classList.add("flame");
		host.append(this.space);
		this.map = small ? null : new Minimap(this, ROW);
		this.draw = onFrame(() => this.drawNow());
		this.listen();
	}

	listen() {
		const { canvas, host } = this;
		new ResizeObserver(() => this.resize()).observe(host);
		host.addEventListener("scroll", this.draw, { passive: true });
		onPinch(canvas, (factor, at) => {
			this.down = null;
			if (!this.small)
				this.scaleView(factor, at);
		});
		canvas.addEventListener("pointermove", e => this.onMove(e));
		canvas.addEventListener("pointerleave", () => this.hover(-1, null));
		canvas.addEventListener("pointerdown", e => this.onDown(e));
		canvas.addEventListener("pointerup", e => this.onUp(e));
		canvas.addEventListener("dblclick", () => this.zoomTo(0));
		canvas.addEventListener("keydown", e => this.onKey(e));
		canvas.addEventListener("blur", () => this.focus(-1));
		this.turn = e => this.onWheel(e);
		if (!this.small)
			host.addEventListener("wheel", this.turn, { passive: false });
	}

	// As high as its host, to be panned and widened; or small again, and whole.
	setSmall(small) {
		if (this.small === small)
			return;
		this.small = small;
		this.host.style.height = "";
		this.host[small ? "removeEventListener" : "addEventListener"]("wheel", this.turn, { passive: false });
		if (this.tree)
			this.setTree(this.tree, this.zoomed);
	}

	// `zoomed`: the node that fills the width.
	setTree(tree, zoomed = 0) {
		this.tree = tree;
		this.zoomed = zoomed;
		this.view = this.viewOf(zoomed);
		this.focused = this.hovered = -1;
		this.width = this.host.clientWidth;
		if (this.width && tree instanceof GrownTree)
			this.unfold();
		this.resize();
	}

	// Makes the nodes that will be drawn: the height is then known, and stays.
	unfold() {
		const { visible } = this;
		if (!this.zooms)
			this.visible = this.small ? SMALL_ROWS * ROW : window.innerHeight;
		this.drawFrames(null);
		if (!this.small)
			this.visible = visible;
	}

	viewOf(node) {
		const { start, total } = this.tree;
		return [start[node], start[node] + (total[node] || 1)];
	}

	resize() {
		if (!this.tree)
			return;
		this.width = this.host.clientWidth;
		this.height = (this.tree.maxDepth + 1) * ROW;
		this.host.style.setProperty("--rows", String(this.tree.maxDepth + 1));
		const before = this.visible;
		this.visible = this.small ? Math.min(this.height, SMALL_ROWS * ROW) : this.host.clientHeight;
		if (this.small)
			this.host.style.height = `${this.visible}px`;
		const grown = this.space.style.height !== `${this.height}px`;
		this.space.style.height = `${Math.max(this.height, this.visible)}px`;
		const turned = this.turned !== this.flip;
		this.turned = this.flip;
		if (turned && !this.flip)
			this.host.scrollTop = 0;
		else if ((grown || turned || before !== this.visible) && this.flip)
			this.host.scrollTop = grown || turned ? this.height : this.edge - this.visible;
		this.draw();
	}

	yOf(level) {
		const full = Math.max(this.height, this.visible);
		return this.flip ? full - (level + 1) * ROW : level * ROW;
	}

	drawNow() {
		const { tree, canvas, host, width } = this;
		if (!tree || !width)
			return;
		const c = prepare(canvas, width, Math.min(this.visible, host.clientHeight || this.visible));
		c.font = FONT;
		c.textBaseline = "middle";
		this.boxes.n = 0;
		this.ink = { text: cssColor("--frame-text"), ground: cssColor("--ground"),
			dim: cssColor("--frame-dim"), accent: cssColor("--accent") };
		const before = tree.maxDepth;
		this.drawFrames(c);
		this.drawOutlines(c);
		this.drawPart(c);
		this.edge = host.scrollTop + this.visible; // the lower one
		this.map?.draw();
		if (tree.maxDepth !== before)
			this.resize();
	}

	// Depth first, from left to right. c: null, to draw nothing
	drawFrames(c) {
		const { tree, view, width } = this;
		const scale = width / (view[1] - view[0]), scroll = this.host.scrollTop;
		this.thin.length = 0;
		for (let node = 0, level = 0; ;) {
			const x = (tree.start[node] - view[0]) * scale, w = tree.total[node] * scale;
			const y = this.yOf(level) - scroll;
			const inner = this.drawIfSeen(c, node, level, x, w, y) ? tree.firstKid(node) : 0;
			if (inner) {
				node = inner;
				level++;
				continue;
			}
			let next = node && x <= width ? this.nextOf(c, node, x, y, scale) : 0;
			while (node && !next) {
				node = tree.parent[node];
				level--;
				next = node && tree.nextKid(node);
			}
			if (!node)
				return;
			node = next;
		}
	}

	// What is drawn next beside `node`; 0: nothing. Narrow frames that end in narrower ones are hairs up
	// to the edge of their parent.
	nextOf(c, node, x, y, scale) {
		const { tree, view, width, visible } = this;
		if (tree.total[node] * scale >= HAIR || !tree.tapers(node))
			return tree.nextKid(node);
		const up = tree.parent[node], edge = (tree.start[up] + tree.total[up] - view[0]) * scale;
		if (c && y > -ROW && y < visible) {
			c.fillStyle = this.ink.dim;
			for (let at = Math.max(0, x + 1); at < Math.min(width, edge); at++)
				c.fillRect(at, y, 0.7, ROW - 1);
		}
		return 0;
	}

	// Whether there may be more of it to see further in.
	drawIfSeen(c, node, level, x, w, y) {
		const { width, visible, thin } = this;
		if (x > width || x + w < 0 || (this.flip ? y < -ROW : y > visible))
			return false;
		const inView = c && y > -ROW && y < visible;
		if (w >= HAIR) {
			if (inView)
				this.drawFrame(c, node, x, y, w);
			return true;
		}
		if (inView && x - (thin[level] ?? -9) >= 1) {
			c.fillStyle = this.ink.dim;
			c.fillRect(x, y, 0.7, ROW - 1);
			thin[level] = x;
		}
		return false;
	}

	colorOf(node) {
		const { tree } = this, func = tree.func[node];
		if (!tree.second)
			return this.colors.of(func);
		const second = tree.second[node];
		return differenceColor(tree.total[node] - second, second,
			this.hooks.isSignificant(node, tree), this.colors.dark);
	}

	drawFrame(c, node, x, y, w) {
		const { width, matches, tree } = this, func = tree.func[node];
		const left = Math.max(0, x), right = Math.min(width, x + w);
		const gap = w > 3 ? 1 : w > 1 ? 0.4 : 0;
		const faded = matches && !(func >= 0 && matches[func]);
		c.globalAlpha = faded ? 0.28 : node !== this.zoomed && this.isAbove(node) ? 0.6 : 1;
		c.fillStyle = this.colorOf(node);
		c.fillRect(left, y, Math.max(0.4, right - left - gap), ROW - 1);
		this.boxes.node[this.boxes.add(left, y, right - left)] = node;
		const label = fit(c, this.hooks.nameOf(func, tree), right - left - 8);
		if (label) {
			c.globalAlpha = faded ? 0.6 : 1;
			c.fillStyle = this.ink.text;
			c.fillText(label, left + 4, y + (ROW - 1) / 2);
		}
		c.globalAlpha = 1;
	}

	// Around the zoomed frame.
	isAbove(node) {
		const { tree, zoomed } = this;
		if (!zoomed)
			return false;
		if (this.aboveOf !== zoomed || this.aboveTree !== tree) {
			this.above = new Set();
			for (let i = zoomed; i; i = tree.parent[i])
				this.above.add(tree.parent[i]);
			this.aboveOf = zoomed;
			this.aboveTree = tree;
		}
		return this.above.has(node);
	}

	drawOutlines(c) {
		const { boxes } = this, outline = (i, color, width) => {
			c.strokeStyle = color;
			c.lineWidth = width;
			c.strokeRect(boxes.x[i] + width / 2, boxes.y[i] + width / 2,
				Math.max(1, boxes.w[i] - width - 1), ROW - 1 - width);
		};
		for (let i = 0; i < boxes.n; i++) {
			const node = boxes.node[i];
			if (this.marked >= 0 && this.tree.func[node] === this.marked)
				outline(i, this.ink.text, 1);
			if (node === this.hovered)
				outline(i, this.ink.text, 1.5);
			if (node === this.focused)
				outline(i, this.ink.accent, 2.5);
		}
	}

	// Which part of the width is shown, where that is not all of it.
	drawPart(c) {
		const { view, width, tree } = this, all = tree.total[0] || 1;
		if (this.small || this.map || view[1] - view[0] > 0.999 * all)
			return;
		c.fillStyle = this.ink.dim;
		c.fillRect(0, 0, width, 3);
		c.fillStyle = this.ink.accent;
		c.fillRect(view[0] / all * width, 0, Math.max(3, (view[1] - view[0]) / all * width), 3);
	}

	nodeAt(event) {
		const r = this.canvas.getBoundingClientRect();
		const i = this.boxes.find(event.clientX - r.left, event.clientY - r.top, ROW);
		return i < 0 ? -1 : this.boxes.node[i];
	}

	// The function of the frame that has the focus, else of that under the pointer; -1: none
	get pointed() {
		return this.tree?.func[this.focused >= 0 ? this.focused : this.hovered] ?? -1;
	}

	// Nodes that are drawn, of functions that match; from top to bottom, from left to right.
	matching(matches) {
		const { boxes, tree } = this, list = Array.from({ length: boxes.n }, (_, i) => i);
		return list.filter(i => matches[tree.func[boxes.node[i]]])
			.sort((a, b) => boxes.y[a] - boxes.y[b] || boxes.x[a] - boxes.x[b]).map(i => boxes.node[i]);
	}

	hover(node, event) {
		if (node !== this.hovered) {
			this.hovered = node;
			this.canvas.style.cursor = node >= 0 ? "pointer" : "default";
			this.draw();
		}
		this.hooks.onHover(node, event, this);
	}

	onDown(e) {
		this.down = { x: e.clientX, y: e.clientY, view: this.view, scroll: this.host.scrollTop,
			moved: false };
		if (!this.small && e.pointerType !== "touch")
			this.canvas.setPointerCapture(e.pointerId);
	}

	onMove(e) {
		const { down } = this;
		if (!down || !(e.buttons & 1) || this.small) {
			this.hover(this.nodeAt(e), e);
			return;
		}
		const dx = e.clientX - down.x, dy = e.clientY - down.y;
		if (!down.moved && Math.abs(dx) + Math.abs(dy) < 5)
			return;
		down.moved = true;
		this.hover(-1, null);
		const step = dx * (down.view[1] - down.view[0]) / this.width;
		this.setView(down.view[0] - step, down.view[1] - step);
		this.host.scrollTop = down.scroll - dy;
	}

	onUp(e) {
		const { down } = this;
		this.down = null;
		if (!down || down.moved)
			return;
		const node = this.nodeAt(e);
		if (node < 0)
			return;
		this.hooks.onChoose(node, this);
		if (this.zooms)
			this.zoomTo(node);
	}

	onWheel(e) {
		const sideways = Math.abs(e.deltaX) > Math.abs(e.deltaY) || e.shiftKey;
		if (!e.ctrlKey && !e.metaKey && !sideways)
			return;
		e.preventDefault();
		const [x0, x1] = this.view, span = x1 - x0;
		if (sideways && !e.ctrlKey) {
			const step = (e.deltaX || e.deltaY) * span / this.width;
			this.setView(x0 + step, x1 + step);
			return;
		}
		const at = (e.clientX - this.canvas.getBoundingClientRect().left) / this.width;
		this.scaleView(Math.exp(e.deltaY * 0.003), at);
	}

	scaleView(factor, at = 0.5) {
		const [x0, x1] = this.view, middle = x0 + (x1 - x0) * at;
		const span = Math.min(this.tree.total[0] || 1,
			Math.max((this.tree.total[0] || 1) * 1e-7, (x1 - x0) * factor));
		this.setView(middle - span * at, middle + span * (1 - at));
	}

	setView(x0, x1) {
		const end = this.tree.total[0] || 1, span = Math.min(end, x1 - x0);
		x0 = Math.max(0, Math.min(end - span, x0));
		this.view = [x0, x0 + span];
		this.draw();
	}

	zoomTo(node, tell = true) {
		const from = this.view, to = this.viewOf(node), begun = performance.now();
		this.zoomed = node;
		if (tell)
			this.hooks.onZoom(node, this);
		const step = now => {
			const part = SHORT ? Math.min(1, (now - begun) / SHORT) : 1;
			const eased = 1 - (1 - part) ** 3;
			this.view = from.map((x, i) => x + (to[i] - x) * eased);
			this.draw();
			if (part < 1 && this.zoomed === node)
				requestAnimationFrame(step);
		};
		step(begun);
		this.reveal(node);
	}

	levelOf(node) {
		let level = 0;
		for (let i = node; i; i = this.tree.parent[i])
			level++;
		return level;
	}

	reveal(node) {
		const y = this.yOf(this.levelOf(node)), { host } = this;
		if (y < host.scrollTop || y + ROW > host.scrollTop + this.visible)
			host.scrollTop = y - this.visible / 3;
	}

	focus(node) {
		this.focused = node;
		if (node >= 0) {
			this.reveal(node);
			this.hooks.onKeyFocus(node, this);
		}
		this.draw();
	}

	// The frame where a key leads from the focused one.
	neighbour(key) {
		const { tree, focused } = this;
		if (focused < 0)
			return this.zoomed;
		const inward = this.flip ? "ArrowUp" : "ArrowDown";
		if (key === inward)
			return tree.kids(focused).reduce((a, b) => a < 0 || tree.total[b] > tree.total[a] ? b : a, -1);
		if (key === "ArrowUp" || key === "ArrowDown")
			return focused ? tree.parent[focused] : -1;
		if (!focused)
			return -1;
		const kids = tree.kids(tree.parent[focused]);
		return kids[kids.indexOf(focused) + (key === "ArrowLeft" ? -1 : 1)] ?? -1;
	}

	onKey(e) {
		if (e.ctrlKey || e.metaKey || e.altKey)
			return;
		if (e.key.startsWith("Arrow")) {
			const node = this.neighbour(e.key);
			if (node >= 0)
				this.focus(node);
		} else if (e.key === "Enter" && this.focused >= 0) {
			this.hooks.onChoose(this.focused, this);
			if (this.zooms)
				this.zoomTo(this.focused);
		} else if (e.key === " " && this.focused >= 0) {
			this.hooks.onChoose(this.focused, this);
		} else if (e.key === "Home") {
			this.zoomTo(0);
			this.focus(0);
		} else if (!this.small && (e.key === "+" || e.key === "=")) {
			this.scaleView(0.7);
		} else if (!this.small && e.key === "-") {
			this.scaleView(1 / 0.7);
		} else {
			return;
		}
		e.preventDefault();
		e.stopPropagation();
	}

	// Functions from the root (left out) to `node`.
	pathTo(node) {
		const path = [];
		for (let i = node; i; i = this.tree.parent[i])
			path.push(this.tree.func[i]);
		return path.reverse();
	}

	// The node at the end of the longest beginning of `path` that there is.
	nodeOf(path) {
		let at = 0;
		for (const func of path) {
			const kid = this.tree.kids(at).find(k => this.tree.func[k] === func);
			if (kid === undefined)
				break;
			at = kid;
		}
		return at;
	}
}
