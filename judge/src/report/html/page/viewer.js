// The view of one game, and the links to it: #g=GAME&t=TURN, #g=GAME&f=SEAT, #e=ENTRANT.

const PLAY_MS = 400;
const view = { game: null, t: 0, eyes: null, timer: null };

function time(us) {
  if (us < 1000) return `${us} µs`;
  const [value, unit] = us < 1e6 ? [us / 1e3, "ms"] : [us / 1e6, "s"];
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${unit}`;
}

const dot = (seat) => make("span", { className: `dot s${seat} role-${data.roles[seat].replace(/ /g, "-")}` });

function drawSeats() {
  const { game, t } = view;
  const seats = game.e.map((entrant, seat) => {
    const own = game.turns.slice(0, t).filter((turn) => turn.seat === seat);
    const used = own.reduce((sum, turn) => sum + turn.us, 0);
    const bank = own[own.length - 1]?.bank;
    const clock = bank === undefined ? `${time(used)} used` : `${time(bank)} left`;
    const name = make("span", { className: "who" }, dot(seat), nameOf(entrant), make("span", { className: "role" }, data.roles[seat]));
    if (game.won[seat]) name.append(make("span", { className: "tag won" }, "won"));
    return make("p", {}, name, make("span", { className: "clock" }, clock));
  });
  byId("seats").replaceChildren(...seats);
}

/** Draws a bar for each turn, and the limit where it is near. */
function drawCpu() {
  const { game, t } = view;
  const most = Math.max(1, ...game.turns.map((turn) => turn.us));
  const limit = data.turn_us;
  const top = limit && limit < most * 3 ? Math.max(most, limit) * 1.05 : most;
  const count = Math.max(1, game.turns.length);
  const chart = draw("svg", { viewBox: `0 0 ${count} 40`, preserveAspectRatio: "none", "aria-hidden": "true" });
  game.turns.forEach(({ seat, us }, index) => {
    const height = Math.max(0.8, (us / top) * 40);
    const now = index + 1 === t ? " now" : "";
    chart.append(draw("rect", { class: `s${seat}${now}`, x: index + 0.1, y: 40 - height, width: 0.8, height }));
  });
  if (limit && limit <= top) {
    const y = 40 - (limit / top) * 40;
    chart.append(draw("path", { class: "limit", d: `M0 ${y}H${count}` }));
  }
  chart.addEventListener("click", (event) => {
    const box = chart.getBoundingClientRect();
    show(Math.ceil(((event.clientX - box.left) / box.width) * count));
  });
  const text = `CPU time of each turn, ${time(most)} at most${limit ? `; the limit is ${time(limit)}` : ""}`;
  byId("cpu").replaceChildren(chart, make("p", { className: "note" }, text));
}

function drawMoves() {
  const { game } = view;
  const faults = new Map(game.faults.map((fault) => [fault[0], fault]));
  const items = game.turns.map(({ seat, us, move }, index) => {
    const t = index + 1;
    const fault = faults.get(t);
    const text = fault ? fault[2] : (move || "no move");
    const link = make("a", { href: `#g=${game.n}&t=${t}`, className: fault ? "bad" : "" }, dot(seat), make("span", { className: "move", title: text }, text), make("span", { className: "us" }, time(us)));
    return make("li", {}, link);
  });
  byId("moves").replaceChildren(...items);
}

function drawBanner() {
  const { game } = view;
  const banner = byId("banner");
  const winners = game.e.filter((_, seat) => game.won[seat]).map(nameOf);
  const names = winners.flatMap((name, index) => (index ? [" and ", name] : [name]));
  banner.replaceChildren(...(winners.length ? [...names, " won: "] : ["Drawn: "]), game.end);
  for (const [t, seat, what, line] of game.faults.slice(0, 5)) {
    const fault = make("span", { className: "fault" }, make("a", { href: `#g=${game.n}&t=${t}` }, `Turn ${t}`), ", ", nameOf(game.e[seat]), ": ", make("span", { className: "bad" }, what));
    if (line) fault.append(make("code", {}, line));
    banner.append(fault);
  }
  if (game.faults.length > 5) banner.append(make("span", { className: "fault" }, `and ${game.faults.length - 5} more faults`));
  if (game.torn) banner.append(make("span", { className: "fault" }, "The rest of the record does not follow from the rules of this version."));
}

function drawEyes() {
  const { game } = view;
  const canBeHidden = game.positions[0].seen.length > 0;
  byId("eyes-label").hidden = !canBeHidden;
  view.eyes = null;
  if (!canBeHidden) return;
  const seats = game.e.map((entrant, seat) => make("option", { value: `${seat}` }, `as ${data.roles[seat]}, ${data.names[entrant]}`));
  byId("eyes").replaceChildren(make("option", { value: "" }, "the whole truth"), ...seats);
}

/** Says in words what the board shows, for those who do not see it. */
function words() {
  const { game, t } = view;
  const notes = game.positions[t].notes.map((note) => noteText(note, data.forms)).join("; ");
  if (t === 0) return `Start. ${notes}`;
  const { seat, us, move } = game.turns[t - 1];
  const fault = game.faults.find((one) => one[0] === t);
  const what = fault ? fault[2] : move;
  return `Turn ${t} of ${game.turns.length}: ${data.roles[seat]} ${what}, ${time(us)}. ${notes}`;
}

