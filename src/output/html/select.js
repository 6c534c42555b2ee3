// Which samples count → weights of nodes, lines and instructions.

import { forRuns, isByPeriod, zeros } from "./samples.js";

// Which of the inputs of a merge.
export const at = t => t.origin && `@${t.origin}`;

export function threadLabel(t) {
	return `${t.comm} ${t.tid}${at(t)}` + (t.comm === t.process ? "" : ` · ${t.process}`);
}

class Sums {
	// `alike`: a sample weighs 1
	constructor(n, { second = false, alike = false }, old) {
		this.self = zeros(n, old?.self); // weight; in a difference of both together
		this.count = alike ? this.self : zeros(n, old?.count === old?.self ? null : old?.count); // samples
		this.second = second ? zeros(n, old?.second) : null; // of it, the part of B
		this.weight = this.samples = this.dropped = 0;
	}
}

const addUp = a => a.reduce((x, y) => x + y, 0);

// Weights without samples: one recording, or two of which each counts as much as the other.
function sumStatic(profile, choice, tree, sums) {
	const { self, samples, selfB } = profile;
	const totalA = addUp(self), totalB = selfB ? addUp(selfB) : 0;
	const equal = choice.normalize && totalA && totalB;
	const scaleB = equal ? totalA / totalB : 1;
	for (let i = 0; i < self.length; i++) {
		const node = tree.map[i], b = selfB ? selfB[i] * scaleB : 0;
		if (node < 0) {
			sums.dropped += self[i] + b;
			continue;
		}
		sums.self[node] += self[i] + b;
		sums.count[node] += samples[i] + (profile.samplesB ? profile.samplesB[i] : 0);
		sums.weight += self[i] + b;
		sums.samples += samples[i] + (profile.samplesB ? profile.samplesB[i] : 0);
		if (selfB)
			sums.second[node] += b;
	}
	sums.scaleB = scaleB;
	return sums;
}

// choice: { event, range, threads, normalize }; tally: of the same, null without samples; old: sums of
// before, which end to hold
export function sumSamples(profile, choice, tree, tally, old) {
	if (!tally)
		return sumStatic(profile, choice, tree, new Sums(tree.n, { second: Boolean(profile.selfB) }, old));
	const { count, weights } = tally, alike = weights === count, { map } = tree;
	const sums = new Sums(tree.n, { alike }, old);
	for (let i = 0; i < count.length; i++) {
		if (!count[i])
			continue;
		const node = map[i];
		if (node < 0) {
			sums.dropped += weights[i];
			continue;
		}
		sums.self[node] += weights[i];
		if (!alike)
			sums.count[node] += count[i];
		sums.weight += weights[i];
		sums.samples += count[i];
	}
	return sums;
}

// Runs f(sample, weight) over the samples chosen that `map` does not leave out.
function forSamples(profile, choice, map, f) {
	const { stack, event, period } = profile, byPeriod = isByPeriod(profile, choice.event);
	forRuns(profile, choice, (lo, hi) => {
		for (let i = lo; i < hi; i++)
			if (map[stack[i]] >= 0 && (!event || event[i] === choice.event))
				f(i, byPeriod ? period[i] : 1);
	});
}

// Room of sumLines() and sumInsns(), for the next time.
const room = {};

// Weights by line of one function: [{ file, line, self, total }], files together. A line counts once
// in a stack, where it is outermost. weights: by node as recorded
export function sumLines(profile, weights, { map }, func) {
	const { nodeFunc, nodeParent, nodePlace } = profile;
	if (!nodePlace)
		return [];
	const n = nodeFunc.length, total = room.total = zeros(n, room.total);
	const weight = room.weight = zeros(n, room.weight);
	for (let i = 0; i < n; i++)
		total[i] = weight[i] = map[i] < 0 ? 0 : weights[i];
	for (let i = n - 1; i > 0; i--)
		total[nodeParent[i]] += total[i];
	const lines = new Map();
	for (let i = 1; i < n; i++) {
		if (nodeFunc[i] !== func || !nodePlace[i] || !total[i])
			continue;
		let line = lines.get(nodePlace[i]);
		if (!line)
			lines.set(nodePlace[i], line = {
				file: profile.placeFile[nodePlace[i]], line: profile.placeLine[nodePlace[i]],
				self: 0, total: 0,
			});
		line.self += weight[i];
		let up = nodeParent[i];
		while (up && (nodeFunc[up] !== func || nodePlace[up] !== nodePlace[i]))
			up = nodeParent[up];
		if (!up)
			line.total += total[i];
	}
	return [...lines.values()].sort((a, b) => a.file - b.file || a.line - b.line);
}

// Weights by instruction of the samples taken in the code of `func`, inlined calls in it included (or,
// where it is inlined itself, in its part of a caller's code): { byInsn, sum, known }.
export function sumInsns(profile, choice, { map }, func) {
	const { nodeFunc, nodeParent, inlined, stack, code } = profile;
	const inside = room.inside = zeros(nodeFunc.length, room.inside, Uint8Array);
	const weight = room.insns = zeros(code.text.length, room.insns);
	let sum = 0, known = 0;
	for (let i = 1; i < inside.length; i++)
		inside[i] = nodeFunc[i] === func || (inlined[nodeFunc[i]] && inside[nodeParent[i]]) ? 1 : 0;
	forSamples(profile, choice, map, (i, w) => {
		if (!inside[stack[i]])
			return;
		const insn = code.hit[i];
		sum += w;
		if (!insn)
			return;
		known += w;
		weight[insn - 1] += w;
	});
	const byInsn = new Map();
	for (let i = 0; i < weight.length; i++)
		if (weight[i])
			byInsn.set(i, weight[i]);
	return { byInsn, sum, known };
}
