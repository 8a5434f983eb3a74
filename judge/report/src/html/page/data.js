// What Rust wrote for the script, and small tools that every part needs.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

/** Makes an HTML element; texts among the children stay texts. */
function make(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

const digits = (number) => number.toLocaleString("en-US");

function time(us) {
  if (us < 1000) return `${us} µs`;
  return us < 1e6 ? `${(us / 1e3).toFixed(1)} ms` : `${(us / 1e6).toFixed(2)} s`;
}

const nameOf = (entrant) => make("bdi", {}, data.names[entrant]);

/** Names an entrant with a link to its page, where there is one. */
function linkTo(entrant) {
  if (!data.single) return make("a", { href: `#e=${entrant}` }, nameOf(entrant));
  const elsewhere = data.entrants?.[entrant];
  if (elsewhere === undefined || elsewhere === null) return nameOf(entrant);
  return make("a", { href: `${data.back}#e=${elsewhere}` }, nameOf(entrant));
}

/** Puts names in the place of seats that are only numbered, each held together in its own direction. */
function named(game, text) {
  return text.replace(/\bplayer (\d)\b/g, (role, seat) => (data.roles[seat] === role && game.e[seat] !== undefined ? `\u2068${data.names[game.e[seat]]}\u2069` : role));
}

const seatClass = (seat) => `seat s${seat}`;
const dot = (seat) => make("span", { className: `dot ${seatClass(seat)}` });

const games = new Map(data.games.map((game) => [game.n, game]));
const gamesOf = new Map();
for (const game of data.games) {
  game.faults ??= [];
  for (const entrant of new Set(game.e)) gamesOf.set(entrant, [...(gamesOf.get(entrant) ?? []), game]);
}

function isBeside(number) {
  return (data.full ?? []).some(([first, last]) => first <= number && number <= last);
}

/** Gives where a game is shown, or told how to get it; null where it cannot be seen. */
function hrefOf(number, rest = "") {
  if (games.has(`${number}`)) return `#g=${number}${rest}`;
  if (isBeside(number)) return `games/${number}.html${rest ? `#${rest.slice(1)}` : ""}`;
  return data.has_run ? `#g=${number}${rest}` : null;
}

/** Makes a link to a game, or plain text where it cannot be seen. */
function gameLink(number, properties, ...children) {
  const href = hrefOf(number);
  return href ? make("a", { href, ...properties }, ...children) : make("span", properties, ...children);
}
