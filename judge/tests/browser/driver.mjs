// A page in a headless Chromium, driven over the DevTools protocol through a pipe; needs
// nothing but node. `open(file, options)` gives a page, `close()` ends the browser, and
// `runChecks` runs the checks of the command line in one browser.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
  "--remote-debugging-pipe",
];
/** The wall time for an answer of the browser; nothing takes as long, on however busy a machine. */
const ANSWER_MS = 300_000;

const addressOf = (file) => (/^https?:/.test(file) ? new URL(file).href : pathToFileURL(resolve(file)).href);

/** Runs checks as the command line names them, `CHECK PAGE [MORE] -- CHECK PAGE [MORE] …`, and after each what holds for every page. */
export async function runChecks(checks, holds) {
  const rows = process.argv.slice(2).join("\n").split("\n--\n").map((words) => words.split("\n"));
  const page = await open(rows[0][1]);
  try {
    for (const [number, [check, file, more]] of rows.entries()) {
      try {
        if (number > 0) await page.visit(file);
        await checks[check](page, more);
        await holds(page, check, file);
      } catch (cause) {
        throw new Error(`${check} on ${file}`, { cause });
      }
    }
  } finally {
    await page.close();
  }
}

/** Opens a file, or an address; `width`, `height` in CSS pixels, `dark` chooses the colours. */
export async function open(file, { width = 1280, height = 900, dark = false, hash = "", scale = 1 } = {}) {
  let address = addressOf(file);
  const profile = mkdtempSync(join(tmpdir(), "judge-browser-"));
  const program = process.env.CHROMIUM ?? "chromium";
  const browser = spawn(program, [...FLAGS, `--user-data-dir=${profile}`, "about:blank"], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    detached: true,
    env: { ...process.env, HOME: profile, XDG_CONFIG_HOME: profile, XDG_CACHE_HOME: profile },
  });
  const exited = new Promise((done) => browser.on("exit", done));
  const requests = [];
  const complaints = [];
  const { send, on } = connect(browser);
  const { targetInfos } = await send("Target.getTargets");
  const { targetId } = targetInfos.find((target) => target.type === "page");
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const ask = (method, params = {}) => send(method, params, sessionId);
  on("Network.requestWillBeSent", ({ request }) => requests.push(request.url));
  on("Runtime.exceptionThrown", ({ exceptionDetails }) => complaints.push(exceptionDetails.exception?.description ?? exceptionDetails.text));
  on("Runtime.consoleAPICalled", ({ type, args }) => complaints.push(`${type}: ${args.map((arg) => arg.value).join(" ")}`));
  on("Log.entryAdded", ({ entry }) => complaints.push(`${entry.level}: ${entry.text}`));
  for (const domain of ["Page", "Network", "Runtime", "Log", "Accessibility"]) await ask(`${domain}.enable`);
  const resize = (width, tall = height) => ask("Emulation.setDeviceMetricsOverride", { width, height: tall, deviceScaleFactor: scale, mobile: width < 500 });
  await resize(width);
  const night = (isDark, isStill = false) => ask("Emulation.setEmulatedMedia", {
    features: [{ name: "prefers-color-scheme", value: isDark ? "dark" : "light" }, { name: "prefers-reduced-motion", value: isStill ? "reduce" : "" }],
  });
  await night(dark);
  const loaded = new Promise((done) => on("Page.loadEventFired", done));
  await ask("Page.navigate", { url: address + hash });
  await loaded;

  return {
    requests,
    complaints,
    /** Chooses another width, and height, in CSS pixels. */
    resize,
    /** Chooses dark colours, or light ones, and whether the reader wants no motion. */
    night,
    /** Shows the page as it is printed, or as it is on the screen. */
    paper: (isPrinted, isStill = false) => ask("Emulation.setEmulatedMedia", { media: isPrinted ? "print" : "", features: [{ name: "prefers-reduced-motion", value: isStill ? "reduce" : "" }] }),
    /** Says that the reader wants no motion. */
    still: () => ask("Emulation.setEmulatedMedia", { features: [{ name: "prefers-reduced-motion", value: "reduce" }] }),
    /** Evaluates an expression in the page. */
    async evaluate(expression) {
      const { result, exceptionDetails } = await ask("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
      if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description}`);
      return result.value;
    },
    /** Gives the address of a file beside this one. */
    beside: (name) => new URL(name, address).href,
    /** Goes to another page. */
    async go(url) {
      const arrived = new Promise((done) => on("Page.loadEventFired", done));
      await ask("Page.navigate", { url });
      await arrived;
    },
    /** Opens another file or address like the first one; nothing is left of what was chosen before. */
    async visit(other) {
      address = addressOf(other);
      await this.evaluate("localStorage.clear(); sessionStorage.clear()");
      await resize(width);
      await night(dark);
      requests.length = 0;
      await this.go(address);
    },
    /** Loads the page again. */
    async reload() {
      const arrived = new Promise((done) => on("Page.loadEventFired", done));
      await ask("Page.reload");
      await arrived;
    },
    /** Waits until an expression is true. */
    async until(expression, what) {
      const last = Date.now() + ANSWER_MS;
      while (!(await this.evaluate(expression))) {
        if (Date.now() > last) throw new Error(`${what}: waited in vain at ${await this.evaluate("location.hash")}`);
        await new Promise((done) => setTimeout(done, 20));
      }
    },
    /** Presses a key, as a person would. */
    async press(key) {
      const codes = { Enter: [13, "\r"], Tab: [9, undefined] };
      const [windowsVirtualKeyCode, text] = codes[key] ?? [undefined, key.length === 1 ? key : undefined];
      await ask("Input.dispatchKeyEvent", { type: "keyDown", key, text, windowsVirtualKeyCode });
      await ask("Input.dispatchKeyEvent", { type: "keyUp", key });
    },
    /** Presses the mouse at a place and releases it at another, in CSS pixels. */
    async drag([x, y], [toX, toY]) {
      const mouse = (type, at, buttons) => ask("Input.dispatchMouseEvent", { type, x: at[0], y: at[1], button: "left", buttons, clickCount: 1 });
      await mouse("mousePressed", [x, y], 1);
      await mouse("mouseMoved", [toX, toY], 1);
      await mouse("mouseReleased", [toX, toY], 0);
    },
    /** Gives what a screen reader is told: roles and names. */
    async tree() {
      const { nodes } = await ask("Accessibility.getFullAXTree");
      return nodes.filter((node) => !node.ignored).map((node) => ({ role: node.role?.value, name: node.name?.value ?? "" }));
    },
    /** Writes what is seen, or the whole page, as PNG. */
    async screenshot(path, whole = false) {
      const { data } = await ask("Page.captureScreenshot", { format: "png", captureBeyondViewport: whole });
      writeFileSync(path, Buffer.from(data, "base64"));
    },
    async close() {
      await Promise.race([send("Browser.close").catch(() => {}), exited]);
      const late = setTimeout(() => process.kill(-browser.pid, "SIGKILL"), 5_000);
      await exited;
      clearTimeout(late);
      try {
        process.kill(-browser.pid, "SIGKILL");
      } catch {
        // Nobody is left.
      }
      rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

function connect(browser) {
  const waiting = new Map();
  const listeners = new Map();
  let last = 0;
  let rest = "";
  browser.stdio[4].setEncoding("utf8").on("data", (chunk) => {
    const messages = (rest + chunk).split("\0");
    rest = messages.pop();
    for (const message of messages.map((text) => JSON.parse(text))) {
      const answer = waiting.get(message.id);
      waiting.delete(message.id);
      if (answer) answer(message);
      else for (const listener of listeners.get(message.method) ?? []) listener(message.params);
    }
  });
  browser.stdio[3].on("error", () => {});
  const send = (method, params = {}, sessionId = undefined) =>
    new Promise((done, fail) => {
      const id = ++last;
      const late = setTimeout(() => fail(new Error(`the browser did not answer ${method}`)), ANSWER_MS);
      late.unref();
      waiting.set(id, ({ result, error }) => {
        clearTimeout(late);
        error ? fail(new Error(`${method}: ${error.message}`)) : done(result);
      });
      browser.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  const on = (method, listener) => listeners.set(method, [...(listeners.get(method) ?? []), listener]);
  return { send, on };
}
