package bot;

class Rules {
    static char first(String line) {
        return line.charAt(line.indexOf("\"legal\":[") + 9);
    }
}
