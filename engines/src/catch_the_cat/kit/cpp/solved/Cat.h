#pragma once
#include "Board.h"
#include "IAgent.h"

// Goes to one of the free cells beside it.
struct Cat : IAgent {
    std::pair<int,int> move(const std::vector<bool>& world, std::pair<int,int> catPos, int sideSize) override {
        // Begin here. Nothing survives a turn: the next one has a new object in a new process.
        std::vector<std::pair<int,int>> free;
        for (auto cell : neighbours(catPos))
            if (!blocked(world, cell, sideSize)) free.push_back(cell);
        return free[pick(world, free.size())];
    }
};
