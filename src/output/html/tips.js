// What is told of the frame or sample under the pointer, or under the keys.

import { amount, byId, cut, element, intervalText, percent, span } from "./text.js";

export class Tips {
	constructor(profile, nameOf) {
		Object.assign(this, { profile, nameOf, unit: "samples", samples: 0, places: null });
	}

	// [name, figures]
	describe(node, { tree }) {
		const total = tree.total[node], all = tree.total[0], name = this.nameOf(tree.func[node], tree);
		if (!tree.second)
			return [name, `${amount(total, this.unit)}, ${percent(total, all)}`];
		const b = tree.second[node], allB = tree.second[0];
		return [name, `${percent(total - b, all - allB)} → ${percent(b, allB)}`];
	}

	frame(node, e, { tree } = {}) {
		if (node < 0 || !e) {
			this.show(null);
			return;
		}
		const func = tree.func[node], all = tree.total[0], [name, figures] = this.describe(node, { tree });
		const count = this.unit === "samples" ? tree.total[node]
			: tree.count?.[node] ?? this.samples * tree.total[node] / (all || 1);
		const rest = tree.second ? "" : ` (95 %: ${intervalText(count, this.samples)}) · self ` +
			percent(tree.self[node], all);
		this.show(e, element("bdi", { class: "name" }, cut(name, 600)),
			element("p", { class: "strong" }, figures + rest),
			func > 0 ? element("p", {}, this.placeOf(func)) : null);
	}

	placeOf(func) {
		const { profile } = this, binary = profile.meta.binaries[profile.funcBinary[func]][0];
		this.places ??= this.findPlaces();
		const at = this.places[func];
		const file = at ? ` · ${profile.files[profile.placeFile[at]][0].split("/").slice(-2).join("/")}:${
			profile.placeLine[at]}` : "";
		return `${binary}${profile.inlined[func] ? " · inlined" : ""}${file}`;
	}

	// By function: the place with the lowest line, near where it begins.
	findPlaces() {
		const { nodePlace, nodeFunc, placeLine } = this.profile, places = [];
		for (let i = 1; nodePlace && i < nodeFunc.length; i++) {
			const f = nodeFunc[i], p = nodePlace[i];
			if (p && (!places[f] || placeLine[p] < placeLine[places[f]]))
				places[f] = p;
		}
		return places;
	}

	sample(box, e, chart) {
		if (!box) {
			this.show(null);
			return;
		}
		const { at, lasts, period } = chart.describe(box);
		this.show(e, element("bdi", { class: "name" }, cut(this.profile.names[box.func], 600)),
			element("p", { class: "strong" }, `at ${at}, for about ${span(lasts)}` +
				(period === null ? "" : ` · ${amount(period, this.unit)}`)),
			element("p", {}, this.placeOf(box.func)));
	}

	text(text, e) {
		this.show(text ? e : null, element("p", { class: "strong" }, text));
	}

	// Beside the pointer, within the window.
	show(e, ...content) {
		const tip = byId("tip");
		tip.hidden = !e;
		if (!e)
			return;
		tip.replaceChildren(...content.filter(Boolean));
		const r = tip.getBoundingClientRect(), below = e.clientY + 18;
		tip.style.left = `${Math.max(4, Math.min(e.clientX + 14, window.innerWidth - r.width - 8))}px`;
		tip.style.top = `${below + r.height > window.innerHeight ? e.clientY - r.height - 10 : below}px`;
	}
}
