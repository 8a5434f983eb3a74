// A page that was published to be kept up to date asks what lies beside it whether there is a newer
// one, and then is loaded again as the reader left it. From a file it asks nothing.

/** How often it asks, about; and how long it waits at most where nobody answers, or the page that comes is still the old one. */
const ASK_MS = 45000;
const ASK_MS_MAX = 600000;
const LEFT = "judge-left";
const live = { failures: 0, timer: null, isAsking: false };

/** Reads or writes what lasts as long as the tab; nothing where the browser forbids it. */
function inTab(name, value) {
  try {
    if (value === undefined) return JSON.parse(sessionStorage.getItem(name));
    sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Then the page begins at its top.
  }
  return null;
}

const namesIn = (game) => game.e.map((entrant) => data.names[entrant]);

/** Notes where the reader is, by names: the numbers of games and entrants change. */
function leave(digest) {
  const person = people.findIndex((one) => !one.hidden);
  const tables = [...document.querySelectorAll("#overview table.sort")].map((table) => {
    const head = table.querySelector("[aria-sort]");
    return head && [head.cellIndex, head.getAttribute("aria-sort")];
  });
  inTab(LEFT, {
    digest,
    at: Date.now(),
    view: document.body.className,
    person: data.names[person],
    game: view.game && { names: namesIn(view.game), state: view.game.state, t: view.t },
    tables,
    open: [...document.querySelectorAll("#overview details")].map((one) => one.open),
    scroll: [scrollX, scrollY],
    isPaused: featured.isPaused,
  });
  location.reload();
}

/** Finds the place of a note in this page; null where it is no longer there. */
function placeOf(left) {
  if (left.view === "people") {
    const entrant = data.names.indexOf(left.person);
    return entrant < 0 ? null : `#e=${entrant}`;
  }
  if (left.view !== "game" || !left.game) return null;
  const { names, state, t } = left.game;
  const game = data.games.find((one) => one.state === state && `${namesIn(one)}` === `${names}`);
  return game ? `#g=${game.n}&t=${t}` : null;
}

/** Puts the reader where the page before this one was left. */
function comeBack(left) {
  const place = placeOf(left);
  if (place || left.view !== "overview") history.replaceState(null, "", place ?? "#standings");
  follow();
  const tables = document.querySelectorAll("#overview table.sort");
  left.tables.forEach((sorted, at) => {
    if (!sorted || !tables[at]?.tHead.rows[0].cells[sorted[0]]) return;
    sortBy(tables[at], sorted[0]);
    if (tables[at].querySelector("[aria-sort]").getAttribute("aria-sort") !== sorted[1]) sortBy(tables[at], sorted[0]);
  });
  document.querySelectorAll("#overview details").forEach((one, at) => {
    one.open = left.open[at] ?? false;
  });
  if (left.isPaused && data.featured?.length) {
    featured.isPaused = true;
    runFeatured(document.body.className === "overview");
  }
  // Whoever was elsewhere begins at the top.
  if (place || left.view === "overview") scrollTo(...left.scroll);
}

/** Tells whether the reader is watching a game, typing, or has marked some text. */
function isBusy() {
  const isWatching = document.body.className === "game" && view.game;
  return isWatching || /^(INPUT|SELECT)$/.test(document.activeElement?.tagName) || !getSelection().isCollapsed;
}

function offer(digest) {
  if (byId("news")) return;
  const button = make("button", { type: "button" }, "Show");
  button.addEventListener("click", () => leave(digest));
  const news = make("div", { id: "news", className: "news" }, "There are new results. ", button);
  news.setAttribute("role", "status");
  document.body.append(news);
}

/** Tells authors what has become of what they submitted last. */
function tellSubmission(submission) {
  const place = byId("submitted");
  if (!place || !submission?.words || place.textContent === submission.words) return;
  place.textContent = submission.words;
  byId("submitted-wrote").textContent = submission.wrote ?? "";
  byId("submitted-wrote").hidden = !submission.wrote;
  // It is of an earlier version.
  byId("submitted-all")?.remove();
}

function take(latest) {
  tellSubmission(latest.submission);
  const isNew = typeof latest.digest === "string" && latest.digest !== "" && latest.digest !== data.live;
  if (!isNew) return;
  const before = inTab(LEFT);
  // A cache between may still have the old page: then it is asked for again later.
  if (before?.digest === latest.digest && Date.now() - before.at < ASK_MS_MAX) return;
  if (isBusy()) offer(latest.digest);
  else leave(latest.digest);
}

async function ask() {
  clearTimeout(live.timer);
  if (live.isAsking) return;
  live.isAsking = true;
  try {
    if (!document.hidden) {
      const answer = await fetch("latest.json", { cache: "no-store" });
      if (!answer.ok) throw new Error("not there");
      take(await answer.json());
      live.failures = 0;
    }
  } catch {
    live.failures += 1;
  }
  live.isAsking = false;
  const wait = Math.min(ASK_MS_MAX, ASK_MS * 2 ** live.failures);
  live.timer = setTimeout(ask, wait * (0.75 + Math.random() / 2));
}

if (data.live && /^https?:$/.test(location.protocol)) {
  const left = inTab(LEFT);
  if (left?.view) comeBack(left);
  // Once: a page that is opened later begins at its own place.
  if (left) inTab(LEFT, { digest: left.digest, at: left.at });
  document.addEventListener("visibilitychange", () => document.hidden || ask());
  ask();
}
