export const first = (moves) => moves[0];
