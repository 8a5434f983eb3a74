object Bot {
  def main(arguments: Array[String]): Unit =
    for (line <- io.Source.stdin.getLines()) {
      if (line.startsWith("{\"turn\""))
        println("{\"move\":" + line(line.indexOf("\"legal\":[") + 9) + "}")
      else if (!line.startsWith("{\"end\""))
        println("{\"ready\":{\"legal_moves\":true}}")
    }
}
