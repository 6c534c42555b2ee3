// The part of the page about time: heat map, strips, and what of it is chosen.

import { Heatmap } from "./heatmap.js";
import { Strips } from "./strips.js";
import { byId, seconds, span } from "./text.js";

export class Timeline {
	// hooks: onRange(range, done), onThreads(set), onTip(text, event)
	constructor(profile, colors, hooks) {
		Object.assign(this, { profile, hooks });
		const onSelect = (range, done) => hooks.onRange(range, done);
		this.heatmap = new Heatmap(byId("heatmap"), profile, { onSelect, onHover: hooks.onTip });
		this.strips = new Strips(profile, colors, { onSelect, onThreads: hooks.onThreads });
		byId("zoom-time").addEventListener("click", () => this.zoom());
		byId("all-time").addEventListener("click", () => {
			this.strips.setView([0, profile.end]);
			hooks.onRange(null, true);
		});
		byId("all-threads").addEventListener("click", () => hooks.onThreads(null));
		byId("fold-time").addEventListener("click", () => this.fold());
	}

	fold() {
		const folded = byId("time").classList.toggle("folded");
		byId("fold-time").setAttribute("aria-expanded", String(!folded));
	}

	// The strips show the chosen range from edge to edge; a second time the whole again.
	zoom() {
		const { range, profile, strips } = this;
		const target = range ?? [0, profile.end];
		const there = Math.abs(strips.view[0] - target[0]) < 1 && Math.abs(strips.view[1] - target[1]) < 1;
		strips.setView(there ? [0, profile.end] : target);
	}

	setEvent(event) {
		this.event = event;
		this.strips.set(event);
		this.heatmap.set(this.threads, event);
	}

	set({ range, threads }) {
		const { profile } = this, all = threads === null;
		this.range = range;
		if (threads !== this.threads) {
			this.threads = threads;
			this.heatmap.set(threads, this.event);
			this.strips.setPicked(threads);
		}
		this.heatmap.setRange(range);
		this.strips.setRange(range);
		const length = profile.end * profile.tick;
		byId("range-text").textContent = range
			? `${seconds(range[0] * profile.tick, length / 1000)} – ` +
				`${seconds(range[1] * profile.tick, length / 1000)} (${span((range[1] - range[0]) * profile.tick)})`
			: "all of the time";
		byId("all-time").hidden = !range;
		byId("zoom-time").disabled = !range;
		byId("thread-text").textContent = all ? "all threads"
			: `${threads.size} ${threads.size === 1 ? "thread" : "threads"}`;
		byId("all-threads").hidden = all;
	}

	// Keys: move the chosen range, or its length, by its eighth or fiftieth of the whole.
	nudge(direction, grow) {
		const { end } = this.profile, [a, b] = this.range ?? [0, end / 10];
		const step = (this.range ? (b - a) / 8 : 0) * direction;
		const from = Math.max(0, Math.min(end - (b - a), a + (grow ? 0 : step)));
		const to = Math.min(end, grow ? Math.max(a + 1, b + step) : from + (b - a));
		this.hooks.onRange([from, to], true);
	}
}
