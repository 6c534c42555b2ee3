// Base64 of gzip of JSON and columns → typed arrays. The format is described in doc/html-data.md.

function bytesOfBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const s = atob(text);
	const bytes = new Uint8Array(s.length);
	for (let i = 0; i < s.length; i++)
		bytes[i] = s.charCodeAt(i);
	return bytes;
}

// Into one array: the last four bytes of the member say how long (RFC 1952, ISIZE).
async function gunzip(bytes) {
	const { readable, writable } = new DecompressionStream("gzip"), writer = writable.getWriter();
	const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 4, true);
	const raw = new Uint8Array(length), reader = readable.getReader();
	const read = async () => {
		for (let n = 0; ;) {
			const { done, value } = await reader.read();
			if (done)
				return;
			raw.set(value, n);
			n += value.length;
		}
	};
	await Promise.all([read(), writer.write(bytes), writer.close()]);
	return raw;
}

// LEB128; with `delta` each value is a zigzag step from the one before.
function readColumn(raw, at, delta, out) {
	let last = 0;
	for (let i = 0; i < out.length; i++) {
		let b = raw[at++], v = b & 127;
		if (b > 127) {
			b = raw[at++];
			v |= (b & 127) << 7;
			if (b > 127) {
				b = raw[at++];
				v |= (b & 127) << 14;
				for (let scale = 2 ** 21; b > 127; scale *= 128) {
					b = raw[at++];
					v += (b & 127) * scale;
				}
			}
		}
		if (delta)
			v = last += v % 2 ? -(v + 1) / 2 : v / 2;
		out[i] = v;
	}
}

const columnTypes = {
	"sample.time": Float64Array,
	"sample.period": Float64Array,
	"insn.addr": Float64Array,
	"node.self": Float64Array,
	"node.samples": Float64Array,
	"node.self_b": Float64Array,
	"node.samples_b": Float64Array,
	"func.flags": Uint8Array,
	"func.significant": Uint8Array,
	"sample.event": Uint8Array,
};

function readColumns(list, raw, at) {
	const columns = {};
	for (const [name, kind, n, length] of list) {
		columns[name] = new (columnTypes[name] ?? Int32Array)(n);
		readColumn(raw, at, kind === "d", columns[name]);
		at += length;
	}
	return columns;
}

// Nodes come depth first: the parent is the last node one less deep.
function parentsOf(depth) {
	const parent = new Int32Array(depth.length);
	const open = [0];
	for (let i = 1; i < depth.length; i++) {
		parent[i] = open[depth[i] - 1];
		open[depth[i]] = i;
	}
	return parent;
}

function threadsOf(meta, counts) {
	let first = 0;
	return meta.threads.map(([pid, tid, again, comm, process, origin], id) => {
		const count = counts[id];
		const t = {
			id, pid, tid, comm: comm || "[no name]", process: process || comm || "[no name]",
			again, origin: meta.origins?.[origin] ?? "", first, end: first + count,
		};
		first += count;
		return t;
	});
}

function endOfTime(profile) {
	let last = profile.meta.duration_ns / profile.meta.tick_ns;
	for (const t of profile.threads)
		if (t.end > t.first)
			last = Math.max(last, profile.time[t.end - 1] + 1);
	return last;
}

// Parts of code with the instructions [first, end) of each.
function codeOf(meta, c) {
	let first = 0;
	const parts = meta.code.parts.map(([binary, n, cut, note]) => {
		first += n;
		return { binary, first: first - n, end: first, cut, note };
	});
	return { ...meta.code, parts, texts: meta.insns, text: c["insn.text"], addr: c["insn.addr"],
		place: c["insn.place"], hit: c["sample.insn"] };
}

const FUNC_INLINED = 8, FUNC_NAMED = 16;

function profileOf(meta, c) {
	const p = {
		meta,
		names: meta.funcs,
		funcBinary: c["func.binary"],
		origin: c["func.flags"].map(f => f & 7),
		inlined: c["func.flags"].map(f => f & FUNC_INLINED),
		named: c["func.flags"].map(f => f & FUNC_NAMED),
		significant: c["func.significant"] ?? null,
		nodeFunc: c["node.func"],
		nodePlace: c["node.place"] ?? null,
		nodeDepth: c["node.depth"],
		nodeParent: parentsOf(c["node.depth"]),
		placeFile: c["place.file"],
		placeLine: c["place.line"],
		files: meta.files,
		threads: [],
		tick: meta.tick_ns / 1e9,
		diff: meta.diff ?? null,
		code: meta.code && meta.samples ? codeOf(meta, c) : null,
	};
	if (meta.samples) {
		p.time = c["sample.time"];
		p.stack = c["sample.stack"];
		p.cpu = c["sample.cpu"];
		p.event = c["sample.event"] ?? null;
		p.period = c["sample.period"] ?? null;
		p.threads = threadsOf(meta, c["thread.samples"]);
		p.end = endOfTime(p);
		p.hasTime = p.threads.some(t => p.time[t.end - 1] > 0);
	} else {
		p.hasTime = false;
		p.end = 0;
		p.self = c["node.self"];
		p.samples = c["node.samples"];
		p.selfB = c["node.self_b"] ?? null;
		p.samplesB = c["node.samples_b"] ?? null;
	}
	return p;
}

export async function loadProfile(base64) {
	const raw = await gunzip(bytesOfBase64(base64.trim()));
	const length = new DataView(raw.buffer).getUint32(0, true);
	const meta = JSON.parse(new TextDecoder().decode(raw.subarray(4, 4 + length)));
	if (meta.version !== 1)
		throw new Error(`data of version ${meta.version}`);
	return profileOf(meta, readColumns(meta.columns, raw, 4 + length));
}
