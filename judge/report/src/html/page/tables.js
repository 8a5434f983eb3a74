// Tables: sorting, the opponents and games of an entrant, the list of games.

function cellValue(row, column) {
  const cell = row.cells[column];
  const text = cell?.dataset.v ?? cell?.textContent.trim() ?? "";
  const number = Number.parseFloat(text);
  return text !== "" && Number.isFinite(number) && !cell.querySelector("bdi") ? number : text;
}

/** Sorts a table by a column; numbers go downwards first, but for ranks. Empty cells stay below. */
function sortBy(table, column) {
  const heads = table.tHead.rows[0].cells;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const isEmpty = (row) => cellValue(row, column) === "";
  const isNumber = rows.every((row) => isEmpty(row) || typeof cellValue(row, column) === "number");
  const before = heads[column].getAttribute("aria-sort");
  const startsDown = isNumber && heads[column].textContent !== "#";
  const isDown = before ? before === "ascending" : startsDown;
  for (const head of heads) head.removeAttribute("aria-sort");
  heads[column].setAttribute("aria-sort", isDown ? "descending" : "ascending");
  const compare = (a, b) => {
    if (isEmpty(a) || isEmpty(b)) return isEmpty(a) - isEmpty(b);
    const [one, other] = [cellValue(a, column), cellValue(b, column)];
    const order = isNumber ? one - other : String(one).localeCompare(String(other));
    return isDown ? -order : order;
  };
  body.append(...rows.sort(compare));
}

/** Shows the rows whose names have a text in them. */
byId("find-entrant")?.addEventListener("input", ({ target }) => {
  const wanted = target.value.trim().toLowerCase();
  const rows = [...byId("standings-table").tBodies[0].rows];
  for (const row of rows) row.hidden = !row.querySelector("bdi").textContent.toLowerCase().includes(wanted);
  const shown = rows.filter((row) => !row.hidden).length;
  byId("found-entrants").textContent = wanted ? `${shown} of ${rows.length}` : "";
});

document.addEventListener("click", (event) => {
  const head = event.target.closest?.("table.sort thead th");
  if (head && event.target.closest("button")) sortBy(head.closest("table"), head.cellIndex);
});

/** Marks the edges at which more of a table, or of a drawing, can be scrolled to. */
function markEdges(region) {
  const hidden = region.scrollWidth - region.clientWidth;
  region.classList.toggle("more-before", region.scrollLeft > 1);
  region.classList.toggle("more-after", region.scrollLeft < hidden - 1);
}

/** Marks them whenever a region or what is in it has got another size, after the browser's own layout. */
const sizes = new ResizeObserver((changes) => {
  for (const region of new Set(changes.map(({ target }) => target.closest(".wide")))) markEdges(region);
});

function watchEdges(region) {
  sizes.observe(region);
  sizes.observe(region.firstElementChild);
}

for (const region of document.querySelectorAll(".wide")) watchEdges(region);
document.addEventListener("scroll", ({ target }) => target.classList?.contains("wide") && markEdges(target), true);

/** From so many rows on a table is laid out only when it comes near. */
const LONG_FROM = 40;

