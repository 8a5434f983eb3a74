/* Serves the rules of a game to the judge: the helper for games in C++17.

The judge puts this file beside a game that has none. A game is a struct:

    #include "judge_game.hpp"

    struct Nim {
        static Json about() {                                    // facts, as protocol.md lists them
            return {{"game", "nim"}, {"title", "Nim"}, {"rules_version", 1}, {"roles", List{"first", "second"}},
                    {"plies_max", 20}, {"information", "perfect"}, {"config", {{"stones", 20}}}};
        }
        static std::string check(const Json& config);            // what is wrong with settings, or ""
        static Json draw(const Json& config, Rng& rng);          // an initial state
        explicit Nim(const Json& setup);                         // its position; throw if it is none
        std::vector<int> to_move() const;                        // the seats that owe a move
        List legal(int seat) const;                              // a seat's legal moves, never empty
        void play(int seat, const Json& move);                   // plays one of them
        Json view(int seat) const;                               // all that a seat sees
        std::optional<Outcome> outcome() const;                  // points by seat, and the reason
        Json frame() const;                                      // a picture, as protocol.md describes it
    };
    int main() { return serve<Nim>(); }

Positions are copied: keep no pointers in them. rng(n) is a whole number below n. A seat without a
legal move in time has 0 points, and the others 1, unless the game has

    std::optional<Outcome> forfeit(int seat, const std::string& why);   // none after it has moved on

A game that is not over after plies_max turns is drawn, unless it has

    Outcome at_limit() const;
*/
#pragma once
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct Json;
using List = std::vector<Json>;

/// A JSON value. Numbers are kept as they were written, so 1.0 is not 1.
struct Json {
    enum Kind { PLAIN, TEXT, LIST, OBJECT } kind = PLAIN;
    std::string text = "null";  // of a number, true, false or null as JSON; of a text, itself
    List items;
    std::map<std::string, Json> fields;

    Json() = default;
    Json(bool value) : text(value ? "true" : "false") {}
    Json(int value) : text(std::to_string(value)) {}
    Json(long value) : text(std::to_string(value)) {}
    Json(size_t value) : text(std::to_string(value)) {}
    Json(const char* value) : kind(TEXT), text(value) {}
    Json(std::string value) : kind(TEXT), text(std::move(value)) {}
    Json(List value) : kind(LIST), items(std::move(value)) {}
    Json(std::initializer_list<std::pair<const std::string, Json>> all) : kind(OBJECT), fields(all) {}

