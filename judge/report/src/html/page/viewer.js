// The view of one game.

/** How long a position is shown when a game plays by itself at the usual speed, in milliseconds. */
const PLAY_MS = 400;
const FAULTS_TOLD = 5;
const view = { game: null, t: 0, reached: 0, eyes: null, timer: null };
/** The most games that are listed beside one on the same initial state. */
const OTHERS_MAX = 24;

function drawSeats() {
  const { game, t } = view;
  const next = game.turns[t]?.seat;
  const seats = game.e.map((entrant, seat) => {
    const own = game.turns.slice(0, t).filter((turn) => turn.seat === seat);
    const used = own.reduce((sum, turn) => sum + turn.us, 0);
    const bank = own[own.length - 1]?.bank;
    const clock = bank === undefined ? `${time(used)} used` : `${time(bank)} left`;
    const who = make("span", { className: "who" }, dot(seat), linkTo(entrant), make("span", { className: "role" }, data.roles[seat]));
    return make("p", { className: seat === next ? "next" : "" }, who, make("span", { className: "clock" }, clock));
  });
  byId("seats").replaceChildren(...seats);
}

function drawCpu() {
  const { game } = view;
  const most = Math.max(1, ...game.turns.map((turn) => turn.us));
  const limit = data.turn_us;
  const top = limit && limit < most * 3 ? Math.max(most, limit) * 1.05 : most;
  const turns = Math.max(1, game.turns.length);
  const chart = draw("svg", { viewBox: `0 0 ${turns} 40`, preserveAspectRatio: "none", "aria-hidden": "true" });
  game.turns.forEach(({ seat, us }, index) => {
    const height = Math.max(0.8, (us / top) * 40);
    chart.append(draw("rect", { class: seatClass(seat), x: index + 0.1, y: 40 - height, width: 0.8, height }));
  });
  if (limit && limit <= top) {
    const y = 40 - (limit / top) * 40;
    chart.append(draw("path", { class: "limit", d: `M0 ${y}H${turns}` }));
  }
  chart.addEventListener("click", (event) => {
    const box = chart.getBoundingClientRect();
    show(Math.ceil(((event.clientX - box.left) / box.width) * turns));
  });
  const text = `CPU time of each turn, ${time(most)} at most${limit ? `; the limit is ${time(limit)}` : ""}`;
  byId("cpu").replaceChildren(chart, make("p", { className: "note" }, text));
}

function drawMoves() {
  const { game } = view;
  const faults = new Map(game.faults.map((fault) => [fault[0], fault]));
  const wrote = wroteIn(game);
  const said = saidIn(game);
  const items = game.turns.map(({ seat, us, move }, index) => {
    const fault = faults.get(index + 1);
    const text = fault ? fault[2] : move || "no move";
    const link = make("a", { href: `#g=${game.n}&t=${index + 1}`, className: fault ? "bad" : "" });
    link.append(dot(seat), make("span", { className: "sr" }, `${data.roles[seat]} `), make("span", { className: "move", title: text }, text));
    if (wrote.has(index + 1)) {
      const mark = make("span", { ariaHidden: "true" }, "✎");
      link.append(make("span", { className: "us", title: "wrote on standard error" }, mark, make("span", { className: "sr" }, " wrote on standard error ")));
    }
    if (said.has(index + 1)) link.append(make("span", { className: "us", title: "has a note" }, make("span", { ariaHidden: "true" }, "❝"), make("span", { className: "sr" }, " has a note ")));
    link.append(make("span", { className: "us" }, time(us)));
    return make("li", {}, link);
  });
  byId("moves").replaceChildren(...items);
}

function resultOf(game) {
  const winners = game.e.filter((_, seat) => game.won[seat]).map(nameOf);
  const names = winners.flatMap((name, index) => (index ? [" and ", name] : [name]));
  return [...(winners.length ? [...names, " won: "] : ["Drawn: "]), named(game, game.end)];
}

/** Tells whether the reader has seen the end of this game. */
const isTold = () => view.reached === view.game.turns.length;

