#pragma once
#include "Board.h"
#include "IAgent.h"

// Blocks one of the free cells of the board.
struct Catcher : IAgent {
    std::pair<int,int> move(const std::vector<bool>& world, std::pair<int,int> catPos, int sideSize) override {
        // Begin here. Nothing survives a turn: the next one has a new object in a new process.
        std::vector<std::pair<int,int>> free;
        int half = sideSize / 2;
        for (int y = -half; y <= half; y++)
            for (int x = -half; x <= half; x++)
                if (std::make_pair(x, y) != catPos && !blocked(world, {x, y}, sideSize)) free.push_back({x, y});
        return free[pick(world, free.size())];
    }
};
