// Pictures beside the plain flame graph: the sandwich. Usage: pictures.test.mjs DIR-OF-PAGES
import assert from "node:assert/strict";
import { click, clickFrame, crumbs, hash, open, over, press, run, settle, text, tip } from "./page.mjs";

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
};

await run(tests);
