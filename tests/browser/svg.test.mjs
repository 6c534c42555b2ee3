// The flame graph in a browser: what a reader sees and does. Usage: svg.test.mjs DIR-OF-SCENES
import assert from "node:assert/strict";

import { run, visit } from "./page.mjs";

const open = (scene, options) =>
	visit(`${scene}.svg`, { viewport: { width: 1200, height: 700 }, ...options });

// What is on the screen: frames by number, with name, label and box.
const view = page => page.evaluate(() =>
	Array.from(document.querySelectorAll("#frames > g"), (g, i) => {
		const box = g.querySelector("rect").getBoundingClientRect();
		return {
			i,
			name: g.querySelector("title").textContent.split("\n")[0],
			shown: getComputedStyle(g).display !== "none",
			label: g.querySelector("text")?.textContent ?? "",
			hit: g.classList.contains("hit"),
			y: box.y,
			width: box.width,
		};
	}));
const frame = async (page, name) => (await view(page)).find(f => f.name === name && f.shown);
const rect = (page, i) => page.locator("#frames > g").nth(i).locator("rect");
const found = page => page.locator(".found").textContent();
const details = async page =>
	`${await page.locator(".what").textContent()}|${await page.locator(".more").textContent()}`;
const focused = page => page.evaluate(() =>
	document.activeElement.querySelector?.("title")?.textContent.split("\n")[0]);

function near(is, expected, what) {
	assert.ok(Math.abs(is - expected) < 1.5, `${what}: ${is}, expected ${expected}`);
}

// Numbers of frames in the scene "small".
const WORK = 4, MALLOC = 5, SYSCALL = 6;

