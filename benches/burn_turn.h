// A turn of a stateless agent that burns a known amount of CPU time and reports what it has
// used, in microseconds by its own clock, one line on standard error: from when the first of its
// objects is made, before its first turn, to here.
#pragma once
#include <cstdio>
#include <ctime>

inline long long used_ns() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static const long long began_ns = used_ns();

inline void burn_and_report() {
    while (used_ns() < began_ns + BURN_US * 1000LL) {
    }
    std::fprintf(stderr, "%lld\n", (used_ns() - began_ns) / 1000);
}
