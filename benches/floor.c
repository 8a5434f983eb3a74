// The least that a referee must do: it starts bots, writes each question, polls, reads the
// answer, closes the pipes and waits. It knows no rules, keeps no record, measures no bot,
// confines nothing and trusts everybody.
//
// Usage: floor BOT SCRIPT LIVES REPEATS [RULES ARGUMENT…]
//
// The script has three parts with an empty line after each of the first two; a line is a seat's
// digit, a blank and a message. In each of LIVES lives every seat that occurs gets a process,
// the first part is played once, the second REPEATS times, and the third, which has no answers,
// is told. With RULES, the last seat is that program. Prints the nanoseconds of all lives together.

#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OPENING, BODY, CLOSING, PARTS, SEATS_MAX = 4, LINES_MAX = 65536 };

struct line {
  int seat;
  char *message;
  size_t length;
};

struct part {
  struct line lines[LINES_MAX];
  int count;
};

struct bot {
  pid_t pid;
  int in, out;
};

static struct part parts[PARTS];
static int seats;

static void read_script(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) err(1, "%s", path);
  char *text = NULL;
  size_t room = 0;
  ssize_t length;
  int part = OPENING;
  while ((length = getline(&text, &room, file)) > 0) {
    if (*text == '\n') {
      if (++part == PARTS) errx(1, "%s: more than three parts", path);
      continue;
    }
    struct part *to = &parts[part];
    if (length < 3 || to->count == LINES_MAX) errx(1, "%s: cannot take this line", path);
    struct line *line = &to->lines[to->count++];
    line->seat = *text - '0';
    if (line->seat < 0 || line->seat >= SEATS_MAX) errx(1, "%s: no such seat", path);
    if (line->seat >= seats) seats = line->seat + 1;
    line->length = length - 2;
    line->message = memcpy(malloc(line->length), text + 2, line->length);
  }
  fclose(file);
}

static struct bot start(char **args) {
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC)) err(1, "pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to[0], 0);
  posix_spawn_file_actions_adddup2(&actions, from[1], 1);
  struct bot bot = {.in = to[1], .out = from[0]};
  char *environment[] = {NULL};
  errno = posix_spawn(&bot.pid, args[0], &actions, NULL, args, environment);
  if (errno) err(1, "%s", args[0]);
  posix_spawn_file_actions_destroy(&actions);
  close(to[0]);
  close(from[1]);
  return bot;
}

static void tell(struct bot bot, struct line line) {
  if (write(bot.in, line.message, line.length) != (ssize_t)line.length) err(1, "write");
}

static void ask(struct bot bot, struct line line) {
  char answer[4096];
  size_t held = 0;
  tell(bot, line);
  do {
    struct pollfd ready = {.fd = bot.out, .events = POLLIN};
    if (poll(&ready, 1, -1) < 0) err(1, "poll");
    const ssize_t count = read(bot.out, answer + held, sizeof answer - held);
    if (count <= 0) errx(1, "a bot gave no answer");
    held += count;
  } while (answer[held - 1] != '\n');
}

static void live(char *program, long repeats, char **rules) {
  struct bot bots[SEATS_MAX];
  char *args[] = {program, NULL};
  for (int seat = 0; seat < seats; seat++) {
    bots[seat] = start(*rules && seat == seats - 1 ? rules : args);
  }
  for (int i = 0; i < parts[OPENING].count; i++) {
    ask(bots[parts[OPENING].lines[i].seat], parts[OPENING].lines[i]);
  }
  for (long n = 0; n < repeats; n++) {
    for (int i = 0; i < parts[BODY].count; i++) {
      ask(bots[parts[BODY].lines[i].seat], parts[BODY].lines[i]);
    }
  }
  for (int i = 0; i < parts[CLOSING].count; i++) {
    tell(bots[parts[CLOSING].lines[i].seat], parts[CLOSING].lines[i]);
  }
  for (int seat = 0; seat < seats; seat++) {
    close(bots[seat].in);
    close(bots[seat].out);
    int status;
    if (waitpid(bots[seat].pid, &status, 0) < 0) err(1, "waitpid");
    if (status) errx(1, "a bot failed");
  }
}

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(int count, char **args) {
  if (count < 5) errx(2, "usage: floor BOT SCRIPT LIVES REPEATS [RULES ARGUMENT…]");
  read_script(args[2]);
  const long lives = atol(args[3]), repeats = atol(args[4]);
  const long long began_ns = now_ns();
  for (long n = 0; n < lives; n++) live(args[1], repeats, args + 5);
  printf("%lld\n", now_ns() - began_ns);
}
