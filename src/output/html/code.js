// The lines of source of one function, and its instructions, with the weight of each.

import { sumInsns, sumLines } from "./select.js";
import { cut, element, percent } from "./text.js";

const CONTEXT = 3; // rows shown around one with weight
const MOST_ROWS = 400;
const KERNEL = 1, JIT = 4; // origins

function hint(...content) {
	return element("p", { class: "hint" }, ...content);
}

// Numbers of the rows to show: those with weight and some around each, in [from, end).
function around(weighty, from, end) {
	const shown = new Set();
	for (const i of weighty)
		for (let k = Math.max(from, i - CONTEXT); k <= i + CONTEXT && k < end; k++)
			shown.add(k);
	return [...shown].sort((a, b) => a - b).slice(0, MOST_ROWS);
}

// Rows by number, as `row(i)` makes them, with a button for each gap that fills it.
function withGaps(shown, from, end, row) {
	const rows = [];
	const gap = (a, b) => {
		if (a >= b)
			return;
		const fill = () => tr.replaceWith(...Array.from({ length: b - a }, (_, k) => row(a + k)).flat());
		const tr = element("tr", {}, element("td", { class: "gap-row", colspan: "4" },
			element("button", { class: "link", onclick: fill }, `⋯ ${b - a} more`)));
		rows.push(tr);
	};
	let next = from;
	for (const i of shown) {
		gap(next, i);
		rows.push(...row(i));
		next = i + 1;
	}
	gap(next, end);
	return rows;
}

function lineRow({ line, self, total }, text, all) {
	return element("tr", { class: all && total / all >= 0.005 ? "hot" : null },
		element("td", { class: "n" }, self ? percent(self, all) : ""),
		element("td", { class: "n" }, total ? percent(total, all) : ""),
		element("td", { class: "n" }, String(line)),
		element("td", { class: "code", title: text }, cut(text, 400)));
}

function noLines({ origin, diff }, func) {
	if (diff)
		return ["Not in a page of two recordings."];
	if (origin[func] === KERNEL)
		return ["Not known. Those of the kernel need ", element("code", {}, "--vmlinux FILE")];
	if (origin[func] === JIT)
		return ["Not known: what the JIT compiler wrote down of its code has none."];
	return ["Not known: no debug information was found. It comes with ", element("code", {}, "-g"),
		", or from ", element("code", {}, "--debug-dir"), ", ", element("code", {}, "--debuginfod")];
}

// How many blanks or tabs all lines but empty ones begin with.
function commonIndent(lines) {
	return lines.filter(l => l.trim()).reduce((n, l) => Math.min(n, l.match(/^\s*/)[0].length), 99);
}

export function sourceLines(profile, model, func) {
	const lines = sumLines(profile, model.weights, model.merged, func), files = new Map();
	if (!lines.length)
		return [element("h3", {}, "Lines"), hint(...noLines(profile, func))];
	for (const l of lines)
		files.set(l.file, [...(files.get(l.file) ?? []), l]);
	const all = model.whole.total[0];
	const tables = [...files].flatMap(([file, list]) => {
		const [path, text] = profile.files[file];
		let rows;
		if (text === undefined) {
			rows = list.map(l => lineRow(l, "", all));
		} else {
			const by = new Map(list.map(l => [l.line, l])), source = text.split("\n");
			const first = list[0].line, last = list.at(-1).line;
			const from = Math.max(1, first - CONTEXT), end = Math.min(source.length, last + CONTEXT) + 1;
			const indent = commonIndent(source.slice(from - 1, end - 1));
			rows = withGaps(around(by.keys(), from, end), from, end, i =>
				[lineRow(by.get(i) ?? { line: i, self: 0, total: 0 }, source[i - 1].slice(indent), all)]);
		}
		return [element("p", { class: "path" }, element("bdi", {}, path)),
			element("table", { class: "lines" }, ...rows)];
	});
	const bare = [...files.keys()].every(f => profile.files[f][1] === undefined);
	return [element("h3", {}, "Lines (self, total)"), ...tables,
		bare ? hint("Their text: ", element("code", {}, "singe report --embed-source")) : null]
		.filter(Boolean);
}

// Why there are none for samples that were taken in code of `func`.
function whyNot(profile, func) {
	const { code, origin, funcBinary } = profile;
	if (!code)
		return hint("Not in this page. They come with ",
			element("code", {}, `singe report --embed-asm${origin[func] === KERNEL ? " --vmlinux FILE" : ""}`));
	const missing = code.missing.find(([binary]) => binary === funcBinary[func]);
	if (missing)
		return hint(`Its code could not be read: ${missing[1]}`);
	return hint(`Not among the ${code.functions} hottest functions${code.cut
		? " that fit in" : ""}. More come with `, element("code", {}, "--embed-asm=N"));
}

// A line where the source changes, then the instruction.
function insnRows(profile, by, sum, first) {
	const { code, files, placeFile, placeLine } = profile;
	const place = i => i >= first ? code.place[i] : 0;
	const heading = p => {
		const [path, text] = files[placeFile[p]], line = placeLine[p];
		const source = text?.split("\n", line)[line - 1]?.trim() ?? "";
		return element("tr", { class: "from" }, element("td", { colspan: "3", title: `${path}:${line}` },
			element("bdi", {}, `${path.split("/").pop()}:${line}`), source ? `  ${cut(source, 200)}` : ""));
	};
	return i => {
		const w = by.get(i) ?? 0, text = code.texts[code.text[i]];
		const row = element("tr", { class: w / sum >= 0.02 ? "hot" : null },
			element("td", { class: "n" }, w ? percent(w, sum) : ""),
			element("td", { class: "n mono" }, code.addr[i].toString(16)),
			element("td", { class: "code", title: text }, cut(text, 200)));
		return place(i) && place(i) !== place(i - 1) ? [heading(place(i)), row] : [row];
	};
}

export function instructions(profile, model, func) {
	const title = element("h3", {}, "Instructions (share of self)");
	if (profile.diff && model.sums.self[func])
		return [title, hint("Not in a page of two recordings; in that of one with ",
			element("code", {}, "singe report --embed-asm"))];
	if (!profile.time)
		return [];
	if (!profile.code)
		return model.sums.self[func] ? [title, whyNot(profile, func)] : [];
	const { byInsn, sum, known } = sumInsns(profile, model.choice, model.merged, func);
	if (!sum)
		return [];
	if (!known)
		return [title, whyNot(profile, func)];
	const { code, inlined, meta } = profile, hits = [...byInsn.keys()], tables = [];
	for (const part of code.parts) {
		const own = hits.filter(i => i >= part.first && i < part.end);
		if (!own.length)
			continue;
		const at = around(own, part.first, part.end);
		// Around an inlined function is the code of others.
		const [from, end] = inlined[func] ? [at[0], at.at(-1) + 1] : [part.first, part.end];
		tables.push(element("p", { class: "path" }, element("bdi", {}, meta.binaries[part.binary][1]),
			part.note ? `, ${part.note}` : ""),
			element("table", { class: "lines insns" },
				...withGaps(at, from, end, insnRows(profile, byInsn, sum, from))));
		if (part.cut)
			tables.push(hint("The function goes on: it is longer than what a page holds."));
	}
	return [title, ...tables, known < sum ? hint(`${percent(sum - known, sum)} of its samples hit code that is not in this page.`)
		: null].filter(Boolean);
}
