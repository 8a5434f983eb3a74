// A bot for @TITLE@ that plays a random legal move. PROTOCOL.md explains the messages.
using System;
using System.Collections.Generic;

class Bot {
    /// <summary>Returns the move to play, as JSON. Begin here: turn.Get("view") is what you see.</summary>
    static string Choose(Json turn, Random random) {
        List<Json> legal = turn.Get("legal").List();
        return legal[random.Next(legal.Count)].Text;
    }

    static void Main() {
        long seed = 0;
        string line;
        while ((line = Console.In.ReadLine()) != null) {
            Json message = new Json(line);
            Json turn = message.Get("turn");
            if (turn != null) {
                // Seeded anew for each turn, so that the same position gives the same move.
                Random random = new Random((int)(seed + 7919 * turn.Get("ply").Number()));
                // A line for you, in the replay: add ,"note":"..." behind the move.
                Answer("{\"move\":" + Choose(turn, random) + "}");
            } else if (message.Get("end") == null) {
                seed = (message.Get("hello") ?? message.Get("start")).Get("seed").Number();
                Answer("{\"ready\":{\"legal_moves\":true}}");
            }
        }
    }

    /// <summary>Writes one line. For anything else use Console.Error.</summary>
    static void Answer(string message) {
        Console.Out.WriteLine(message);
        Console.Out.Flush();
    }
}

/// <summary>A value of a message: its text as JSON, taken apart when it is asked for its parts.</summary>
class Json {
    public readonly string Text;

    public Json(string text) {
        Text = text;
    }

    public long Number() {
        return long.Parse(Text);
    }

    /// <summary>Returns the value of an object's key, or null.</summary>
    public Json Get(string key) {
        string begin = "\"" + key + "\":";
        string part = Parts().Find(one => one.StartsWith(begin, StringComparison.Ordinal));
        return part == null ? null : new Json(part.Substring(begin.Length));
    }

    /// <summary>Returns the elements of a list.</summary>
    public List<Json> List() {
        return Parts().ConvertAll(part => new Json(part));
    }

    /// <summary>Cuts an object or a list at the commas between its parts.</summary>
    List<string> Parts() {
        List<string> parts = new List<string>();
        bool quoted = false;
        int depth = 0;
        int from = 1;
        for (int at = 1; at < Text.Length; at++) {
            char c = Text[at];
            if (quoted && c == '\\') at++;
            else if (c == '"') quoted = !quoted;
            else if (quoted) continue;
            else if (depth == 0 && (c == ',' || c == ']' || c == '}')) {
                if (at > from) parts.Add(Text.Substring(from, at - from));
                from = at + 1;
            } else if (c == '[' || c == '{') depth++;
            else if (c == ']' || c == '}') depth--;
        }
        return parts;
    }
}
