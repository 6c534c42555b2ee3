// What flame graphs draw. A tree has arrays by node: parent, depth, func (negative: group -1-func),
// total, self, count (samples below), start (left edge, in weight), second (part of B; or null), and
// kids(node), the children from left to right. Node 0 is the root.

import { lowerBound, zeros } from "./select.js";

// Stacks from their outermost frame in, all in memory.
export class TopTree {
	// old: a tree of before, which ends to be one
	constructor(merged, sums, old) {
		const alike = sums.count === sums.self, copy = (a, room) => {
			const b = zeros(a.length, room);
			b.set(a);
			return b;
		};
		Object.assign(this, { n: merged.n, parent: merged.parent, end: merged.end, groups: [],
			depth: merged.depth, func: merged.func, self: sums.self, selfCount: sums.count,
			selfSecond: sums.second, sorted: null });
		this.total = copy(sums.self, old?.total);
		this.count = alike ? this.total : copy(sums.count, old?.count === old?.total ? null : old?.count);
		this.second = sums.second && copy(sums.second, old?.second);
		this.start = zeros(this.n, old?.start);
		this.edge = zeros(this.n, old?.edge);
		this.add();
	}

	add() {
		const { n, parent, total, count, second } = this;
		for (let i = n - 1; i > 0; i--) {
			total[parent[i]] += total[i];
			if (count !== total)
				count[parent[i]] += count[i];
			if (second)
				second[parent[i]] += second[i];
		}
		this.placeByName();
		this.maxDepth = 0;
		for (let i = 1; i < n; i++)
			if (total[i] && this.depth[i] > this.maxDepth)
				this.maxDepth = this.depth[i];
	}

	placeByName() {
		const { n, parent, total, start } = this, edge = this.edge.fill(0);
		for (let i = 1; i < n; i++) {
			start[i] = edge[i] = edge[parent[i]];
			edge[parent[i]] += total[i];
		}
	}

	// By name or, if asked for, the heaviest first: left edges are then found on the way down.
	useOrder(order) {
		this.sorted = order === "weight" ? new Map() : null;
		if (!this.sorted)
			this.placeByName();
	}

	kids(node) {
		const known = this.sorted?.get(node);
		if (known)
			return known;
		const kids = [];
		for (let i = node + 1; i < this.end[node]; i = this.end[i])
			if (this.total[i])
				kids.push(i);
		if (!this.sorted)
			return kids;
		kids.sort((a, b) => this.total[b] - this.total[a] || a - b);
		let edge = this.start[node];
		for (const kid of kids) {
			this.start[kid] = edge;
			edge += this.total[kid];
		}
		this.sorted.set(node, kids);
		return kids;
	}
}

// Children are made when they are first looked at. `up`: a node's children are its callers; else
// what it calls.
export class LazyTree {
	constructor(merged, top, up) {
		Object.assign(this, { merged, top, up, groups: [], parent: [0], depth: [0], func: [0],
			total: [0], self: [0], start: [0], count: null, second: top.second ? [0] : null,
			entries: [null], made: [null], maxDepth: 0 });
	}

	add(parent, func, entry) {
		const node = this.parent.length;
		this.parent.push(parent);
		this.depth.push(this.depth[parent] + 1);
		this.func.push(func);
		this.total.push(entry.total);
		this.self.push(entry.self);
		this.start.push(0);
		this.second?.push(entry.second);
		this.entries.push(entry);
		this.made.push(null);
		this.maxDepth = Math.max(this.maxDepth, this.depth[node]);
		return node;
	}

	// Entries: places in the merged tree, with the weight that came through each.
	setRoot(nodes, weights, seconds, ownTotal) {
		this.total[0] = ownTotal ?? weights.reduce((a, b) => a + b, 0);
		if (this.second)
			this.second[0] = seconds ? seconds.reduce((a, b) => a + b, 0) : 0;
		this.entries[0] = { nodes, weights, seconds, self: 0 };
	}

	kids(node) {
		if (this.made[node])
			return this.made[node];
		const entry = this.entries[node];
		const found = this.up ? this.callers(entry, node) : this.callees(entry);
		const kids = [...found].map(([func, e]) => this.add(node, func, e));
		kids.sort((a, b) => this.total[b] - this.total[a] || this.func[a] - this.func[b]);
		let edge = this.start[node];
		for (const kid of kids) {
			this.start[kid] = edge;
			edge += this.total[kid];
		}
		this.entries[node] = null;
		return this.made[node] = kids;
	}

