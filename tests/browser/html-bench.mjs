// How fast a page is: opening, selection to redraw, drags over the time, pan and zoom; and what it takes
// of memory: of JavaScript, and of the process that shows it, which is more. Prints; asserts nothing.
// Usage: html-bench.mjs PAGE…
import { createRequire } from "node:module";
import { readFileSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(import.meta.url)("playwright-core");
const browser = await chromium.launch({
	executablePath: process.env.CHROMIUM,
	args: ["--headless", "--no-sandbox", "--disable-gpu", "--enable-precise-memory-info"],
});

const views = { selection: "", "bottom-up": "d=up", "by thread": "by=tid", table: "v=table", "over time": "v=chart",
	"with a function": "fn=9", "bottom-up by thread": "d=up&by=tid", "by CPU": "by=cpu" };

// Ticks of the whole recording.
async function endOf(page) {
	const box = await page.locator("#heatmap").boundingBox();
	await page.mouse.move(box.x + 1, box.y + 1);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width - 2, box.y + box.height - 2);
	await page.mouse.up();
	return Number((await page.evaluate(() => location.hash)).split("-")[1]);
}

// Milliseconds from a change of the range to the frame that shows it; the median of some, each of more
// than half of the time, by turns in its beginning and at its end.
const select = (page, view, end) => page.evaluate(async ([view, end]) => {
	const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
	const times = [];
	for (let i = 1; i <= 9; i++) {
		const from = i % 2 ? 0 : 0.4 - i / 40, to = i % 2 ? 0.6 + i / 40 : 1, begun = performance.now();
		location.hash = `t=${Math.round(from * end)}-${Math.round(to * end)}&${view}`;
		await new Promise(done => addEventListener("hashchange", done, { once: true }));
		await frame();
		times.push(performance.now() - begun);
	}
	return times.sort((a, b) => a - b)[4];
}, [view, end]);

// Frames a second while the chosen range follows a pointer that rushes over the heat map.
async function drag(page, view) {
	await page.evaluate(h => {
		location.hash = h;
		window.frames_seen = 0;
		window.begun = performance.now();
		const count = () => {
			window.frames_seen++;
			window.counting = requestAnimationFrame(count);
		};
		count();
	}, view);
	const box = await page.locator("#heatmap").boundingBox();
	const at = i => [box.x + box.width * (0.6 + 0.38 * Math.sin(i / 15)), box.y + 20 + i % 50];
	await page.mouse.move(box.x + box.width * 0.2, box.y + 50);
	await page.mouse.down();
	await Promise.all(Array.from({ length: 200 }, (_, i) => page.mouse.move(...at(i))));
	await page.mouse.up();
	return page.evaluate(() => {
		cancelAnimationFrame(window.counting);
		return window.frames_seen / ((performance.now() - window.begun) / 1000);
	});
}

// Frames a second while the pointer drags and the wheel turns.
async function pan(page) {
	const box = await page.locator("#flame canvas").boundingBox();
	const x = box.x + box.width / 2, y = box.y + 60;
	await page.mouse.move(x, y);
	await page.keyboard.down("Control");
	for (let i = 0; i < 8; i++)
		await page.mouse.wheel(0, -120);
	await page.keyboard.up("Control");
	await page.evaluate(() => {
		window.frames_seen = 0;
		window.begun = performance.now();
		const count = () => {
			window.frames_seen++;
			requestAnimationFrame(count);
		};
		requestAnimationFrame(count);
	});
	await page.mouse.down();
	for (let i = 0; i < 120; i++)
		await page.mouse.move(x + 200 * Math.sin(i / 8), y);
	await page.mouse.up();
	return page.evaluate(() => window.frames_seen / ((performance.now() - window.begun) / 1000));
}

// Megabytes of the process that shows a page, by the kernel's count: { Rss, Pss }; of all there are,
// the largest. `peak`: the most it ever had.
async function processMemory() {
	const session = await browser.newBrowserCDPSession();
	const { processInfo } = await session.send("SystemInfo.getProcessInfo");
	const all = processInfo.filter(p => p.type === "renderer").map(({ id }) => {
		const text = ["smaps_rollup", "status"].map(f => readFileSync(`/proc/${id}/${f}`, "utf8")).join();
		const kb = name => Number(text.match(new RegExp(`^${name}:\\s+(\\d+) kB`, "m"))[1]) * 1024 / 1e6;
		return { Rss: kb("Rss"), Pss: kb("Pss"), peak: kb("VmHWM") };
	});
	await session.detach();
	return all.sort((a, b) => b.Pss - a.Pss)[0];
}

const memoryText = ({ Rss, Pss, peak }) =>
	`Rss ${Rss.toFixed(0)}, Pss ${Pss.toFixed(0)}, peak Rss ${peak.toFixed(0)} MB`;

const blank = await (await browser.newContext()).newPage();
await blank.goto("data:text/html,<title>empty</title>");
await blank.waitForTimeout(300);
console.log(`an empty page: ${memoryText(await processMemory())}`);
await blank.context().close();

for (const file of process.argv.slice(2)) {
	const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
	page.on("pageerror", e => console.log(`error: ${e.message}`));
	await page.goto(pathToFileURL(file).href);
	await page.waitForFunction(() => performance.getEntriesByName("usable").length);
	const usable = await page.evaluate(() => performance.getEntriesByName("usable")[0].startTime);
	const session = await page.context().newCDPSession(page);
	await page.waitForTimeout(500);
	const opened = await processMemory();
	const selected = [], end = await endOf(page);
	for (const [name, view] of Object.entries(views))
		selected.push(`${name} ${(await select(page, view, end)).toFixed(0)} ms`);
	const selecting = await processMemory(), dragged = [];
	for (const [name, view] of Object.entries(views))
		dragged.push(`${name} ${(await drag(page, view)).toFixed(0)}`);
	const dragging = await processMemory();
	await page.evaluate(() => {
		location.hash = "";
	});
	await page.waitForTimeout(500);
	const fps = await pan(page);
	await session.send("HeapProfiler.collectGarbage");
	const { usedSize, backingStorageSize = 0 } = await session.send("Runtime.getHeapUsage");
	console.log(`${file}: ${(statSync(file).size / 1e6).toFixed(2)} MB, usable after ${usable.toFixed(0)} ms, ` +
		`${selected.join(", ")}, ${fps.toFixed(0)} frames/s, ` +
		`${((usedSize + backingStorageSize) / 1e6).toFixed(0)} MB of JavaScript`);
	console.log(`  drags over the time, frames/s: ${dragged.join(", ")}`);
	console.log(`  its process once open: ${memoryText(opened)}; after selections: ${memoryText(selecting)}; ` +
		`after drags: ${memoryText(dragging)}; at the end: ${memoryText(await processMemory())}`);
	await page.context().close();
}
await browser.close();
