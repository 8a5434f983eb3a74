#define _GNU_SOURCE
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long now(void) {
    static atomic_long looks;
    return 1000000000 - 86400 * ++looks;
}
int clock_gettime(clockid_t id, struct timespec *time) {
    long result = syscall(SYS_clock_gettime, id, time);
    if (id == CLOCK_REALTIME) time->tv_sec = now();
    return result;
}
int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    *time = (struct timeval){.tv_sec = now()};
    return 0;
}
time_t time(time_t *time) {
    time_t seconds = now();
    if (time) *time = seconds;
    return seconds;
}
