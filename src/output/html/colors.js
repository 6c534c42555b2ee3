// Colours of frames: by origin, by binary, or by how much of a frame is of the second recording.
// Shades are by the hash of the name, so that a function has the same colour in every picture.

import { cut, element } from "./text.js";

export const ORIGIN_GROUP = 0, ORIGIN_UNKNOWN = 5;

const GREY = ["#dcdfe4", "#cdd2d9", "#3a404a", "#454c57"];
const SLATE = ["#d9dee7", "#cdd4df", "#39434f", "#434f5d"];

// Light from, to; dark from, to. Groups, kernel, program, library, JIT, unknown.
const origins = [
	SLATE, ["#b9c6f5", "#a2b0ec", "#3d4b86", "#4a559c"], ["#f9b18e", "#f0957a", "#8f4a2c", "#9a3f35"],
	["#fae0a0", "#f3cb78", "#77591b", "#80641f"], ["#b4e0bd", "#93d0a8", "#2b6443", "#2f7352"], GREY,
];

// The hues of Okabe and Ito, which every common kind of colour blindness tells apart.
const safeOrigins = [
	SLATE, ["#7cc3ee", "#64b4e6", "#1d5f92", "#15527f"], ["#f0b040", "#e69f1f", "#7d4c00", "#6e4200"],
	["#f7f0a0", "#f0e670", "#857d34", "#787028"], ["#54c3a0", "#3ab08b", "#00664b", "#00573f"], GREY,
];

// Frames of inlined calls are a step paler than their origin.
const INLINED = { light: "#ffffff", dark: "#101418" };

const originNames = ["group", "kernel", "program", "library", "JIT", "unknown"];
export const schemes = { origin: "by origin", safe: "by origin, colour-blind safe", binary: "by binary" };

function rgb(hex) {
	return [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
}

function mix(from, to, part) {
	const a = rgb(from), b = rgb(to);
	return `rgb(${a.map((x, i) => Math.round(x + (b[i] - x) * part)).join(",")})`;
}

function hash(s) {
	let h = 0x811c9dc5;
	for (let i = 0; i < s.length && i < 200; i++)
		h = Math.imul(h ^ s.charCodeAt(i), 0x01000193);
	return (h ^ h >>> 15) >>> 0;
}

function shade(range, dark, part) {
	return dark ? mix(range[2], range[3], part) : mix(range[0], range[1], part);
}

function hueColor(hue, dark) {
	return dark ? `hsl(${hue} 38% 34%)` : `hsl(${hue} 68% 79%)`;
}

// Blue where the second recording has less, red where it has more; white where they agree.
export function differenceColor(first, second, significant, dark) {
	const sum = first + second, change = sum ? (second - first) / sum : 0;
	const part = significant ? Math.min(1, 0.25 + Math.abs(change) * 1.1) : 0;
	if (!significant || Math.abs(change) < 0.005)
		return dark ? "rgb(58,64,74)" : "rgb(228,231,236)";
	if (change > 0)
		return dark ? mix("#3a404a", "#b8392f", part) : mix("#f3e9e7", "#ef6a5b", part);
	return dark ? mix("#3a404a", "#2b69b8", part) : mix("#e7eef7", "#5c9be8", part);
}

export class Colors {
	constructor(profile) {
		this.profile = profile;
		this.query = matchMedia("(prefers-color-scheme: dark)");
		this.binaries = this.heavyBinaries();
		this.use("origin");
	}

	get dark() {
		return this.query.matches;
	}

	// Binaries in the order of their number of functions: hues go to those seen most.
	heavyBinaries() {
		const n = new Map();
		for (const b of this.profile.funcBinary)
			n.set(b, (n.get(b) ?? 0) + 1);
		return [...n.keys()].sort((a, b) => n.get(b) - n.get(a) || a - b);
	}

	use(scheme) {
		this.scheme = schemes[scheme] ? scheme : "origin";
		this.cache = new Array(this.profile.names.length);
	}

	of(func) {
		if (func < 0)
			return shade(SLATE, this.dark, 0.5);
		return this.cache[func] ??= this.make(func);
	}

	make(func) {
		const { origin, inlined, names, funcBinary } = this.profile;
		const o = func ? origin[func] : ORIGIN_GROUP;
		if (this.scheme === "binary" && o !== ORIGIN_GROUP && o !== ORIGIN_UNKNOWN)
			return this.binaryColor(funcBinary[func]);
		const range = (this.scheme === "safe" ? safeOrigins : origins)[o];
		const part = (hash(names[func]) % 8) / 7;
		if (!inlined[func])
			return shade(range, this.dark, part);
		const ground = this.dark ? INLINED.dark : INLINED.light;
		return mix(this.dark ? range[2] : range[0], ground, 0.4);
	}

	// Golden-angle steps: neighbours differ.
	binaryColor(binary) {
		const k = this.binaries.indexOf(binary);
		return hueColor(Math.round(20 + k * 137.5) % 360, this.dark);
	}

	sample(origin, inlined = false) {
		const range = (this.scheme === "safe" ? safeOrigins : origins)[origin];
		if (inlined)
			return mix(this.dark ? range[2] : range[0],
				this.dark ? INLINED.dark : INLINED.light, 0.4);
		return shade(range, this.dark, 0.5);
	}
}

// What the colours of the flame graph mean.
export function legend(profile, colors) {
	const entry = (color, text) => {
		const dot = element("i", { class: "dot" });
		dot.style.background = color;
		return element("span", {}, dot, element("bdi", {}, text));
	};
	if (profile.diff)
		return [entry("var(--bad)", `more in ${profile.diff.b}`), entry("var(--accent)",
			`less in ${profile.diff.b}`), entry("var(--line)", "no difference beyond chance")];
	if (colors.scheme === "binary")
		return colors.binaries.slice(0, 9).map(b => entry(colors.binaryColor(b),
			cut(profile.meta.binaries[b][0], 40)));
	const present = new Set(profile.origin.subarray(1));
	const entries = [...present].sort().filter(o => o !== ORIGIN_GROUP).map(o =>
		entry(colors.sample(o), originNames[o]));
	if (profile.inlined.subarray(1).some(Boolean))
		entries.push(entry(colors.sample(2, true), "inlined"));
	return entries;
}
