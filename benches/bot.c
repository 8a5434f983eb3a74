// An instant bot for Catch the Cat: what it takes to answer is nothing beside a pipe.
//
// The cat steps to and fro between the centre and its first free neighbour; the catcher blocks
// the other free cells in their order and those two last, so that a game lasts as long as there
// are free cells. On side 5 the cat runs straight to the left border instead, and a game has
// three plies. Nothing is remembered from turn to turn but the seat.
//
// With -DTELL it repeats every question on standard error, after the word "told". The benchmark
// learns the judge's messages from these lines.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES_MAX = 64 << 10, CATCHER = 1 };

static int seat;

/// Finds what stands behind `key`; the judge always writes the keys that are asked for.
static const char *after(const char *text, const char *key) {
  const char *found = strstr(text, key);
  if (!found) exit(1);
  return found + strlen(key);
}

static int answer_turn(const char *line, char *out) {
  char *rest;
  const long side = strtol(after(line, "\"side\":"), &rest, 10), half = side / 2;
  const long x = strtol(after(rest, "\"cat\":["), &rest, 10);
  const long y = strtol(rest + 1, &rest, 10);
  const char *world = after(rest, "\"world\":\"");
  const long cat = (y + half) * side + x + half, centre = half * side + half;
  // The six neighbours of (0,0): rows with odd y lie half a cell to the right.
  const long steps[] = {-1, 1, -side - 1, -side, side - 1, side};
  long other = centre;
  for (int i = 0; i < 6 && other == centre; i++) {
    if (world[centre + steps[i]] == '0') other = centre + steps[i];
  }
  long to;
  if (seat != CATCHER) {
    to = half == 2 ? cat - 1 : cat == centre ? other : centre;
  } else {
    to = strchr(world, '0') - world;
    while (to < side * side && (to == centre || to == other || world[to] != '0')) to++;
    if (to == side * side) to = cat == centre ? other : centre;
  }
  return sprintf(out, "{\"move\":[%ld,%ld]}\n", to % side - half, to / side - half);
}

static int answer(const char *line, char *out) {
  if (!strncmp(line, "{\"turn\"", 7)) return answer_turn(line, out);
  if (!strncmp(line, "{\"end\"", 6)) return 0;
  if (!strncmp(line, "{\"hello\"", 8)) seat = atoi(after(line, "\"seat\":"));
  return sprintf(out, "{\"ready\":{}}\n");
}

int main(void) {
  static char in[LINE_BYTES_MAX + 1];
  char out[64];
  size_t held = 0;
  for (;;) {
    char *end;
    while (!(end = memchr(in, '\n', held))) {
      const ssize_t count = read(0, in + held, LINE_BYTES_MAX - held);
      if (count <= 0) _exit(count < 0);
      held += count;
    }
    *end = 0;
#ifdef TELL
    fprintf(stderr, "told %s\n", in);
#endif
    const int length = answer(in, out);
    if (length > 0 && write(1, out, length) != length) _exit(1);
    held -= end + 1 - in;
    memmove(in, end + 1, held);
  }
}
