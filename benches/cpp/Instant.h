#pragma once
#include <utility>
#include <vector>

// The centre's first free neighbour; rows with odd y lie half a cell to the right.
inline std::pair<int,int> first_neighbour(const std::vector<bool>& world, int side) {
    const int dx[] = {-1, 1, -1, 0, -1, 0}, dy[] = {0, 0, -1, -1, 1, 1};
    for (int i = 0; i < 6; i++) {
        if (!world[(dy[i] + side / 2) * side + dx[i] + side / 2]) return {dx[i], dy[i]};
    }
    return {0, 0};
}