	// At the root the places themselves are the children; below, the frames around them.
	callers(entry, node) {
		const { func, parent } = this.merged, found = new Map();
		for (let k = 0; k < entry.nodes.length; k++) {
			const at = node ? parent[entry.nodes[k]] : entry.nodes[k];
			if (!at && node)
				continue;
			const weight = entry.weights[k], second = entry.seconds ? entry.seconds[k] : 0;
			const self = parent[at] ? 0 : weight, e = found.get(func[at]);
			if (!e) { // most have one place only: lists of one take least room
				found.set(func[at], { nodes: [at], weights: [weight], total: weight, self, second,
					seconds: entry.seconds && [second] });
				continue;
			}
			e.nodes.push(at);
			e.weights.push(weight);
			e.seconds?.push(second);
			e.total += weight;
			e.self += self;
			e.second += second;
		}
		return found;
	}

	callees(entry) {
		const { func, end } = this.merged, { total, self, second } = this.top, found = new Map();
		for (const from of entry.nodes) {
			for (let i = from + 1; i < end[from]; i = end[i]) {
				if (!total[i])
					continue;
				const e = found.get(func[i]), more = second ? second[i] : 0;
				if (!e) {
					found.set(func[i], { nodes: [i], total: total[i], self: self[i], second: more });
					continue;
				}
				e.nodes.push(i);
				e.total += total[i];
				e.self += self[i];
				e.second += more;
			}
		}
		return found;
	}
}

// Stacks from their outermost frame in, below a node for each group. What a group has is put together
// when it is first looked into: nodes of the merged tree, ascending, with their totals.
export class GroupTree extends LazyTree {
	constructor(merged, sums) {
		super(merged, {}, false);
		this.groups = sums.groups.map(g => g.name);
		this.lists = sums.groups.map(() => null);
		this.sources = sums.groups;
		this.sorted = false;
		this.total[0] = sums.groups.reduce((sum, g) => sum + g.weight, 0);
		let edge = 0;
		this.made[0] = sums.groups.map((g, k) => {
			const node = super.add(0, -1 - k, { total: g.weight, self: 0, group: k, at: 0 });
			this.start[node] = edge;
			edge += g.weight;
			return node;
		});
	}

	useOrder(order) {
		if (this.sorted === (order === "weight"))
			return;
		this.sorted = order === "weight";
		this.made.forEach((kids, node) => kids && node && this.place(node, kids));
	}

	listOf(group) {
		if (this.lists[group])
			return this.lists[group];
		const { nodes: leaves, weights } = this.sources[group], { n, parent } = this.merged;
		this.number ??= new Int32Array(n);
		this.found ??= new Int32Array(n);
		const number = this.number.fill(-1), found = this.found;
		let count = 1;
		number[0] = 0;
		for (const leaf of leaves)
			for (let i = leaf; number[i] < 0; i = parent[i]) {
				number[i] = 0;
				found[count++] = i;
			}
		const nodes = found.slice(0, count).sort(), total = new Float64Array(nodes.length);
		nodes.forEach((i, k) => {
			number[i] = k;
		});
		leaves.forEach((i, k) => {
			total[number[i]] += weights[k];
		});
		for (let k = nodes.length - 1; k > 0; k--)
			total[number[parent[nodes[k]]]] += total[k];
		return this.lists[group] = { nodes, total };
	}

	kids(node) {
		if (this.made[node])
			return this.made[node];
		const { group, at } = this.entries[node], { nodes, total } = this.listOf(group);
		const { end, func } = this.merged, kids = [], last = end[nodes[at]];
		const after = k => lowerBound(nodes, k, nodes.length, end[nodes[k]]);
		for (let k = at + 1; k < nodes.length && nodes[k] < last; k = after(k)) {
			let self = total[k];
			for (let c = k + 1; c < nodes.length && nodes[c] < end[nodes[k]]; c = after(c))
				self -= total[c];
			kids.push(super.add(node, func[nodes[k]], { total: total[k], self, group, at: k }));
		}
		this.entries[node] = null;
		return this.made[node] = this.place(node, kids);
	}

