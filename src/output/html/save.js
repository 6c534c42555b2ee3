// What is on the screen as a file: folded stacks, or a still picture.

import { ROW } from "./flame.js";
import { cssColor, fit } from "./canvas.js";
import { percent } from "./text.js";

function download(name, type, text) {
	const url = URL.createObjectURL(new Blob([text], { type }));
	const a = document.createElement("a");
	a.href = url;
	a.download = name;
	a.click();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// One line a stack: names by ";", which a name must not contain.
export function foldedText(tree, nameOf) {
	const lines = [], path = [], stack = tree.kids(0).slice().reverse();
	const clean = name => name.replaceAll(";", ":").replace(/\s+/g, " ") || "[no name]";
	while (stack.length) {
		const i = stack.pop();
		path.length = tree.depth[i] - 1;
		path.push(clean(nameOf(tree.func[i], tree)));
		if (tree.self[i])
			lines.push(`${path.join(";")} ${Math.round(tree.self[i])}`);
		stack.push(...tree.kids(i).slice().reverse());
	}
	if (tree.self[0])
		lines.push(`[unknown] ${Math.round(tree.self[0])}`);
	return lines.length ? `${lines.join("\n")}\n` : "";
}

export function saveFolded(tree, nameOf) {
	download("stacks.folded", "text/plain", foldedText(tree, nameOf));
}

const XML = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

export function escapeXml(text) {
	return text.replace(/[&<>"']/g, c => XML[c]);
}

// The whole of the zoomed part, however deep; frames under a tenth of a pixel are left out.
export function svgText(flame, title, about) {
	const { tree, zoomed } = flame, width = flame.width || 1200, head = 54, pad = 10;
	const scale = width / (tree.total[zoomed] || 1), x0 = tree.start[zoomed];
	const context = document.createElement("canvas").getContext("2d");
	context.font = "12px sans-serif";
	const parts = [], stack = [[zoomed, 0]];
	let depth = 0;
	while (stack.length) {
		const [node, level] = stack.pop(), w = tree.total[node] * scale;
		if (w < 0.1)
			continue;
		depth = Math.max(depth, level);
		parts.push({ node, level, x: (tree.start[node] - x0) * scale, w });
		for (const kid of tree.kids(node))
			stack.push([kid, level + 1]);
	}
	const height = head + (depth + 1) * ROW + pad, rows = [];
	for (const { node, level, x, w } of parts) {
		const y = flame.flip ? height - pad - (level + 1) * ROW : head + level * ROW;
		const name = flame.hooks.nameOf(tree.func[node], tree), label = fit(context, name, w - 8);
		rows.push(`<g><title>${escapeXml(name)} (${percent(tree.total[node], tree.total[0])})</title>` +
			`<rect x="${(x + pad).toFixed(2)}" y="${y}" width="${Math.max(0.1, w - 0.5).toFixed(2)}" ` +
			`height="${ROW - 1}" fill="${flame.colorOf(node)}"/>` + (label
			? `<text x="${(x + pad + 4).toFixed(2)}" y="${y + 13}">${escapeXml(label)}</text>` : "") + "</g>");
	}
	const ink = cssColor("--frame-text"), full = width + 2 * pad;
	return `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" ` +
		`width="${full}" height="${height}" viewBox="0 0 ${full} ${height}">\n` +
		`<g font-family="sans-serif" font-size="12" fill="${ink}">\n` +
		`<rect width="100%" height="100%" fill="${cssColor("--ground")}"/>\n` +
		`<text x="${pad}" y="22" font-size="16" font-weight="600">${escapeXml(title)}</text>\n` +
		`<text x="${pad}" y="41">${escapeXml(about)}</text>\n${rows.join("\n")}\n</g>\n</svg>\n`;
}

export function saveSvg(flame, title, about) {
	download("flame.svg", "image/svg+xml", svgText(flame, title, about));
}
