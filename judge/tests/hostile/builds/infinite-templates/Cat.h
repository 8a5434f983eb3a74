#pragma once
#include "IAgent.h"

template <int n> struct Deeper { static constexpr int depth = Deeper<n + 1>::depth; };

class Cat : public IAgent {
public:
    std::pair<int, int> move(const std::vector<bool>&, std::pair<int, int>, int) override { return {Deeper<0>::depth, 0}; }
};
