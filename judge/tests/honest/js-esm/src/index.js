import { createInterface } from "node:readline";
import { first } from "./rules.js";

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.turn) console.log(JSON.stringify({ move: first(message.turn.legal) }));
  else if (!message.end) console.log(JSON.stringify({ ready: { legal_moves: true } }));
});
