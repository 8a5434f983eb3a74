// Which view is shown: the overview, an entrant (#e=ENTRANT), chosen games (#games&e=ENTRANT) or a game (#g=GAME&t=TURN,
// #g=GAME&f=SEAT), and the keys. This part comes last.

const people = [...document.querySelectorAll(".person")];

function choose(name) {
  if (name !== "game") view.game = null;
  for (const id of ["overview", "people", "game"]) if (byId(id)) byId(id).hidden = id !== name;
  document.body.className = name;
  runFeatured(name === "overview");
}

/** Where a distribution is wider than the screen, its middle is what is seen of it. */
function centreMedian(person) {
  const median = person.querySelector(".wide > .dist .median");
  const region = median?.closest(".wide");
  if (!region) return;
  const [line, room] = [median, region].map((element) => element.getBoundingClientRect());
  region.scrollLeft += line.left - room.left - room.width / 2;
}

function openPerson(at) {
  choose("people");
  people.forEach((person, index) => {
    person.hidden = index !== at;
  });
  fillPerson(people[at]);
  centreMedian(people[at]);
  byId("entrant-before").disabled = at === 0;
  byId("entrant-after").disabled = at === people.length - 1;
  scrollTo(0, 0);
  people[at].querySelector("h2").focus({ preventScroll: true });
}

function nextPerson(step) {
  const next = people.findIndex((person) => !person.hidden) + step;
  if (people[next]) location.hash = `#e=${next}`;
}

function follow() {
  play(false);
  const hash = location.hash.slice(1);
  const wanted = new URLSearchParams(hash);
  const number = (key) => (/^\d+$/.test(wanted.get(key) ?? "") ? Number(wanted.get(key)) : null);
  if (data.single) {
    choose("game");
    return openGame(data.games[0].n, number("t"), number("f"));
  }
  if (wanted.has("g")) {
    const name = wanted.get("g").slice(0, 40);
    if (!games.has(name) && isBeside(Number(name))) return location.replace(`games/${Number(name)}.html#${hash}`);
    choose("game");
    return openGame(name, number("t"), number("f"));
  }
  if (wanted.has("games")) {
    choose("overview");
    if (byId("filters")) listChosen();
    return byId("games")?.scrollIntoView();
  }
  if (people[number("e")]) return openPerson(number("e"));
  choose("overview");
  const fold = byId(hash)?.closest("section")?.querySelector("details.fold");
  if (fold) fold.open = true;
  byId(hash)?.scrollIntoView();
}

const KEYS = {
  game: {
    ArrowLeft: () => show(view.t - 1),
    ArrowRight: () => show(view.t + 1),
    Home: () => show(0),
    End: () => show(Infinity),
    " ": () => play(!view.timer),
    "[": () => neighbour(-1),
    "]": () => neighbour(1),
    e: nextError,
  },
  people: {
    "[": () => nextPerson(-1),
    "]": () => nextPerson(1),
  },
};

document.addEventListener("keydown", (event) => {
  const act = KEYS[document.body.className]?.[event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.body.className === "game" && !view.game) return;
  const tag = event.target.tagName;
  const isOwn = tag === "SELECT" || (event.key === " " && (tag === "BUTTON" || tag === "A"));
  if (isOwn) return;
  if (event.key !== " ") play(false);
  event.preventDefault();
  act();
});

if (data.single) {
  if (byId("back") && data.back) byId("back").href = data.back;
} else {
  on("entrant-before", () => nextPerson(-1));
  on("entrant-after", () => nextPerson(1));
  if (data.games.length) {
    drawHeat();
    listGames();
    prepareFeatured();
  }
}
addEventListener("hashchange", follow);
follow();
/** Shows the newest of ranks over time first, whenever there is another width for them. */
const newestFirst = new ResizeObserver((changes) => {
  for (const { target } of changes) target.scrollLeft = target.scrollWidth;
});
for (const region of document.querySelectorAll(".over-time > :first-child")) newestFirst.observe(region);