	// Nodes are numbered in order of their names.
	place(node, kids) {
		kids.sort((a, b) => (this.sorted ? this.total[b] - this.total[a] : 0) || a - b);
		let edge = this.start[node];
		for (const kid of kids) {
			this.start[kid] = edge;
			edge += this.total[kid];
		}
		return kids;
	}
}

// Bottom-up: the functions that ran, below each its callers. `whole` is the merged TopTree.
export function invertedTree(merged, whole, sums) {
	const tree = new LazyTree(merged, whole, true);
	if (!sums.groups) {
		const nodes = [], weights = [], seconds = sums.second && [];
		for (let i = 1; i < merged.n; i++) {
			if (!sums.self[i])
				continue;
			nodes.push(i);
			weights.push(sums.self[i]);
			seconds?.push(sums.second[i]);
		}
		tree.setRoot(nodes, weights, seconds, whole.total[0]);
		return tree;
	}
	tree.groups = sums.groups.map(g => g.name);
	tree.setRoot([], [], null, whole.total[0]);
	let edge = 0;
	tree.made[0] = sums.groups.map((g, k) => {
		const node = tree.add(0, -1 - k, { total: g.weight, self: 0 });
		const list = { nodes: g.nodes, weights: g.weights, seconds: null };
		const kids = [...tree.callers(list, 0)].map(([func, e]) => tree.add(node, func, e));
		kids.sort((a, b) => tree.total[b] - tree.total[a] || tree.func[a] - tree.func[b]);
		tree.start[node] = edge;
		for (let at = edge, i = 0; i < kids.length; at += tree.total[kids[i++]])
			tree.start[kids[i]] = at;
		edge += g.weight;
		tree.made[node] = kids;
		return node;
	});
	return tree;
}

// The places of `func` that have no other around them.
export function outermost(merged, whole, func) {
	const places = [];
	for (let i = 1, end = 0; i < merged.n; i++) {
		if (merged.func[i] !== func || i < end || !whole.total[i])
			continue;
		places.push(i);
		end = merged.end[i];
	}
	return places;
}

// What `func` calls, or who calls it; the root is the function itself.
export function functionTree(merged, whole, func, up) {
	const places = outermost(merged, whole, func);
	const tree = new LazyTree(merged, whole, up);
	const weights = places.map(i => whole.total[i]);
	tree.setRoot(places, weights, whole.second && places.map(i => whole.second[i]));
	tree.func[0] = func;
	if (up) {
		const [own] = tree.kids(0);
		tree.made[0] = own === undefined ? [] : tree.kids(own);
		for (const kid of tree.made[0]) {
			tree.parent[kid] = 0;
			tree.depth[kid] = 1;
		}
		tree.maxDepth = tree.made[0].length ? 1 : 0;
	}
	return tree;
}

// By function: self, total (once a stack), samples; arrays by number of the function. old: sums of
// before, which end to hold.
export function sumFunctions(merged, whole, functions, old) {
	const room = name => zeros(functions, old?.alike ? null : old?.[name]);
	const alike = whole.count === whole.total;
	const self = zeros(functions, old?.self), total = zeros(functions, old?.total);
	const count = alike ? total : room("count"), selfCount = alike ? self : room("selfCount");
	const second = whole.second && room("second"), selfSecond = whole.second && room("selfSecond");
	const open = new Int32Array(functions);
	for (let i = 1; i < merged.n; i++) {
		const f = merged.func[i];
		self[f] += whole.self[i];
		if (selfSecond)
			selfSecond[f] += whole.selfSecond[i];
		if (!alike)
			selfCount[f] += whole.selfCount[i];
		if (i < open[f])
			continue;
		open[f] = merged.end[i];
		total[f] += whole.total[i];
		if (!alike)
			count[f] += whole.count[i];
		if (second)
			second[f] += whole.second[i];
	}
	return { self, total, count, selfCount, second, selfSecond, alike };
}

// The weight of stacks with a function that matches, each once.
export function sumMatches(merged, whole, matches) {
	let sum = 0;
	for (let i = 1; i < merged.n;) {
		if (matches[merged.func[i]]) {
			sum += whole.total[i];
			i = merged.end[i];
		} else {
			i++;
		}
	}
	return sum;
}
