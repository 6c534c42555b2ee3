// What flame graphs draw. A tree has arrays by node: parent, depth, func (negative: group -1-func),
// total, self, count (samples below; or null), start (left edge, in weight), second (part of B; or
// null). Node 0 is the root. Children are a chain, from left to right: firstKid(node), nextKid(kid), 0.

import { longer, zeros } from "./samples.js";

export class Tree {
	firstKid(node) {
		if (this.first[node] < 0)
			this.make(node);
		return this.first[node];
	}

	nextKid(kid) {
		return this.next[kid];
	}

	kids(node) {
		const list = [];
		for (let kid = this.firstKid(node); kid; kid = this.nextKid(kid))
			list.push(kid);
		return list;
	}

	// Whether what is right of `kid`, within its parent, is narrower and leaves no gap.
	tapers() {
		return false;
	}

	// Makes `kids` the children of `node`, or, behind `before`, the rest of them.
	chain(node, kids, before = 0) {
		let edge = before ? this.start[before] + this.total[before] : this.start[node];
		if (!before)
			this.first[node] = kids.length ? kids[0] : 0;
		for (let k = 0; k < kids.length; k++) {
			const kid = kids[k];
			this.start[kid] = edge;
			edge += this.total[kid];
			if (before)
				this.next[before] = kid;
			before = kid;
		}
		if (before)
			this.next[before] = 0;
	}
}

function copied(a, room) {
	const b = zeros(a.length, room);
	b.set(a);
	return b;
}

// Stacks from their outermost frame in, all in memory.
export class TopTree extends Tree {
	// old: a tree of before, which ends to be one
	constructor(merged, sums, old) {
		super();
		const alike = sums.count === sums.self;
		Object.assign(this, { n: merged.n, parent: merged.parent, end: merged.end, groups: [],
			depth: merged.depth, func: merged.func, self: sums.self, selfCount: sums.count,
			selfSecond: sums.second, order: null, maxDepth: 0 });
		this.total = copied(sums.self, old?.total);
		this.count = alike ? this.total : copied(sums.count, old?.count === old?.total ? null : old?.count);
		this.second = sums.second && copied(sums.second, old?.second);
		this.start = old?.start ?? null;
		this.first = old?.first ?? null;
		this.next = old?.next ?? null;
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
	}

	// By name or the heaviest first; before that no frame has a place.
	useOrder(order) {
		if (this.order === order)
			return;
		this.order = order;
		this.start = zeros(this.n, this.start);
		this.findDepth();
		if (order === "name") {
			this.placeByName();
			return;
		}
		this.first = zeros(this.n, this.first, Int32Array).fill(-1);
		this.next = zeros(this.n, this.next, Int32Array);
	}

	findDepth() {
		const { n, end, total, depth } = this;
		for (let i = 1; i < n; i = total[i] ? i + 1 : end[i])
			if (total[i] && depth[i] > this.maxDepth)
				this.maxDepth = depth[i];
	}

	placeByName() {
		const { n, end, parent, total, start } = this;
		for (let i = 1; i < n; i = total[i] ? i + 1 : end[i]) {
			if (i === parent[i] + 1)
				start[i] = start[parent[i]];
			if (end[i] < n && parent[end[i]] === parent[i])
				start[end[i]] = start[i] + total[i];
		}
	}

	firstKid(node) {
		return this.order === "name" ? this.used(node + 1, this.end[node]) : super.firstKid(node);
	}

	nextKid(kid) {
		return this.order === "name" ? this.used(this.end[kid], this.end[this.parent[kid]]) : this.next[kid];
	}

	// The first of siblings in [from, end) that has weight.
	used(from, end) {
		while (from < end && !this.total[from])
			from = this.end[from];
		return from < end ? from : 0;
	}

	// The heaviest first: left edges are found on the way down.
	make(node) {
		const kids = [], last = this.end[node];
		for (let kid = this.used(node + 1, last); kid; kid = this.used(this.end[kid], last))
			kids.push(kid);
		kids.sort((a, b) => this.total[b] - this.total[a] || a - b);
		this.chain(node, kids);
	}
}

const NODE = { parent: Int32Array, depth: Int32Array, func: Int32Array, first: Int32Array,
	next: Int32Array, total: Float64Array, self: Float64Array, start: Float64Array };
const ROOM = 4096; // nodes at first

// Nodes are made when they are first looked at: make(node) adds the children of one.
export class GrownTree extends Tree {
	// columns: more arrays by node; old: a tree of before, which ends to be one: its room is taken over
	constructor(columns, old) {
		super();
		const room = old ? old.parent.length : ROOM, all = Object.entries({ ...NODE, ...columns });
		Object.assign(this, { groups: [], count: null, second: null, n: 0, maxDepth: 0 });
		this.columns = all.map(([name]) => name);
		for (const [name, Type] of all)
			this[name] = old?.[name] ?? new Type(room);
		this.add(0, 0, 0, 0);
		this.depth[0] = this.start[0] = this.maxDepth = 0;
	}

	add(parent, func, total, self) {
		const node = this.n++;
		if (node === this.parent.length)
			for (const name of this.columns)
				this[name] = longer(this[name]);
		this.parent[node] = parent;
		this.depth[node] = this.depth[parent] + 1;
		this.func[node] = func;
		this.total[node] = total;
		this.self[node] = self;
		this.first[node] = -1;
		if (this.depth[node] > this.maxDepth)
			this.maxDepth = this.depth[node];
		return node;
	}
}

// By function: self, total (once a stack), samples; arrays by number of the function. old: sums of
// before, which end to hold.
export function sumFunctions(merged, whole, functions, old) {
	const room = name => zeros(functions, old?.alike ? null : old?.[name]);
	const alike = whole.count === whole.total;
	const self = zeros(functions, old?.self), total = zeros(functions, old?.total);
	const count = alike ? total : room("count"), selfCount = alike ? self : room("selfCount");
	const second = whole.second && room("second"), selfSecond = whole.second && room("selfSecond");
	const open = zeros(functions, old?.open, Int32Array);
	for (let i = 1; i < merged.n; i++) {
		if (!whole.total[i] && !whole.count[i]) {
			i = merged.end[i] - 1;
			continue;
		}
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
	return { self, total, count, selfCount, second, selfSecond, alike, open };
}

// The weight of stacks with a function that matches, each once.
export function sumMatches(merged, whole, matches) {
	let sum = 0;
	for (let i = 1; i < merged.n;) {
		const found = matches[merged.func[i]];
		if (found)
			sum += whole.total[i];
		i = found || !whole.total[i] ? merged.end[i] : i + 1;
	}
	return sum;
}
