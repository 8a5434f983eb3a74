// The filters of the list of games. They are in the address, so that each choice is a link:
// #games&e=ENTRANT&as=SEAT&o=OPPONENT&r=RESULT&f=CAUSE&s=STATE.

/** The list that was shown last: its address, and its games in their order. */
const chosenList = { href: "#games", games: byInterest, isAll: true };

/** Gives the games among which a game has its neighbours: those that were chosen last, if it is one of them. */
const listAround = (game) => (chosenList.games.includes(game) ? chosenList.games : byInterest);

function placeInList(game) {
  const at = chosenList.games.indexOf(game);
  return chosenList.isAll || at < 0 ? "" : `; ${at + 1} of ${digits(chosenList.games.length)} chosen games`;
}

/** The seats of a game that a choice may be about: those of its entrant, else all but its opponent's. */
function seatsOf(game, entrant, opponent) {
  const isMeant = (seat) => (entrant === undefined ? game.e[seat] !== Number(opponent) : game.e[seat] === Number(entrant));
  return [...game.e.keys()].filter(isMeant);
}

/** A role alone chooses nothing: every game has all roles. */
const needsRole = ({ e, o, r, f }) => [e, o, r, f].some((value) => value !== undefined && value !== "");

function resultAt(game, seat) {
  const winners = game.won.filter(Boolean).length;
  if (winners === 0 || winners === game.won.length) return "drawn";
  return game.won[seat] ? "won" : "lost";
}

const causeOf = ([, , what]) => what.split(":")[0];

/** Tells whether a game is among the chosen ones: one of its seats must fit everything. */
function isChosen(game, { e, as, o, r, f, s }) {
  if (s !== undefined && game.state !== Number(s)) return false;
  if (o !== undefined && !game.e.includes(Number(o))) return false;
  return seatsOf(game, e, o).some((seat) => {
    const own = game.faults.filter(([, at]) => at === seat);
    if (as !== undefined && seat !== Number(as)) return false;
    if (r !== undefined && resultAt(game, seat) !== r) return false;
    return f === undefined || (f === "any" ? own.length > 0 : own.some((fault) => causeOf(fault) === f));
  });
}

/** Lists the filters as [key, label, choices]; a choice is [value, text]. */
function filterChoices() {
  const met = [...gamesOf.keys()].sort((a, b) => a - b).map((entrant) => [entrant, data.names[entrant]]);
  const causes = [...new Set(data.games.flatMap((game) => game.faults.map(causeOf)))].sort();
  const states = [...new Set(data.games.map((game) => game.state))].sort((a, b) => a - b);
  const all = [
    ["e", "Entrant", met],
    ["o", "Against", met],
    ["as", "As", data.roles.map((role, seat) => [seat, role])],
    ["r", "Result", ["won", "drawn", "lost"].map((result) => [result, result])],
    ["f", "Own fault", causes.length ? [["any", "any"], ...causes.map((cause) => [cause, cause])] : []],
    ["s", data.start === "repetition" ? "Repetition" : "State", states.map((state) => [state, state])],
  ];
  return all.filter(([, , choices]) => choices.length > 1);
}

function hrefOfGames(chosen) {
  const kept = Object.entries(chosen).filter(([, value]) => value !== undefined && value !== "");
  return `#games${kept.map(([key, value]) => `&${key}=${encodeURIComponent(value)}`).join("")}`;
}

function filterForm() {
  const form = make("form", { className: "choice filters", id: "filters" });
  for (const [key, label, choices] of filterChoices()) {
    const options = [["", "all"], ...choices].map(([value, text]) => make("option", { value }, `${text}`));
    form.append(make("label", {}, `${label} `, make("select", { name: key }, ...options)), " ");
  }
  const clear = make("button", { type: "reset" }, "Show all");
  form.append(clear);
  const changed = () => {
    const chosen = Object.fromEntries(new FormData(form));
    history.replaceState(null, "", hrefOfGames(chosen));
    listChosen();
  };
  form.addEventListener("change", changed);
  form.addEventListener("reset", () => setTimeout(changed));
  form.addEventListener("submit", (event) => event.preventDefault());
  return form;
}

function listChosen() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const form = byId("filters");
  if (!form) return;
  for (const select of form.querySelectorAll("select")) select.value = asked.get(select.name) ?? "";
  const role = form.elements.as;
  if (role) {
    role.disabled = !needsRole(Object.fromEntries([...form.querySelectorAll("select")].map(({ name, value }) => [name, value])));
    role.title = role.disabled ? "Choose an entrant, an opponent, a result or a fault first." : "";
  }
  const chosen = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ""));
  const list = byInterest.filter((game) => isChosen(game, chosen));
  const isFiltered = Object.keys(chosen).length > 0;
  form.lastChild.hidden = !isFiltered;
  byId("filtered").textContent = isFiltered ? `${digits(list.length)} of the ${digits(data.games.length)} games on this page.` : "";
  byId("chosen-games").replaceChildren(tableOfGames(list));
  const isAll = list.length === data.games.length;
  Object.assign(chosenList, { href: hrefOfGames(chosen), games: list, isAll });
  byId("back").href = chosenList.href;
  byId("back").textContent = isAll ? "← All results" : "← The chosen games";
}

function hrefOfPair(one, other, role) {
  const isTheirs = (gamesOf.get(one) ?? []).some((game) => isChosen(game, { e: one, as: role, o: other }));
  return isTheirs ? hrefOfGames({ e: one, as: role, o: other }) : null;
}
