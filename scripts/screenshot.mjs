// Photographs a run's page and a game on it, side by side: `node screenshot.mjs PAGE PNG`.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { open } from "../judge/tests/browser/driver.mjs";

const [, , file, target] = process.argv;
const parts = [];
for (const hash of ["", "#g=3&t=30"]) {
  const page = await open(file, { width: 1100, height: 940, hash });
  const part = `${target}.${parts.length}`;
  await page.screenshot(part);
  await page.close();
  parts.push(readFileSync(part).toString("base64"));
  rmSync(part);
}
const images = parts.map((part) => `<img width="800" src="data:image/png;base64,${part}">`);
const frame = `${target}.html`;
writeFileSync(frame, `<body style="margin:0;display:flex;gap:2px;background:#ccc">${images.join("")}`);
const page = await open(frame, { width: 1602, height: 684 });
await page.screenshot(target);
await page.close();
rmSync(frame);
