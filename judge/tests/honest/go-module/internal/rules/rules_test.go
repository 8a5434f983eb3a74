package rules

import "testing"

func TestFirst(t *testing.T) {
	if First("{\"turn\":{\"legal\":[4,5]}}") != 4 {
		t.Fatal("not the first")
	}
}
