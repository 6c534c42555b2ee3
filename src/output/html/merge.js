// The tree as recorded → the tree as looked at: lines of a function are one, and what the reader
// chose to hide, focus on, merge or collapse has been done. `map` leads from the one to the other
// (`isSame`: each node to itself); where it is -1 (`drops`: there are such), samples are left out.

export const operations = {
	focus: { label: "Focus", help: "Keep only stacks that run through it" },
	hide: { label: "Hide", help: "Leave out every stack that runs through it" },
	merge: { label: "Merge into caller", help: "Take it out of the stacks; its time goes to its caller" },
	collapse: { label: "Collapse recursion", help: "Its calls of itself, through others too, become one" },
};

// Finds or makes the child of `parent` with `func`: open addressing over the nodes made so far.
class Children {
	constructor(capacity) {
		let size = 64;
		while (size < 2 * capacity)
			size *= 2;
		this.slots = new Int32Array(size).fill(-1);
		this.func = new Int32Array(capacity);
		this.parent = new Int32Array(capacity);
		this.n = 1;
	}

	get(parent, func) {
		const mask = this.slots.length - 1;
		let hash = Math.imul(parent, 0x9e3779b1) ^ Math.imul(func + 1, 0x85ebca6b);
		hash ^= hash >>> 15;
		for (let at = hash & mask; ; at = (at + 1) & mask) {
			const node = this.slots[at];
			if (node < 0) {
				this.slots[at] = this.n;
				this.parent[this.n] = parent;
				this.func[this.n] = func;
				return this.n++;
			}
			if (this.parent[node] === parent && this.func[node] === func)
				return node;
		}
	}
}

// Order of indexes 1… by key, stable.
function sortedBy(order, key, keys) {
	const at = new Int32Array(keys + 1);
	for (const i of order)
		at[key[i] + 1]++;
	for (let k = 0; k < keys; k++)
		at[k + 1] += at[k];
	const sorted = new Int32Array(order.length);
	for (const i of order)
		sorted[at[key[i]]++] = i;
	return sorted;
}

// Numbers nodes depth first, siblings by function (functions are numbered by name).
function depthFirst(made, funcs) {
	const n = made.n;
	let order = Int32Array.from({ length: n - 1 }, (_, i) => i + 1);
	order = sortedBy(sortedBy(order, made.func, funcs), made.parent, n);
	const first = new Int32Array(n).fill(-1), next = new Int32Array(n).fill(-1);
	for (let k = order.length - 1; k >= 0; k--) {
		const i = order[k];
		next[i] = first[made.parent[i]];
		first[made.parent[i]] = i;
	}
	const number = new Int32Array(n), end = new Int32Array(n);
	let count = 0, at = 0;
	for (;;) {
		number[at] = count++;
		if (first[at] >= 0) {
			at = first[at];
			continue;
		}
		while (at && next[at] < 0) {
			end[number[at]] = count;
			at = made.parent[at];
		}
		end[number[at]] = count;
		if (!at)
			break;
		at = next[at];
	}
	return { number, end };
}

// For `func`: which nodes have it in their stack.
function through(profile, func) {
	const { nodeFunc, nodeParent } = profile;
	const has = new Uint8Array(nodeFunc.length);
	for (let i = 1; i < has.length; i++)
		has[i] = nodeFunc[i] === func || has[nodeParent[i]] ? 1 : 0;
	return has;
}

function droppedBy(profile, list) {
	const dropped = new Uint8Array(profile.nodeFunc.length);
	for (const { op, func } of list) {
		if (op !== "hide" && op !== "focus")
			continue;
		const has = through(profile, func), drop = op === "hide" ? 1 : 0;
		for (let i = 0; i < has.length; i++)
			if (has[i] === drop)
				dropped[i] = 1;
	}
	return dropped;
}

// Nothing to merge: the nodes come as they are wanted.
function sameTree({ nodeFunc, nodeParent, nodeDepth, names }) {
	const n = nodeFunc.length, end = new Int32Array(n);
	for (let i = n - 1; i >= 0; i--) {
		end[i] = Math.max(end[i], i + 1);
		end[nodeParent[i]] = Math.max(end[nodeParent[i]], end[i]);
	}
	const map = Int32Array.from({ length: n }, (_, i) => i);
	return { n, func: nodeFunc, parent: nodeParent, end, depth: nodeDepth, map, isSame: true, drops: false,
		functions: names.length };
}

export function mergeTree(profile, list) {
	const { nodeFunc, nodeParent } = profile;
	const n = nodeFunc.length;
	if (!list.length && !profile.nodePlace)
		return sameTree(profile);
	const dropped = droppedBy(profile, list);
	const merged = new Set(list.filter(o => o.op === "merge").map(o => o.func));
	const collapsed = list.filter(o => o.op === "collapse").map(o => o.func);
	const outer = new Map(collapsed.map(f => [f, new Int32Array(n).fill(-1)]));
	const made = new Children(n);
	const place = new Int32Array(n);
	for (let i = 1; i < n; i++) {
		const func = nodeFunc[i], up = nodeParent[i], own = outer.get(func);
		if (merged.has(func))
			place[i] = place[up];
		else if (own && own[up] >= 0)
			place[i] = own[up];
		else
			place[i] = made.get(place[up], func);
		for (const [f, at] of outer)
			at[i] = f === func ? place[i] : at[up];
	}
	const { number, end } = depthFirst(made, profile.names.length);
	const map = new Int32Array(n), func = new Int32Array(made.n), parent = new Int32Array(made.n);
	const depth = new Int32Array(made.n);
	for (let i = 0; i < n; i++)
		map[i] = dropped[i] ? -1 : number[place[i]];
	for (let i = 1; i < made.n; i++) {
		func[number[i]] = made.func[i];
		parent[number[i]] = number[made.parent[i]];
	}
	for (let i = 1; i < made.n; i++)
		depth[i] = depth[parent[i]] + 1;
	return { n: made.n, func, parent, end, depth, map, isSame: false, drops: dropped.includes(1),
		functions: profile.names.length };
}
