// The page in a browser: what a reader sees and does. Usage: html.test.mjs DIR-OF-PAGES
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { chosen, click, clickFrame, crumbs, drag, go, hash, open, over, press, rows, run, settle,
	text, tip } from "./page.mjs";

async function save(page, selector) {
	await page.locator("#save").click();
	const [file] = await Promise.all([page.waitForEvent("download"), page.locator(selector).click()]);
	return readFileSync(await file.path(), "utf8");
}

const tests = {
	async "the head says who, how long and how far to trust it"() {
		const page = await open("lines");
		assert.equal(await text(page, "#title"), "app");
		assert.match(await text(page, "#about"), /cpu-clock · 10 s · 11,010 samples/);
		const chips = await page.locator(".trust-chip").allTextContents();
		assert.deepEqual(chips, ["0.95 %lost", "0.00 %cut stacks", "0.00 %unknown names",
			"1 msinterval", "0.20 %of a CPU to record"]);
		await click(page, ".trust-chip >> nth=0");
		assert.match(await text(page, ".trust-note:popover-open"), /110 samples were lost .*larger ones/);
		await press(page, "Escape");
		assert.equal(await page.locator(".trust-note:popover-open").count(), 0);
		return page;
	},

	async "a click zooms and shows the function; crumbs, Esc and back lead out"() {
		const page = await open("lines");
		assert.match(await tip(page, 3, 0.2), /^parse.*10,000 samples, 90\.8 %.*95 %: 90\.\d–91\.\d %.*parse\.cc:12/);
		await clickFrame(page, 3, 0.2);
		assert.equal(await crumbs(page), "all›_start›main›parse");
		assert.equal(await text(page, "#panel h2"), "parse");
		assert.match(await tip(page, 4, 0.01), /^lex/);
		await page.locator("#crumbs button", { hasText: "main" }).click();
		await settle(page);
		assert.equal(await crumbs(page), "all›_start›main");
		await page.goBack();
		await settle(page);
		assert.equal(await crumbs(page), "all›_start›main›parse");
		await press(page, "Escape");
		assert.ok(await page.locator("#panel").isHidden());
		await press(page, "Escape");
		assert.equal(await crumbs(page), "");
		return page;
	},

	async "the panel: numbers, callers, callees, lines"() {
		const page = await open("lines");
		await clickFrame(page, 3, 0.2);
		const figures = await text(page, ".figures");
		assert.match(figures, /self45\.4 %5,000 samples/);
		assert.match(figures, /total90\.8 %10,000 samples/);
		assert.match(await tip(page, 1, 0.1, ".mini >> nth=1 >> canvas"), /^(parse|lex)/);
		const lines = await page.locator(".lines tr").allTextContents();
		assert.deepEqual(lines, ["27.2 %72.7 %12", "18.2 %18.2 %15"]);
		assert.equal(await text(page, ".path"), "/src/app/parse.cc");
		return page;
	},

	async "the panel: instructions, and why there are none"() {
		const page = await open("code"), insns = () => page.locator(".insns tr").allTextContents();
		const choose = async name => {
			await go(page, "v=table");
			await page.locator("tr.row button", { hasText: name }).click();
			await settle(page);
		};
		const imul = "imulq 0x1f0(%rdi,%rsi,8), %rax", add = "addl $1, %eax";
		await choose("hot");
		const all = await insns(), at = all.indexOf("⋯ 2 more");
		assert.deepEqual(all.slice(0, 4), ["hot.cc:21", "411000pushq %rbp", "411004movq %rsp, %rbp",
			`33.3 %411008${add}`]);
		assert.deepEqual(all.slice(-1), ["⋯ 4 more"]);
		await page.locator(".insns .gap-row button").first().click();
		assert.deepEqual((await insns()).slice(at, at + 2), [`411018${add}`, `41101c${imul}`]);
		await go(page, "v=table&t=0-30000&fn=" + hash(page).match(/fn=(\d+)/)[1]);
		assert.ok((await insns()).includes(`100 %411008${add}`));
		await go(page, "");
		await choose("step");
		assert.deepEqual((await insns()).slice(0, 5), ["hot.cc:21", `411020${add}`, `411024${imul}`, "hot.cc:3",
			`411028${add}`]);
		assert.ok((await insns()).includes(`50.0 %411030${add}`));
		await choose("cold");
		assert.match(await text(page, ".hint >> nth=-1"), /^Not among the 1 hottest functions/);
		const without = await open("lines");
		await clickFrame(without, 3, 0.2);
		assert.match(await text(without, ".hint >> nth=-1"), /singe report --embed-asm$/);
		assert.deepEqual(without.troubles, []);
		return page;
	},

	async "hide, focus, merge and collapse change the tree"() {
		const page = await open("lines");
		await clickFrame(page, 3, 0.2);
		await click(page, "[data-op=collapse]");
		assert.match(await chosen(page), /^11,010 samples$/);
		assert.doesNotMatch(await tip(page, 4, 0.5), /^parse/);
		await click(page, "[data-op=hide]");
		assert.match(await chosen(page), /^1,010 samples in this selection · 10,000 samples left out$/);
		await click(page, ".operation button >> nth=1");
		await click(page, "[data-op=focus]");
		assert.match(await chosen(page), /^10,000 samples in this selection · 1,010 samples left out$/);
		await press(page, "Escape", "Escape");
		assert.equal(await chosen(page), "11,010 samples");
		await clickFrame(page, 3, 0.2);
		await click(page, "[data-op=merge]");
		await go(page, `${hash(page)}&v=table`);
		const shown = await rows(page);
		assert.ok(!shown.has("parse"));
		assert.equal(shown.get("main")[0], "45.4 %");
		return page;
	},

	async "copy puts the name on the clipboard"() {
		const page = await open("lines", { permissions: [] });
		await clickFrame(page, 3, 0.2);
		await page.getByText("Copy name").click();
		await page.getByText("Copied").waitFor();
		return page;
	},

	async "a search tells what part matched, in every view"() {
		const page = await open("lines");
		await press(page, "/");
		await page.keyboard.type("^parse$|less");
		await settle(page);
		assert.equal(await text(page, "#found"), "93.2 % matched");
		await press(page, "Enter");
		assert.match(await text(page, "#live"), /^parse/);
		await press(page, "n");
		assert.match(await text(page, "#live"), /^(less|parse)/);
		await press(page, "3");
		assert.deepEqual([...(await rows(page)).keys()].sort(), ["less", "parse"]);
		await page.locator("#search").fill("parse(");
		await settle(page);
		assert.equal(await text(page, "#found"), "0.00 % matched");
		assert.equal(await page.locator("#search").getAttribute("aria-invalid"), "true");
		await press(page, "Escape");
		assert.equal(await text(page, "#found"), "");
		return page;
	},

	async "the table sorts and leads to functions"() {
		const page = await open("lines", { hash: "#v=table" });
		const names = async () => [...(await rows(page)).keys()];
		assert.equal((await names())[0], "parse");
		await page.getByRole("button", { name: "total" }).click();
		await settle(page);
		assert.equal((await names())[0], "_start");
		assert.equal(await page.locator("th[aria-sort=descending]").textContent(), "total ▾");
		await page.getByRole("button", { name: "total" }).click();
		await settle(page);
		assert.equal((await names()).at(-1), "_start");
		assert.equal(await page.locator("th[aria-sort=ascending]").textContent(), "total ▴");
		await page.getByRole("button", { name: "function" }).click();
		await settle(page);
		assert.deepEqual(await names(), [...await names()].sort());
		await page.locator("tr.row button", { hasText: "lex" }).click();
		await settle(page);
		assert.equal(await text(page, "#panel h2"), "lex");
		await page.getByRole("button", { name: "Find" }).click();
		await settle(page);
		assert.equal(await crumbs(page), "all›_start›main›parse›lex");
		return page;
	},

	async "groups: process, thread, thread name, CPU"() {
		const page = await open("lines");
		for (const [by, names] of [["pid", ["app-100"]], ["comm", ["parser", "sorter"]],
			["tid", ["parser-100/100", "sorter-100/101"]], ["cpu", ["cpu 0", "cpu 1"]]]) {
			await page.locator("#by").selectOption(by);
			await settle(page);
			assert.ok((await tip(page, 1, 0.2)).startsWith(names[0]), by);
			if (names[1])
				assert.ok((await tip(page, 1, 0.97)).startsWith(names[1]), by);
		}
		const given = await open("by-tid");
		assert.match(await tip(given, 1, 0.2), /^parser-100\/100/);
		assert.deepEqual(given.troubles, []);
		return page;
	},

	async "inputs of a merge keep processes apart, and are groups"() {
		const page = await open("hosts");
		assert.match(await text(page, "#about"), /of web1, web2/);
		for (const [by, first, second] of [["pid", "app-100@web1", "app-100@web2"],
			["tid", "app-100/100@web1", "app-100/100@web2"], ["origin", "web1", "web2"]]) {
			await page.locator("#by").selectOption(by);
			await settle(page);
			assert.ok((await tip(page, 1, 0.2)).startsWith(first), by);
			assert.ok((await tip(page, 1, 0.9)).startsWith(second), by);
		}
		assert.match(await tip(await open("by-origin"), 1, 0.9), /^web2/);
		const other = await open("lines");
		assert.equal(await other.locator("#by option[value=origin]").count(), 0);
		return page;
	},

	async "bottom-up, upright, colours"() {
		const page = await open("lines");
		await page.locator("[data-direction=up]").click();
		await settle(page);
		assert.match(await tip(page, 1, 0.1), /^parse.*5,000 samples/);
		assert.match(await tip(page, 2, 0.01), /^(main|parse)/);
		await press(page, "i", "f");
		assert.match(hash(page), /f=1/);
		const box = await page.locator("#flame canvas").boundingBox();
		await page.mouse.move(box.x + 300, box.y + box.height - 8);
		await settle(page);
		assert.match(await text(page, "#tip"), /^all/);
		for (const colors of ["safe", "binary", "origin"]) {
			await page.locator("#colors").selectOption(colors);
			await settle(page);
			assert.ok((await page.locator("#legend").textContent()).length > 10);
		}
		const reversed = await open("reverse");
		assert.equal(await text(reversed, "#title"), 'A "title" & <b>');
		assert.match(await tip(reversed, 1, 0.1), /^parse.*5,000 samples/);
		assert.deepEqual(reversed.troubles, []);
		return page;
	},

	async "the heaviest frames to the left"() {
		const page = await open("lines");
		assert.match(await tip(page, 4, 0.91), /^\[libx/);
		await click(page, "#order");
		assert.match(await tip(page, 4, 0.91), /^less/);
		await clickFrame(page, 4, 0.91);
		assert.equal(await crumbs(page), "all›_start›main›sort›less");
		await press(page, "Escape", "Escape", "o");
		assert.match(await tip(page, 4, 0.91), /^\[libx/);
		return page;
	},

	async "the panel is as wide as its edge is dragged"() {
		const page = await open("lines", { hash: "#fn=3" });
		const width = async () => (await page.locator("#panel").boundingBox()).width, before = await width();
		await drag(page, "#panel-edge", 0.5, -20);
		assert.ok(Math.abs(await width() - before - 20.5 * 7) < 5, `${before} ${await width()}`);
		await page.locator("#panel-edge").focus();
		await press(page, "ArrowRight");
		assert.ok(await width() < before + 20.5 * 7);
		return page;
	},

	async "another event has its own unit"() {
		const page = await open("lines");
		await page.locator("#event").selectOption({ label: "cache-misses" });
		await settle(page);
		assert.equal(await chosen(page), "500 samples · 624,750 events");
		assert.match(await tip(page, 2, 0.5), /^main.*624,750 events, 100 %/);
		return page;
	},

	async "wheel and drag pan and zoom the flame graph"() {
		const page = await open("busy");
		const picture = async () => (await page.locator("#flame canvas").screenshot()).toString("base64")
			.slice(-4000);
		await over(page, 8, 0.5);
		const whole = await picture();
		await page.keyboard.down("Control");
		for (let i = 0; i < 5; i++)
			await page.mouse.wheel(0, -300);
		await page.keyboard.up("Control");
		await settle(page);
		const zoomed = await picture();
		assert.notEqual(zoomed, whole);
		const box = await page.locator("#flame canvas").boundingBox();
		await page.mouse.move(box.x + 500, box.y + 100);
		await page.mouse.down();
		await page.mouse.move(box.x + 200, box.y + 100, { steps: 5 });
		await page.mouse.up();
		await settle(page);
		assert.equal(await crumbs(page), "", "a drag is no click");
		assert.notEqual(await picture(), zoomed);
		return page;
	},

	async "keys move among frames and are told to screen readers"() {
		const page = await open("lines");
		await page.locator("#flame canvas").focus();
		await press(page, "ArrowDown");
		assert.match(await text(page, "#live"), /^all, 11,010 samples, 100 %$/);
		await press(page, "ArrowDown", "ArrowDown", "ArrowDown");
		assert.match(await text(page, "#live"), /^parse/);
		await press(page, "ArrowRight");
		assert.match(await text(page, "#live"), /^sort, 1,010 samples/);
		await press(page, "Enter");
		assert.equal(await crumbs(page), "all›_start›main›sort");
		assert.equal(await text(page, "#panel h2"), "sort");
		await press(page, "Backspace");
		assert.equal(await crumbs(page), "all›_start›main");
		await press(page, "Home");
		assert.equal(await crumbs(page), "");
		await page.keyboard.press("?");
		assert.ok(await page.locator("#help").isVisible());
		await page.keyboard.press("Escape");
		assert.ok(await page.locator("#help").isHidden());
		await press(page, "g");
		assert.match(hash(page), /by=pid/);
		return page;
	},

	async "everything has a role and a label"() {
		const page = await open("lines", { hash: "#fn=3" });
		const bare = await page.evaluate(() => Array.from(
			document.querySelectorAll("button, input, select, canvas"))
			.filter(e => !e.closest("[aria-hidden=true]") && e.getAttribute("aria-hidden") !== "true")
			.filter(e => !e.textContent.trim() && !e.getAttribute("aria-label") &&
				!e.labels?.length).map(e => e.outerHTML.slice(0, 80)));
		assert.deepEqual(bare, []);
		return page;
	},

	async "an address holds the view; a bad one does no harm"() {
		const page = await open("lines");
		await clickFrame(page, 3, 0.2);
		await press(page, "i");
		await drag(page, "#heatmap", 0.1, 0.5);
		const same = await open("lines", { hash: `#${hash(page)}` });
		assert.equal(await chosen(same), await chosen(page));
		assert.equal(await text(same, "#panel h2"), "parse");
		const bad = await open("lines", { hash: "#t=9-1&th=77,x&fn=-5&op=evil:1&z=9.9.9&e=7&v=q&by=%00&q=%28" });
		assert.equal(await chosen(bad), "11,010 samples");
		for (const p of [same, bad])
			assert.deepEqual(p.troubles, []);
		return page;
	},

	async "folded stacks and a picture can be saved"() {
		const page = await open("lines", { hash: "#t=3000000-4000000" });
		const folded = await save(page, "#save-folded");
		assert.match(folded, /^_start;main;parse 400$/m);
		assert.match(folded, /^_start;main;sort;less 250$/m);
		const weight = t => t.trim().split("\n").reduce((n, l) => n + Number(l.split(" ").pop()), 0);
		assert.equal(weight(folded), 2000);
		await go(page, "t=3000000-4000000&by=tid");
		const grouped = await save(page, "#save-folded");
		assert.match(grouped, /^parser-100\/100;_start;main;parse 400$/m);
		assert.match(grouped, /^sorter-100\/101;_start;main;sort;less 250$/m);
		assert.equal(weight(grouped), 2000);
		await go(page, "t=3000000-4000000");
		const svg = await save(page, "#save-svg");
		const valid = await page.evaluate(s => !new DOMParser().parseFromString(s, "image/svg+xml")
			.querySelector("parsererror"), svg);
		assert.ok(valid && svg.includes("<title>sort (50.0 %)</title>"));
		const nasty = await open("names");
		const odd = await save(nasty, "#save-svg");
		assert.ok(await nasty.evaluate(s => !new DOMParser().parseFromString(s, "image/svg+xml")
			.querySelector("parsererror"), odd));
		return page;
	},

	async "names are only text"() {
		const page = await open("names");
		assert.equal(await page.title(), "</title><b>");
		await press(page, "3");
		const shown = await rows(page);
		assert.ok(shown.has("</script><img src=x onerror=document.title='owned'>"));
		assert.ok([...shown.keys()].some(n => n.startsWith("xxxx") && n.endsWith("…")));
		for (const f of await page.locator("tr.row button").all()) {
			await f.click();
			await settle(page);
		}
		assert.equal(await page.locator("img, svg, body b b, bdi script").count(), 0);
		assert.equal(await page.title(), "</title><b>");
		return page;
	},

	async "deep, wide, one sample, none"() {
		const deep = await open("deep");
		await deep.locator("#flame").evaluate(e => {
			e.scrollTop = 30000;
		});
		await settle(deep);
		assert.match(await tip(deep, 5, 0.1), /^(odd|even)/);
		await press(deep, "i");
		assert.match(await tip(deep, 1, 0.1), /^(odd|even)/);
		const wide = await open("wide");
		await press(wide, "i", "3");
		await wide.locator("#table").evaluate(e => {
			e.scrollTop = e.scrollHeight;
		});
		await settle(wide);
		assert.ok(await wide.locator("tr.row").count() > 60);
		const one = await open("one");
		assert.equal(await chosen(one), "1 sample");
		await press(one, "2", "3", "1");
		const none = await open("none");
		assert.equal(await chosen(none), "0 samples");
		await press(none, "i", "3", "1", "f", "/");
		await none.keyboard.type("x");
		await settle(none);
		for (const p of [deep, wide, one])
			assert.deepEqual(p.troubles, []);
		return none;
	},

	async "a part of the tree without samples still shows"() {
		const page = await open("callees");
		assert.ok(await page.locator("#time").isHidden());
		assert.match(await tip(page, 1, 0.5), /^parse.*10,000 samples, 100 %/);
		return page;
	},

	async "a difference: three colours, chance, equal totals"() {
		const page = await open("diff");
		assert.equal(await text(page, "#title"), "before.rec → after.rec");
		assert.match(await tip(page, 2, 0.1), /^fast40\.0 % → 10\.0 %/);
		await press(page, "3");
		const cells = await rows(page);
		assert.deepEqual(cells.get("slow").slice(0, 3), ["10.0 %", "40.0 %", "+30.00"]);
		assert.equal(cells.get("same")[2], "−0.20 ?");
		await page.locator("tr.row button", { hasText: "slow" }).click();
		await settle(page);
		assert.deepEqual(await page.locator("#panel .hint").allTextContents(), ["Not in a page of two recordings.",
			"Not in a page of two recordings; in that of one with singe report --embed-asm"]);
		await click(page, "#normalize");
		assert.match(hash(page), /n=0/);
		return page;
	},

	async "two fingers zoom"() {
		const page = await open("lines", { viewport: { width: 1024, height: 768 }, hasTouch: true });
		const session = await page.context().newCDPSession(page), box = await page.locator("#flame").boundingBox();
		const touch = (type, ...xs) => session.send("Input.dispatchTouchEvent",
			{ type, touchPoints: xs.map((x, id) => ({ x: box.x + x, y: box.y + 60, id })) });
		assert.match(await tip(page, 3, 0.95), /^sort/);
		await touch("touchStart", 400, 500);
		await touch("touchMove", 350, 550);
		await touch("touchMove", 300, 600);
		await touch("touchEnd");
		await settle(page);
		assert.match(await tip(page, 3, 0.95), /^parse/);
		assert.equal(await crumbs(page), "", "fingers are no click");
		return page;
	},

	async "light, dark, small screens, paper"() {
		const ground = page => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
		const light = await open("busy");
		assert.equal(await ground(light), "rgb(255, 255, 255)");
		const dark = await open("busy", { colorScheme: "dark" });
		assert.equal(await ground(dark), "rgb(20, 23, 28)");
		const small = await open("busy", { viewport: { width: 1024, height: 700 }, hasTouch: true });
		const wide = await small.evaluate(() => document.documentElement.scrollWidth);
		assert.ok(wide <= 1024, String(wide));
		const flame = await small.locator("#flame").boundingBox();
		await small.touchscreen.tap(flame.x + 200, flame.y + 50);
		await settle(small);
		assert.ok(await small.locator("#panel").isVisible());
		await small.emulateMedia({ media: "print" });
		assert.ok(await small.locator("#controls").isHidden());
		for (const p of [dark, small])
			assert.deepEqual(p.troubles, []);
		return light;
	},
};

await run(tests);
