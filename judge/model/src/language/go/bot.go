// A bot for @TITLE@ that plays a random legal move. PROTOCOL.md explains the messages.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"os"
)

// turn is a question for a move.
type turn struct {
	View  json.RawMessage   `json:"view"`
	Legal []json.RawMessage `json:"legal"`
	Ply   int64             `json:"ply"`
}

// choose returns the move to play, as JSON. Begin here: turn.View is what you see.
func choose(turn *turn, random *rand.Rand) json.RawMessage {
	return turn.Legal[random.Intn(len(turn.Legal))]
}

// message is a line of the judge: one of its parts is there.
type message struct {
	Hello, Start *struct{ Seed int64 }
	Turn         *turn
}

func main() {
	input := bufio.NewReader(os.Stdin)
	seed := int64(0)
	for {
		line, err := input.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		var received message
		if err := json.Unmarshal(line, &received); err != nil {
			// Standard output is the judge's: print anything else like this.
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		switch {
		case received.Turn != nil:
			// Seeded anew for each turn, so that the same position gives the same move.
			random := rand.New(rand.NewSource(seed + 7919*received.Turn.Ply))
			// A line for you, in the replay: add ,"note":"..." behind the move.
			fmt.Printf("{\"move\":%s}\n", choose(received.Turn, random))
		case received.Hello != nil:
			seed = received.Hello.Seed
			fmt.Println(`{"ready":{"legal_moves":true}}`)
		case received.Start != nil:
			seed = received.Start.Seed
			fmt.Println(`{"ready":{"legal_moves":true}}`)
		}
	}
}
