// Bots that take what the programs of one user share, or what no limit counts. The argument, or
// else the content of the file `mode` beside the program, says what and when: `threads-starting`.

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static char* line = NULL;
static size_t room = 0;
static char mode[64];

static bool begins(const char* text, const char* start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static bool has(const char* part) { return strstr(mode, part) != NULL; }

static void say(const char* text) {
    printf("%s\n", text);
    fflush(stdout);
}

static void nap_ms(long ms) {
    const struct timespec time = {0, ms * 1000000};
    nanosleep(&time, NULL);
}

static void sleep_for_ever(void) {
    for (;;) pause();
}

// Goes along with everything up to the next turn, which is then in `line`; false at the end.
static bool turn(void) {
    while (getline(&line, &room, stdin) > 0) {
        if (begins(line, "{\"turn\"")) return true;
        if (!begins(line, "{\"end\"")) say("{\"ready\":{\"legal_moves\":true}}");
    }
    return false;
}

// Plays the first legal move.
static void play(void) {
    char* const move = strstr(line, "\"legal\":[") + strlen("\"legal\":[");
    printf("{\"move\":%.*s}\n", (int)(strchr(move, ']') + 1 - move), move);
    fflush(stdout);
}

static void* sleep_in_thread(void* nothing) {
    sleep_for_ever();
    return nothing;
}

static void* return_from_thread(void* nothing) { return nothing; }

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void* wait_for_gate(void* nothing) {
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return nothing;
}

static int start_threads(int wanted, pthread_t* threads, void* (*act)(void*)) {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    int count = 0;
    while (count < wanted && pthread_create(threads + count, &small, act, NULL) == 0) ++count;
    return count;
}

static pthread_t threads[30000];

// A page of page tables for each page of nothing that is read.
static void fill_page_tables(void) {
    const size_t step = 2 << 20, bytes = 1500ul * 512 * step / 2;
    char* const memory = mmap(NULL, bytes, PROT_READ,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) exit(3);
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < bytes; at += step) (void)*(volatile char*)(memory + at);
}

// To itself as a whole, or to another thread, which only that thread shows.
static void queue_signals(bool to_thread) {
    const int number = SIGRTMIN + 1;
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    pthread_sigmask(SIG_BLOCK, &one, NULL);
    pthread_t thread = pthread_self();
    if (to_thread) start_threads(1, &thread, sleep_in_thread);
    const union sigval nothing = {0};
    for (int n = 0; n < 1000000; ++n) {
        const int failed =
            to_thread ? pthread_kill(thread, number) : sigqueue(getpid(), number, nothing);
        if (failed != 0) break;
    }
}

static void create_timers(void) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    timer_t timer;
    while (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) {}
}

// Fills more memory than it may write, by making what is full read-only.
static void fill_read_only(void) {
    const size_t step = 16 << 20;
    for (int n = 0; n < 80; ++n) {
        char* const memory =
            mmap(NULL, step, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) exit(3);
        memset(memory, 1, step);
        mprotect(memory, step, PROT_READ);
    }
}

static void take(void) {
    if (has("timers")) create_timers();
    if (has("read-only")) fill_read_only();
    if (has("threads")) start_threads(30000, threads, sleep_in_thread);
    if (has("page-tables")) fill_page_tables();
    if (has("signals")) queue_signals(has("signals-of-a-thread"));
}

// Keeps a timer that lets it go on when it was stopped; false where it gets none.
static bool undo_stops(void) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
    timer_t timer;
    const struct itimerspec often = {{0, 1000000}, {0, 1000000}};
    return timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 &&
           timer_settime(timer, 0, &often, NULL) == 0;
}

static void burn(void) {
    for (volatile unsigned long n = 0;; ++n) {}
}

static void* burn_in_thread(void* nothing) {
    burn();
    return nothing;
}

static void read_mode(int argc, char** argv) {
    if (argc > 1) {
        strncpy(mode, argv[1], sizeof mode - 1);
        return;
    }
    FILE* const file = fopen("mode", "r");
    if (file == NULL) exit(3);
    mode[fread(mode, 1, sizeof mode - 1, file)] = '\0';
    fclose(file);
}

int main(int argc, char** argv) {
    read_mode(argc, argv);
    if (begins(mode, "holds ")) {
        // Not a bot: tells how many threads it got.
        printf("%d\n", start_threads(atoi(mode + strlen("holds ")), threads, sleep_in_thread));
        fflush(stdout);
        getchar();
        return 0;
    }
    if (has("-starting")) {
        take();
        sleep_for_ever();
    }
    if (has("undoes-stops") && !undo_stops()) exit(3);
    while (turn()) {
        if (has("-closed")) fclose(stdout);
        if (has("-thinking")) {
            take();
            sleep_for_ever();
        }
        if (has("needs-threads")) {
            pthread_mutex_lock(&gate);
            const int wanted = 200, got = start_threads(wanted, threads, wait_for_gate);
            if (got < wanted) exit(1);
            pthread_mutex_unlock(&gate);
            for (int n = 0; n < got; ++n) pthread_join(threads[n], NULL);
        }
        if (has("waits")) nap_ms(100);
        play();
        if (has("one-by-one")) {
            // Then it has lost, for want of threads as it were.
            for (int n = 0; n < 5000; ++n)
                if (start_threads(1, threads, return_from_thread) == 1) pthread_join(threads[0], NULL);
            exit(1);
        }
        if (has("-off-turn")) {
            nap_ms(10);
            take();
        }
        if (has("burns")) {
            start_threads(1, threads, burn_in_thread);
            mode[0] = '\0';
        }
    }
    return 0;
}
