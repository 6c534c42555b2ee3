// Trees that are put together as far as they are looked at: who called functions, and what they call.

import { heaviestFirst } from "./order.js";
import { longer } from "./samples.js";
import { GrownTree } from "./trees.js";

// The nodes of the merged tree by function: of function f those in list[first[f]] … list[first[f + 1]].
function placesOf(merged) {
	if (merged.places)
		return merged.places;
	const { n, func, functions } = merged, first = new Int32Array(functions + 2), list = new Int32Array(n - 1);
	for (let i = 1; i < n; i++)
		first[func[i] + 2]++;
	for (let f = 0; f <= functions; f++)
		first[f + 1] += first[f];
	for (let i = 1; i < n; i++)
		list[first[func[i] + 1]++] = i;
	return merged.places = { first, list };
}

const PLACES = 4096; // at first

// A node stands for places in the merged tree, each with the weight that came through it: a chain from
// head[node] over more[], 0 ends it. `up`: a node's children are its callers; else what it calls.
class LazyTree extends GrownTree {
	constructor(merged, whole, up, old) {
		super({ head: Int32Array, ...(whole.second && { second: Float64Array }) }, old);
		Object.assign(this, { merged, whole, up, used: 1 });
		this.place = old?.place ?? new Int32Array(PLACES);
		this.weight = old?.weight ?? new Float64Array(PLACES);
		this.more = old?.more ?? new Int32Array(PLACES);
		this.weightB = old?.weightB ?? (whole.second && new Float64Array(PLACES));
		this.kidOf = old?.kidOf ?? new Int32Array(merged.functions); // while children are made, by function
		this.head[0] = 0;
	}

	addPlace(node, place, weight, second) {
		if (this.used === this.place.length)
			for (const name of ["place", "weight", "more", ...(this.second ? ["weightB"] : [])])
				this[name] = longer(this[name]);
		const at = this.used++;
		this.place[at] = place;
		this.weight[at] = weight;
		if (this.second)
			this.weightB[at] = second;
		this.more[at] = this.head[node];
		this.head[node] = at;
	}

	// A place that belongs to a child of `node`.
	addToKid(node, place, weight, self, second) {
		const func = this.merged.func[place];
		let kid = this.kidOf[func];
		if (!kid) {
			kid = this.kidOf[func] = this.add(node, func, 0, 0);
			this.head[kid] = 0;
			if (this.second)
				this.second[kid] = 0;
		}
		this.total[kid] += weight;
		this.self[kid] += self;
		if (this.second)
			this.second[kid] += second;
		this.addPlace(kid, place, weight, second);
	}

	addCaller(node, place, weight, second) {
		const { parent } = this.merged, at = parent[place];
		if (at)
			this.addToKid(node, at, weight, parent[at] ? 0 : weight, second);
	}

	addCallees(node, from) {
		const { end } = this.merged, { total, self, second } = this.whole;
		for (let i = from + 1; i < end[from]; i = end[i])
			if (total[i])
				this.addToKid(node, i, total[i], self[i], second ? second[i] : 0);
	}

	make(node) {
		const from = this.n;
		for (let at = this.head[node]; at; at = this.more[at]) {
			if (this.up)
				this.addCaller(node, this.place[at], this.weight[at], this.second ? this.weightB[at] : 0);
			else
				this.addCallees(node, this.place[at]);
		}
		this.finish(node, from);
	}

	// The nodes from `from` on are the children of `node`: the heaviest first, else by name.
	finish(node, from) {
		const { func, total } = this, kids = [];
		for (let kid = from; kid < this.n; kid++) {
			this.kidOf[func[kid]] = 0;
			kids.push(kid);
		}
		kids.sort((a, b) => total[b] - total[a] || func[a] - func[b]);
		this.chain(node, kids);
	}
}

// What `func` calls, or who calls it; the root is the function itself: its places that have no other
// around them. old: a tree of before, which ends to be one.
export function functionTree(merged, whole, func, up, old) {
	const tree = new LazyTree(merged, whole, up, old), { first, list } = placesOf(merged);
	tree.func[0] = func;
	if (tree.second)
		tree.second[0] = 0;
	for (let k = first[func], end = 0; k < first[func + 1]; k++) {
		const place = list[k];
		if (place < end || !whole.total[place])
			continue;
		end = merged.end[place];
		tree.total[0] += whole.total[place];
		if (tree.second)
			tree.second[0] += whole.second[place];
		tree.addPlace(0, place, whole.total[place], whole.second ? whole.second[place] : 0);
	}
	tree.firstKid(0);
	return tree;
}