/** Shows the position after so many turns. */
function show(t) {
  const { game } = view;
  view.t = Math.min(Math.max(0, t), game.turns.length);
  const position = game.positions[view.t];
  byId("board").replaceChildren(drawBoard(data, game, position, view.eyes));
  byId("board").firstChild.setAttribute("aria-hidden", "true");
  byId("notes").replaceChildren(...position.notes.map((note) => make("li", {}, noteText(note, data.forms))));
  byId("turn").textContent = `Turn ${view.t} of ${game.turns.length}`;
  byId("scrub").value = view.t;
  byId("scrub").setAttribute("aria-valuetext", words());
  byId("status").textContent = view.timer ? "" : words();
  drawSeats();
  drawCpu();
  const list = byId("moves");
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const item = list.children[view.t - 1];
  item?.firstChild.setAttribute("aria-current", "step");
  list.scrollTop = item ? item.offsetTop - list.clientHeight / 2 : 0;
  history.replaceState(null, "", `#g=${game.n}&t=${view.t}`);
}

function play(isOn) {
  clearInterval(view.timer);
  view.timer = null;
  if (isOn && view.game) {
    if (view.t === view.game.turns.length) show(0);
    view.timer = setInterval(() => {
      show(view.t + 1);
      if (view.t === view.game.turns.length) play(false);
    }, PLAY_MS);
  }
  byId("run").textContent = isOn ? "Pause" : "Play";
}

/** Goes to the next fault of this game, else to the first one of a later game. */
function nextError() {
  if (!view.game) return;
  const later = view.game.faults.find((fault) => fault[0] > view.t);
  if (later) return show(later[0]);
  const at = data.games.indexOf(view.game);
  const games = [...data.games.slice(at + 1), ...data.games.slice(0, at + 1)];
  const next = games.find((game) => game.faults?.length);
  if (next) location.hash = `#g=${next.n}&t=${next.faults[0][0]}`;
  else byId("status").textContent = "No game on this page has an error.";
}

function neighbour(step) {
  const next = data.games[data.games.indexOf(view.game) + step];
  if (view.game && next) location.hash = `#g=${next.n}`;
}

function openGame(number, turn, seat) {
  const game = data.games.find((one) => one.n === number);
  if (byId("overview")) byId("overview").hidden = true;
  byId("game").hidden = false;
  document.body.classList.add("gaming");
  byId("game-title").textContent = `Game ${number}`;
  byId("play").hidden = !game;
  if (!game) {
    view.game = null;
    const command = make("code", {}, `judge view ${data.run} ${number}`);
    byId("game-text").replaceChildren("This game is not on this page. To see it: ", command);
    byId("game-title").focus();
    return;
  }
  const isNew = view.game !== game;
  view.game = game;
  if (isNew) {
    byId("game-text").textContent = `Initial state ${game.state}`;
    unfold(game);
    byId("scrub").max = game.turns.length;
    drawEyes();
    drawMoves();
    drawBanner();
    const at = data.games.indexOf(game);
    if (byId("game-before")) byId("game-before").disabled = at === 0;
    if (byId("game-after")) byId("game-after").disabled = at === data.games.length - 1;
    byId("to-error").disabled = !data.games.some((one) => one.faults?.length);
  }
  const fault = game.faults.find((one) => one[1] === seat);
  show(fault && turn === null ? fault[0] : (turn ?? 0));
  if (isNew) {
    scrollTo(0, 0);
    byId("game-title").focus({ preventScroll: true });
  }
}

function closeGame() {
  view.game = null;
  if (!byId("overview")) return;
  byId("game").hidden = true;
  byId("overview").hidden = false;
  document.body.classList.remove("gaming");
}

function follow() {
  play(false);
  const hash = decodeURIComponent(location.hash.slice(1));
  const wanted = new URLSearchParams(hash);
  const number = (key) => (/^\d+$/.test(wanted.get(key) ?? "") ? Number(wanted.get(key)) : null);
  if (wanted.has("g")) return openGame(wanted.get("g").slice(0, 40), number("t"), number("f"));
  if (data.single) return openGame(data.games[0].n, 0, null);
  closeGame();
  const target = byId(hash);
  if (target?.tagName === "DETAILS") target.open = true;
  target?.scrollIntoView();
}

const on = (id, act) => byId(id)?.addEventListener("click", act);
on("to-first", () => show(0));
on("to-before", () => show(view.t - 1));
on("to-after", () => show(view.t + 1));
on("to-last", () => show(Infinity));
on("run", () => play(!view.timer));
on("to-error", nextError);
on("game-before", () => neighbour(-1));
on("game-after", () => neighbour(1));
byId("scrub").addEventListener("input", (event) => show(Number(event.target.value)));
byId("eyes").addEventListener("change", (event) => {
  view.eyes = event.target.value === "" ? null : Number(event.target.value);
  show(view.t);
});

const KEYS = {
  ArrowLeft: () => show(view.t - 1),
  ArrowRight: () => show(view.t + 1),
  Home: () => show(0),
  End: () => show(Infinity),
  " ": () => play(!view.timer),
  "[": () => neighbour(-1),
  "]": () => neighbour(1),
  e: nextError,
};

document.addEventListener("keydown", (event) => {
  const act = KEYS[event.key];
  if (!act || !view.game || event.ctrlKey || event.metaKey || event.altKey) return;
  const tag = event.target.tagName;
  const isOwn = tag === "SELECT" || (event.key === " " && (tag === "BUTTON" || tag === "A"));
  if (isOwn) return;
  if (event.key !== " ") play(false);
  event.preventDefault();
  act();
});

addEventListener("hashchange", follow);
follow();
