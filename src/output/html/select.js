// Which samples count → weights of nodes, lines and instructions.

export function lowerBound(a, lo, hi, x) {
	while (lo < hi) {
		const mid = (lo + hi) >> 1;
		if (a[mid] < x)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

// Indexes [lo, hi) of the samples of a thread in a range of ticks; null: all of them.
export function samplesIn(profile, thread, range) {
	if (!range)
		return [thread.first, thread.end];
	const lo = lowerBound(profile.time, thread.first, thread.end, range[0]);
	return [lo, lowerBound(profile.time, lo, thread.end, range[1])];
}

// Which of the inputs of a merge.
export const at = t => t.origin && `@${t.origin}`;

export function threadLabel(t) {
	return `${t.comm} ${t.tid}${at(t)}` + (t.comm === t.process ? "" : ` · ${t.process}`);
}

// Numbers for `n` things, all 0: the room of `old` again, if it fits. While a range is dragged, arrays
// made anew for every frame would pile up faster than they are collected.
export function zeros(n, old, Type = Float64Array) {
	return old instanceof Type && old.length === n ? old.fill(0) : new Type(n);
}

class Sums {
	// `alike`: a sample weighs 1
	constructor(n, { second = false, alike = false }, old) {
		this.self = zeros(n, old?.self); // weight; in a difference of both together
		this.count = alike ? this.self : zeros(n, old?.count === old?.self ? null : old?.count); // samples
		this.second = second ? zeros(n, old?.second) : null; // of it, the part of B
		this.weight = this.samples = this.dropped = 0;
		this.byThread = new Map(); // weights
	}
}

// Runs f(lo, hi, thread) over the samples chosen.
export function forRuns(profile, choice, f) {
	for (const t of profile.threads) {
		if (choice.threads && !choice.threads.has(t.id))
			continue;
		const [lo, hi] = samplesIn(profile, t, choice.range);
		if (lo < hi)
			f(lo, hi, t);
	}
}

export function isByPeriod(profile, event) {
	return Boolean(profile.period && profile.meta.events[event]?.by_period);
}

// Returns the weight that was added.
function addRun(profile, choice, map, sums, lo, hi) {
	const { stack, event, period } = profile;
	const byPeriod = isByPeriod(profile, choice.event);
	const { self, count } = sums;
	let weight = 0, samples = 0, dropped = 0;
	if (self === count) {
		for (let i = lo; i < hi; i++) {
			const node = map[stack[i]];
			if (node >= 0)
				self[node]++;
			else
				dropped++;
		}
		weight = samples = hi - lo - dropped;
	} else {
		for (let i = lo; i < hi; i++) {
			if (event && event[i] !== choice.event)
				continue;
			const node = map[stack[i]], w = byPeriod ? period[i] : 1;
			if (node < 0) {
				dropped += w;
				continue;
			}
			self[node] += w;
			count[node]++;
			weight += w;
			samples++;
		}
	}
	sums.weight += weight;
	sums.samples += samples;
	sums.dropped += dropped;
	return weight;
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

// choice: { event, range, threads, normalize }; old: sums of before, which end to hold
export function sumSamples(profile, choice, tree, old) {
	if (!profile.time)
		return sumStatic(profile, choice, tree, new Sums(tree.n, { second: Boolean(profile.selfB) }, old));
	const alike = !profile.event && !isByPeriod(profile, choice.event);
	const sums = new Sums(tree.n, { alike }, old);
	forRuns(profile, choice, (lo, hi, t) =>
		sums.byThread.set(t, addRun(profile, choice, tree.map, sums, lo, hi)));
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
// in a stack, where it is outermost.
export function sumLines(profile, choice, { map }, func) {
	const { nodeFunc, nodeParent, nodePlace, stack } = profile;
	if (!nodePlace)
		return [];
	const n = nodeFunc.length;
	const weight = room.weight = zeros(n, room.weight), total = room.total = zeros(n, room.total);
	if (profile.time)
		forSamples(profile, choice, map, (i, w) => {
			weight[stack[i]] += w;
		});
	else
		weight.set(profile.self.map((w, i) => map[i] < 0 ? 0 : w));
	total.set(weight);
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
