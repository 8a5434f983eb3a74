// @TITLE@: one player puts upright dominoes on the board, the other one lying ones. Who cannot move
// loses. Begin here: change the rules, then run `judge game check`.
#include "judge_game.hpp"

struct Game {
    int side, seat = 0;
    std::string cells;

    static Json about() {  // rules_version grows when a rule changes
        return {{"game", "@SLUG@"}, {"title", "@TITLE@"}, {"rules_version", 1}, {"roles", List{"upright", "lying"}},
                {"summary", "two players put dominoes on a board; who cannot move loses"},
                {"plies_max", 32}, {"information", "perfect"}, {"config", {{"side", 6}, {"holes", 4}}}};
    }
    static std::string check(const Json& config) {
        long side = config["side"].number(), holes = config["holes"].number();
        return side >= 2 && side <= 8 && holes >= 0 && holes <= 9 ? "" : "side is 2 to 8, and holes 0 to 9";
    }
    static Json draw(const Json& config, Rng& rng) {  // the initial state; all luck is here
        int side = static_cast<int>(config["side"].number());
        std::string cells(static_cast<size_t>(side * side), '.');
        for (long hole = config["holes"].number(); hole > 0; --hole) cells[static_cast<size_t>(rng(side * side))] = '#';
        return {{"side", side}, {"cells", cells}};
    }
    explicit Game(const Json& setup)  // the position of an initial state
        : side(static_cast<int>(setup["side"].number())), cells(setup["cells"].string()) {
        if (static_cast<int>(cells.size()) != side * side) throw std::invalid_argument("the board is no square");
    }
    std::vector<int> to_move() const { return {seat}; }
    int end(int who, int at) const { return who ? at + 1 : at + side; }  // the second cell of a domino
    List legal(int who) const {
        List moves;
        for (int at = 0; at < side * side; ++at) {
            bool fits = (who ? at % side : at / side) < side - 1;
            if (fits && cells[static_cast<size_t>(at)] == '.' && cells[static_cast<size_t>(end(who, at))] == '.') moves.push_back(at);
        }
        return moves;
    }
    void play(int who, const Json& move) {
        int at = static_cast<int>(move.number());
        cells[static_cast<size_t>(at)] = cells[static_cast<size_t>(end(who, at))] = who ? '1' : '0';
        seat = 1 - who;
    }
    Json view(int who) const { return {{"you", who ? "lying" : "upright"}, {"side", side}, {"cells", cells}}; }
    std::optional<Outcome> outcome() const {  // nothing, or the points of each seat and the reason
        if (!legal(seat).empty()) return {};
        return Outcome{{seat, 1 - seat}, std::string(seat ? "lying" : "upright") + " cannot move"};
    }
    Json frame() const {  // a picture
        List discs;
        std::string floor = cells;
        for (int at = 0; at < side * side; ++at) {
            char& cell = floor[static_cast<size_t>(at)];
            if (cell == '0' || cell == '1') {
                discs.push_back({{"x", at % side}, {"y", at / side}, {"seat", cell - '0'}});
                cell = '.';
            }
        }
        return {{"grid", "square"}, {"width", side}, {"height", side}, {"cells", floor}, {"discs", discs}};
    }
};

int main() { return serve<Game>(); }
