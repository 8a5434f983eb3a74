// Photographs a run's page and a game on it, side by side: `node screenshot.mjs PAGE PNG`.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { open } from "../judge/tests/browser/driver.mjs";

/** The size of each part, in CSS pixels, and how much smaller it is shown. */
const [WIDTH, HEIGHT, SHARE] = [1290, 1020, 0.64];

const [, , file, target] = process.argv;

/** Finds the longest game that the one in the first seat has won. */
const LONGEST = `(() => {
  const { games } = JSON.parse(document.getElementById("data").textContent);
  const won = games.filter((game) => game.won[0] && game.steps.length < 120);
  return won.sort((a, b) => b.steps.length - a.steps.length)[0];
})()`;

async function photograph(hash) {
  const page = await open(file, { width: WIDTH, height: HEIGHT, hash });
  await page.screenshot(target);
  const game = await page.evaluate(LONGEST);
  await page.close();
  return { image: readFileSync(target).toString("base64"), game };
}

const overview = await photograph("");
const { n, steps } = overview.game;
const game = await photograph(`#g=${n}&t=${Math.round(steps.length * 0.7)}`);
const width = Math.round(WIDTH * SHARE);
const images = [overview, game].map(({ image }) => `<img width="${width}" src="data:image/png;base64,${image}">`);
const frame = `${target}.html`;
writeFileSync(frame, `<body style="margin:0;display:flex;gap:2px;background:#ccc">${images.join("")}`);
const page = await open(frame, { width: 2 * width + 2, height: Math.round(HEIGHT * SHARE) });
await page.screenshot(target);
await page.close();
rmSync(frame);
