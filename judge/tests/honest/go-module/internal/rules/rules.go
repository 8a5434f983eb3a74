package rules

import "strings"

// First returns the first legal move.
func First(line string) int {
	_, rest, _ := strings.Cut(line, "\"legal\":[")
	return int(rest[0] - '0')
}
