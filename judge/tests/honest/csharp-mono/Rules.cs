static class Rules {
    public static char First(string line) => line[line.IndexOf("\"legal\":[") + 9];
}
