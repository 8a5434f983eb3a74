// Photographs the page of a run for docs/pictures: `node pictures.mjs PAGE NAME FOLDER` writes
// NAME-390.png, NAME-1366.png and NAME-1920.png (the first screen, the one below and a game, light and
// dark) and NAME-print.png (the first two sheets).

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { open } from "../judge/tests/browser/driver.mjs";

/** Width and height of each screen in CSS pixels, how much smaller it is shown, and how far into the game it is. */
const SCREENS = [
  [390, 844, 0.72, 1],
  [1366, 768, 0.52, 0.7],
  [1920, 1080, 0.4, 1],
];
/** A sheet of A4 landscape less its margins, in CSS pixels. */
const SHEET = [1031, 703];

const [, , file, name, folder] = process.argv;

/** Finds the longest game that the one in the first seat has won. */
const LONGEST = `(() => {
  const { games } = JSON.parse(document.getElementById("data").textContent);
  const won = games.filter((game) => game.won[0] && !game.faults && game.steps.length < 120);
  const { n, steps } = won.sort((a, b) => b.steps.length - a.steps.length)[0] ?? games[0];
  return [n, steps.length - 1];
})()`;

const page = await open(file);
const shot = join(folder, `${name}.shot.png`);
const photograph = async () => {
  await page.screenshot(shot);
  return readFileSync(shot).toString("base64");
};

/** Puts pictures side by side, so many in a row, and writes them as one. */
async function compose(pictures, [width, height], share, columns, target) {
  const [wide, tall] = [Math.round(width * share), Math.round(height * share)];
  const images = pictures.map((image) => `<img width="${wide}" height="${tall}" src="data:image/png;base64,${image}">`);
  const frame = join(folder, `${name}.frame.html`);
  writeFileSync(frame, `<body style="margin:0;display:grid;grid-template-columns:repeat(${columns},${wide}px);gap:2px;background:#888">${images.join("")}`);
  const whole = await open(frame, { width: columns * (wide + 2) - 2, height: Math.ceil(pictures.length / columns) * (tall + 2) - 2 });
  await whole.screenshot(join(folder, target));
  await whole.close();
  rmSync(frame);
}

const address = page.beside("report.html");
for (const [width, height, share, into] of SCREENS) {
  await page.resize(width, height);
  const pictures = [];
  for (const isDark of [false, true]) {
    await page.night(isDark, true);
    await page.go(`${address}?${width}${isDark}`);
    pictures.push(await photograph());
    await page.until("document.querySelector('#chosen-games table')", "the games");
    await page.evaluate("location.hash = '#pairs'");
    pictures.push(await photograph());
    const [n, turns] = await page.evaluate(LONGEST);
    await page.evaluate(`location.hash = '#g=${n}&t=${Math.round(turns * into)}'`);
    await page.until("document.body.className === 'game'", "a game");
    pictures.push(await photograph());
  }
  await compose(pictures, [width, height], share, width < 500 ? 6 : 3, `${name}-${width}.png`);
}
await page.night(false, true);
await page.resize(SHEET[0], 2 * SHEET[1]);
await page.paper(true, true);
await page.go(`${address}?print`);
await compose([await photograph()], [SHEET[0], 2 * SHEET[1]], 0.85, 1, `${name}-print.png`);
await page.close();
rmSync(shot);
