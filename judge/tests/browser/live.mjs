// What a published page does while it is open: `node live.mjs CHECK PAGE`.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { open } from "./driver.mjs";

const [, , check, file] = process.argv;

/** Puts the next folder in the place of the one that is served, and lets the page look. */
async function publish(page) {
  await fetch(new URL("/-next", file));
  await look(page);
}

const look = (page) => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
const DIGEST = "(() => { const data = document.getElementById('data'); return document.readyState === 'complete' && data && JSON.parse(data.textContent).live; })()";

const CHECKS = {
  async live(page) {
    await page.until(`${DIGEST} === 'one'`, "the first page");
    const points = "[...document.querySelectorAll('#standings-table th button')].find((b) => b.textContent === 'Points').click()";
    await page.evaluate(points);
    await page.evaluate(points);
    await page.evaluate("scrollTo(0, 300)");
    await publish(page);
    await page.until(`${DIGEST} === 'two'`, "the second page is loaded");
    assert.equal(await page.evaluate("scrollY"), 300, "where the reader was");
    assert.equal(await page.evaluate("document.querySelector('#standings-table [aria-sort]').getAttribute('aria-sort')"), "ascending", "sorted as it was");

    // A replay is not taken away, and is found again under its new number.
    const players = "[...document.querySelectorAll('#seats bdi')].map((name) => name.textContent).join()";
    const number = () => page.evaluate("location.hash.split('&')[0]");
    await page.evaluate("location.hash = '#g=30&t=7'");
    await page.until("document.getElementById('turn').textContent.startsWith('Turn 7 of ')", "a replay");
    const [before, old] = [await page.evaluate(players), await number()];
    await publish(page);
    await page.until("document.getElementById('news')", "new results are offered");
    await look(page);
    assert.equal(await page.evaluate("document.querySelectorAll('#news').length"), 1, "once");
    assert.equal(await page.evaluate(DIGEST), "two", "nothing is loaded by itself");
    await page.evaluate("document.querySelector('#news button').focus()");
    await page.press(" ");
    await page.until(`${DIGEST} === 'three' && document.getElementById('turn').textContent.startsWith('Turn 7 of ')`, "the third page, with the replay");
    assert.equal(await page.evaluate(players), before, "of the same players");
    assert.notEqual(await number(), old, "which has another number now");
    assert.equal(await page.evaluate("document.getElementById('news')"), null);
  },

  /** The chart has a line for each of the leaders and fits at any width; axe finds nothing serious. */
  async history(page) {
    assert.equal(await page.evaluate("document.querySelectorAll('.timeline path.line').length"), 10);
    assert.equal(await page.evaluate("document.querySelectorAll('.timeline .round').length"), 2, "two rounds began");
    assert.match(await page.evaluate("document.querySelector('.leaders .history').getAttribute('aria-label')"), /^began at rank /);
    const rows = await page.evaluate("[...document.querySelectorAll('[aria-label=\"Who rose and fell\"] tbody tr')].map((row) => row.cells.length)");
    assert.deepEqual(rows, Array(10).fill(6), "also since the day before");
    for (const width of [1920, 1366, 375]) {
      await page.resize(width);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width, "nothing sticks out");
    }
    await page.evaluate("document.querySelector('#history').parentElement.querySelector('details').open = true");
    await accessible(page);
  },

  async hostile(page) {
    assert.notEqual(await page.evaluate("document.title"), "owned");
    assert.equal(await page.evaluate("document.querySelectorAll('img').length"), 0);
    assert.equal(await page.evaluate("document.scripts.length"), 2, "the data and the script");
    const named = await page.evaluate("[...document.querySelectorAll('[aria-label=\"Who rose and fell\"] bdi')].map((name) => name.textContent)");
    assert.ok(named.some((name) => name.startsWith("<script>")), `${named}`);
  },

  async file(page) {
    await page.until(`${DIGEST} === 'one'`, "the page");
    await look(page);
    await page.evaluate("new Promise((done) => setTimeout(done))");
    assert.equal(page.requests.length, 1, `${page.requests}`);
  },
};

/** Nothing serious may be found by axe, where it is installed, by day and by night. */
async function accessible(page) {
  const place = new URL("node_modules/axe-core/axe.min.js", import.meta.url);
  if (!existsSync(place)) return;
  for (const dark of [false, true]) {
    await page.night(dark);
    await page.evaluate(readFileSync(place, "utf8"));
    const { violations } = await page.evaluate("axe.run().then(({ violations }) => ({ violations }))");
    const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
    const told = serious.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.html} ${node.failureSummary}`).join("\n")}`);
    assert.deepEqual(told, [], dark ? "in the dark" : "by day");
  }
}

const page = await open(file);
try {
  await CHECKS[check](page);
  // A browser asks for an icon by itself.
  const own = new URL(".", new URL(file, "file:///")).href;
  const others = page.requests.filter((url) => !url.startsWith(own) && !url.endsWith("/favicon.ico") && check !== "file");
  assert.deepEqual(others, [], "nothing but its own folder");
  assert.deepEqual(page.complaints.filter((text) => !text.includes("404")), [], "nothing on the console");
} finally {
  await page.close();
}
