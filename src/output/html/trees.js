// What flame graphs draw. A tree has arrays by node: parent, depth, func (negative: group -1-func),
// total, self, count (samples below), start (left edge, in weight), second (part of B; or null), and
// kids(node), the children from left to right. Node 0 is the root.

// Stacks from their outermost frame in, all in memory.
export class TopTree {
	constructor(merged, sums) {
		this.groups = sums.groups?.map(g => g.name) ?? [];
		if (sums.groups)
			this.buildGroups(merged, sums.groups);
		else
			this.buildMerged(merged, sums);
		this.add();
	}

	buildMerged(merged, sums) {
		Object.assign(this, { n: merged.n, parent: merged.parent, end: merged.end,
			depth: merged.depth, func: merged.func, self: sums.self });
		this.total = sums.self.slice();
		this.selfCount = sums.count;
		this.count = sums.count.slice();
		this.selfSecond = sums.second;
		this.second = sums.second?.slice() ?? null;
	}

	// Of each group only the nodes that it has: marks the ways up, then copies them in order.
	buildGroups(merged, groups) {
		const parent = [0], func = [0], self = [0], depth = [0];
		const seen = new Int32Array(merged.n).fill(-1), number = new Int32Array(merged.n);
		groups.forEach((group, g) => {
			const top = parent.length, nodes = [];
			group.nodes.forEach(leaf => {
				for (let i = leaf; i && seen[i] !== g; i = merged.parent[i]) {
					seen[i] = g;
					nodes.push(i);
				}
			});
			nodes.sort((a, b) => a - b);
			parent.push(0);
			func.push(-1 - g);
			self.push(0);
			depth.push(1);
			number[0] = top;
			for (const i of nodes) {
				number[i] = parent.length;
				parent.push(number[merged.parent[i]]);
				func.push(merged.func[i]);
				depth.push(merged.depth[i] + 1);
				self.push(0);
			}
			group.nodes.forEach((leaf, k) => {
				self[number[leaf]] += group.weights[k];
			});
		});
		this.n = parent.length;
		this.parent = Int32Array.from(parent);
		this.func = Int32Array.from(func);
		this.depth = Int32Array.from(depth);
		this.self = Float64Array.from(self);
		this.total = this.self.slice();
		this.count = null;
		this.second = null;
		this.end = new Int32Array(this.n);
		for (let i = this.n - 1; i >= 0; i--) {
			this.end[i] = Math.max(this.end[i], i + 1);
			this.end[this.parent[i]] = Math.max(this.end[this.parent[i]], this.end[i]);
		}
	}

	add() {
		const { n, parent, total, count, second } = this;
		this.start = new Float64Array(n);
		this.sorted = null;
		for (let i = n - 1; i > 0; i--) {
			total[parent[i]] += total[i];
			if (count)
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
		const { n, parent, total, start } = this, edge = new Float64Array(n);
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

	child(found, func) {
		let e = found.get(func);
		if (!e)
			found.set(func, e = { nodes: [], weights: [], seconds: this.second && [],
				total: 0, self: 0, second: 0 });
		return e;
	}

	// At the root the places themselves are the children; below, the frames around them.
	callers(entry, node) {
		const { func, parent } = this.merged, found = new Map();
		for (let k = 0; k < entry.nodes.length; k++) {
			const at = node ? parent[entry.nodes[k]] : entry.nodes[k];
			if (!at && node)
				continue;
			const e = this.child(found, func[at]);
			e.nodes.push(at);
			e.weights.push(entry.weights[k]);
			e.total += entry.weights[k];
			if (!parent[at])
				e.self += entry.weights[k];
			if (entry.seconds) {
				e.seconds.push(entry.seconds[k]);
				e.second += entry.seconds[k];
			}
		}
		return found;
	}

	callees(entry) {
		const { func, end } = this.merged, { total, self, second } = this.top, found = new Map();
		for (const from of entry.nodes) {
			for (let i = from + 1; i < end[from]; i = end[i]) {
				if (!total[i])
					continue;
				const e = this.child(found, func[i]);
				e.nodes.push(i);
				e.total += total[i];
				e.self += self[i];
				e.second += second ? second[i] : 0;
			}
		}
		return found;
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

// By function: self, total (once a stack), samples; arrays by number of the function.
export function sumFunctions(merged, whole, functions) {
	const self = new Float64Array(functions), total = new Float64Array(functions);
	const count = new Float64Array(functions), selfCount = new Float64Array(functions);
	const second = whole.second && new Float64Array(functions);
	const selfSecond = whole.second && new Float64Array(functions);
	const open = new Int32Array(functions);
	for (let i = 1; i < merged.n; i++) {
		const f = merged.func[i];
		self[f] += whole.self[i];
		if (selfSecond)
			selfSecond[f] += whole.selfSecond[i];
		selfCount[f] += whole.selfCount[i];
		if (i < open[f])
			continue;
		open[f] = merged.end[i];
		total[f] += whole.total[i];
		count[f] += whole.count[i];
		if (second)
			second[f] += whole.second[i];
	}
	return { self, total, count, selfCount, second, selfSecond };
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
