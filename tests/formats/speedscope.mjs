// What speedscope's own page shows of a file: [[function, total, self], …] of its table, as JSON.
// Usage: speedscope.mjs INDEX.HTML FILE
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(import.meta.url)("playwright-core");
const [index, file] = process.argv.slice(2);
const browser = await chromium.launch({
	executablePath: process.env.CHROMIUM,
	args: ["--headless", "--no-sandbox", "--use-gl=swiftshader", "--enable-unsafe-swiftshader",
		"--allow-file-access-from-files"],
});
try {
	const page = await browser.newPage();
	page.setDefaultTimeout(60000);
	await page.goto(pathToFileURL(index).href);
	await page.locator("input[type=file]").setInputFiles(file);
	await page.getByText("Sandwich").click(); // the view that has a table; it is there once a file is
	const row = page.locator("tr:has(td:nth-child(3)):visible");
	await row.first().waitFor();
	const rows = await row.evaluateAll(list => list.map(({ cells: [total, self, name] }) =>
		[name.textContent, parseInt(total.textContent), parseInt(self.textContent)]));
	console.log(JSON.stringify(rows));
} finally {
	await browser.close();
}
