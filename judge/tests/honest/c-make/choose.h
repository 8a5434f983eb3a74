int choose(const char *line);