    bool is_null() const { return kind == PLAIN && text == "null"; }
    bool has(const std::string& key) const { return fields.count(key) && !fields.at(key).is_null(); }
    /// The value of a key. A key that is missing is an error.
    const Json& operator[](const char* key) const {
        if (!fields.count(key)) throw std::invalid_argument(std::string("there is no ") + key);
        return fields.at(key);
    }
    const Json& operator[](int at) const { return items.at(static_cast<size_t>(at)); }
    /// The values of a list: `for (const Json& card : setup["cards"])`. Those of an object are in `fields`.
    List::const_iterator begin() const { return list().begin(); }
    List::const_iterator end() const { return list().end(); }
    size_t size() const { return list().size(); }
    const List& list() const { return kind == LIST ? items : throw std::invalid_argument("not a list: " + write()); }
    Json& set(const std::string& key, Json value) {
        kind = OBJECT;
        return fields[key] = std::move(value);
    }
    bool is_number() const { return kind == PLAIN && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9')); }
    /// The whole number. Anything else is an error.
    long number() const {
        size_t end = 0;
        long value = is_number() ? std::stol(text, &end) : 0;
        return end > 0 && end == text.size() ? value : throw std::invalid_argument("not a whole number: " + write());
    }
    const std::string& string() const { return kind == TEXT ? text : throw std::invalid_argument("not a text: " + write()); }
    bool operator==(const Json& other) const { return write() == other.write(); }

    std::string write() const {
        std::string out;
        if (kind == PLAIN) return text;
        if (kind == TEXT) return quoted(text);
        for (const Json& one : items) out += (out.empty() ? "" : ",") + one.write();
        for (const auto& [key, one] : fields) out += (out.empty() ? "" : ",") + quoted(key) + ":" + one.write();
        return kind == LIST ? "[" + out + "]" : "{" + out + "}";
    }
    static std::string quoted(const std::string& value) {
        std::string out = "\"";
        for (char c : value) {
            static const char* HEX = "0123456789abcdef";
            if (c == '"' || c == '\\') out += '\\';
            if (static_cast<unsigned char>(c) < 0x20) out += std::string("\\u00") + HEX[c >> 4] + HEX[c & 15];
            else out += c;
        }
        return out + '"';
    }
    static Json parse(const std::string& line) {
        size_t at = 0;
        return parse(line, at);
    }

private:
    static char peek(const std::string& line, size_t& at) {
        while (at < line.size() && std::string(" \t\r\n,:").find(line[at]) != std::string::npos) ++at;
        return at < line.size() ? line[at] : throw std::invalid_argument("JSON without an end");
    }
    static Json parse(const std::string& line, size_t& at) {
        char first = peek(line, at);
        Json out;
        if (first == '"') return Json(parse_text(line, ++at));
        if (first == '[') {
            out.kind = LIST;
            for (++at; peek(line, at) != ']';) out.items.push_back(parse(line, at));
            return ++at, out;
        }
        if (first == '{') {
            out.kind = OBJECT;
            for (++at; peek(line, at) != '}';) {
                std::string key = parse_text(line, ++at);
                out.fields[key] = parse(line, at);
            }
            return ++at, out;
        }
        size_t end = std::min(line.find_first_of(",]} \r\n", at), line.size());
        if (end == at) throw std::invalid_argument("no JSON");
        out.text = line.substr(at, end - at);
        at = end;
        return out;
    }
    static std::string parse_text(const std::string& line, size_t& at) {
        std::string out;
        for (; line.at(at) != '"'; ++at) {
            if (line[at] != '\\') {
                out += line[at];
                continue;
            }
            char c = line.at(++at);
            if (c == 'u') {
                unsigned code = unit(line, at);
                if (code >= 0xd800 && code < 0xdc00) at += 2, code = 0x10000 + ((code - 0xd800) << 10) + unit(line, at) - 0xdc00;
                append(out, code);
            } else {
                size_t known = std::string("nrtbf").find(c);
                out += known == std::string::npos ? c : "\n\r\t\b\f"[known];
            }
        }
        return ++at, out;
    }
    static unsigned unit(const std::string& line, size_t& at) {
        unsigned code = static_cast<unsigned>(std::stoul(line.substr(at + 1, 4), nullptr, 16));
        return at += 4, code;
    }
    static void append(std::string& out, unsigned code) {
        if (code < 0x80) out += static_cast<char>(code);
        else if (code < 0x800) out += {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 63))};
        else if (code < 0x10000) out += {static_cast<char>(0xe0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 63)), static_cast<char>(0x80 | (code & 63))};
        else out += {static_cast<char>(0xf0 | code >> 18), static_cast<char>(0x80 | (code >> 12 & 63)), static_cast<char>(0x80 | (code >> 6 & 63)), static_cast<char>(0x80 | (code & 63))};
    }
};

/// Luck that a seed decides (SplitMix64).
struct Rng {
    uint64_t state;
    int operator()(int n) {
        uint64_t mixed = state += 0x9e3779b97f4a7c15;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
        return static_cast<int>((mixed ^ mixed >> 31) % static_cast<uint64_t>(n));
    }
    template <class T> void shuffle(std::vector<T>& all) {
        for (size_t left = all.size(); left > 1; --left) std::swap(all[left - 1], all[static_cast<size_t>((*this)(static_cast<int>(left)))]);
    }
};

/// How a game ended: points by seat, and the reason.
struct Outcome {
    std::vector<long> points;
    std::string reason;
};

struct Refused {
    Json error;
    Refused(const char* kind, const std::string& message) : error{{"kind", kind}, {"message", message}} {}
};

