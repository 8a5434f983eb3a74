void main() {
    string? line;
    while ((line = stdin.read_line()) != null) {
        if (line.has_prefix("{\"turn\""))
            stdout.printf("{\"move\":%c}\n", line[line.index_of("\"legal\":[") + 9]);
        else if (!line.has_prefix("{\"end\""))
            stdout.printf("{\"ready\":{\"legal_moves\":true}}\n");
        stdout.flush();
    }
}
