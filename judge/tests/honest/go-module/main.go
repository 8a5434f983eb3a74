package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"example.org/bot/internal/rules"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "{\"turn\"") {
			fmt.Printf("{\"move\":%d}\n", rules.First(line))
		} else if !strings.HasPrefix(line, "{\"end\"") {
			fmt.Println("{\"ready\":{\"legal_moves\":true}}")
		}
	}
}
