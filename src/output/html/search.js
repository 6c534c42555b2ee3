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
