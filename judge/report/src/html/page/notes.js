// Bots' words with their moves: a note and marks over the board; only pages for their authors and for staff have any.

/** Gives what was said in the turn that leads to a position, by the seats that one sees with. */
const saidAt = (game, t, eyes) => (game.said ?? []).filter(([step, seat]) => step === t && (eyes === null || seat === eyes));

const saidIn = (game) => new Set((game.said ?? []).map(([step]) => step));

/** Draws marks over a board: a frame in the cell, filled as strongly as the mark is, and its label. */
function drawSaidMarks(game, t, eyes, at) {
  const layer = draw("g", { class: "said" });
  const { cell } = GRIDS[game.hex ? "hex" : "square"];
  for (const [, , , marks] of saidAt(game, t, eyes)) {
    for (const [column, row, percent, text] of marks) {
      if (column >= game.w || row >= game.h) continue;
      const [x, y] = at(row * game.w + column);
      const frame = cell(x, y, 0.7);
      frame.setAttribute("class", "mark");
      frame.setAttribute("fill-opacity", (0.75 * (percent ?? 0)) / 100);
      layer.append(frame);
      if (text) {
        const label = draw("text", { x, y: y + 1.5, "font-size": Math.min(4.4, 11 / [...text].length) });
        label.textContent = text;
        layer.append(label);
      }
    }
  }
  return layer;
}

function marksText(game, marks) {
  const names = marks.filter(([column, row]) => column < game.w && row < game.h).map(([column, row, percent, text]) => [cellName(game, row * game.w + column), text, percent === null ? "" : `${percent} %`].filter(Boolean).join(" "));
  return names.length ? `Marks: ${names.join("; ")}` : "";
}

function drawSaid() {
  const { game, t, eyes } = view;
  const said = saidAt(game, t, eyes);
  byId("said").hidden = !game.said?.length;
  byId("said").replaceChildren(
    ...said.flatMap(([, seat, text, marks, cut]) => {
      const lines = [make("p", {}, dot(seat), nameOf(game.e[seat]), make("bdi", {}, text ? `: ${text}` : ""))];
      const listed = marksText(game, marks);
      if (listed) lines.push(make("p", { className: "sr" }, listed));
      if (cut) lines.push(make("p", { className: "note" }, `The judge cut ${cut}.`));
      return lines;
    }),
  );
}
