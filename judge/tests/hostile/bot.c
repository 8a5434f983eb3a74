// Bots that use up time or the machine: one behaviour for each mode, and the mode is the
// content of the file `mode` beside the program. `catalogue.csv` has the verdicts.
//
// Where a mode tries what it must not get, it plays an illegal move if it got it: the
// verdict is the proof.

#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static char* line = NULL;
static size_t room = 0;
static char mode[64];
static char token[64];

static bool is(const char* name) { return strcmp(mode, name) == 0; }

static bool begins(const char* text) { return strncmp(line, text, strlen(text)) == 0; }

static void say(const char* text) {
    printf("%s\n", text);
    fflush(stdout);
}

static void sleep_for_ever(void) {
    for (;;) pause();
}

static void sleep_ms(long ms) {
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

// Goes along with everything up to the next turn, which is then in `line`; false at the end.
static bool turn(void) {
    while (getline(&line, &room, stdin) > 0) {
        if (begins("{\"turn\"")) return true;
        if (!begins("{\"end\"")) say("{\"ready\":{\"legal_moves\":true}}");
    }
    return false;
}

// Plays the legal move with this number, counted round.
static void play(int wanted) {
    char* const list = strstr(line, "\"legal\":[") + strlen("\"legal\":[");
    int count = 0;
    for (const char* c = list; *c != '\0'; ++c) count += *c == '[';
    char* move = list;
    for (int left = wanted % count; left > 0; --left) move = strchr(move + 1, '[');
    printf("{\"move\":%.*s}\n", (int)(strchr(move, ']') + 1 - move), move);
    fflush(stdout);
}

static void honest(int wanted) {
    while (turn()) play(wanted);
}

static long cpu_us(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

// Not for ever, in case that nobody ends it.
static void burn(void) {
    for (volatile unsigned long n = 0; n < 1ul << 36; ++n) {}
    exit(5);
}

static void* burn_in_thread(void* nothing) {
    burn();
    return nothing;
}

// Says what its CPU clock shows when that comes near the bank of 400 ms.
static void burn_and_tell(void) {
    for (long last = 0;;) {
        const long now = cpu_us(CLOCK_PROCESS_CPUTIME_ID);
        if (now > 390000 && now >= last + 100) {
            fprintf(stderr, "%ld\n", now);
            last = now;
        }
    }
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void* burn_a_while_after_answers(void* nothing) {
    for (;;) {
        pthread_mutex_lock(&gate);
        const long end = cpu_us(CLOCK_THREAD_CPUTIME_ID) + 20000;
        while (cpu_us(CLOCK_THREAD_CPUTIME_ID) < end) {}
    }
    return nothing;
}

static void think_off_turn(void) {
    pthread_t thread;
    pthread_mutex_lock(&gate);
    pthread_create(&thread, NULL, burn_a_while_after_answers, NULL);
    while (turn()) {
        play(0);
        pthread_mutex_unlock(&gate);
    }
}

static void* sleep_in_thread(void* nothing) {
    sleep_for_ever();
    return nothing;
}

static void start_threads(int wanted, void* (*act)(void*)) {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    pthread_t thread;
    while (wanted-- > 0 && pthread_create(&thread, &small, act, NULL) == 0) {}
}

static bool forks(void) {
    const pid_t child = fork();
    if (child == 0) {
        if (is("burns-in-a-grandchild")) {
            setsid();
            if (fork() > 0) _exit(0);
        }
        if (is("fork-bomb")) _exit(0);
        burn();
    }
    return child > 0;
}

static bool fork_bombs(void) {
    bool any = false;
    for (int n = 0; n < 1000; ++n) any = forks() || any;
    return any;
}

static bool orphans(void) {
    signal(SIGCHLD, SIG_IGN);
    return forks();
}

static bool has_many_descriptors(void) {
    int count = 0;
    while (count < 5000 && open("/dev/null", O_RDONLY) >= 0) ++count;
    return count >= 64;
}

static bool creates(const char* folder) {
    char path[512];
    snprintf(path, sizeof path, "%s/fills-%s", folder, token);
    const int fd = open(path, O_WRONLY | O_CREAT, 0644);
    if (fd < 0) return false;
    static char much[1 << 20];
    while (write(fd, much, sizeof much) > 0) {}
    return true;
}

static bool fills_its_folder(void) { return creates(".") || creates(getenv("HOME")); }
static bool fills_tmp(void) { return creates("/tmp") || creates("/var/tmp"); }
static bool fills_shared_memory(void) { return creates("/dev/shm"); }

static bool maps_shared(void) {
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

static bool makes_memory_files(void) { return syscall(SYS_memfd_create, "x", 0) >= 0; }

static bool widens_pipes(void) {
    int pipes[2];
    bool any = pipe(pipes) == 0 && fcntl(pipes[1], F_SETPIPE_SZ, 1 << 20) >= 0;
    for (int fd = 0; fd < 3; ++fd) any = fcntl(fd, F_SETPIPE_SZ, 1 << 20) >= 0 || any;
    return any;
}

static bool locks_memory(void) {
    return mlock(mode, 1) == 0 || mlockall(MCL_CURRENT) == 0 || mlockall(MCL_FUTURE) == 0;
}

static void allocate_for_ever(void) {
    for (;;) {
        char* const more = malloc(32 << 20);
        if (more == NULL) abort();
        // Every page would take more time than its turn has.
        for (long at = 0; at < 32 << 20; at += 1 << 16) more[at] = 1;
    }
}

static long descend(long depth) {
    volatile char frame[4096];
    frame[depth % 4096] = 1;
    return descend(depth + 1) + frame[0];
}

static void leave_a_core(void) {
    memset(malloc(64 << 20), 1, 64 << 20);
    abort();
}

static void answer_and_exit(void) {
    turn();
    play(0);
    exit(0);
}

static void linger(void) {
    for (int number = 1; number < 32; ++number) signal(number, SIG_IGN);
    honest(0);
    sleep_for_ever();
}

static void never_read(void) {
    for (int n = 0; n < 2 && getline(&line, &room, stdin) > 0; ++n) {
        say("{\"ready\":{\"legal_moves\":true}}");
    }
    sleep_for_ever();
}

static void read_late(void) {
    for (int n = 0; n < 2 && getline(&line, &room, stdin) > 0; ++n) {
        say("{\"ready\":{\"legal_moves\":true}}");
    }
    sleep_ms(300);
    honest(0);
}

static void ignore_sigterm(void) {
    signal(SIGTERM, SIG_IGN);
    sleep_for_ever();
}

static void stop_itself(void) { kill(getpid(), SIGSTOP); }

static void yield_for_ever(void) {
    for (;;) sched_yield();
}

static void draw_for_ever(void) {
    static char much[1 << 20];
    while (getrandom(much, sizeof much, 0) > 0) {}
}

static void count_down(int number) {
    static int left = 1000000;
    if (--left == 0 || number == 0) _exit(5);
}

// Each signal of the timer costs the kernel more than the program.
static void interrupt_itself(void) {
    const struct itimerval often = {{0, 50}, {0, 50}};
    signal(SIGALRM, count_down);
    setitimer(ITIMER_REAL, &often, NULL);
    sleep_for_ever();
}

static void replace_itself(void) {
    char* const args[] = {"bot", "again", NULL};
    execv("./bot", args);
}

static void burn_unseen(void) {
    prctl(PR_SET_DUMPABLE, 0);
    burn();
}

// What a table of processes would read as one that is stopped, of another number.
static void burn_under_another_name(void) {
    prctl(PR_SET_NAME, "a) T 1\n1 (b");
    burn();
}

static void* play_in_thread(void* nothing) {
    honest(0);
    exit(0);
    return nothing;
}

// The process goes on without its first thread.
static void leave_it_to_a_thread(void) {
    start_threads(1, is("first-thread-ends") ? play_in_thread : burn_in_thread);
    pthread_exit(NULL);
}

static void lower_its_limits(void) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_NOFILE, &none);
    setrlimit(RLIMIT_NPROC, &none);
    setrlimit(RLIMIT_FSIZE, &none);
    setrlimit(RLIMIT_SIGPENDING, &none);
    honest(0);
}

// The kernel follows this list when a thread ends.
static void end_in_a_circle(void) {
    static struct robust_list_head circle;
    circle.list.next = &circle.list;
    struct robust_list other = {&other};
    circle.list.next = &other;
    syscall(SYS_set_robust_list, &circle, sizeof circle);
    honest(0);
}

static void ignore_everything(void) {
    for (int number = 1; number < 65; ++number) signal(number, SIG_IGN);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    burn();
}

// Little of each, far apart: what it costs is the kernel's memory for the pieces.
static void map_many_pieces(void) {
    for (int n = 0; n < 60000; ++n) {
        mmap(NULL, 4096, n % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    honest(0);
}

static const struct {
    const char* mode;
    bool (*tries)(void);
} attempts[] = {
    {"burns-in-a-child", forks},
    {"burns-in-a-grandchild", forks},
    {"orphans-a-child", orphans},
    {"fork-bomb", fork_bombs},
    {"many-descriptors", has_many_descriptors},
    {"fills-its-folder", fills_its_folder},
    {"fills-tmp", fills_tmp},
    {"fills-shared-memory", fills_shared_memory},
    {"shared-memory-bomb", maps_shared},
    {"memory-file-bomb", makes_memory_files},
    {"wide-pipes", widens_pipes},
    {"locks-memory", locks_memory},
};

static void burn_in_threads(void) {
    start_threads(4, burn_in_thread);
    sleep_for_ever();
}

static void overflow_the_stack(void) { exit((int)descend(0)); }

// What they do on their first turn instead of an answer.
static const struct {
    const char* mode;
    void (*act)(void);
} deeds[] = {
    {"busy", burn},
    {"burns-in-threads", burn_in_threads},
    {"burns-and-tells", burn_and_tell},
    {"sleeps-for-ever", sleep_for_ever},
    {"ignores-sigterm", ignore_sigterm},
    {"stops-itself", stop_itself},
    {"memory-bomb", allocate_for_ever},
    {"deep-recursion", overflow_the_stack},
    {"huge-core", leave_a_core},
    {"yields-for-ever", yield_for_ever},
    {"draws-for-ever", draw_for_ever},
    {"interrupts-itself", interrupt_itself},
    {"replaces-itself", replace_itself},
    {"burns-unseen", burn_unseen},
    {"burns-under-another-name", burn_under_another_name},
    {"burns-without-first-thread", leave_it_to_a_thread},
    {"burns-ignoring-all-signals", ignore_everything},
};

// What they do as they start.
static const struct {
    const char* mode;
    void (*act)(void);
} starts[] = {
    {"first-thread-ends", leave_it_to_a_thread},
    {"lowers-its-limits", lower_its_limits},
    {"circle-of-locks", end_in_a_circle},
    {"many-mappings", map_many_pieces},
};

static void read_file(const char* name, char* text, size_t length) {
    FILE* const file = fopen(name, "r");
    if (file == NULL) exit(3);
    text[fread(text, 1, length - 1, file)] = '\0';
    fclose(file);
}

int main(int argc, char** argv) {
    (void)argv;
    // In case that nobody ends it.
    if (argc == 1) alarm(600);
    else replace_itself();
    read_file("mode", mode, sizeof mode);
    read_file("token", token, sizeof token);
    for (size_t n = 0; n < sizeof attempts / sizeof *attempts; ++n) {
        if (!is(attempts[n].mode)) continue;
        const bool got_it = attempts[n].tries();
        while (turn()) {
            if (got_it) say("{\"move\":[99,99]}");
            else play(0);
        }
        return 0;
    }
    for (size_t n = 0; n < sizeof deeds / sizeof *deeds; ++n) {
        if (!is(deeds[n].mode)) continue;
        turn();
        deeds[n].act();
        sleep_for_ever();
    }
    for (size_t n = 0; n < sizeof starts / sizeof *starts; ++n) {
        if (is(starts[n].mode)) starts[n].act();
    }
    if (is("honest-first")) honest(0);
    else if (is("honest-second")) honest(1);
    else if (is("honest-fifth")) honest(4);
    else if (is("answers-and-exits")) answer_and_exit();
    else if (is("never-reads")) never_read();
    else if (is("reads-late")) read_late();
    else if (is("sleeps-a-little")) {
        while (turn()) {
            sleep_ms(30);
            play(0);
        }
    } else if (is("sleeps-often")) {
        while (turn()) {
            sleep_ms(300);
            play(0);
        }
    } else if (is("slow-start")) {
        sleep_ms(300);
        honest(0);
    } else if (is("silent-start")) sleep_for_ever();
    else if (is("burns-after-the-answer")) {
        turn();
        play(0);
        burn();
    } else if (is("thinks-off-turn")) think_off_turn();
    else if (is("thread-bomb")) {
        start_threads(3000, sleep_in_thread);
        honest(0);
    } else if (is("lingers")) linger();
    else return 4;
}