function drawBanner() {
  const { game } = view;
  const faults = game.faults.filter(([t]) => t <= view.reached);
  const shown = `${game.n} ${isTold()} ${faults.length}`;
  // Who has the focus on a link in it keeps it.
  if (byId("banner").dataset.shown === shown) return;
  byId("banner").dataset.shown = shown;
  const toEnd = () => make("a", { href: `#g=${game.n}&t=${game.turns.length}` }, "See the result");
  const result = make("p", {}, ...(isTold() ? resultOf(game) : [toEnd()]));
  const told = faults.slice(0, FAULTS_TOLD).map(([t, seat, what, line]) => {
    const link = make("a", { href: `#g=${game.n}&t=${t}` }, `Turn ${t}`);
    const fault = make("p", { className: "fault" }, link, ", ", nameOf(game.e[seat]), ": ", make("span", { className: "bad" }, named(game, what)));
    if (data.has_run && !data.single) fault.append(" ", make("code", {}, `judge view . ${game.n}`));
    if (line) fault.append(make("pre", {}, line));
    return fault;
  });
  const more = faults.length - FAULTS_TOLD;
  if (more > 0) told.push(make("p", { className: "fault" }, `and ${more} more in the list of moves`));
  if (game.torn && isTold()) told.push(make("p", { className: "fault" }, "The rules of this version refuse the rest of the record."));
  byId("banner").replaceChildren(result, ...told);
}

function drawEyes() {
  const { game } = view;
  const canBeHidden = game.positions[0].seen.length > 0;
  byId("eyes-label").hidden = !canBeHidden;
  view.eyes = null;
  if (!canBeHidden) return;
  const seats = game.e.map((entrant, seat) => make("option", { value: `${seat}` }, `as ${data.roles[seat]}, ${data.names[entrant]}`));
  byId("eyes").replaceChildren(make("option", { value: "" }, "everything"), ...seats);
}

/** Says in words what the board shows, for those who do not see it. */
function words() {
  const { game, t } = view;
  const notes = [...game.positions[t].notes.map((note) => noteText(game, note)), aheadText(game, t)].filter(Boolean).join("; ");
  if (t === 0) return `Start. ${notes}`;
  const { seat, us, move } = game.turns[t - 1];
  const fault = game.faults.find((one) => one[0] === t);
  const what = fault ? fault[2] : move;
  return `Turn ${t} of ${game.turns.length}: ${data.roles[seat]} ${what}, ${time(us)}. ${notes}`;
}

function show(t) {
  const { game } = view;
  view.t = Math.min(Math.max(0, t), game.turns.length);
  view.reached = Math.max(view.reached, view.t);
  byId("board").replaceChildren(drawBoard(game, view.t, view.eyes));
  byId("notes").replaceChildren(...(game.w ? drawNotes(game, view.t) : []));
  byId("turn").textContent = `Turn ${view.t} of ${game.turns.length}`;
  byId("marked").replaceChildren(...(game.w ? drawMeanings(game, view.t, view.eyes) : []));
  drawScrub(words());
  byId("status").textContent = view.timer ? "" : words();
  byId("in-words").textContent = positionWords(game, view.t, view.eyes);
  drawSeats();
  drawBanner();
  drawWrote();
  drawSaid();
  byId("ahead").textContent = aheadText(game, view.t);
  markTurn();
  history.replaceState(null, "", `#g=${game.n}&t=${view.t}`);
}

function drawOthers() {
  const { game } = view;
  const others = data.games.filter((one) => one !== game && one.state === game.state);
  byId("others").hidden = others.length === 0;
  const pairing = (one) => one.e.flatMap((entrant, seat) => [seat ? " – " : "", make("span", { className: one.won[seat] ? "won" : "" }, nameOf(entrant))]);
  const items = others.slice(0, OTHERS_MAX).map((one) => {
    const turns = make("span", { className: "us" }, ` ${digits(one.steps.length - 1)} turns`);
    return make("li", {}, make("a", { href: `#g=${one.n}` }, ...pairing(one)), turns);
  });
  byId("others").firstChild.textContent = `How others played this ${data.start} (${digits(others.length)})`;
  byId("others").lastChild.replaceChildren(...items);
}

/** Marks the turn that is shown in the list of moves and among the bars. */
function markTurn() {
  const bars = byId("cpu").querySelectorAll("rect");
  byId("cpu").querySelector(".now")?.classList.remove("now");
  bars[view.t - 1]?.classList.add("now");
  const list = byId("moves");
  const isQuiet = settings.quiet.checked && !isTold();
  for (const parts of [bars, list.children]) {
    [...parts].forEach((part, index) => {
      part.classList.toggle("later", isQuiet && index >= view.reached);
    });
  }
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const item = list.children[view.t - 1];
  item?.firstChild.setAttribute("aria-current", "step");
  list.scrollTop = item ? item.offsetTop - list.clientHeight / 2 : 0;
}

function play(isOn) {
  clearInterval(view.timer);
  view.timer = null;
  if (isOn && view.game) {
    if (view.t === view.game.turns.length) show(0);
    view.timer = setInterval(() => {
      show(view.t + 1);
      if (view.t === view.game.turns.length) play(false);
    }, PLAY_MS / Number(settings.speed.value));
  }
  byId("run").textContent = isOn ? "Pause" : "Play";
}

