// Opens pages in turn, an odd number of times each, until a frame is drawn after the script has run:
// `node bench-page.mjs ROUNDS PAGE…`.

import { statSync } from "node:fs";
import { open } from "../judge/tests/browser/driver.mjs";

const DRAWN = "new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))";
const rounds = Number(process.argv[2]);
const files = process.argv.slice(3);
const took = files.map(() => []);

for (let round = 0; round < rounds; round++) {
  for (const [at, file] of files.entries()) {
    const page = await open(file);
    await page.reload();
    took[at].push(await page.evaluate(DRAWN));
    await page.close();
  }
}

const medians = took.map((times) => times.sort((a, b) => a - b)[(rounds - 1) / 2]);
files.forEach((file, at) => {
  const megabytes = (statSync(file).size / 1e6).toFixed(2);
  const times = took[at].map((ms) => ms.toFixed(0)).join(" ");
  console.log(`${file}: ${megabytes} MB, opened in ${medians[at].toFixed(0)} ms (${times}), ${(medians[at] / medians[0]).toFixed(2)} times the first`);
});
