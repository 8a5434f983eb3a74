// Who is ahead, by what the game counts for those who watch.

/** By how much the first seat of two is ahead; 0 where it cannot be told. */
function leadOf(counts) {
  const [one, other] = counts;
  if (one === null || other === null) return 0;
  return data.measure.less ? other - one : one - other;
}

/** Says the counts, and who is ahead where the difference is no noise: not before the first turn, nor after the last. */
function aheadText(game, t) {
  const { counts } = game.positions[t];
  if (!data.measure || !counts.length) return "";
  const who = (seat) => `\u2068${data.names[game.e[seat]]}\u2069`;
  const each = counts.map((count, seat) => `${who(seat)} ${count ?? "none"}`);
  const told = `${data.measure.counts[0].toUpperCase()}${data.measure.counts.slice(1)}: ${each.join(", ")}`;
  const order = [...counts.keys()].sort((a, b) => (data.measure.less ? counts[a] - counts[b] : counts[b] - counts[a]));
  const isNoise = counts.length < 2 || counts.includes(null) || Math.abs(counts[order[0]] - counts[order[1]]) < data.measure.ahead;
  return t === 0 || t === game.turns.length || isNoise ? `${told}.` : `${told}; ${who(order[0])} is ahead.`;
}

/** Draws for two seats who was ahead by how much, the first one upwards; else the counts as lines. What comes after `reached` is paler, or missing. */
function drawLead(game, reached, hasRest) {
  const all = game.positions.map(({ counts }) => counts);
  const turns = Math.max(1, all.length - 1);
  const chart = draw("svg", { viewBox: `0 0 ${turns} 40`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const isDuel = all[0].length === 2;
  chart.append(draw("path", { class: "middle", d: `M0 ${isDuel || !all[0].length ? 20 : 38}H${turns}` }));
  if (isDuel) chart.append(...leadBars(all));
  else chart.append(...countLines(all, reached));
  for (const part of chart.querySelectorAll("[data-t]")) {
    const isLater = Number(part.dataset.t) > reached;
    part.classList.toggle("later", isLater);
    if (isLater && !hasRest) part.remove();
  }
  return chart;
}

function leadBars(all) {
  const leads = all.map(leadOf);
  const most = Math.max(1, ...leads.map(Math.abs));
  return leads.slice(1).flatMap((lead, index) => {
    const height = (Math.abs(lead) / most) * 19;
    return lead ? [draw("rect", { class: seatClass(lead > 0 ? 0 : 1), "data-t": index + 1, x: index + 0.1, y: lead > 0 ? 20 - height : 20, width: 0.8, height })] : [];
  });
}

/** Draws each seat's counts in two parts: up to a turn, and after it. */
function countLines(all, reached) {
  const most = Math.max(1, ...all.flat());
  const y = (count) => (38 - (count / most) * 36).toFixed(1);
  const line = (seat, from, to) => {
    let d = "";
    for (let t = from; t <= to; t++) {
      const count = all[t][seat];
      if (count !== null) d += `${d === "" || all[t - 1][seat] === null ? "M" : "L"}${t} ${y(count)}`;
    }
    return draw("path", { class: `line ${seatClass(seat)}`, "data-t": to, d });
  };
  return all[0].flatMap((_, seat) => [line(seat, 0, reached), ...(reached < all.length - 1 ? [line(seat, reached, all.length - 1)] : [])]);
}
