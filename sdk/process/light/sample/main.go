// Command sample is a guard that redacts some words and blocks texts that contain others.
package main

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/headgate-dev/headgate/sdk/process/light"
)

type guard struct{ redact, block []string }

func (g *guard) Hello() light.Hello {
	return light.Hello{
		Name: "wordguard", Version: "1.0.0", Phases: []light.Phase{light.Request, light.Response}, Texts: []string{"user", "assistant"},
		StreamBytes: 64,
	}
}

func (g *guard) Configure(config []byte) error {
	var words struct{ Redact, Block []string }
	if len(config) > 0 {
		if err := json.Unmarshal(config, &words); err != nil {
			return errors.New("config: redact and block are lists of words")
		}
	}
	if len(words.Redact)+len(words.Block) == 0 {
		return errors.New("config: write words under redact or block")
	}
	g.redact, g.block = words.Redact, words.Block
	return nil
}

func (g *guard) Check(c *light.Check) (light.Verdict, error) {
	v := light.Verdict{Action: light.Pass}
	for k, s := range c.Segments {
		g.judge(&v, uint32(k), s.Text, 0, len(s.Text))
	}
	return v, nil
}

// Window judges the text of a stream that no further text can change, and holds the rest.
func (g *guard) Window(w *light.Window) (light.Verdict, error) {
	v, known := light.Verdict{Action: light.Pass}, len(w.Text)
	if !w.Last {
		known = g.findOpen(w.Text, w.Sent)
	}
	g.judge(&v, 0, w.Text, w.Sent, known)
	v.Hold = uint32(len(w.Text) - known)
	return v, nil
}

// judge records the words in text[from:to].
func (g *guard) judge(v *light.Verdict, segment uint32, text string, from, to int) {
	for at := from; at < to; {
		word, blocked := g.findWord(text[at:to])
		if word == "" {
			at++
			continue
		}
		label := "word"
		if blocked {
			label = "forbidden"
		}
		start, end := uint32(at), uint32(at+len(word))
		v.Findings = append(v.Findings, light.Finding{Segment: segment, Start: start, End: end, Label: label})
		switch {
		case blocked:
			v.Action, v.Edits, v.Message = light.Block, nil, "this is not talked about here"
		case v.Action != light.Block:
			v.Action = light.Rewrite
			v.Edits = append(v.Edits, light.Edit{Segment: segment, Start: start, End: end, Type: "WORD"})
		}
		at += len(word)
	}
}

// findWord returns the longest word that a text begins with.
func (g *guard) findWord(text string) (word string, blocked bool) {
	for k, w := range append(g.redact[:len(g.redact):len(g.redact)], g.block...) {
		if len(w) > len(word) && strings.HasPrefix(text, w) {
			word, blocked = w, k >= len(g.redact)
		}
	}
	return word, blocked
}

// findOpen returns where the first word begins that more text could complete or make longer.
func (g *guard) findOpen(text string, from int) int {
	for at := from; at < len(text); {
		for _, w := range append(g.redact[:len(g.redact):len(g.redact)], g.block...) {
			if len(w) > len(text)-at && strings.HasPrefix(w, text[at:]) {
				return at
			}
		}
		word, _ := g.findWord(text[at:])
		at += max(len(word), 1)
	}
	return len(text)
}

func main() { light.Serve(new(guard)) }
