// Which functions a text names: a regular expression or, where it is none, the text itself. Small
// letters match capitals as well.

const NAME_PART = 4000;

export function expression(text) {
	const flags = text === text.toLowerCase() ? "i" : "";
	try {
		return { regex: new RegExp(text, flags), literal: false };
	} catch {
		const plain = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
		return { regex: new RegExp(plain, flags), literal: true };
	}
}

// null: no search. Else { matches: by function, literal }.
export function searchNames(names, text) {
	if (!text)
		return null;
	const { regex, literal } = expression(text);
	const matches = new Uint8Array(names.length);
	for (let f = 1; f < names.length; f++) {
		const name = names[f];
		if (regex.test(name.length > NAME_PART ? name.slice(0, NAME_PART) : name))
			matches[f] = 1;
	}
	return { matches, literal };
}

// Puts the focus on the next frame that matches (step 1), or the previous (-1), of those drawn in `flames`.
export function stepMatch(flames, matches, step) {
	const hits = flames.flatMap(flame => flame.matching(matches).map(node => ({ flame, node })));
	if (!hits.length)
		return;
	const at = hits.findIndex(({ flame, node }) => flame.focused === node);
	const next = at < 0 ? (step > 0 ? 0 : hits.length - 1) : (at + step + hits.length) % hits.length;
	hits[next].flame.canvas.focus();
	hits[next].flame.focus(hits[next].node);
}
