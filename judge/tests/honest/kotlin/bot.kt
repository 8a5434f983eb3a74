fun main() {
    while (true) {
        val line = readLine() ?: break
        if (line.startsWith("{\"turn\""))
            println("{\"move\":${line[line.indexOf("\"legal\":[") + 9]}}")
        else if (!line.startsWith("{\"end\""))
            println("{\"ready\":{\"legal_moves\":true}}")
    }
}
