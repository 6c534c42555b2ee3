// The samples chosen by process, thread, thread name or CPU: what each group weighs, and the tree of
// stacks below a node for each group. Weights of nodes are those of one group at a time, in arrays
// that serve all: one for each would be many times what the samples take.

import { addSamples, forRuns, isByPeriod, zeros } from "./samples.js";
import { at } from "./select.js";
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
	// by: a key of `groupings`; old: groups of before, which end to hold
	constructor(profile, choice, merged, by, old) {
		const periods = isByPeriod(profile, choice.event) ? profile.period : null;
		Object.assign(this, { profile, choice, merged, by, periods, current: -1, ofSelf: -1, ofTotal: -1 });
		this.alike = !profile.event && !periods && !merged.drops; // every sample counts, as 1
		this.Sums = periods ? Float64Array : Int32Array;
		this.recorded = zeros(profile.nodeFunc.length, old?.recorded, this.Sums);
		this.total = zeros(merged.n, old?.total, this.Sums);
		this.self = old?.self ?? null;
		this.nodes = old?.nodes ?? null; // of samples, CPU after CPU, and
		this.weights = old?.weights ?? null; // what each weighs, if not 1
		const found = by === "cpu" ? this.byCpu() : this.byThread(groupings[by].key);
		this.list = found.filter(g => g.weight).sort((a, b) => b.weight - a.weight);
		this.names = this.list.map(g => g.name);
		this.weight = this.list.reduce((sum, g) => sum + g.weight, 0);
	}

	// Of a sample: 0 if it is another event's, or left out.
	weightOf(i) {
		const { profile: { stack, event }, merged: { map }, choice, periods } = this;
		if (map[stack[i]] < 0 || (event && event[i] !== choice.event))
			return 0;
		return periods ? periods[i] : 1;
	}

	byThread(key) {
		const { profile, choice, alike } = this, found = new Map();
		forRuns(profile, choice, (lo, hi, t) => {
			const name = key(t);
			let group = found.get(name);
			if (!group)
				found.set(name, group = { name, runs: [], weight: 0 });
			group.runs.push([lo, hi]);
			for (let i = lo; i < hi && !alike; i++)
				group.weight += this.weightOf(i);
			if (alike)
				group.weight += hi - lo;
		});
		return [...found.values()];
	}

	// Samples of a CPU are not together: their nodes are put so.
	byCpu() {
		const { profile, choice, periods, alike } = this, { stack } = profile;
		const numbers = profile.cpus ??= numberCpus(profile), { cpu } = profile;
		const counts = new Int32Array(numbers.length), weight = new Float64Array(numbers.length);
		forRuns(profile, choice, (lo, hi) => {
			for (let i = lo; i < hi; i++)
				counts[cpu[i]]++;
		});
		let end = 0;
		const next = counts.map(n => (end += n) - n), nodes = this.nodes ??= new Int32Array(stack.length);
		const weights = periods ? this.weights ??= new Float64Array(stack.length) : null;
		forRuns(profile, choice, (lo, hi) => {
			for (let i = lo; i < hi; i++) {
				const w = alike ? 1 : this.weightOf(i), at = next[cpu[i]];
				if (!w)
					continue;
				nodes[at] = stack[i];
				if (weights)
					weights[at] = w;
				weight[cpu[i]] += w;
				next[cpu[i]]++;
			}
		});
		end = 0;
		return Array.from(numbers, (number, k) => ({ name: number ? `cpu ${number - 1}` : "cpu ?",
			weight: weight[k], runs: [[(end += counts[k]) - counts[k], next[k]]] }));
	}

	// By node as recorded: the weight of the samples of group k that end in it.
	recordedOf(k) {
		const { profile, choice, periods, recorded } = this;
		if (this.current === k)
			return recorded;
		recorded.fill(0);
		for (const [lo, hi] of this.list[k].runs) {
			if (this.by === "cpu")
				addSamples({ stack: this.nodes }, 0, periods && this.weights, recorded, lo, hi);
			else
				addSamples(profile, choice.event, periods, recorded, lo, hi);
		}
		this.current = k;
		return recorded;
	}

	// The same by node of the merged tree.
	merge(recorded, sums) {
		const { map, isSame } = this.merged;
		if (isSame) {
			sums.set(recorded);
			return;
		}
		sums.fill(0);
		for (let i = 0; i < map.length; i++)
			if (recorded[i] && map[i] >= 0)
				sums[map[i]] += recorded[i];
	}

	// By node of the merged tree: the weight that ends in it. Holds until another group is asked for.
	selfOf(k) {
		if (this.ofSelf !== k) {
			this.self = zeros(this.merged.n, this.self, this.Sums);
			this.merge(this.recordedOf(k), this.self);
		}
		this.ofSelf = k;
		return this.self;
	}

	// The same with all below.
	totalOf(k) {
		const { total, merged: { n, parent } } = this;
		if (this.ofTotal === k)
			return total;
		this.merge(this.recordedOf(k), total);
		for (let i = n - 1; i > 0; i--)
			if (total[i])
				total[parent[i]] += total[i];
		this.ofTotal = k;
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
		const { merged: { end, func } } = this, group = this.group[node], at = this.place[node], kids = [];
		const total = this.source.totalOf(group);
		for (let i = at + 1; i < end[at]; i = end[i]) {
			if (!total[i])
				continue;
			let self = total[i];
			for (let k = i + 1; k < end[i]; k = end[k])
				self -= total[k];
			const kid = this.add(node, func[i], total[i], self);
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
