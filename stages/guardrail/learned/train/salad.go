package main

import (
	"math/rand/v2"

	"github.com/headgate-dev/headgate/stages/guardrail/learned"
)

// How salads are made: see mixSalads.
const (
	salads     = 16000
	saladFrom  = 4   // samples that the words of one come from
	saladBytes = 400 // length of one, at least
)

// mixSalads returns ordinary words in no order. The gate adds up what words in a row count for; without salads, ordinary words that
// requests have in common with attacks (please, write, answer) add up to a sum of their own wherever they stand. With them the gate
// learns what words say together.
func mixSalads(all []*sample) (out []*sample) {
	r := rand.New(rand.NewPCG(41, 42))
	var prose []*sample
	for _, s := range all {
		if !s.attack && (s.family == "prompt" || s.family == "benign" || s.family == "document" || s.family == "markdown") {
			prose = append(prose, s)
		}
	}
	for len(out) < salads && len(prose) > 0 {
		var words [][]byte
		for range saladFrom {
			s := prose[r.IntN(len(prose))]
			for _, w := range learned.AppendWords(nil, s.text) {
				words = append(words, s.text[w.Start:w.End])
			}
		}
		var b []byte
		for len(words) > 0 && len(b) < saladBytes {
			b = append(b, words[r.IntN(len(words))]...)
			switch r.IntN(24) {
			case 0:
				b = append(b, ".\n"...)
			case 1, 2:
				b = append(b, ", "...)
			default:
				b = append(b, ' ')
			}
		}
		out = append(out, &sample{text: b, family: "salad"})
	}
	return out
}
