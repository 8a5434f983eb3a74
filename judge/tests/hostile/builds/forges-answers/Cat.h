#pragma once
#include "IAgent.h"
#include <unistd.h>

// What it writes to the kit's descriptors is its own answer, and a bad one.
class Cat : public IAgent {
public:
    std::pair<int, int> move(const std::vector<bool>&, std::pair<int, int>, int) override {
        const char answer[] = "{\"move\":[99,99]}\n";
        for (int fd = 1; fd < 64; ++fd) {
            if (fd != 2 && write(fd, answer, sizeof answer - 1) < 0) continue;
        }
        return {1, 0};
    }
};
