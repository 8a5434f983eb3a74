// The first screen's board: featured games that play by themselves, one after the other.

/** How long a whole game takes about, a position at least and at most, and the last one, in milliseconds. */
const FEATURED_GAME_MS = 45000;
const FEATURED_MS = [250, 700];
const FEATURED_END_MS = 5000;
/** Who wants no motion sees a position so far into the game. */
const STILL_SHARE = 0.6;

const featured = { at: 0, t: 0, timer: null, isPaused: matchMedia("(prefers-reduced-motion: reduce)").matches };
const featuredGame = () => games.get(data.featured[featured.at][0]);

function drawFeatured() {
  const game = featuredGame();
  const isOver = featured.t === game.turns.length;
  byId("featured-board").replaceChildren(drawBoard(game, featured.t, null));
  byId("featured-link").href = `#g=${game.n}&t=${featured.t}`;
  const turn = `Turn ${featured.t} of ${game.turns.length}. ${aheadText(game, featured.t)}`;
  byId("featured-text").replaceChildren(...(isOver ? resultOf(game) : [turn]));
}

function rankOf(entrant) {
  const rank = data.ranks?.[entrant];
  return rank === undefined ? "" : make("small", {}, ` rank ${rank}`);
}

function feature(at) {
  featured.at = at;
  const game = featuredGame();
  unfold(game);
  featured.t = featured.isPaused ? Math.round(game.turns.length * STILL_SHARE) : 0;
  const players = game.e.map((entrant, seat) => make("span", {}, dot(seat), linkTo(entrant), rankOf(entrant)));
  byId("featured-players").replaceChildren(...players);
  byId("featured-caption").textContent = data.featured[at][2];
  byId("featured-kinds").childNodes.forEach((button, index) => {
    button.setAttribute("aria-pressed", index === at);
  });
  drawFeatured();
}

function stepFeatured() {
  if (featured.t === featuredGame().turns.length) feature((featured.at + 1) % data.featured.length);
  else {
    featured.t += 1;
    drawFeatured();
  }
  runFeatured(true);
}

/** Lets the featured game go on, as long as nobody has paused it, or holds it. */
function runFeatured(isOn) {
  clearTimeout(featured.timer);
  if (!data.featured?.length) return;
  byId("featured-run").textContent = featured.isPaused ? "Play" : "Pause";
  if (!isOn || featured.isPaused) return;
  const turns = featuredGame().turns.length;
  const [least, most] = FEATURED_MS;
  const each = Math.min(most, Math.max(least, FEATURED_GAME_MS / turns));
  featured.timer = setTimeout(stepFeatured, featured.t === turns ? FEATURED_END_MS : each);
}

function prepareFeatured() {
  if (!data.featured?.length) return;
  const kinds = data.featured.map(([, kind], at) => {
    const button = make("button", { type: "button" }, kind);
    button.addEventListener("click", () => {
      feature(at);
      runFeatured(true);
    });
    return button;
  });
  byId("featured-kinds").replaceChildren(...kinds);
  byId("featured").hidden = false;
  on("featured-run", () => {
    featured.isPaused = !featured.isPaused;
    runFeatured(true);
  });
  feature(0);
}
