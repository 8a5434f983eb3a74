// The one control of a replay's time: the curve of who is ahead is a slider.

const PAGE_TURNS = 10;

/** Draws the slider at the turn that is shown; `text` says the position in words. */
function drawScrub(text) {
  const { game, t } = view;
  const turns = game.turns.length;
  const slider = byId("scrub");
  slider.setAttribute("aria-valuemax", turns);
  slider.setAttribute("aria-valuenow", t);
  slider.setAttribute("aria-valuetext", text);
  const now = make("span", { className: "now" });
  now.style.left = share(t);
  const told = game.faults.filter((fault) => fault[0] <= view.reached || !settings.quiet.checked);
  const faults = told.map((fault) => {
    const mark = make("span", { className: "fault-at" });
    mark.style.left = share(fault[0]);
    return mark;
  });
  const unit = make("span", { className: "unit" }, game.positions[0].counts.length === 2 ? "lead in " : "", data.measure?.counts ?? "");
  slider.replaceChildren(unit, drawLead(game, view.reached, !settings.quiet.checked), ...faults, now);
}

const share = (t) => `${(100 * t) / Math.max(1, view.game.turns.length)}%`;

function scrubTo(event) {
  const { left, width } = byId("scrub").getBoundingClientRect();
  show(Math.round(((event.clientX - left) / width) * view.game.turns.length));
}

byId("scrub").addEventListener("pointerdown", (event) => {
  if (!view.game || event.button !== 0) return;
  play(false);
  byId("scrub").setPointerCapture(event.pointerId);
  scrubTo(event);
});
byId("scrub").addEventListener("pointermove", (event) => {
  if (view.game && byId("scrub").hasPointerCapture(event.pointerId)) scrubTo(event);
});

/** The keys of a slider besides those of the whole view. */
const SCRUB_KEYS = { ArrowUp: 1, ArrowDown: -1, PageUp: PAGE_TURNS, PageDown: -PAGE_TURNS };
byId("scrub").addEventListener("keydown", (event) => {
  const step = SCRUB_KEYS[event.key];
  if (!view.game || !step || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  play(false);
  show(view.t + step);
});
