// The same catcher as in bot.c, as the course wants it.
#pragma once
#include "IAgent.h"
#include "Burn.h"
#include "Instant.h"

struct Catcher : IAgent {
    std::pair<int,int> move(const std::vector<bool>& world, std::pair<int,int> cat, int side) override {
        burn_and_report();
        std::pair<int,int> centre, other = first_neighbour(world, side);
        for (int i = 0; i < side * side; i++) {
            std::pair<int,int> cell = {i % side - side / 2, i / side - side / 2};
            if (!world[i] && cell != centre && cell != other) return cell;
        }
        return cat == centre ? other : centre;
    }
};
