// Who, what, how long; and how far the numbers can be trusted.

import { ORIGIN_GROUP } from "./colors.js";
import { amount, byId, cut, element, number, percent, span } from "./text.js";

export function heaviestProcess(profile) {
	const weight = new Map();
	let all = 0;
	for (const t of profile.threads) {
		weight.set(t.process, (weight.get(t.process) ?? 0) + t.end - t.first);
		all += t.end - t.first;
	}
	const [name, w] = [...weight].reduce((a, b) => b[1] > a[1] ? b : a, ["", 0]);
	return { name, share: all ? w / all : 0, processes: weight.size };
}

export function titleOf(profile) {
	const { meta } = profile;
	if (meta.title)
		return meta.title;
	if (profile.diff)
		return `${profile.diff.a} → ${profile.diff.b}`;
	const { name, share } = heaviestProcess(profile);
	if (name && share > 0.6)
		return name;
	return meta.host || "Profile";
}

export function aboutOf(profile, sums) {
	const { meta } = profile;
	if (meta.subtitle)
		return meta.subtitle;
	const { processes } = heaviestProcess(profile);
	const parts = [];
	if (meta.origins)
		parts.push(`of ${cut(meta.origins.join(", "), 60)}`);
	else if (meta.host)
		parts.push(`on ${meta.host}`);
	if (processes > 1)
		parts.push(`${number(processes)} processes, ${number(profile.threads.length)} threads`);
	const event = meta.events[meta.event];
	if (event)
		parts.push(event.name);
	if (meta.duration_ns)
		parts.push(span(meta.duration_ns / 1e9));
	parts.push(`${number(sums.samples)} samples`);
	if (event?.by_period)
		parts.push(amount(sums.weight, event.unit));
	if (meta.wall_start_ms)
		parts.push(new Date(meta.wall_start_ms).toLocaleString(undefined,
			{ dateStyle: "medium", timeStyle: "short" }));
	return parts.join(" · ");
}

// Samples in functions without a name, by binary.
function unnamedBinaries(profile, functions) {
	const counts = new Map();
	for (let f = 1; f < profile.names.length; f++) {
		if (profile.named[f] || profile.origin[f] === ORIGIN_GROUP || !functions.selfCount[f])
			continue;
		const b = profile.funcBinary[f];
		counts.set(b, (counts.get(b) ?? 0) + functions.selfCount[f]);
	}
	return [...counts].sort((a, b) => b[1] - a[1]);
}

let notes = 0;

function chip(value, label, level, ...content) {
	const id = `trust-${++notes}`;
	const button = element("button", { class: `trust-chip ${level}`, popovertarget: id },
		element("b", {}, value), element("span", {}, label));
	const note = element("div", { id, popover: true, class: "trust-note" },
		element("h2", {}, `${value} ${label}`), ...content);
	note.addEventListener("toggle", () => {
		const r = button.getBoundingClientRect();
		note.style.top = `${r.bottom + 6}px`;
		note.style.right = `${Math.max(8, window.innerWidth - r.right)}px`;
	});
	return [button, note];
}

function level(share, warn, bad) {
	return share >= bad ? "bad" : share >= warn ? "warn" : share ? "" : "good";
}

function paragraphs(profile, test) {
	return profile.meta.notes.filter(([, cause]) => test(cause))
		.map(([, , text]) => element("p", {}, text));
}

function table(rows) {
	return rows.length ? element("table", {}, ...rows.slice(0, 12).map(([name, n, all]) =>
		element("tr", {}, element("td", {}, element("bdi", {}, name)),
			element("td", { class: "n" }, percent(n, all))))) : null;
}

