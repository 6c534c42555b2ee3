// What the reader chose, kept in the address: it can be shared, and the back button works.

const defaults = {
	view: "flame", // flame, chart, table
	direction: "down", // down, up
	flip: false, // root at the bottom
	order: "name", // name, weight: of the frames beside each other
	by: "none",
	event: 0,
	colors: "origin",
	range: null, // [from, to] in ticks
	threads: null, // Set of thread numbers
	zoom: [], // functions from the root in
	search: "",
	func: -1, // in the panel
	sandwich: false, // the panel's pictures in the room of the view
	operations: [], // [{ op, func }]
	normalize: true,
	sort: "self",
};

const integers = (text, sep) => text.split(sep).map(Number).filter(Number.isInteger);

// Each key of the address: how a value is written and read.
const codecs = {
	view: ["v", String, String],
	direction: ["d", String, String],
	flip: ["f", v => v ? "1" : "0", t => t === "1"],
	order: ["o", String, String],
	by: ["by", String, String],
	event: ["e", String, Number],
	colors: ["c", String, String],
	range: ["t", r => r ? r.map(x => Math.round(x)).join("-") : "",
		t => t ? integers(t, "-").slice(0, 2) : null],
	threads: ["th", s => s ? [...s].join(".") : "", t => t ? new Set(integers(t, ".")) : null],
	zoom: ["z", z => z.join("."), t => t ? integers(t, ".") : []],
	search: ["q", String, String],
	func: ["fn", String, Number],
	sandwich: ["sw", v => v ? "1" : "0", t => t === "1"],
	operations: ["op", o => o.map(x => `${x.op}:${x.func}`).join("."),
		t => t ? t.split(".").map(x => x.split(":")).map(([op, f]) => ({ op, func: Number(f) })) : []],
	normalize: ["n", v => v ? "1" : "0", t => t === "1"],
	sort: ["s", String, String],
};

// Only what there is: addresses are written by people, too.
function checked(state, profile, known) {
	const s = { ...state };
	for (const key of ["view", "direction", "order", "by", "colors", "sort"])
		if (!known[key].includes(s[key]))
			s[key] = profile.defaults[key];
	const isFunc = f => Number.isInteger(f) && f > 0 && f < profile.names.length;
	if (!profile.meta.events[s.event])
		s.event = profile.meta.event;
	if (s.range && !(s.range.length === 2 && s.range[0] < s.range[1] && s.range[0] < profile.end))
		s.range = null;
	if (s.threads) {
		s.threads = new Set([...s.threads].filter(t => profile.threads[t]));
		if (!s.threads.size)
			s.threads = null;
	}
	if (!profile.hasTime) {
		s.range = null;
		if (s.view === "chart")
			s.view = "flame";
	}
	if (!isFunc(s.func))
		s.func = -1;
	s.sandwich &&= s.func >= 0;
	s.operations = s.operations.filter(o => isFunc(o.func) && known.operations.includes(o.op));
	return s;
}

// Another view, or no function, ends the sandwich.
export function changed(state, part) {
	const ends = part.view || part.func < 0;
	return { ...state, ...(ends && { sandwich: false }), ...part };
}

export class State {
	constructor(profile, known) {
		this.profile = profile;
		this.known = known;
		this.defaults = { ...defaults, ...profile.defaults };
	}

	read() {
		const s = { ...this.defaults }, parameters = new URLSearchParams(location.hash.slice(1));
		for (const [key, [short, , read]] of Object.entries(codecs))
			if (parameters.has(short))
				s[key] = read(parameters.get(short));
		return checked(s, this.profile, this.known);
	}

	// `keep`: a new step for the back button.
	write(state, keep) {
		const parameters = new URLSearchParams();
		for (const [key, [short, write]] of Object.entries(codecs))
			if (write(state[key]) !== write(this.defaults[key]))
				parameters.set(short, write(state[key]));
		const text = parameters.toString();
		if (text === location.hash.slice(1))
			return;
		history[keep ? "pushState" : "replaceState"](null, "", text ? `#${text}` : location.pathname +
			location.search);
	}
}
