using System;

static class Bot {
    static void Main() {
        for (string line; (line = Console.ReadLine()) != null; ) {
            if (line.StartsWith("{\"turn\""))
                Console.WriteLine("{\"move\":" + Rules.First(line) + "}");
            else if (!line.StartsWith("{\"end\""))
                Console.WriteLine("{\"ready\":{\"legal_moves\":true}}");
        }
    }
}
