package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/headgate-dev/headgate/stages/guardrail"
)

// set is the training data.
type set struct {
	attacks  []*grammar
	benign   *grammar
	prompts  []window
	ordinary []window
}

// readSet reads the data of the stage's folder.
func readSet(dir string) (*set, error) {
	s := new(set)
	for _, f := range []struct {
		path, family string
		labelled     bool
	}{{"learned/data/attacks.txt", "", false}, {"testdata/attacks.txt", "early", true}} {
		g, err := readGrammar(filepath.Join(dir, f.path), f.family, f.labelled)
		if err != nil {
			return nil, err
		}
		s.attacks = append(s.attacks, g)
	}
	for _, path := range []string{"testdata/benign.txt", "learned/data/benign.txt"} {
		g, err := readGrammar(filepath.Join(dir, path), "benign", false)
		if err != nil {
			return nil, err
		}
		if s.benign == nil {
			s.benign = g
		} else {
			s.benign.lines = append(s.benign.lines, g.lines...)
		}
	}
	var err error
	if s.prompts, err = readWindows(filepath.Join(dir, "learned/data/prompts.jsonl.gz")); err != nil {
		return nil, err
	}
	s.ordinary, err = readWindows(filepath.Join(dir, "learned/data/ordinary.jsonl.gz"))
	return s, err
}

func readWindows(path string) (out []window, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var w window
		if err := json.Unmarshal(sc.Bytes(), &w); err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	return out, sc.Err()
}

// part selects a part of a set; nil selects all.
type part struct {
	family func(family string, line int) bool
	source func(from string) bool
	kind   func(kind string) bool
}

var everything = part{}

// How many texts are generated from a line.
const (
	perAttack = 16
	perEarly  = 5
	perBenign = 6
)

// generateSamples generates the training texts.
func (s *set) generateSamples(p part) (out []*sample) {
	r := rand.New(rand.NewPCG(21, 22))
	add := func(text string, attack, jail bool, family string, weight float64) *sample {
		out = append(out, &sample{text: []byte(guardrail.Normalize(text)), attack: attack, jail: jail, family: family, weight: weight})
		return out[len(out)-1]
	}
	var carriers []window
	for _, w := range s.ordinary {
		if (p.source == nil || p.source(w.From)) && (p.kind == nil || p.kind(w.Kind)) {
			carriers = append(carriers, w)
		}
	}
	for k, g := range s.attacks {
		n := perAttack
		if k == 1 {
			n = perEarly
		}
		for _, l := range g.lines {
			for range n {
				text := g.expand(r, l.text)
				c := carriers[r.IntN(len(carriers))]
				place, noise := r.IntN(8), r.IntN(8)
				if p.family != nil && !p.family(l.family, l.number) {
					continue
				}
				if noise == 0 {
					text = disturbText(r, text)
				}
				from, to := 0, 0
				if place < 4 {
					text, from, to = embedText(r, c, text)
				}
				x := add(text, true, l.label == "jailbreak", l.family, 1)
				x.from, x.to = len(guardrail.Normalize(text[:from])), len(guardrail.Normalize(text[:to]))
			}
		}
	}
	for _, l := range s.benign.lines {
		if p.family != nil && !p.family("benign", l.number) {
			continue
		}
		for range perBenign {
			text := s.benign.expand(r, l.text)
			if r.IntN(8) == 0 {
				text = disturbText(r, text)
			}
			if r.IntN(8) == 0 {
				text, _, _ = embedText(r, carriers[r.IntN(len(carriers))], text)
			}
			add(text, false, false, "benign", 2)
		}
	}
	for i, w := range s.prompts {
		if p.source != nil && !p.source(w.From) {
			continue
		}
		add(w.Text, false, false, "prompt", 2)
		if i%2 == 0 && len(w.Text) < 300 {
			text, _, _ := embedText(r, carriers[r.IntN(len(carriers))], w.Text)
			add(text, false, false, "prompt", 1)
		}
	}
	for _, w := range carriers {
		add(w.Text, false, false, w.Kind, 1).source = w.From
		if r.IntN(4) == 0 { // pieces of any length
			k := r.IntN(len(w.Text))
			add(w.Text[k:], false, false, w.Kind, 1)
		}
	}
	return out
}

// disturbText changes a text as hasty or devious writers do.
func disturbText(r *rand.Rand, text string) string {
	switch r.IntN(5) {
	case 0:
		return strings.ToUpper(text)
	case 1:
		return strings.ReplaceAll(text, ". ", "\n")
	case 2:
		return strings.ReplaceAll(text, " ", "  ")
	}
	b := []byte(text)
	for range 1 + len(b)/40 {
		i := r.IntN(len(b))
		if c := b[i] | 0x20; c < 'a' || c > 'z' || i+1 >= len(b) || b[i+1] >= 0x80 {
			continue
		}
		switch r.IntN(3) {
		case 0:
			b[i], b[i+1] = b[i+1], b[i]
		case 1:
			b = append(b[:i], b[i+1:]...)
		default:
			b = append(b[:i+1], b[i:]...)
		}
	}
	return string(b)
}

// comments maps a kind of text to the form of its comment lines.
var comments = map[string][]string{
	"go":         {"// %", "/* % */", "\tfmt.Println(\"%\")", "%"},
	"python":     {"# %", "\"\"\"%\"\"\"", "    print(\"%\")", "%"},
	"javascript": {"// %", "/* % */", "console.log(\"%\");", "const note = \"%\";"},
	"markdown":   {"%", "- %", "> %", "<!-- % -->", "## %", "| x | % |"},
	"json":       {"\"description\": \"%\",", "# %", "\"note\": \"%\"", "msg: %"},
	"log":        {"INFO %", "2026-02-01T10:00:00Z level=warn msg=\"%\"", "%"},
	"shell":      {"# %", "echo \"%\"", "%"},
	"document":   {"%", "<p>%</p>", " . %", "  %"},
}

// embedText inserts a text between the lines of an ordinary text, at result[from:to].
func embedText(r *rand.Rand, w window, text string) (result string, from, to int) {
	forms := comments[w.Kind]
	if len(forms) == 0 {
		forms = []string{"%"}
	}
	text = strings.Replace(forms[r.IntN(len(forms))], "%", text, 1)
	room := max(0, 400-len(text))
	carrier := w.Text[:min(len(w.Text), room)]
	at := 0
	if carrier != "" {
		at = r.IntN(len(carrier) + 1)
	}
	for at < len(carrier) && carrier[at] != '\n' && carrier[at] != '.' {
		at++
	}
	return carrier[:at] + "\n" + text + "\n" + strings.TrimLeft(carrier[at:], ". \n"), at + 1, at + 1 + len(text)
}
