// The page in a browser: time, threads, and the numbers of what is chosen of them. Usage:
// time.test.mjs DIR-OF-PAGES
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { chosen, click, dir, drag, go, hash, open, press, rows, run, settle,
	text } from "./page.mjs";

// "  99.72 ± 0.03%   0.04 ± 0.02%   19925   8  [anon]   name": as `report -f text` writes it.
function expectedRows(name) {
	return readFileSync(`${dir}/${name}.txt`, "utf8").trim().split("\n").map(line => {
		const [, total, self, samples, , , func] =
			line.match(/^ *([\d.]+) ± [\d.]+% +([\d.]+) ± [\d.]+% +(\d+) +(\d+)  (\S+) +(.*)$/);
		return { total: Number(total), self: Number(self), samples: Number(samples), func };
	});
}

async function agree(page, name, hashText) {
	await go(page, `v=table&s=total&${hashText}`);
	const shown = await rows(page), expected = expectedRows(name);
	assert.ok(expected.length >= 10);
	for (const e of expected) {
		const cells = shown.get(e.func);
		assert.ok(cells, `${name}: ${e.func} is missing`);
		assert.equal(Number(cells[2].replaceAll(",", "")), e.samples, `${name}: samples of ${e.func}`);
		assert.ok(Math.abs(parseFloat(cells[1].replace("<", "")) - e.total) < 0.06, `${name}: ${cells}`);
		assert.ok(Math.abs(parseFloat(cells[0].replace("<", "")) - e.self) < 0.06, `${name}: ${cells}`);
	}
}

await run({
	async "the numbers are those of report -f text"() {
		const page = await open("busy");
		const thread = (await page.evaluate(() => {
			document.getElementById("more-threads").click();
			return Array.from(document.querySelectorAll(".strip-tid"), e => e.textContent);
		})).indexOf("1003");
		assert.ok(thread >= 0);
		await page.locator(".strip-name").nth(thread).click();
		await settle(page);
		const picked = hash(page).match(/th=\d+/)[0];
		await agree(page, "all", "");
		await agree(page, "range", "t=10000000-20000000");
		await agree(page, "short", "t=31250000-31500000");
		await agree(page, "thread", picked);
		await agree(page, "both", `${picked}&t=10000000-20000000`);
		return page;
	},

	async "a drag over the heat map chooses a time"() {
		const page = await open("lines");
		await drag(page, "#heatmap", 0.3, 0.4);
		const [from, to] = hash(page).match(/t=(\d+)-(\d+)/).slice(1).map(Number);
		assert.ok(Math.abs(from - 3e6) < 2e5 && Math.abs(to - 4e6) < 2e5, `${from} ${to}`);
		assert.match(await chosen(page), /^[\d,]+ samples in this selection$/);
		await click(page, "#all-time");
		assert.equal(await chosen(page), "11,010 samples");
		await page.goBack();
		await settle(page);
		assert.match(hash(page), /t=\d+-\d+/);
		return page;
	},

	async "a burst of 10 ms is a cell of the heat map, and can be chosen"() {
		const page = await open("lines");
		await go(page, "t=7000000-7010000&th=1&v=table");
		assert.equal(await chosen(page), "10 samples in this selection");
		const shown = await rows(page);
		assert.equal(shown.get("less")[0], "100 %");
		return page;
	},

	async "strips choose threads and time, and zoom"() {
		const page = await open("lines");
		assert.deepEqual(await page.locator(".strip-comm").allTextContents(), ["parser", "sorter"]);
		assert.deepEqual(await page.locator(".strip-share").allTextContents(), ["90.8 %", "9.17 %"]);
		await click(page, ".strip-name >> nth=1");
		assert.equal(await chosen(page), "1,010 samples in this selection");
		assert.equal(await page.locator(".strip-name[aria-pressed=true]").count(), 1);
		await page.locator(".strip-name >> nth=0").click({ modifiers: ["Control"] });
		await settle(page);
		assert.equal(await chosen(page), "11,010 samples in this selection");
		await click(page, "#all-threads");
		await drag(page, "#plots", 0.3, 0.4);
		assert.match(hash(page), /^t=\d+-\d+$/);
		await press(page, "z");
		assert.match(await text(page, "#axis"), /3\.[0-9]/);
		await press(page, "z");
		assert.match(await text(page, "#axis"), /8 s/);
		await press(page, "]");
		await press(page, "}");
		await click(page, "#fold-time");
		assert.ok(await page.locator("#heatmap").isHidden());
		return page;
	},

	async "500 threads: the busiest, all, and a search"() {
		const page = await open("threads");
		assert.equal(await page.locator(".strip").count(), 6);
		await click(page, "#more-threads");
		assert.equal(await page.locator(".strip").count(), 500);
		await page.locator("#thread-search").fill("thread-499");
		await settle(page);
		assert.equal(await page.locator(".strip").count(), 1);
		return page;
	},

	async "stacks over time, down to the samples"() {
		const page = await open("lines", { hash: "#t=1000000-1020000" });
		await press(page, "2");
		assert.match(await text(page, "#crumbs"), /Stacks over time of parser 100/);
		const box = await page.locator("#chart canvas").boundingBox();
		await page.mouse.move(box.x + box.width / 2, box.y + 20 + 19 * 2 + 9);
		await settle(page);
		assert.match(await text(page, "#tip"), /^parse.*at [01]\.\d+ s, for about/);
		await page.mouse.click(box.x + box.width / 2, box.y + 20 + 19 * 2 + 9);
		await settle(page);
		assert.equal(await text(page, "#panel h2"), "parse");
		await page.keyboard.down("Control");
		await page.mouse.wheel(0, -400);
		await page.keyboard.up("Control");
		await settle(page);
		await page.mouse.move(box.x + 100, box.y + 40);
		return page;
	},

	async "a picture does not tell what was shown before it"() {
		const page = await open("busy"), before = [];
		const views = ["by=tid", "d=up&t=10000000-20000000", "d=up&by=cpu", "by=cpu&o=weight&t=1000000-2000000",
			"by=pid&t=1000000-50000000", "fn=9&th=1.2&t=30000000-31000000", "d=up&by=comm&fn=30&t=10000-9000000"];
		const pictures = () => page.evaluate(() => Array.from(
			document.querySelectorAll("#flame canvas, #panel:not([hidden]) canvas"), c => c.toDataURL()));
		for (const view of views) {
			await go(page, view);
			before.push(await pictures());
		}
		assert.equal(new Set(before.map(p => p[0])).size, views.length);
		for (const [i, view] of views.entries()) {
			await go(page, view);
			await page.reload();
			await page.waitForFunction(() => performance.getEntriesByName("usable").length);
			await settle(page);
			assert.deepEqual(await pictures(), before[i], view);
		}
		return page;
	},
});
