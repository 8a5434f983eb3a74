// What a published page does while it is open: `node live.mjs CHECK PAGE [-- CHECK PAGE] …`.

import assert from "node:assert/strict";
import { accessible } from "./axe.mjs";
import { runChecks } from "./driver.mjs";

/** Puts the next folder in the place of the one that is served, and lets the page look. */
async function publish(page) {
  await fetch(page.beside("/-next"));
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
    const rows = await page.evaluate("[...document.querySelectorAll('[aria-label=\"Who rose and fell\"] tbody tr')].map((row) => row.cells.length)");
    assert.deepEqual(rows, Array(10).fill(5));
    for (const width of [1920, 1366, 375]) {
      await page.resize(width);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width, "nothing sticks out");
    }
    const chart = "document.querySelector('.over-time > :first-child')";
    await page.until(`(({ scrollLeft, clientWidth, scrollWidth }) => scrollLeft > 0 && scrollLeft + clientWidth >= scrollWidth - 1)(${chart})`, "the newest ranks are in sight");
    const dates = await page.evaluate("document.querySelectorAll('.timeline .when').length");
    assert.ok(dates > 2, `on a phone too: ${dates}`);
    const reached = await tabs(page, "history", 6);
    assert.deepEqual(reached, ["Ranks over time", "Who rose and fell", "Entrant", "Rank", "Lately", "Best rank"], "by the keyboard");
    await page.press("Enter");
    assert.ok(await page.evaluate("document.activeElement.closest('th').ariaSort"), "sorted by the keyboard");
    await openByKeyboard(page, "New versions");
    await accessible(page);
  },

  /** The page of a student whose newest version does not play says so first, and is all there by the keyboard. */
  async student(page) {
    assert.match(await page.evaluate("document.getElementById('submitted').textContent"), /^Received last: version 3, .* It does not play: .* Version 2 keeps playing\.$/);
    assert.ok(await page.evaluate("document.getElementById('submitted').getBoundingClientRect().bottom < innerHeight"), "in sight");
    await stayedText(page);
    const parts = ["What your version 2 has changed", "Your versions", "What judge check found", "What your bot wrote on standard error"];
    const told = await page.evaluate("[...document.querySelectorAll('#overview h3, #overview summary')].map((one) => one.textContent)");
    for (const part of parts) assert.ok(told.includes(part), `${part}: ${told}`);
    for (const width of [1366, 375]) {
      await page.resize(width);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width, "nothing sticks out");
    }
    await page.evaluate("document.getElementById('yours').focus()");
    await openByKeyboard(page, "What judge check found");
    await openByKeyboard(page, "What your bot wrote on standard error");
    await accessible(page);
  },

  /** An open page tells its author what was received since. */
  async told(page) {
    const told = "document.getElementById('submitted').textContent";
    await page.until(`document.readyState === 'complete' && ${told}.startsWith('Received last: version 3')`, "the page");
    await publish(page);
    await page.until(`${told} === 'Received last: version 4.'`, "what is new is told");
    const wrote = await page.evaluate("((pre) => [pre.hidden, pre.textContent])(document.getElementById('submitted-wrote'))");
    assert.deepEqual(wrote, [false, "error: <img src=y>"], "with the first errors");
    await stayedText(page);
  },

  async hostile(page) {
    await stayedText(page);
    const named = await page.evaluate("[...document.querySelectorAll('[aria-label=\"Who rose and fell\"] bdi')].map((name) => name.textContent)");
    assert.ok(named.some((name) => name.startsWith("<script>")), `${named}`);
    await page.resize(375);
    const end = await page.evaluate("[...document.querySelectorAll('#standings-table th')].find((th) => th.textContent === 'Share').getBoundingClientRect().right");
    assert.ok(end <= 375, `long names leave room for what was won: ${end}`);
  },

  async file(page) {
    await page.until(`${DIGEST} === 'one'`, "the page");
    await look(page);
    await page.evaluate("new Promise((done) => setTimeout(done))");
    assert.equal(page.requests.length, 1, `${page.requests}`);
  },
};

async function stayedText(page) {
  assert.notEqual(await page.evaluate("document.title"), "owned");
  assert.equal(await page.evaluate("document.querySelectorAll('img').length"), 0);
  assert.equal(await page.evaluate("document.scripts.length"), 2, "the data and the script");
}

const FOCUSED = "document.activeElement.ariaLabel ?? document.activeElement.textContent";

/** Goes on from a heading with the key; gives what is reached. */
async function tabs(page, from, times) {
  await page.evaluate(`document.getElementById('${from}').focus()`);
  const reached = [];
  for (let n = 0; n < times; n++) {
    await page.press("Tab");
    reached.push(await page.evaluate(FOCUSED));
  }
  return reached;
}

/** Goes on with the key until something that opens is reached, and opens it. */
async function openByKeyboard(page, title) {
  for (let n = 0; n < 80 && !(await page.evaluate(FOCUSED)).startsWith(title); n++) await page.press("Tab");
  await page.press("Enter");
  assert.ok(await page.evaluate("document.activeElement.tagName === 'SUMMARY' && document.activeElement.parentElement.open"), `${title} is opened`);
}

/** Checks what holds for every page, whatever was done with it. */
async function quiet(page, check) {
  // A browser asks for an icon by itself.
  const others = page.requests.filter((url) => !url.startsWith(page.beside(".")) && !url.endsWith("/favicon.ico") && check !== "file");
  assert.deepEqual(others, [], "nothing but its own folder");
  assert.deepEqual(page.complaints.filter((text) => !text.includes("404")), [], "nothing on the console");
}

await runChecks(CHECKS, quiet);
