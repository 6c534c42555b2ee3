// Canvases that are sharp on every screen, and text that fits.

import { longer } from "./samples.js";

export const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
export const SMALL_FONT = FONT.replace("12px", "11px");

// What was drawn, and where; with more numbers of each, by name. Arrays that serve all pictures.
export class Boxes {
	constructor(...names) {
		this.columns = ["x", "y", "w", ...names];
		for (const name of this.columns)
			this[name] = new Float64Array(1024);
		this.n = 0;
	}

	// Returns its number.
	add(x, y, w) {
		if (this.n === this.x.length)
			for (const name of this.columns)
				this[name] = longer(this[name]);
		this.x[this.n] = x;
		this.y[this.n] = y;
		this.w[this.n] = w;
		return this.n++;
	}

	// The number of one, so high, that is at a point; -1: none
	find(x, y, height) {
		for (let i = 0; i < this.n; i++)
			if (y >= this.y[i] && y < this.y[i] + height && x >= this.x[i] && x < this.x[i] + this.w[i])
				return i;
		return -1;
	}
}

// Gives the canvas `width` × `height` CSS pixels and returns its context, scaled and cleared.
export function prepare(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1;
	const w = Math.max(1, Math.round(width * ratio)), h = Math.max(1, Math.round(height * ratio));
	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
		canvas.style.width = `${width}px`;
		canvas.style.height = `${height}px`;
	}
	const c = canvas.getContext("2d");
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	c.clearRect(0, 0, width, height);
	c.direction = "ltr";
	return c;
}

// A colour of the style sheet.
export function cssColor(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const widths = new Map();

function widthOf(c, text) {
	let w = widths.get(text);
	if (w === undefined) {
		if (widths.size > 50000)
			widths.clear();
		widths.set(text, w = c.measureText(text).width);
	}
	return w;
}

// FIRST STRONG ISOLATE … POP DIRECTIONAL ISOLATE: right-to-left names keep to themselves.
function isolated(text) {
	return /[\u0590-\u08ff\u202a-\u202e\u2066-\u2069\ufb1d-\ufeff]/.test(text)
		? `\u2068${text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "")}\u2069` : text;
}

// "a::b<c::d>::e(f::g)" → "e(f::g)": what stands behind the last "::" outside of brackets.
function lastPart(name) {
	let depth = 0, from = 0;
	for (let i = 0; i < name.length; i++) {
		const char = name[i];
		if (char === "<" || char === "(")
			depth++;
		else if (char === ">" || char === ")")
			depth--;
		else if (char === ":" && !depth && name[i + 1] === ":")
			from = ++i + 1;
	}
	return name.slice(from) || name;
}

// `name` for `room` pixels: whole, or without its scope, or cut as well; "" if nothing of use fits.
export function fit(c, name, room) {
	if (room < 14)
		return "";
	let text = name.length > 400 ? name.slice(0, 400) : name;
	if (text.includes("::") && widthOf(c, text) > room)
		text = lastPart(text);
	const full = widthOf(c, text);
	if (full <= room)
		return isolated(text);
	let n = Math.max(1, Math.floor(text.length * room / full));
	for (; n > 1; n -= Math.max(1, n >> 4)) {
		if (text.charCodeAt(n - 1) >> 10 === 0x36)
			continue;
		if (widthOf(c, `${text.slice(0, n)}…`) <= room)
			return isolated(`${text.slice(0, n)}…`);
	}
	return "";
}

// Two fingers on a canvas: f(factor, where) as they part (factor < 1) or close; where: part of the
// width between them. To be called before other listeners, which then do not get these moves.
export function onPinch(canvas, f) {
	const fingers = new Map();
	canvas.addEventListener("pointerdown", e => e.pointerType === "touch" && fingers.set(e.pointerId, e));
	canvas.addEventListener("pointermove", e => {
		if (!fingers.has(e.pointerId))
			return;
		const gap = () => {
			const [a, b] = fingers.values();
			return Math.max(20, Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY));
		};
		const before = fingers.size === 2 && gap();
		fingers.set(e.pointerId, e);
		if (!before)
			return;
		const r = canvas.getBoundingClientRect(), [a, b] = fingers.values();
		e.stopImmediatePropagation();
		f(before / gap(), ((a.clientX + b.clientX) / 2 - r.left) / r.width);
	});
	for (const end of ["pointerup", "pointercancel"])
		canvas.addEventListener(end, e => fingers.delete(e.pointerId));
}
