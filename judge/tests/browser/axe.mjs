// What keeps people out of a page, as axe-core finds it, where that is installed.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";

const AXE = new URL("node_modules/axe-core/axe.min.js", import.meta.url);

/** Nothing serious may be found in any of the views, by day and by night; `go` shows a view. */
export async function accessible(page, views = [""], go = () => {}) {
  if (!existsSync(AXE)) return;
  await page.evaluate(readFileSync(AXE, "utf8"));
  for (const dark of [false, true]) {
    await page.night(dark);
    for (const view of views) {
      await go(view);
      const serious = await page.evaluate(`(${seriousOnes})(${dark})`);
      assert.deepEqual(serious, [], `${view || "the overview"}${dark ? ", dark" : ""}`);
    }
  }
}

/** Runs in the page. */
async function seriousOnes(dark) {
  const { axe, document } = globalThis;
  // A long game has hundreds of moves, and all of them look like these.
  for (const move of [...document.querySelectorAll("#moves li")].slice(12, -4)) move.remove();
  // Each rule has one impact. In the dark, only colours differ.
  const others = axe._audit.rules.filter(({ impact }) => ["minor", "moderate"].includes(impact));
  const rules = Object.fromEntries(others.map(({ id }) => [id, { enabled: false }]));
  const chosen = dark ? { runOnly: ["color-contrast", "link-in-text-block"] } : { rules };
  const { violations } = await axe.run({ resultTypes: ["violations"], ...chosen });
  const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  return serious.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.html} ${node.failureSummary}`).join("\n")}`);
}
