// What bots wrote on standard error, beside the turns; only pages for their authors and for staff have any.

function drawWrote() {
  const { game, t } = view;
  const all = game.wrote ?? [];
  byId("wrote").hidden = all.length === 0;
  if (!all.length) return;
  const here = all.filter(([step]) => step === t);
  const when = t === 0 ? "before the first turn" : `in turn ${t}`;
  const texts = here.flatMap(([, seat, text]) => [make("p", {}, dot(seat), nameOf(game.e[seat]), ` ${when}:`), make("pre", { tabIndex: 0 }, text)]);
  byId("wrote-text").replaceChildren(...(texts.length ? texts : [make("p", { className: "note" }, `Nothing ${when}.`)]));
  byId("wrote-next").disabled = !all.some(([step]) => step > t);
}

const wroteIn = (game) => new Set((game.wrote ?? []).map(([step]) => step));

on("wrote-next", () => {
  const next = view.game?.wrote?.find(([step]) => step > view.t);
  if (next) show(next[0]);
});
