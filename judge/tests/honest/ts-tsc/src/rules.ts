export const first = (moves: number[]): number => moves[0];
