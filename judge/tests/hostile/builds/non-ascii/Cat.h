#pragma once
#include "IAgent.h"

// A cat from Málaga, with a letter that is not UTF-8: �
class Kätzchen : public IAgent {
public:
    std::pair<int, int> move(const std::vector<bool>& world, std::pair<int, int> größe, int) override {
        return {größe.first + (world.empty() ? 2 : 1), größe.second};
    }
};
using Cat = Kätzchen;
