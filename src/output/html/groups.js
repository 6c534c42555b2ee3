// The samples chosen by process, thread, thread name or CPU: what each group weighs, and the tree of
// stacks below a node for each group. Weights of nodes are those of one group at a time, in arrays
// that serve all: one for each would be many times what the samples take.

import { at, forRuns, isByPeriod, zeros } from "./select.js";
import { GrownTree } from "./trees.js";

function again(t) {
	return t.again ? `#${t.again + 1}` : "";
}

export const groupings = {
	none: { label: "merged", key: () => "" },
	pid: { label: "process", key: t => `${t.process}-${t.pid}${again(t)}${at(t)}` },
	comm: { label: "thread name", key: t => t.comm },
	tid: { label: "thread", key: t => `${t.comm}-${t.pid}/${t.tid}${again(t)}${at(t)}` },
	cpu: { label: "CPU", key: null },
	origin: { label: "input", key: t => t.origin },
};

// Those that make sense.
export function groupingsOf(profile) {
	return Object.keys(groupings).filter(by => by !== "origin" || profile.meta.origins);
}

// Numbers of CPUs, ascending; samples then have their places in these.
function numberCpus({ cpu }) {
	const numbers = Int32Array.from(new Set(cpu)).sort();
	const places = new Map(Array.from(numbers, (number, k) => [number, k]));
	for (let i = 0; i < cpu.length; i++)
		cpu[i] = places.get(cpu[i]);
	return numbers;
}

export class Groups {
	// sums: of the same choice; by: a key of `groupings`; old: groups of before, which end to hold
	constructor(profile, choice, merged, sums, by, old) {
		Object.assign(this, { profile, choice, merged, by, current: -1, added: false });
		this.self = zeros(merged.n, old?.self);
		this.total = zeros(merged.n, old?.total);
		this.index = old?.index ?? null; // of samples, CPU after CPU
		const found = by === "cpu" ? this.byCpu() : this.byThread(sums, groupings[by].key);
		this.list = found.filter(g => g.weight).sort((a, b) => b.weight - a.weight);
		this.names = this.list.map(g => g.name);
		this.weight = this.list.reduce((sum, g) => sum + g.weight, 0);
	}

	byThread(sums, key) {
		const found = new Map();
		forRuns(this.profile, this.choice, (lo, hi, t) => {
			const name = key(t);
			let group = found.get(name);
			if (!group)
				found.set(name, group = { name, runs: [], weight: 0 });
			group.runs.push([lo, hi]);
			group.weight += sums.byThread.get(t);
		});
		return [...found.values()];
	}

	// Those of a CPU are not together: they are listed in the index.
	byCpu() {
		const { profile, choice, merged } = this, { stack } = profile;
		const numbers = profile.cpus ??= numberCpus(profile), of = profile.cpu;
		const counts = new Int32Array(numbers.length), weights = new Float64Array(numbers.length);
		const weigh = this.weighing();
		forRuns(profile, choice, (lo, hi) => {
			for (let i = lo; i < hi; i++) {
				counts[of[i]]++;
				if (merged.map[stack[i]] >= 0)
					weights[of[i]] += weigh(i);
			}
		});
		let end = 0;
		const next = counts.map(n => (end += n) - n), index = this.index ??= new Int32Array(stack.length);
		forRuns(profile, choice, (lo, hi) => {
			for (let i = lo; i < hi; i++)
				index[next[of[i]]++] = i;
		});
		return Array.from(numbers, (number, k) => ({ name: number ? `cpu ${number - 1}` : "cpu ?",
			weight: weights[k], runs: [[next[k] - counts[k], next[k]]] }));
	}

	// Of a sample: its weight; 0 if it is another event's.
	weighing() {
		const { event, period } = this.profile, wanted = this.choice.event;
		if (!event && !isByPeriod(this.profile, wanted))
			return () => 1;
		const byPeriod = isByPeriod(this.profile, wanted);
		return i => event && event[i] !== wanted ? 0 : byPeriod ? period[i] : 1;
	}

	// By node: the weight of the samples of group k that end in it. Holds until another is asked for.
	selfOf(k) {
		if (this.current === k)
			return this.self;
		const { merged: { map }, profile: { stack }, index, list } = this, self = this.self.fill(0);
		const weigh = this.weighing(), indexed = this.by === "cpu";
		for (const [lo, hi] of list[k].runs) {
			for (let at = lo; at < hi; at++) {
				const i = indexed ? index[at] : at, node = map[stack[i]];
				if (node >= 0)
					self[node] += weigh(i);
			}
		}
		this.current = k;
		this.added = false;
		return self;
	}

	// The same with all below.
	totalOf(k) {
		const self = this.selfOf(k), { total, merged: { n, parent } } = this;
		if (this.added)
			return total;
		total.set(self);
		for (let i = n - 1; i > 0; i--)
			if (total[i])
				total[parent[i]] += total[i];
		this.added = true;
		return total;
	}
}

// Stacks from their outermost frame in, below a node for each group.
export class GroupTree extends GrownTree {
	// old: a tree of before, which ends to be one
	constructor(merged, groups, old) {
		super({ group: Int32Array, place: Int32Array }, old); // place: node of the merged tree
		Object.assign(this, { merged, source: groups, groups: groups.names, order: "name" });
		this.total[0] = groups.weight;
		this.place[0] = 0;
		const nodes = groups.list.map((g, k) => {
			const node = this.add(0, -1 - k, g.weight, 0);
			this.group[node] = k;
			this.place[node] = 0;
			return node;
		});
		this.chain(0, nodes);
	}

	// Groups stay as they are, the heaviest first.
	useOrder(order) {
		if (this.order === order)
			return;
		this.order = order;
		for (let node = 1; node < this.n; node++)
			if (this.first[node] > 0)
				this.inOrder(node, this.kids(node));
	}

	make(node) {
		const { merged: { end, func }, source } = this, group = this.group[node], kids = [];
		const total = source.totalOf(group), { self } = source, at = this.place[node];
		for (let i = at + 1; i < end[at]; i = end[i]) {
			if (!total[i])
				continue;
			const kid = this.add(node, func[i], total[i], self[i]);
			this.group[kid] = group;
			this.place[kid] = i;
			kids.push(kid);
		}
		this.inOrder(node, kids);
	}

	// Nodes are numbered in order of their names.
	inOrder(node, kids) {
		kids.sort((a, b) => (this.order === "weight" ? this.total[b] - this.total[a] : 0) || a - b);
		this.chain(node, kids);
	}
}
