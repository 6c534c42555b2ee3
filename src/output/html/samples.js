// Which samples are chosen, and what they weigh by the node as recorded that they end in.

function lowerBound(a, lo, hi, x) {
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

// Runs f(lo, hi, thread) over the samples chosen: { range, threads: Set, or null for all }.
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

// Numbers for `n` things, all 0: the room of `old` again, if it fits. While a range is dragged, arrays
// made anew for every frame would pile up faster than they are collected.
export function zeros(n, old, Type = Float64Array) {
	return old instanceof Type && old.length === n ? old.fill(0) : new Type(n);
}

// The same numbers with as much room again behind them.
export function longer(a) {
	const b = new a.constructor(2 * a.length);
	b.set(a);
	return b;
}

// Adds those of the samples [lo, hi) that are of the event to `sums` by node: each once, or its value
// in `periods`. sign: -1 takes them away.
export function addSamples({ stack, event: events }, event, periods, sums, lo, hi, sign = 1) {
	if (!events && !periods) {
		for (let i = lo; i < hi; i++)
			sums[stack[i]] += sign;
		return;
	}
	for (let i = lo; i < hi; i++)
		if (!events || events[i] === event)
			sums[stack[i]] += periods ? sign * periods[i] : sign;
}

// Sums over the samples chosen, by node as recorded. From choice to choice only those samples are gone
// through that are in one of them and not in the other, where these are fewer.
export class Tally {
	constructor(profile) {
		const nodes = profile.nodeFunc.length, threads = profile.threads.length;
		Object.assign(this, { profile, event: -1, count: new Int32Array(nodes), weight: null,
			runs: new Int32Array(2 * threads), next: new Int32Array(2 * threads) });
	}

	// By node: the weight of the samples chosen, which is their number where they weigh 1.
	get weights() {
		return this.weight ?? this.count;
	}

	// choice: { event, range, threads }
	choose(choice) {
		const { profile, next } = this;
		next.fill(0);
		forRuns(profile, choice, (lo, hi, t) => {
			next[2 * t.id] = lo;
			next[2 * t.id + 1] = hi;
		});
		if (choice.event !== this.event || this.isFar())
			this.clear(choice.event);
		for (let k = 0; k < next.length; k += 2)
			this.move(this.runs[k], this.runs[k + 1], next[k], next[k + 1]);
		[this.runs, this.next] = [next, this.runs];
	}

	// Whether to change the sums takes longer than to add them up anew.
	isFar() {
		const { runs, next } = this;
		let wanted = 0, changed = 0;
		for (let k = 0; k < next.length; k += 2) {
			const both = Math.min(runs[k + 1], next[k + 1]) - Math.max(runs[k], next[k]);
			wanted += next[k + 1] - next[k];
			changed += runs[k + 1] - runs[k] + next[k + 1] - next[k] - 2 * Math.max(0, both);
		}
		return changed > wanted;
	}

	clear(event) {
		this.event = event;
		this.count.fill(0);
		this.weight = isByPeriod(this.profile, event) ? zeros(this.count.length, this.weight) : null;
		this.runs.fill(0);
	}

	// From the samples [a, b) of a thread to [lo, hi).
	move(a, b, lo, hi) {
		if (lo >= b || hi <= a) {
			this.add(a, b, -1);
			this.add(lo, hi, 1);
			return;
		}
		this.add(Math.min(a, lo), Math.max(a, lo), lo < a ? 1 : -1);
		this.add(Math.min(b, hi), Math.max(b, hi), hi > b ? 1 : -1);
	}

	add(lo, hi, sign) {
		const { profile, event, count, weight } = this;
		if (lo === hi)
			return;
		addSamples(profile, event, null, count, lo, hi, sign);
		if (weight)
			addSamples(profile, event, profile.period, weight, lo, hi, sign);
	}
}
