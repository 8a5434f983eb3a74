// A bot that burns a known amount of CPU time in every turn and reports it, in microseconds by
// its own clock, one line a turn on standard error.
//
// It asks for the legal moves and plays the first. A report is the CPU time of the process,
// and of the children that it has waited for, from one answer to the next: all that the turn
// took, reading and writing included.
//
// -DBURN_US=N  how much is burned in a turn
// -DTHREADS=N  in so many threads, which share it
// -DCHILD      in a child process
// -DAFTER      after the answer, when the other side is to move. It waits a moment first: what
//              is burned before the judge has read the answer belongs to the turn before.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef THREADS
#define THREADS 1
#endif

enum { LINE_BYTES_MAX = 64 << 10, AFTER_US = 2000 };

static long long clock_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long all_us(void) {
  struct rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  const struct timeval user = usage.ru_utime, system = usage.ru_stime;
  const long long children = (user.tv_sec + system.tv_sec) * 1000000LL + user.tv_usec + system.tv_usec;
  return clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000 + children;
}

static void *spin(void *unused) {
  const long long until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + BURN_US * 1000LL / THREADS;
  while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until) {
  }
  return unused;
}

static void burn(void) {
#ifdef CHILD
  const pid_t child = fork();
  if (child < 0) _exit(1);
  if (!child) {
    spin(0);
    _exit(0);
  }
  if (waitpid(child, 0, 0) != child) _exit(1);
#else
  pthread_t threads[THREADS];
  for (int i = 1; i < THREADS; i++) {
    if (pthread_create(&threads[i], 0, spin, 0)) _exit(1);
  }
  spin(0);
  for (int i = 1; i < THREADS; i++) pthread_join(threads[i], 0);
#endif
}

static void say(const char *text, size_t length) {
  if (write(1, text, length) != (ssize_t)length) _exit(1);
}

static void answer_turn(const char *line) {
  static long long before = -1;
  static const char begin[] = "\"legal\":[";
  const char *move = strstr(line, begin);
  if (!move) _exit(1);
  move += sizeof begin - 1;
  char out[64], report[32];
  const int length = sprintf(out, "{\"move\":%.*s]}\n", (int)strcspn(move, "]"), move);
#ifndef AFTER
  burn();
#endif
  const long long now = all_us();
  // What came before the first answer is not the first turn's alone.
  const int told = sprintf(report, "%lld\n", before < 0 ? 0 : now - before);
  say(out, length);
  if (write(2, report, told) != told) _exit(1);
  before = now;
#ifdef AFTER
  usleep(AFTER_US);
  burn();
#endif
}

int main(void) {
  static char in[LINE_BYTES_MAX + 1];
  static const char ready[] = "{\"ready\":{\"legal_moves\":true}}\n";
  size_t held = 0;
  for (;;) {
    char *end;
    while (!(end = memchr(in, '\n', held))) {
      const ssize_t count = read(0, in + held, LINE_BYTES_MAX - held);
      if (count <= 0) _exit(count < 0);
      held += count;
    }
    *end = 0;
    if (!strncmp(in, "{\"turn\"", 7)) {
      answer_turn(in);
    } else if (strncmp(in, "{\"end\"", 6)) {
      say(ready, sizeof ready - 1);
    }
    held -= end + 1 - in;
    memmove(in, end + 1, held);
  }
}
