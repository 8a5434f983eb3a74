#pragma once
#include "IAgent.h"

// Your cat. catPos is its own cell; it may go to one of the six cells beside it.
struct Cat : IAgent {
    std::pair<int,int> move(const std::vector<bool>& world, std::pair<int,int> catPos, int sideSize) override {
        // Begin here. This goes to the right, whether the cell there is blocked or not.
        // Nothing survives a turn: the next one has a new object in a new process.
        // With judge_note.h, judge_note("...") shows you a line in the replay.
        return {catPos.first + 1, catPos.second};
    }
};
