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

/** A table of more than 20 rows shows so many at first; the style sheet knows the number, too. */
const FIRST_ROWS = 14;

/** Shows the rows whose names have the text that is looked for, or the first ones, or all. */
function findEntrants(isAll) {
  const text = byId("find-entrant").value.trim();
  const rows = [...byId("standings-table").tBodies[0].rows];
  for (const row of rows) row.hidden = !row.querySelector("bdi").textContent.toLowerCase().includes(text.toLowerCase());
  const isSome = !text && !isAll && rows.length > 20;
  byId("standings-table").classList.toggle("some", isSome);
  const shown = isSome ? FIRST_ROWS : rows.filter((row) => !row.hidden).length;
  byId("all-entrants").hidden = shown === rows.length;
  byId("found-entrants").textContent = shown === rows.length ? "" : shown ? `${shown} of ${rows.length}` : `No name has “${text}”.`;
}

if (byId("find-entrant")) {
  byId("find-entrant").addEventListener("input", () => findEntrants(false));
  byId("all-entrants").addEventListener("click", () => {
    byId("find-entrant").value = "";
    findEntrants(true);
  });
  findEntrants(false);
}

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

function count(number) {
  const cell = make("td", { className: "n" }, digits(number));
  cell.dataset.v = number;
  return cell;
}

function opponentsOf(entrant) {
  const own = data.pairs.filter(([one]) => one === entrant);
  if (!own.length) return [];
  const isForTwo = data.roles.length === 2;
  const rows = own.map(([, other, role, ahead, level, behind, game]) => {
    const share = (ahead + level / 2) / (ahead + level + behind);
    const score = shareCell(share, pairLink([entrant, other, isForTwo ? role : undefined], game, {}, shareText(share)));
    const as = isForTwo ? [make("td", {}, dot(role), data.roles[role])] : [];
    const record = make("td", { className: "n" }, [ahead, level, behind].map(digits).join("–"));
    record.dataset.v = ahead;
    return make("tr", {}, make("th", { scope: "row" }, linkTo(other)), ...as, score, record);
  });
  const titles = ["Opponent", ...(isForTwo ? ["As"] : []), "Share#", isForTwo ? "W–D–L#" : "Ahead–level–behind#"];
  return [make("h3", {}, "Opponents"), tableOf("Opponents", titles, rows)];
}

/** The most interesting games come first: whose reason is none of these is featured. */
const DULL = ["upset", "fault", "sample", ""];
const byInterest = [...data.games].sort((a, b) => DULL.indexOf(a.why) - DULL.indexOf(b.why));

function gameRow(game) {
  const players = make("td", { className: "players" });
  game.e.forEach((entrant, seat) => {
    const won = game.won[seat] === 1;
    players.append(make("span", { className: won ? "won" : "" }, dot(seat), nameOf(entrant)));
  });
  const number = make("td", { className: "n" }, make("a", { href: `#g=${game.n}` }, game.n));
  const points = make("td", { className: "n end", title: named(game, game.end) }, game.p.join(" : "));
  const faults = [...new Set(game.faults.map(causeOf))].map((cause) => make("span", { className: "tag bad" }, cause));
  return make("tr", {}, number, players, points, make("td", { className: "end" }, ...faults), count(game.steps.length - 1));
}

const hasAllGames = data.games.length === data.played;

const tableOfGames = (list) => tableOf("Games", ["Game#", "Players", "Points#", "Faults", "Turns#"], list.map(gameRow));

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
  const others = data.full ? "Every other game has its own page." : data.has_run ? "For any other, in the run's folder: " : "";
  const command = data.has_run && !data.full ? make("code", {}, "judge view . GAME") : "";
  const some = [`${digits(data.games.length)} of ${whose}${digits(data.played)} games are on this page. `, others, command];
  const note = make("p", { className: "note" }, ...(hasAllGames ? [`All ${whose}${digits(data.played)} games, the most interesting first.`] : some));
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
