// Words and numbers, and the making of elements. Foreign text gets into the page only as text.

const grouped = new Intl.NumberFormat("en-US");

export function number(n) {
	return grouped.format(Math.round(n));
}

export function percent(part, whole) {
	if (!whole)
		return "0 %";
	const p = 100 * part / whole;
	if (p > 0 && p < 0.01)
		return "<0.01 %";
	return `${p >= 99.995 ? p.toFixed(0) : p >= 10 ? p.toFixed(1) : p.toFixed(2)} %`;
}

// A time in seconds, with the digits that matter at `step` seconds.
export function seconds(s, step = s / 1000) {
	const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(Math.max(step, 1e-6)))));
	return `${s.toFixed(digits)} s`;
}

export function span(s) {
	const abs = Math.abs(s), short = x => String(Number(x.toPrecision(3)));
	if (abs >= 100)
		return `${s.toFixed(0)} s`;
	if (abs >= 1)
		return `${short(s)} s`;
	if (abs >= 1e-3)
		return `${short(s * 1e3)} ms`;
	return `${(s * 1e6).toFixed(0)} µs`;
}

export function amount(weight, unit) {
	if (unit === "ns")
		return span(weight / 1e9);
	return `${number(weight)} ${weight === 1 && unit === "samples" ? "sample" : unit}`;
}

// Wilson's 95 % interval of a share, k of n samples.
export function interval(k, n) {
	if (!n)
		return [0, 0];
	const z = 1.96, p = k / n, zz = z * z / n;
	const middle = p + zz / 2, half = z * Math.sqrt(p * (1 - p) / n + zz / (4 * n));
	return [Math.max(0, (middle - half) / (1 + zz)), Math.min(1, (middle + half) / (1 + zz))];
}

export function intervalText(k, n) {
	const [low, high] = interval(k, n);
	const digits = high < 0.1 ? 2 : 1;
	return `${(100 * low).toFixed(digits)}–${(100 * high).toFixed(digits)} %`;
}

// element("button", { class: "x", onclick: f, title: "…" }, "text", child…)
export function element(tag, properties = {}, ...children) {
	const e = document.createElement(tag);
	for (const [key, value] of Object.entries(properties)) {
		if (key.startsWith("on"))
			e.addEventListener(key.slice(2), value);
		else if (value === true)
			e.setAttribute(key, "");
		else if (value !== false && value !== null && value !== undefined)
			e.setAttribute(key, value);
	}
	e.append(...children.filter(c => c !== null && c !== undefined));
	return e;
}

// Where it is another: what is drawn anew costs more than what is compared.
export function setText(e, text) {
	if (e.firstChild?.data !== text)
		e.textContent = text;
}

// A name of the recording: its direction must not reach its surroundings.
export function nameElement(name, className = "name") {
	return element("bdi", { class: className, title: name.length > 40 ? cut(name, 2000) : null },
		cut(name, 2000));
}

export function cut(name, length) {
	if (name.length <= length)
		return name;
	const end = name.charCodeAt(length - 2) >> 10 === 0x36 ? length - 2 : length - 1;
	return `${name.slice(0, end)}…`;
}

export function byId(id) {
	return document.getElementById(id);
}

const wanted = new Set();

function runWanted() {
	const done = new Set();
	try {
		for (const f of wanted) { // and what they ask for
			if (done.has(f))
				continue;
			wanted.delete(f);
			done.add(f);
			f();
		}
	} finally {
		framePending = false;
		if (wanted.size)
			askForFrame();
	}
}

let framePending = false; // or running

function askForFrame() {
	if (!framePending)
		requestAnimationFrame(runWanted);
	framePending = true;
}

// Runs f once in the next frame, however often it is asked for; in this one, if another such function
// asks for it.
export function onFrame(f) {
	return () => {
		wanted.add(f);
		askForFrame();
	};
}
