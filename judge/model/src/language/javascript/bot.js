#!/usr/bin/env node
// A bot for @TITLE@ that plays a random legal move. PROTOCOL.md explains the messages.
"use strict";

/** Returns the move to play. Begin here: turn.view is what you see. */
function choose(turn, random) {
  return turn.legal[Math.floor(random() * turn.legal.length)];
}

/** Numbers from 0 to 1 (a linear congruential generator), the same ones for the same seed. */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Writes one line. For anything else use console.error. */
function answer(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

let seed = 0;
require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { hello, start, turn } = JSON.parse(line);
    if (turn) {
      // Seeded anew for each turn, so that the same position gives the same move.
      // A line for you, in the replay: add note: "..." and marks: [{ at: ..., label: "7" }].
      answer({ move: choose(turn, generator(seed + 7919 * turn.ply)) });
    } else if (hello || start) {
      seed = (hello || start).seed;
      answer({ ready: { legal_moves: true } });
    }
  });
