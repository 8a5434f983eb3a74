// A bot for @TITLE@ that plays a random legal move. PROTOCOL.md explains the messages.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

public class Bot {
    /** Returns the move to play, as JSON. Begin here: turn.get("view") is what you see. */
    static String choose(Json turn, Random random) {
        List<Json> legal = turn.get("legal").list();
        return legal.get(random.nextInt(legal.size())).text;
    }

    public static void main(String[] args) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        long seed = 0;
        String line;
        while ((line = input.readLine()) != null) {
            Json message = new Json(line);
            Json turn = message.get("turn");
            if (turn != null) {
                // Seeded anew for each turn, so that the same position gives the same move.
                Random random = new Random(seed + 7919 * turn.get("ply").number());
                // A line for you, in the replay: add ,"note":"..." behind the move.
                answer("{\"move\":" + choose(turn, random) + "}");
            } else if (message.get("end") == null) {
                Json hello = message.get("hello");
                Json start = hello != null ? hello : message.get("start");
                seed = start.get("seed").number();
                answer("{\"ready\":{\"legal_moves\":true}}");
            }
        }
    }

    /** Writes one line. For anything else use System.err. */
    static void answer(String message) {
        System.out.println(message);
        System.out.flush();
    }
}

/** A value of a message: its text as JSON, taken apart when it is asked for its parts. */
class Json {
    final String text;

    Json(String text) {
        this.text = text;
    }

    long number() {
        return Long.parseLong(text);
    }

    /** Returns the value of an object's key, or null. */
    Json get(String key) {
        String begin = "\"" + key + "\":";
        for (String part : parts()) {
            if (part.startsWith(begin)) return new Json(part.substring(begin.length()));
        }
        return null;
    }

    /** Returns the elements of a list. */
    List<Json> list() {
        List<Json> elements = new ArrayList<>();
        for (String part : parts()) elements.add(new Json(part));
        return elements;
    }

    /** Cuts an object or a list at the commas between its parts. */
    private List<String> parts() {
        List<String> parts = new ArrayList<>();
        boolean quoted = false;
        int depth = 0;
        int from = 1;
        for (int at = 1; at < text.length(); at++) {
            char c = text.charAt(at);
            if (quoted && c == '\\') at++;
            else if (c == '"') quoted = !quoted;
            else if (quoted) continue;
            else if (depth == 0 && (c == ',' || c == ']' || c == '}')) {
                if (at > from) parts.add(text.substring(from, at));
                from = at + 1;
            } else if (c == '[' || c == '{') depth++;
            else if (c == ']' || c == '}') depth--;
        }
        return parts;
    }
}
