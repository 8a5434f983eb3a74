// What a published page does while it is open: `node live.mjs CHECK PAGE`.

import assert from "node:assert/strict";
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

  async file(page) {
    await page.until(`${DIGEST} === 'one'`, "the page");
    await look(page);
    await page.evaluate("new Promise((done) => setTimeout(done))");
    assert.equal(page.requests.length, 1, `${page.requests}`);
  },
};

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
