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
    // In the dark, only colours differ.
    const options = { resultTypes: ["violations"], ...(dark && { runOnly: ["color-contrast", "link-in-text-block"] }) };
    for (const view of views) {
      await go(view);
      const { violations } = await page.evaluate(`axe.run(${JSON.stringify(options)}).then(({ violations }) => ({ violations }))`);
      const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
      const told = serious.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.html} ${node.failureSummary}`).join("\n")}`);
      assert.deepEqual(told, [], `${view || "the overview"}${dark ? ", dark" : ""}`);
    }
  }
}
