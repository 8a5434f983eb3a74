#pragma once
#include "IAgent.h"

// Your catcher. It blocks one free cell of the board, but not the cat's.
struct Catcher : IAgent {
    std::pair<int,int> move(const std::vector<bool>& world, std::pair<int,int> catPos, int sideSize) override {
        // Begin here. This blocks the top left cell, even if it is blocked already.
        // Nothing survives a turn: the next one has a new object in a new process.
        return {-sideSize / 2, -sideSize / 2};
    }
};
