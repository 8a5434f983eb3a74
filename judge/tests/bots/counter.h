#pragma once
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
static int constructed;
static __attribute__((constructor(200))) void construct() { constructed++; }
static int* kept = new int(0);
struct Counter {
    Counter() { constructed += 10; }
    ~Counter() { constructed += 100; }
} counter;
inline void count() {
    static int turns = 0;
    char name[16] = "never";
    if (getenv("TURNS")) snprintf(name, sizeof name, "%s", getenv("TURNS"));
    setenv("TURNS", "again", 1);
    fprintf(stderr, "%d %d %d %s %d %d\n", constructed, ++turns, ++*kept, name, getpid(), getpgrp());
}