await run({
	async "widths are shares of the window"() {
		const page = await open("small");
		near((await frame(page, "all")).width, 1180, "root");
		near((await frame(page, "main")).width, 1180, "main, of 100 %");
		near((await frame(page, "idle_loop")).width, 1180 * 0.15, "idle_loop, of 15 %");
		near((await frame(page, "malloc")).width, 1180 * 0.2, "malloc, of 20 %");
		return page;
	},

	async "a tooltip has name, samples, unit and percent"() {
		const page = await open("small");
		assert.equal(await page.locator("#frames > g title").nth(MALLOC).textContent(),
			"malloc\n20 samples · 20.00 % · self 10 (10.00 %)");
		await rect(page, MALLOC).hover();
		assert.equal(await details(page), "malloc|20 samples · 20.00 % · self 10 (10.00 %)");
		return page;
	},

	async "a click zooms; Reset, Esc and Back undo it"() {
		const page = await open("small");
		await rect(page, MALLOC).click();
		near((await frame(page, "malloc")).width, 1180, "zoomed frame");
		near((await frame(page, "main")).width, 1180, "ancestor");
		near((await frame(page, "do_syscall_64")).width, 590, "half of the zoomed frame");
		assert.equal(await frame(page, "idle_loop"), undefined);
		assert.match(page.url(), /#zoom=5$/);
		assert.equal(await page.locator("#frames > g.up").count(), 4);
		await page.getByText("Reset").click();
		near((await frame(page, "idle_loop")).width, 177, "after Reset");
		assert.equal(page.url().split("#")[1] ?? "", "");
		await rect(page, MALLOC).click();
		await page.keyboard.press("Escape");
		near((await frame(page, "idle_loop")).width, 177, "after Esc");
		await page.goBack();
		near((await frame(page, "malloc")).width, 1180, "after Back");
		await rect(page, 0).click();
		near((await frame(page, "idle_loop")).width, 177, "after a click on the root");
		return page;
	},

	async "details tell the share of the zoomed frame"() {
		const page = await open("small");
		await rect(page, MALLOC).click();
		await rect(page, SYSCALL).hover();
		assert.equal(await details(page), "do_syscall_64|10 samples · 10.00 % · " +
			"self 10 (10.00 %) · 50.00 % of the zoomed frame");
		return page;
	},

	async "a search counts a stack once, however often it matches"() {
		const page = await open("small");
		await page.keyboard.press("/");
		await page.keyboard.type("^work$");
		// work (80) contains work (30): 80, not 110.
		assert.equal(await found(page), "matched 80.00 % · 2 frames");
		assert.equal((await view(page)).filter(f => f.hit).length, 2);
		await page.keyboard.press("Escape");
		assert.equal(await found(page), "");
		assert.equal((await view(page)).filter(f => f.hit).length, 0);
		await page.keyboard.press("Control+f");
		await page.keyboard.type("MALLOC");
		assert.equal(await found(page), "matched 0.00 % · 0 frames");
		await page.locator("input").fill("mal+oc|idle");
		assert.equal(await found(page), "matched 35.00 % · 2 frames");
		await page.locator("input").fill("mal(");
		assert.equal(await found(page), "not a regular expression");
		assert.equal(await page.locator("input").getAttribute("aria-invalid"), "true");
		return page;
	},

	async "n and N go from match to match"() {
		const page = await open("small");
		await page.keyboard.press("/");
		await page.keyboard.type("^work$|sum");
		await page.keyboard.press("Enter");
		assert.equal(await focused(page), "work");
		await page.keyboard.press("n");
		await page.keyboard.press("n");
		assert.equal(await focused(page), "LazyCompile:~sum /app/x.js:3");
		await page.keyboard.press("N");
		assert.equal(await focused(page), "work");
		return page;
	},

	async "keys move among the frames"() {
		const page = await open("small");
		await page.keyboard.press("ArrowUp");
		assert.equal(await focused(page), "worker");
		await page.keyboard.press("ArrowUp");
		await page.keyboard.press("ArrowUp");
		assert.equal(await focused(page), "work", "the widest child");
		await page.keyboard.press("ArrowLeft");
		assert.equal(await focused(page), "idle_loop");
		await page.keyboard.press("ArrowRight");
		await page.keyboard.press("Enter");
		assert.equal(await focused(page), "work");
		near((await frame(page, "work")).width, 1180, "zoomed by Enter");
		await page.keyboard.press("ArrowDown");
		assert.equal(await focused(page), "main");
		await page.keyboard.press("Home");
		assert.equal(await focused(page), "work");
		assert.equal(await page.evaluate(() =>
			getComputedStyle(document.activeElement.querySelector("rect")).strokeWidth),
		"2px", "focus can be seen");
		assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")),
			"treeitem");
		await page.keyboard.press("?");
		assert.ok(await page.locator(".keys").isVisible());
		await page.keyboard.press("Escape");
		assert.ok(!await page.locator(".keys").isVisible());
		return page;
	},

	async "Tab reaches the search, the buttons and one frame"() {
		const page = await open("small");
		const stops = [];
		for (let i = 0; i < 4; i++) {
			await page.keyboard.press("Tab");
			stops.push(await focused(page) ??
				await page.evaluate(() => document.activeElement.localName));
		}
		assert.deepEqual(stops, ["input", "button", "button", "all"]);
		return page;
	},

	async "i turns the graph upside down"() {
		const page = await open("small");
		assert.ok((await frame(page, "main")).y < (await frame(page, "all")).y, "flame");
		await page.keyboard.press("i");
		assert.ok((await frame(page, "main")).y > (await frame(page, "all")).y, "icicle");
		assert.match(page.url(), /layout=icicle/);
		await page.keyboard.press("ArrowDown");
		assert.equal(await focused(page), "worker");
		return page;
	},

	async "labels follow the window"() {
		const page = await open("small");
		const name = "LazyCompile:~sum /app/x.js:3";
		const resize = async (width, test) => {
			await page.setViewportSize({ width, height: 700 });
			await page.waitForFunction(w => Math.abs(
				document.querySelector("#frames rect").getBBox().width - w + 20) < 1, width);
			return (await frame(page, name)).label;
		};
		assert.equal((await frame(page, name)).label, "LazyCompile:~s…");
		assert.equal(await resize(2600), name);
		assert.match(await resize(500), /^Laz?y?…$/);
		return page;
	},

	async "an address holds the view"() {
		const page = await open("small", { hash: `#zoom=${WORK}&search=do_sys&layout=icicle` });
		near((await frame(page, "work")).width, 1180, "zoomed");
		assert.equal(await found(page), "matched 10.00 % · 12.50 % of zoom · 1 frame");
		assert.ok((await frame(page, "main")).y > (await frame(page, "all")).y, "icicle");
		const bad = await open("small", { hash: "#zoom=99999&search=%28&layout=x" });
		near((await frame(bad, "idle_loop")).width, 177, "bad zoom ignored");
		assert.equal(await found(bad), "not a regular expression");
		assert.deepEqual(bad.troubles, []);
		return page;
	},

	async "names are only text"() {
		const page = await open("nasty");
		assert.ok(await frame(page, "</script><img src=x onerror=alert(1)>"));
		assert.ok(await frame(page, "]]>"));
		assert.equal(await page.locator("img").count(), 0);
		const long = (await view(page)).find(f => f.name.length > 900);
		assert.equal(Array.from(long.name).length, 1001);
		assert.match(long.label, /^字+…$/u);
		await page.locator("input").fill("onerror");
		assert.match(await found(page), /· 1 frame$/);
		return page;
	},

	async "stacks of 2,000 frames: root and zoomed frame are in view"() {
		const page = await open("deep");
		const inView = f => f.y > 60 && f.y < 650;
		assert.ok(inView(await frame(page, "all")), "root");
		await page.evaluate(() => document.querySelectorAll("#frames > g")[1500]
			.dispatchEvent(new MouseEvent("click", { bubbles: true })));
		const zoomed = (await view(page))[1500];
		assert.ok(inView(zoomed), "zoomed frame");
		assert.equal((await view(page))[1499].width, zoomed.width);
		return page;
	},

	async "light and dark"() {
		const ground = page => page.evaluate(() =>
			getComputedStyle(document.querySelector(".ui")).backgroundColor);
		const light = await open("city");
		assert.equal(await ground(light), "rgb(255, 255, 255)");
		const dark = await open("city", { colorScheme: "dark" });
		assert.equal(await ground(dark), "rgb(22, 25, 29)");
		assert.deepEqual(dark.troubles, []);
		return light;
	},

	async "no samples at all"() {
		const page = await open("empty");
		near((await frame(page, "all")).width, 1180, "root");
		await rect(page, 0).click();
		await page.locator("input").fill("all");
		assert.equal(await found(page), "matched 0.00 % · 1 frame");
		return page;
	},

	async "without scripts it is a picture"() {
		const page = await open("small", { javaScriptEnabled: false });
		near((await rect(page, MALLOC).boundingBox()).width, 236, "malloc");
		assert.ok(await page.locator("#name").isVisible());
		assert.ok(await page.locator("#note").isVisible());
		return page;
	},
});