const MORE = -1; // in place of a next child: those that are lighter are not made yet
const SEEN = 16384; // parts of the whole: lighter functions are made when they are asked for

// Bottom-up: the functions that ran, of each group if there are some, and below each its callers.
// Those functions have no chain of places: there may be very many, of which few are looked into.
export class InvertedTree extends LazyTree {
	// old: a tree of before, which ends to be one
	constructor(merged, whole, groups, old) {
		super(merged, whole, true, old);
		Object.assign(this, { source: groups, groups: groups?.names ?? [], level: groups ? 2 : 1 });
		this.total[0] = whole.total[0];
		if (this.second)
			this.second[0] = whole.second[0];
		this.ran = old?.ran ?? new Float64Array(merged.functions); // weights by function, of one node
		this.order = old?.order ?? new Int32Array(merged.functions);
	}

	make(node) {
		if (this.depth[node] > this.level)
			super.make(node);
		else if (this.depth[node] === this.level)
			this.makeCallers(node);
		else if (this.source && !node)
			this.chain(0, this.source.list.map((g, k) => this.add(0, -1 - k, g.weight, 0)));
		else
			this.makeFunctions(node);
	}

	nextKid(kid) {
		if (this.next[kid] === MORE) {
			const up = this.parent[kid];
			this.weigh(up);
			this.chain(up, this.functionsOf(up, 0, this.total[kid]), kid);
		}
		return this.next[kid];
	}

	tapers(kid) {
		return this.depth[kid] === this.level;
	}

	groupOf(node) {
		return -1 - this.func[this.depth[node] === 1 ? node : this.parent[node]];
	}

	// By node of the merged tree: the weight that ended there, in the group of `node`.
	selfAt(node) {
		return this.source ? this.source.selfOf(this.groupOf(node)) : this.whole.self;
	}

	// Finds what ran in `node`, by function; returns the greatest weight.
	weigh(node) {
		const { source, whole: { self }, merged: { n, func, map } } = this, ran = this.ran.fill(0);
		const recorded = source?.recordedOf(this.groupOf(node));
		for (let i = 0; source && i < map.length; i++)
			if (recorded[i] && map[i] >= 0)
				ran[func[map[i]]] += recorded[i];
		for (let i = 0; !source && i < n; i++)
			if (self[i])
				ran[func[i]] += self[i];
		let greatest = 0;
		for (let f = 1; f < ran.length; f++)
			greatest = Math.max(greatest, ran[f]);
		return greatest;
	}

	// Makes nodes of functions found that weigh `least` or more, but less than `most`; the heaviest first.
	functionsOf(node, least, most) {
		const { ran, order } = this, from = this.n;
		for (let f = 1; f < ran.length; f++)
			if (ran[f] && ran[f] >= least && ran[f] < most)
				order[this.n - from] = this.addFunction(node, f, ran[f]);
		return heaviestFirst(order.subarray(0, this.n - from), this.total);
	}

	addFunction(node, func, total) {
		const { merged: { parent }, whole: { selfSecond } } = this, { first, list } = placesOf(this.merged);
		const kid = this.add(node, func, total, 0);
		if (this.second)
			this.second[kid] = 0;
		for (let k = first[func]; k < first[func + 1]; k++) {
			if (!parent[list[k]])
				this.self[kid] += this.selfAt(node)[list[k]];
			if (this.second)
				this.second[kid] += selfSecond[list[k]];
		}
		return kid;
	}

	makeFunctions(node) {
		const least = Math.min(this.weigh(node), this.total[0] / SEEN), kids = this.functionsOf(node, least, Infinity);
		this.chain(node, kids);
		if (kids.length && this.ran.some((w, f) => f && w && w < least))
			this.next[kids.at(-1)] = MORE;
	}

	makeCallers(node) {
		const { first, list } = placesOf(this.merged), self = this.selfAt(node), from = this.n;
		const func = this.func[node], seconds = this.whole.selfSecond;
		for (let k = first[func]; k < first[func + 1]; k++)
			if (self[list[k]])
				this.addCaller(node, list[k], self[list[k]], seconds ? seconds[list[k]] : 0);
		this.finish(node, from);
	}
}