function lostChip(profile) {
	const t = profile.meta.totals, all = t.lost + t.samples, share = all ? t.lost / all : 0;
	const other = ["lost", "lost-sideband", "throttled"];
	const texts = paragraphs(profile, c => other.includes(c));
	return chip(percent(t.lost, all), "lost", level(share, 1e-9, 0.01),
		element("p", {}, t.lost ? `${number(t.lost)} of ${number(all)} samples could not be stored.`
			: "Every sample that was taken is here."), ...texts,
		t.lost_in_file ? element("p", {}, `${number(t.lost_in_file)} stacks were lost in a damaged file.`)
			: null,
		t.complete ? null : element("p", {}, "The recording has no end: it may have been cut."),
		t.filtered ? element("p", { class: "muted" },
			`${number(t.filtered)} samples were filtered out before this page was made.`) : null);
}

function cutChip(profile) {
	const { verdicts, cuts, binaries, callgraph } = profile.meta;
	const all = verdicts.reduce((sum, [, n]) => sum + n, 0), cutStacks = all - (verdicts[0]?.[1] ?? 0);
	if (!all || callgraph === "none" || (!callgraph && !cutStacks))
		return [];
	const names = verdicts.map(([name]) => name);
	return chip(percent(cutStacks, all), "cut stacks", level(cutStacks / all, 0.01, 0.1),
		element("p", {}, cutStacks ? "Their outer callers are not known; they begin with [truncated]."
			: "Every stack reaches its outermost caller."),
		table(cuts.map(([b, verdict, n]) => [`${binaries[b][0]}: ${names[verdict]}`, n, all])),
		...paragraphs(profile, c => names.includes(c)));
}

function unknownChip(profile, functions, samples) {
	const list = unnamedBinaries(profile, functions), n = list.reduce((sum, [, c]) => sum + c, 0);
	return chip(percent(n, samples), "unknown names", level(samples ? n / samples : 0, 0.01, 0.1),
		element("p", {}, n ? "Samples in functions without a name, by binary:"
			: "Every function that ran has a name."),
		table(list.map(([b, c]) => [profile.meta.binaries[b][1] || profile.meta.binaries[b][0], c, samples])),
		...paragraphs(profile, c => c.startsWith("unnamed ")));
}

function rateChip(profile) {
	const { meta } = profile, e = meta.events[meta.event];
	if (!e || (!e.interval_ns && !e.rate))
		return [];
	const text = e.interval_ns ? span(e.interval_ns / 1e9) : e.freq ? span(1 / e.rate)
		: `${number(e.rate)} ${e.unit}`;
	return chip(text, "interval", "", element("p", {}, e.freq
		? `${e.name}, ${number(e.rate)} samples a second of each busy CPU.`
		: `${e.name}, a sample every ${number(e.rate)} ${e.unit}.`),
	element("p", { class: "muted" }, "What is shorter than the interval shows only by its share."),
	...paragraphs(profile, c => !/^(lost|lost-sideband|throttled|empty|other-events|unnamed \d+)$/.test(c) &&
		!meta.verdicts.some(([name]) => name === c)));
}

function costChip(profile) {
	const { meta } = profile, cpu = meta.totals.recorder_cpu_ns;
	if (!cpu || !meta.duration_ns)
		return [];
	return chip(percent(cpu, meta.duration_ns), "of a CPU to record", cpu / meta.duration_ns > 0.1 ? "warn" : "",
		element("p", {}, `The recorder used ${span(cpu / 1e9)} of CPU time in ` +
			`${span(meta.duration_ns / 1e9)}${meta.cpus ? ` on a machine of ${meta.cpus} CPUs` : ""}.`));
}

export function fillHead(profile, sums, functions) {
	const title = titleOf(profile);
	byId("title").replaceChildren(element("bdi", {}, title));
	document.title = title;
	const about = aboutOf(profile, sums);
	byId("about").textContent = about;
	byId("about").title = profile.meta.cmdline || about;
	byId("trust").replaceChildren(...profile.diff ? [] : lostChip(profile), ...cutChip(profile),
		...unknownChip(profile, functions, sums.samples), ...rateChip(profile), ...costChip(profile));
}
