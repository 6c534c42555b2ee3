// Pictures beside the plain flame graph: the sandwich, the overview. Usage: pictures.test.mjs DIR-OF-PAGES
import assert from "node:assert/strict";
import { click, clickFrame, crumbs, drag, hash, open, over, press, run, settle, text, tip } from "./page.mjs";

const callers = ".mini >> nth=0 >> canvas", callees = ".mini >> nth=1 >> canvas";
const boxOf = (page, selector) => page.locator(selector).boundingBox();

const tests = {
	async "a sandwich has the room of the main picture, and gives it back"() {
		const page = await open("lines");
		await clickFrame(page, 3, 0.2);
		const views = await boxOf(page, "#stage"), side = await boxOf(page, callees);
		const button = page.getByRole("button", { name: "Sandwich" });
		await button.click();
		await settle(page);
		assert.equal(await button.getAttribute("aria-pressed"), "true");
		assert.match(hash(page), /sw=1/);
		const above = await boxOf(page, callers), below = await boxOf(page, callees);
		for (const box of [above, below])
			assert.ok(box.width > 0.9 * views.width, `${box.width} of ${views.width}`);
		assert.ok(above.y + above.height <= below.y, "callers are above");
		assert.ok(below.y + below.height <= views.y + views.height + 1, "all is in view");
		assert.ok(await page.locator("#flip").isHidden());
		const rows = Math.round(above.height / 19);
		assert.match(await tip(page, rows - 1, 0.5, callers), /^parse/);
		assert.match(await tip(page, rows - 2, 0.5, callers), /^main/);
		assert.match(await tip(page, 1, 0.1, callees), /^(parse|lex)/);
		await clickFrame(page, rows - 2, 0.5, callers);
		assert.equal(await text(page, "#panel h2"), "main");
		assert.match(hash(page), /sw=1/);
		await press(page, "Escape");
		assert.doesNotMatch(hash(page), /sw=1/);
		assert.equal(await text(page, "#panel h2"), "main");
		assert.ok((await boxOf(page, callees)).width < side.width + 20);
		assert.equal(await crumbs(page), "all›_start›main›parse");
		assert.match(await tip(page, 3, 0.2), /^parse/, "the main picture is back");
		return page;
	},

	async "the sandwich has a key, an address and a way back"() {
		const page = await open("lines"), shown = () => page.locator("body.sandwich").count();
		await press(page, "s");
		assert.equal(await shown(), 0, "there is nothing to show");
		await over(page, 3, 0.97);
		await press(page, "s");
		assert.equal(await text(page, "#panel h2"), "sort");
		assert.equal(await shown(), 1);
		await press(page, "s");
		assert.equal(await shown(), 0);
		await press(page, "s");
		const same = await open("lines", { hash: `#${hash(page)}` });
		assert.equal(await text(same, "#panel h2"), "sort");
		assert.ok((await boxOf(same, callees)).width > 1000);
		assert.deepEqual(same.troubles, []);
		await page.goBack();
		await settle(page);
		assert.equal(await shown(), 0);
		await page.goForward();
		await settle(page);
		assert.equal(await shown(), 1);
		await press(page, "3");
		assert.equal(await shown(), 0, "another view ends it");
		const bare = await open("lines", { hash: "#sw=1" });
		assert.equal(await bare.locator("body.sandwich").count(), 0, "of no function");
		await page.keyboard.press("?");
		assert.match(await text(page, "#help"), /callers and callees at full size/);
		return page;
	},

	async "in a sandwich a search steps through both pictures, and the wheel zooms"() {
		const page = await open("lines", { hash: "#q=lex|main" });
		await clickFrame(page, 3, 0.2);
		await press(page, "s", "n");
		assert.match(await text(page, "#live"), /^main/);
		await press(page, "n");
		assert.match(await text(page, "#live"), /^lex/);
		const before = await tip(page, 1, 0.95, callees);
		await over(page, 0, 0.01, callees);
		await page.keyboard.down("Control");
		for (let i = 0; i < 8; i++)
			await page.mouse.wheel(0, -300);
		await page.keyboard.up("Control");
		await settle(page);
		assert.notEqual(await tip(page, 1, 0.95, callees), before);
		await press(page, "Escape", "Escape");
		assert.equal(await page.locator("body.sandwich").count(), 0);
		await click(page, "#panel [aria-label=Close]");
		assert.ok(await page.locator("#panel").isHidden());
		return page;
	},

	async "zoomed in, a strip of the whole shows where, and leads elsewhere"() {
		const page = await open("lines"), map = "#minimap canvas";
		assert.ok(await page.locator(map).isHidden());
		await clickFrame(page, 4, 0.01);
		assert.equal(await crumbs(page), "all›_start›main›parse›lex");
		assert.ok(await page.locator(map).isVisible());
		const strip = await boxOf(page, map), flame = await boxOf(page, "#flame");
		assert.ok(flame.y + flame.height <= strip.y, "it covers no frames");
		const colours = (x0, x1) => page.evaluate(([from, to]) => {
			const canvas = document.querySelector("#minimap canvas"), { width, height } = canvas;
			const { data } = canvas.getContext("2d").getImageData(width * from, 0, width * (to - from), height);
			return new Set(new Uint32Array(data.buffer)).size;
		}, [x0, x1]);
		assert.ok(await colours(0.5, 1) > 3, "the whole graph is in it");
		assert.match(await tip(page, 3, 0.95), /^parse/);
		await page.mouse.click(strip.x + strip.width * 0.98, strip.y + 8);
		await settle(page);
		assert.match(await tip(page, 3, 0.95), /^sort/);
		assert.equal(await page.locator(map).getAttribute("aria-valuenow"), "100");
		await page.locator(map).focus();
		await press(page, ...Array(40).fill("ArrowLeft"));
		assert.match(await tip(page, 3, 0.95), /^parse/);
		await drag(page, map, 0.2, 0.98, 0.2);
		assert.match(await tip(page, 3, 0.95), /^sort/);
		await press(page, "3");
		assert.ok(await page.locator(map).isHidden(), "in the table");
		await press(page, "1", "Home");
		await page.locator("#flame canvas").focus();
		await press(page, "Home");
		assert.ok(await page.locator(map).isHidden(), "all is shown");
		return page;
	},

	async "the strip leads up and down, and stands where the root is not"() {
		const page = await open("deep"), map = "#minimap canvas";
		const scroll = () => page.locator("#flame").evaluate(e => e.scrollTop / (e.scrollHeight - e.clientHeight));
		await page.locator("#flame canvas").focus();
		await press(page, "+", "+");
		const strip = await boxOf(page, map);
		await page.mouse.click(strip.x + 100, strip.y + 39);
		await settle(page);
		assert.ok(await scroll() > 0.9, String(await scroll()));
		await page.mouse.click(strip.x + 100, strip.y + 1);
		await settle(page);
		assert.ok(await scroll() < 0.1, String(await scroll()));
		await press(page, "f");
		const above = await boxOf(page, map), flame = await boxOf(page, "#flame");
		assert.ok(above.y + above.height <= flame.y);
		assert.ok(await scroll() > 0.99, "at the root");
		await page.mouse.click(above.x + 100, above.y + 1);
		await settle(page);
		assert.ok(await scroll() < 0.1, String(await scroll()));
		return page;
	},
};

await run(tests);
