// What tests in a browser share: the browser, a page that notes every trouble, the tests' run; and of
// tests of the HTML page the moves of a reader.
// Usage of a test: TEST DIR-OF-PAGES [PART-OF-A-NAME]
import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(import.meta.url)("playwright-core");
export const dir = process.argv[2];
const only = process.argv[3];
const running = new AsyncLocalStorage(); // the test: { contexts, pages: used, free: of its worker }
export const browser = await chromium.launch({
	executablePath: process.env.CHROMIUM,
	args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--no-first-run"],
});

// A page that notes every error, message, dialog, and request but for the file itself.
async function newPage(options) {
	const context = await browser.newContext({ viewport: { width: 1200, height: 800 },
		reducedMotion: "reduce", acceptDownloads: true, ...options });
	const page = await context.newPage();
	page.on("pageerror", e => page.troubles.push(e.message));
	page.on("console", m => page.troubles.push(m.text()));
	page.on("dialog", d => page.troubles.push(`dialog: ${d.message()}`));
	page.on("request", r => r.url().startsWith(page.scene) || r.url().startsWith("blob:") ||
		page.troubles.push(r.url()));
	return page;
}

// A page on `file`. One that a test before has left will do, if nothing but the file is asked for: a
// new one is a new process.
export async function visit(file, { hash = "", ...options } = {}) {
	const test = running.getStore(), plain = !Object.keys(options).length;
	const page = (plain && test.free.pop()) || await newPage(options);
	(plain ? test.pages : test.contexts).push(plain ? page : page.context());
	page.troubles = [];
	page.scene = "about:blank";
	await page.goto(page.scene);
	page.scene = `${pathToFileURL(dir)}/${file}`;
	await page.goto(page.scene + hash);
	return page;
}

// The page of a scene, once it can be used.
export async function open(scene, options) {
	const page = await visit(`${scene}.html`, options);
	await page.waitForFunction(() => performance.getEntriesByName("usable").length, null,
		{ timeout: 60000 });
	await settle(page);
	return page;
}

export const settle = page => page.evaluate(() => new Promise(done =>
	requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 20)))));

export async function go(page, hash) {
	await page.evaluate(h => {
		location.hash = h;
	}, hash);
	await settle(page);
}

export async function press(page, ...keys) {
	for (const key of keys)
		await page.keyboard.press(key);
	await settle(page);
}

export async function click(page, selector) {
	await page.locator(selector).click();
	await settle(page);
}

export const text = (page, selector) => page.locator(selector).textContent();
export const hash = page => decodeURIComponent(new URL(page.url()).hash.slice(1));
export const chosen = page => text(page, "#crumbs .chosen");
export const crumbs = async page => (await page.locator("#crumbs > button, #crumbs > .here")
	.allTextContents()).join("›");

// Rows of the table: by function, its cells.
export async function rows(page) {
	const all = await page.locator("#table tr.row").evaluateAll(list => list.map(row =>
		Array.from(row.cells, c => c.textContent)));
	return new Map(all.map(cells => [cells[3], cells]));
}

// Moves over the flame graph until the tip is of `name`: row and part of the width.
export async function over(page, row, part, selector = "#flame canvas") {
	await page.locator(selector).scrollIntoViewIfNeeded();
	const box = await page.locator(selector).boundingBox();
	const at = { x: box.x + box.width * part, y: box.y + row * 19 + 9 };
	await page.mouse.move(at.x, at.y);
	await settle(page);
	return at;
}

export async function tip(page, row, part, selector) {
	await over(page, row, part, selector);
	return page.locator("#tip").isHidden().then(hidden => hidden ? "" : text(page, "#tip"));
}

export async function clickFrame(page, row, part, selector) {
	const { x, y } = await over(page, row, part, selector);
	await page.mouse.click(x, y);
	await settle(page);
}

// Drags over an element from one part of its width to another.
export async function drag(page, selector, from, to, y = 0.5) {
	const box = await page.locator(selector).boundingBox();
	const at = part => [box.x + box.width * part, box.y + box.height * y];
	await page.mouse.move(...at(from));
	await page.mouse.down();
	await page.mouse.move(...at((from + to) / 2));
	await page.mouse.move(...at(to));
	await page.mouse.up();
	await settle(page);
}

async function runOne(free, name, test) {
	const own = { contexts: [], pages: [], free };
	try {
		const page = await running.run(own, test);
		assert.deepEqual(page.troubles, []);
		console.log(`ok: ${name}`);
		free.push(...own.pages);
		return true;
	} catch (e) {
		console.log(`FAILED: ${name}\n${e.stack}`);
		return false;
	} finally {
		for (const context of own.contexts)
			await context.close();
	}
}

// Runs `tests`, each of which returns the page it left open, some at a time; exits.
export async function run(tests) {
	const left = Object.entries(tests).filter(([name]) => !only || name.includes(only));
	let failed = 0;
	const worker = async () => {
		const free = [];
		while (left.length)
			failed += await runOne(free, ...left.shift()) ? 0 : 1;
	};
	await Promise.all(Array.from({ length: availableParallelism() }, worker));
	await browser.close();
	process.exit(failed ? 1 : 0);
}
