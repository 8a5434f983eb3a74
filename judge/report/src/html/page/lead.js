// Who is ahead, by what the game counts for those who watch.

/** By how much the first seat of two is ahead; 0 where it cannot be told. */
function leadOf(counts) {
  const [one, other] = counts;
  if (one === null || other === null) return 0;
  return data.measure.less ? other - one : one - other;
}

/** Says the counts, and who is ahead. */
function aheadText(game, t) {
  const { counts } = game.positions[t];
  if (!data.measure || !counts.length) return "";
  const who = (seat) => `\u2068${data.names[game.e[seat]]}\u2069`;
  const each = counts.map((count, seat) => `${who(seat)} ${count ?? "none"}`);
  const told = `${data.measure.counts[0].toUpperCase()}${data.measure.counts.slice(1)}: ${each.join(", ")}`;
  if (counts.length < 2 || counts.includes(null)) return `${told}.`;
  const best = data.measure.less ? Math.min(...counts) : Math.max(...counts);
  const leaders = counts.flatMap((count, seat) => (count === best ? [who(seat)] : []));
  if (leaders.length > 1) return `${told}; ${leaders.length === counts.length ? "level" : `${leaders.join(" and ")} are ahead`}.`;
  return `${told}; ${leaders[0]} is ahead.`;
}

/** Draws for two seats who was ahead by how much, the first one upwards; else the counts as lines. */
function drawLead(game, upTo) {
  const all = game.positions.map(({ counts }) => counts);
  const turns = Math.max(1, all.length - 1);
  const chart = draw("svg", { viewBox: `0 0 ${turns} 40`, preserveAspectRatio: "none", "aria-hidden": "true" });
  if (all[0].length === 2) {
    const leads = all.map(leadOf);
    const most = Math.max(1, ...leads.map(Math.abs));
    chart.append(draw("path", { class: "middle", d: `M0 20H${turns}` }));
    leads.slice(1, upTo + 1).forEach((lead, index) => {
      const height = (Math.abs(lead) / most) * 19;
      if (lead) chart.append(draw("rect", { class: seatClass(lead > 0 ? 0 : 1), x: index + 0.1, y: lead > 0 ? 20 - height : 20, width: 0.8, height }));
    });
    return chart;
  }
  const most = Math.max(1, ...all.flat());
  all[0].forEach((_, seat) => {
    let d = "";
    all.slice(0, upTo + 1).forEach((counts, t) => {
      const isNew = t === 0 || all[t - 1][seat] === null;
      if (counts[seat] !== null) d += `${isNew ? "M" : "L"}${t} ${(38 - (counts[seat] / most) * 36).toFixed(1)}`;
    });
    chart.append(draw("path", { class: `line ${seatClass(seat)}`, d }));
  });
  return chart;
}
