// Canvases that are sharp on every screen, and text that fits.

export const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
export const SMALL_FONT = FONT.replace("12px", "11px");

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

// `name` cut to `room` pixels; "" if nothing of use fits.
export function fit(c, name, room) {
	if (room < 14)
		return "";
	const text = name.length > 400 ? name.slice(0, 400) : name;
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
