#pragma once
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

// The six cells beside a cell; rows with an odd number are shifted to the right by half a cell.
inline std::vector<std::pair<int,int>> neighbours(std::pair<int,int> cell) {
    auto [x, y] = cell;
    int left = abs(y) % 2 == 1 ? x : x - 1;
    return {{x - 1, y}, {x + 1, y}, {left, y - 1}, {left + 1, y - 1}, {left, y + 1}, {left + 1, y + 1}};
}

// Whether a cell of the board is blocked; {0,0} is the center.
inline bool blocked(const std::vector<bool>& world, std::pair<int,int> cell, int sideSize) {
    int half = sideSize / 2;
    return world[(cell.second + half) * sideSize + cell.first + half];
}

// A number below count that looks random, the same one for the same board.
inline std::size_t pick(const std::vector<bool>& world, std::size_t count) {
    return std::hash<std::vector<bool>>{}(world) % count;
}
