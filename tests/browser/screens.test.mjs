// Real recordings, light and dark: the page shows what ran, in colours that can be told apart, and
// pictures of it are left in $SCREENS.
import assert from "node:assert/strict";

import { go, open, rows, run, text } from "./page.mjs";

const schemes = ["light", "dark"];

// Colours in the flame graph with at least a thousandth of its pixels, and the lightness of the page.
const look = page => page.evaluate(() => {
	const canvas = document.querySelector("#flame canvas"), counts = new Map();
	const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
	for (let i = 0; i < data.length; i += 4) {
		const colour = data[i] << 16 | data[i + 1] << 8 | data[i + 2];
		counts.set(colour, (counts.get(colour) ?? 0) + 1);
	}
	const ground = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
	return { colours: [...counts.values()].filter(n => n > data.length / 4000).length,
		light: ground.reduce((a, b) => a + b) / 765 };
});

// Opens the scene in both schemes; `names` are functions that must be in the table.
async function scene(name, names) {
	let last;
	for (const colorScheme of schemes) {
		const page = await open(name, { colorScheme });
		const shot = view => page.screenshot({
			path: `${process.env.SCREENS}/${name}-${colorScheme}-${view}.png` });
		const { colours, light } = await look(page);
		assert.ok(colours >= 4, `${colours} colours`);
		assert.ok(colorScheme === "dark" ? light < 0.3 : light > 0.9, `${colorScheme}: ${light}`);
		assert.match(await text(page, "#trust"), /0\.00 % lost/);
		await shot("flame");
		await go(page, "v=table&s=total");
		await shot("table");
		for (const one of names) { // the table draws no more rows than are in view
			await go(page, `v=table&s=total&q=${one}`);
			assert.ok([...(await rows(page)).keys()].some(k => k.includes(one)),
				`${one} is not in the table`);
		}
		await go(page, "v=flame&by=tid");
		await shot("threads");
		assert.deepEqual(page.troubles, []);
		last = page;
	}
	return last;
}

await run({
	"a C++ program with threads": () => scene("server", ["count_words", "order_rows", "fold"]),
	"node": () => scene("node", ["render", "parse"]),
	"a whole machine": () => scene("machine", ["main", "__libc_start_main"]),
});