/** Goes to the next fault of this game, else to the first one of a later game. */
function nextError() {
  if (!view.game) return;
  const later = view.game.faults.find((fault) => fault[0] > view.t);
  if (later) return show(later[0]);
  const at = data.games.indexOf(view.game);
  const others = [...data.games.slice(at + 1), ...data.games.slice(0, at + 1)];
  const next = others.find((game) => game.faults.length);
  if (next) location.hash = `#g=${next.n}&t=${next.faults[0][0]}`;
  else byId("status").textContent = "No game on this page has a fault.";
}

/** Gives where the game before (-1) or after (1) is. */
function neighbourOf(step) {
  if (data.single) {
    const number = step < 0 ? data.before : data.after;
    return number ? `${number}.html` : null;
  }
  const list = listAround(view.game);
  const next = view.game && list[list.indexOf(view.game) + step];
  return next ? `#g=${next.n}` : null;
}

function neighbour(step) {
  const href = neighbourOf(step);
  if (href) location.href = href;
}

function titleOf(game) {
  return game.e.flatMap((entrant, seat) => (seat ? [make("span", { className: "against" }, " – "), nameOf(entrant)] : [nameOf(entrant)]));
}

function openGame(number, turn, seat) {
  const game = games.get(number);
  byId("play").hidden = !game;
  if (!game) return tellMissing(number);
  const isNew = view.game !== game;
  view.game = game;
  if (isNew) {
    unfold(game);
    view.reached = 0;
    byId("copy").textContent = "Copy link";
    byId("game-title").replaceChildren(...titleOf(game));
    byId("game-text").textContent = `Game ${number}, ${data.start} ${game.state}${placeInList(game)}`;
    drawEyes();
    drawMoves();
    drawCpu();
    drawOthers();
    if (byId("game-before")) byId("game-before").disabled = !neighbourOf(-1);
    if (byId("game-after")) byId("game-after").disabled = !neighbourOf(1);
    byId("to-error").disabled = !data.games.some((one) => one.faults.length);
  }
  const fault = game.faults.find((one) => one[1] === seat);
  show(fault && turn === null ? fault[0] : (turn ?? 0));
  if (isNew) {
    scrollTo(0, 0);
    byId("game-title").focus({ preventScroll: true });
  }
}

/** Says how to get a game that is not on this page, or that there is none. */
function tellMissing(number) {
  view.game = null;
  byId("game-title").textContent = `Game ${number}`;
  byId("game-text").replaceChildren(...whyMissing(number));
  for (const id of ["game-before", "game-after"]) byId(id).disabled = true;
  byId("game-title").focus();
}

function whyMissing(number) {
  if (!data.numbers) return ["No such game: the schedule is empty."];
  const isOne = /^\d+$/.test(number) && Number(number) >= 1 && Number(number) <= data.numbers;
  if (!isOne) return [`No such game: games are numbered from 1 to ${data.numbers}.`];
  if (data.own === undefined && data.games.length === data.played) return ["This game has not been played."];
  if (!data.has_run) return ["This game is not on this page."];
  return ["This game is not on this page. To see it, in the run's folder: ", make("code", {}, `judge view . ${number}`)];
}

byId("legend").replaceChildren(...data.legend.map((line) => make("li", {}, line)), make("li", {}, "on the board: framed is what the last turn brought, dashed what it changed; a line is a piece's last steps"));

const on = (id, act) => byId(id)?.addEventListener("click", act);
on("to-first", () => show(0));
on("to-before", () => show(view.t - 1));
on("to-after", () => show(view.t + 1));
on("to-last", () => show(Infinity));
on("run", () => play(!view.timer));
on("to-error", nextError);
on("copy", () => navigator.clipboard.writeText(location.href).then(() => {
  byId("status").textContent = byId("copy").textContent = "Link copied";
}));
on("download", () => {
  const { game } = view;
  const players = game.e.map((entrant, seat) => ({ name: data.names[entrant], role: data.roles[seat], won: game.won[seat] === 1 }));
  const moves = game.turns.map(({ seat, us, move }) => ({ seat, move, cpu_us: us }));
  const faults = game.faults.map(([turn, seat, what, line]) => ({ turn, seat, what, line }));
  const text = JSON.stringify({ game: game.n, state: game.state, players, end: game.end, moves, faults }, null, 1);
  make("a", { href: URL.createObjectURL(new Blob([text])), download: `game-${game.n}.json` }).click();
});
on("game-before", () => neighbour(-1));
on("game-after", () => neighbour(1));
byId("eyes").addEventListener("change", (event) => {
  view.eyes = event.target.value === "" ? null : Number(event.target.value);
  show(view.t);
});
