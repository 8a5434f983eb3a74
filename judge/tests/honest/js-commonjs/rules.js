exports.first = (moves) => moves[0];
