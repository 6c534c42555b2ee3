// Which samples count → weights of nodes, as a whole and by group.

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

export function threadLabel(t) {
	return t.comm === t.process ? `${t.comm} ${t.tid}` : `${t.comm} ${t.tid} · ${t.process}`;
}

function again(t) {
	return t.again ? `#${t.again + 1}` : "";
}

export const groupings = {
	none: { label: "merged", key: () => "" },
	pid: { label: "process", key: t => `${t.process}-${t.pid}${again(t)}` },
	comm: { label: "thread name", key: t => t.comm },
	tid: { label: "thread", key: t => `${t.comm}-${t.pid}/${t.tid}${again(t)}` },
	cpu: { label: "CPU", key: null },
};

// Numbers for `n` things, all 0: the room of `old` again, if it fits. While a range is dragged, arrays
// made anew for every frame would pile up faster than they are collected.
export function zeros(n, old) {
	return old instanceof Float64Array && old.length === n ? old.fill(0) : new Float64Array(n);
}

class Sums {
	// `alike`: a sample weighs 1
	constructor(n, { second = false, alike = false }, old) {
		this.self = zeros(n, old?.self); // weight; in a difference of both together
		this.count = alike ? this.self : zeros(n, old?.count === old?.self ? null : old?.count); // samples
		this.second = second ? zeros(n, old?.second) : null; // of it, the part of B
		this.weight = this.samples = this.dropped = 0;
		this.groups = null; // [{ name, nodes, weights }]
	}
}

// Runs f(lo, hi, thread) over the samples chosen.
function forRuns(profile, choice, f) {
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

function addRun(profile, choice, map, sums, lo, hi) {
	const { stack, event, period } = profile;
	const byPeriod = isByPeriod(profile, choice.event);
	const { self, count } = sums;
	if (self === count) {
		for (let i = lo; i < hi; i++) {
			const node = map[stack[i]];
			if (node >= 0)
				self[node]++;
			else
				sums.dropped++;
		}
		return;
	}
	for (let i = lo; i < hi; i++) {
		if (event && event[i] !== choice.event)
			continue;
		const node = map[stack[i]], w = byPeriod ? period[i] : 1;
		if (node < 0) {
			sums.dropped += w;
			continue;
		}
		self[node] += w;
		count[node]++;
	}
}

const addUp = a => a.reduce((x, y) => x + y, 0);

// Of groups, the samples: a list of [lo, hi) for threads; of CPUs, whose are not together, an index.
function cpuRuns(profile, choice) {
	const { cpu } = profile, counts = new Map(), runs = new Map();
	forRuns(profile, choice, (lo, hi) => {
		for (let i = lo; i < hi; i++)
			counts.set(cpu[i], (counts.get(cpu[i]) ?? 0) + 1);
	});
	for (const [number, count] of counts)
		runs.set(number, { index: new Int32Array(count), n: 0 });
	forRuns(profile, choice, (lo, hi) => {
		for (let i = lo; i < hi; i++) {
			const run = runs.get(cpu[i]);
			run.index[run.n++] = i;
		}
	});
	return [...runs].sort((a, b) => a[0] - b[0])
		.map(([number, run]) => [number ? `cpu ${number - 1}` : "cpu ?", run]);
}

function threadRuns(profile, choice) {
	const { key } = groupings[choice.by], runs = new Map();
	forRuns(profile, choice, (lo, hi, t) => {
		const name = key(t);
		if (!runs.has(name))
			runs.set(name, { ranges: [] });
		runs.get(name).ranges.push([lo, hi]);
	});
	return [...runs];
}

// The nodes that a group's samples end in, and their weights.
function sumGroup(profile, choice, map, run, { scratch, found }) {
	const { stack, event, period } = profile;
	const byPeriod = isByPeriod(profile, choice.event);
	const { index, ranges = [[0, index?.length]] } = run;
	let n = 0;
	for (const [lo, hi] of ranges) {
		for (let k = lo; k < hi; k++) {
			const i = index ? index[k] : k, node = map[stack[i]];
			if (node < 0 || (event && event[i] !== choice.event))
				continue;
			if (!scratch[node])
				found[n++] = node;
			scratch[node] += byPeriod ? period[i] : 1;
		}
	}
	const nodes = found.slice(0, n).sort(), weights = new Float64Array(n);
	for (let k = 0; k < n; k++)
		weights[k] = scratch[nodes[k]];
	let weight = 0;
	for (const n of nodes) {
		weight += scratch[n];
		scratch[n] = 0;
	}
	return { nodes, weights, weight };
}

function sumGroups(profile, choice, tree) {
	const runs = choice.by === "cpu" ? cpuRuns(profile, choice) : threadRuns(profile, choice);
	const room = { scratch: new Float64Array(tree.n), found: new Int32Array(tree.n) };
	const groups = runs.map(([name, run]) =>
		({ name, ...sumGroup(profile, choice, tree.map, run, room) }));
	return groups.filter(g => g.nodes.length).sort((a, b) => b.weight - a.weight);
}

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

// choice: { event, range, threads, by, normalize }; old: sums of before, which end to hold
export function sumSamples(profile, choice, tree, old) {
	if (!profile.time)
		return sumStatic(profile, choice, tree, new Sums(tree.n, { second: Boolean(profile.selfB) }, old));
	const alike = !profile.event && !isByPeriod(profile, choice.event);
	const sums = new Sums(tree.n, { alike }, old);
	forRuns(profile, choice, (lo, hi) => addRun(profile, choice, tree.map, sums, lo, hi));
	sums.weight = addUp(sums.self);
	sums.samples = addUp(sums.count);
	if (choice.by !== "none")
		sums.groups = sumGroups(profile, choice, tree);
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

// Weights by line of one function: [{ file, line, self, total }], files together. A line counts once
// in a stack, where it is outermost.
export function sumLines(profile, choice, { map }, func) {
	const { nodeFunc, nodeParent, nodePlace, stack } = profile;
	if (!nodePlace)
		return [];
	const n = nodeFunc.length;
	const weight = profile.time ? new Float64Array(n) : profile.self.map((w, i) => map[i] < 0 ? 0 : w);
	if (profile.time)
		forSamples(profile, choice, map, (i, w) => {
			weight[stack[i]] += w;
		});
	const total = weight.slice();
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
	const inside = new Uint8Array(nodeFunc.length), byInsn = new Map();
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
		byInsn.set(insn - 1, (byInsn.get(insn - 1) ?? 0) + w);
	});
	return { byInsn, sum, known };
}