template <class Game> class Service {
    struct Session {
        Game game;
        int ply = 0;
        std::optional<Outcome> over;
        std::vector<int> seats;
        bool limited = false;
    };
    const Json about = Game::about();
    const Json config = about.has("config") ? about["config"] : Json::parse("{}");
    const List roles = about["roles"].items;
    std::map<long, Session> sessions;
    long count = 0;

    Json configured(const Json& settings) const {
        Json out = config;
        for (const auto& [key, value] : settings.fields) {
            if (!config.fields.count(key)) throw Refused("config", "unknown setting " + key);
            const Json& known = config.fields.at(key);
            if (value.kind != known.kind || value.is_number() != known.is_number()) throw Refused("config", key + " " + value.write() + " is not of the kind of " + known.write());
            out.set(key, value);
        }
        std::string wrong;
        try {
            wrong = refusal<Game>(out, 0);
        } catch (const std::exception& error) {
            wrong = error.what();
        }
        return wrong.empty() ? out : throw Refused("config", wrong);
    }
    void look(Session& session, const std::optional<Outcome>& outcome = {}) const {
        session.over = session.game.outcome();
        if (!session.over) session.over = outcome;
        session.limited = !session.over && session.ply >= about["plies_max"].number();
        if (session.limited) session.over = decided(session.game, session.ply, 0);
        session.seats = session.over ? std::vector<int>() : session.game.to_move();
        std::sort(session.seats.begin(), session.seats.end());
    }
    // What a game may leave out.
    template <class G>
    static auto refusal(const Json& config, int) -> decltype(G::check(config)) {
        return G::check(config);
    }
    template <class G>
    static std::string refusal(const Json&, long) {
        return "";
    }
    template <class G>
    auto decided(const G& game, int, int) const -> decltype(game.at_limit()) {
        return game.at_limit();
    }
    template <class G>
    Outcome decided(const G&, int ply, long) const {
        return {std::vector<long>(roles.size()), "drawn at the limit of " + std::to_string(ply) + " plies"};
    }
    template <class G>
    static auto decides(int) -> decltype(std::declval<const G&>().at_limit(), true) {
        return true;
    }
    template <class G>
    static bool decides(long) {
        return false;
    }
    template <class G>
    static auto picture(const G& game, int) -> decltype(game.frame()) {
        return game.frame();
    }
    template <class G>
    static Json picture(const G&, long) {
        return Json();
    }
    // A missing move: what the game's own `forfeit(seat, why)` decides, if it has one. Else the seat loses.
    template <class G>
    auto missed(G& game, int seat, const std::string&, const std::string& why, int) const -> decltype(game.forfeit(seat, why)) {
        return game.forfeit(seat, why);
    }
    template <class G>
    std::optional<Outcome> missed(G&, int seat, const std::string& role, const std::string& why, long) const {
        static const std::map<std::string, std::string> WORDS{
            {"illegal", "made an illegal move"}, {"malformed", "gave no move"}, {"time", "ran out of time"}, {"gone", "is gone"}};
        Outcome lost{std::vector<long>(roles.size(), 1), role + " " + WORDS.at(why)};
        lost.points[static_cast<size_t>(seat)] = 0;
        return lost;
    }
    void turn(Session& session, const Json& turn) const {
        if (session.over) throw Refused("over", "the game is over: " + session.over->reason);
        long seat = turn.has("seat") ? turn["seat"].number() : session.seats.front();
        if (seat < 0 || seat >= static_cast<long>(roles.size())) throw Refused("wrong-seat", "there is no seat " + std::to_string(seat));
        const std::string& role = roles[static_cast<size_t>(seat)].text;
        if (turn.has("forfeit")) {
            auto outcome = missed(session.game, static_cast<int>(seat), role, turn["forfeit"].text, 0);
            bool was_to_move = std::count(session.seats.begin(), session.seats.end(), seat);
            session.ply += was_to_move;
            look(session, outcome);
            if (session.over && !was_to_move) ++session.ply;
        } else {
            if (!std::count(session.seats.begin(), session.seats.end(), seat)) throw Refused("wrong-seat", "seat " + std::to_string(seat) + " is not to move");
            const Json& move = turn["move"];
            List legal = session.game.legal(static_cast<int>(seat));
            if (std::find(legal.begin(), legal.end(), move) == legal.end()) {
                Refused refused("illegal-move", move.write() + " is no legal move of " + role);
                refused.error.set("rule", "illegal");
                throw refused;
            }
            session.game.play(static_cast<int>(seat), move);
            ++session.ply;
            look(session);
        }
    }
    Json answer(const Session& session, Json out, const Json& request) const {
        List want = request.has("want") ? request["want"].items : List{"legal", "view", "outcome"};
        auto wants = [&](const char* fact) { return std::count(want.begin(), want.end(), Json(fact)) > 0; };
        List to_move, views, results;
        for (int seat : session.seats) {
            Json one{{"seat", seat}};
            if (wants("legal")) one.set("legal", session.game.legal(seat));
            if (wants("view")) one.set("view", session.game.view(seat));
            to_move.push_back(one);
        }
        out.set("ply", session.ply);
        out.set("to_move", to_move);
        for (size_t seat = 0; seat < roles.size() && wants("views"); ++seat) views.push_back(session.game.view(static_cast<int>(seat)));
        if (wants("views")) out.set("views", views);
        Json frame = wants("frame") ? picture(session.game, 0) : Json();
        if (!frame.is_null()) out.set("frame", frame);
        if (wants("outcome") && session.over) {
            const std::vector<long>& points = session.over->points;
            auto [worst, best] = std::minmax_element(points.begin(), points.end());
            for (long own : points) {
                long ahead = std::count_if(points.begin(), points.end(), [&](long other) { return other > own; });
                results.push_back({{"result", *best == *worst ? "drawn" : own == *best ? "won" : "lost"}, {"placement", ahead + 1}, {"points", own}});
            }
            out.set("outcome", {{"seats", results}, {"reason", session.over->reason}, {"limited", session.limited}});
        }
        return {{"position", out}};
    }
    std::pair<Session, Json> opened(const Json& request) const {
        Json head = Json::parse("{}"), setup;
        if (request.has("setup")) {
            setup = request["setup"];
        } else {
            Rng rng{std::stoull(request["seed"].text)};
            setup = Game::draw(configured(request.has("config") ? request["config"] : Json::parse("{}")), rng);
            head.set("setup", setup);
        }
        try {
            Session session{Game(setup), 0, {}, {}, false};
            look(session);
            if (request.has("turns")) for (const Json& one : request["turns"].items) turn(session, one);
            else if (request.has("moves")) for (const Json& one : request["moves"].items) turn(session, {{"move", one}});
            return {session, head};
        } catch (const std::exception& error) {
            throw Refused("setup", error.what());
        }
    }

public:
    Json respond(const std::string& line) {
        Json whole = Json::parse(line);
        const auto& [kind, request] = *whole.fields.begin();
        if (kind == "about") {
            Json out = about;
            out.set("protocol", 1);
            out.set("knows", List{"config"});
            if (decides<Game>(0)) out.set("at_limit", "rules");
            return {{"about", out}};
        }
        if (kind == "config") return {{"config", configured(request["settings"])}};
        if (kind == "position" || kind == "new") {
            auto [session, head] = opened(request);
            if (kind == "new") sessions.emplace(++count, session), head.set("session", count);
            return answer(session, head, request);
        }
        long number = request.has("session") ? request["session"].number() : 0;
        auto found = sessions.find(number);
        if (found == sessions.end()) throw Refused("session", "no session " + std::to_string(number) + " is open");
        if (kind == "close") {
            sessions.erase(found);
            return {{"closed", {{"session", number}}}};
        }
        if (kind == "copy") found = sessions.emplace(++count, found->second).first;
        if (kind == "play") turn(found->second, request);
        return answer(found->second, {{"session", found->first}}, request);
    }
};

/// Answers requests until the input ends.
template <class Game> int serve() {
    Service<Game> service;
    for (std::string line; std::getline(std::cin, line);) {
        Json answer;
        try {
            answer = service.respond(line);
        } catch (const Refused& refused) {
            answer = {{"error", refused.error}};
        }
        std::cout << answer.write() << std::endl;
    }
    return 0;
}
