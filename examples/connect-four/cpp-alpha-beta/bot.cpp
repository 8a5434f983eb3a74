// Looks eight plies ahead by alpha-beta, on any size of board; of equal moves it plays the one
// nearest to the middle. The view is taken from the message as text: it holds a list of
// columns, each a string from the bottom up.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

using std::string;
using std::vector;

constexpr int PLIES = 8;
constexpr int WON = 1000;

vector<string> board;
vector<int> tops;   // how many discs lie in each column
vector<int> order;  // the columns from the middle outwards

bool hasFour(int column, int row) {
    const char disc = board[column][row];
    const int width = board.size(), height = board[0].size();
    for (auto [right, up] : {std::pair{1, 0}, {0, 1}, {1, 1}, {1, -1}}) {
        int length = 1;
        for (int way : {1, -1}) {
            int x = column + way * right, y = row + way * up;
            while (x >= 0 && x < width && y >= 0 && y < height && board[x][y] == disc) {
                length++, x += way * right, y += way * up;
            }
        }
        if (length >= 4) return true;
    }
    return false;
}

// Returns what dropping a disc there is worth to whoever drops it: more the sooner a four comes.
int worth(int column, char disc, int plies, int least, int most);

// Returns the worth of the best move.
int best(char disc, int plies, int least, int most) {
    bool full = true;
    for (int column : order) {
        if (tops[column] == (int)board[0].size()) continue;
        full = false;
        least = std::max(least, worth(column, disc, plies, least, most));
        if (least >= most) break;
    }
    return full ? 0 : least;
}

int worth(int column, char disc, int plies, int least, int most) {
    const int row = tops[column]++;
    board[column][row] = disc;
    int value = 0;
    if (hasFour(column, row)) {
        value = WON + plies;
    } else if (plies > 1) {
        value = -best(disc == 'R' ? 'Y' : 'R', plies - 1, -most, -least);
    }
    board[column][row] = '.';
    tops[column]--;
    return value;
}

// Takes the strings of the list after "board": from the message.
void look(const string& message) {
    board.clear(), tops.clear(), order.clear();
    const auto begin = message.find("\"board\":[") + 9;
    const auto end = message.find(']', begin);
    for (auto open = message.find('"', begin); open < end;) {
        const auto close = message.find('"', open + 1);
        board.push_back(message.substr(open + 1, close - open - 1));
        open = message.find('"', close + 1);
    }
    for (int column = 0; column < (int)board.size(); column++) {
        const auto& cells = board[column];
        tops.push_back(cells.size() - std::count(cells.begin(), cells.end(), '.'));
        order.push_back(column);
    }
    const int last = board.size() - 1;
    std::stable_sort(order.begin(), order.end(), [last](int a, int b) {
        return std::abs(2 * a - last) < std::abs(2 * b - last);
    });
}

int choose(const string& message) {
    look(message);
    const char own = message.find("\"you\":\"red\"") != string::npos ? 'R' : 'Y';
    int chosen = -1, most = -2 * WON;
    for (int column : order) {
        if (tops[column] == (int)board[0].size()) continue;
        const int value = worth(column, own, PLIES, most, 2 * WON);
        if (value > most) most = value, chosen = column;
    }
    return chosen;
}

int main() {
    for (string message; std::getline(std::cin, message);) {
        if (message.rfind("{\"turn\"", 0) == 0) {
            std::cout << "{\"move\":" << choose(message) << "}" << std::endl;
        } else if (message.rfind("{\"end\"", 0) != 0) {
            std::cout << "{\"ready\":{}}" << std::endl;
        }
    }
}