/** Makes a table that can be sorted; titles of columns of numbers end in `#`. */
function tableOf(label, titles, rows) {
  const heads = titles.map((title) => {
    const className = title.endsWith("#") ? "n" : "";
    return make("th", { scope: "col", className }, make("button", { type: "button" }, title.replace("#", "")));
  });
  const table = make("table", { className: "sort" }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
  const region = make("div", { className: "wide tall", tabIndex: 0, ariaLabel: label }, table);
  region.setAttribute("role", "region");
  region.classList.toggle("long", rows.length >= LONG_FROM);
  watchEdges(region);
  return region;
}

const count = (number) => make("td", { className: "n" }, `${number}`);

/** Tells how an entrant fared against each other, by its role. */
function opponentsOf(entrant) {
  const own = data.pairs.filter(([one]) => one === entrant);
  if (!own.length) return [];
  const isForTwo = data.roles.length === 2;
  const rows = own.map(([, other, role, ahead, level, behind, game]) => {
    const share = (ahead + level / 2) / (ahead + level + behind);
    const score = make("td", { className: `share ${tone(share)}` }, pairLink([entrant, other, isForTwo ? role : ""], game, {}, shareText(share)));
    score.dataset.v = share;
    const as = isForTwo ? [make("td", {}, dot(role), data.roles[role])] : [];
    return make("tr", {}, make("th", { scope: "row" }, linkTo(other)), ...as, score, count(ahead), count(level), count(behind));
  });
  const titles = ["Opponent", ...(isForTwo ? ["As"] : []), "Share#", ...(isForTwo ? ["W#", "D#", "L#"] : ["Ahead#", "Level#", "Behind#"])];
  return [make("h3", {}, "Opponents"), tableOf("Opponents", titles, rows)];
}

function gameRow(game) {
  const players = make("td", { className: "players" });
  game.e.forEach((entrant, seat) => {
    const won = game.won[seat] === 1;
    players.append(make("span", { className: won ? "won" : "" }, dot(seat), nameOf(entrant)));
  });
  const end = game.faults.length ? make("span", { className: "bad" }, game.faults[0][2].split(":")[0]) : named(game, game.end);
  const number = make("td", { className: "n" }, make("a", { href: `#g=${game.n}` }, game.n));
  const why = hasAllGames ? [] : [make("td", {}, WHY[game.why] ?? game.why)];
  return make("tr", {}, number, players, make("td", { className: "end" }, end), count(game.steps.length - 1), ...why);
}

/** Tells whether no game is missing on this page: then none has been chosen. */
const hasAllGames = data.games.length === data.played;

/** Why a game has been chosen, in words for everybody. */
const WHY = { fault: "has a fault", upset: "an upset", sample: "one of this pairing" };

const tableOfGames = (list) => tableOf("Games", ["Game#", "Players", "End", "Turns#", ...(hasAllGames ? [] : ["Shown because"])], list.map(gameRow));

/** Fills an entrant's page with what only the script knows. */
function fillPerson(person) {
  const entrant = people.indexOf(person);
  if (person.dataset.filled) return;
  person.dataset.filled = "yes";
  person.querySelector(".opponents").replaceChildren(...opponentsOf(entrant));
  const own = gamesOf.get(entrant) ?? [];
  if (own.length) person.querySelector(".own-games").replaceChildren(make("h3", {}, "Games on this page"), tableOfGames(own));
}

/** Lists the games of this page, and asks for the number of any. */
function listGames() {
  const input = make("input", { type: "text", inputMode: "numeric", pattern: "[0-9]*", size: 7, id: "game-number", autocomplete: "off" });
  const ask = make("form", { className: "choice" }, make("label", { htmlFor: "game-number" }, "Game number "), input, " ", make("button", { type: "submit" }, "Open"));
  ask.addEventListener("submit", (event) => {
    event.preventDefault();
    const number = Number.parseInt(input.value, 10);
    if (number > 0) location.href = hrefOf(number) ?? `#g=${number}`;
  });
  const whose = data.own === undefined ? "" : "your ";
  const reasons = new Set(data.games.map((game) => game.why));
  const kinds = [reasons.has("fault") && "faults", reasons.has("upset") && "upsets", reasons.has("sample") && "a sample of the pairings"];
  const chosen = kinds.filter(Boolean).join(", ");
  const some = `${data.games.length} of ${whose}${data.played} games are on this page${chosen && `: ${chosen}`}. `;
  const others = data.full ? "Every other game has its own page." : data.has_run ? "For any other game, in the run's folder: " : "";
  const command = data.has_run && !data.full ? make("code", {}, "judge view . GAME") : "";
  const note = make("p", { className: "note" }, ...(hasAllGames ? [`All ${whose}games are on this page.`] : [some, others, command]));
  const said = make("p", { className: "note", id: "filtered" });
  said.setAttribute("role", "status");
  byId("game-list").replaceChildren(note, ask, filterForm(), said, make("div", { id: "chosen-games" }));
  if (data.games.length < LONG_FROM) listChosen();
  else setTimeout(listAfterwards, AFTER_FIRST_SCREEN_MS);
}

/** A long list waits so long, in milliseconds, so that the first screen is drawn before it. */
const AFTER_FIRST_SCREEN_MS = 200;

/** Makes a long list once the first screen is drawn, unless somebody has asked for it by then. */
function listAfterwards() {
  if (!byId("chosen-games").childElementCount) listChosen();
}
