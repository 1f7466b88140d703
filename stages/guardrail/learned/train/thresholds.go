package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/headgate-dev/headgate/stages/guardrail"
	"github.com/headgate-dev/headgate/stages/internal/figures"
)

// thresholds are those that printThresholds compares. 0.6 is the default.
var thresholds = []float32{0.5, 0.6, 0.7, 0.8, 0.9}

// printThresholds prints which share of texts reaches each threshold: ordinary ones of shortText bytes, and the project's own cases.
func printThresholds(out io.Writer, dir string, ordinary map[string][]string) error {
	s, err := guardrail.NewNamedScannerOf("prompt_injection", "jailbreak")
	if err != nil {
		return err
	}
	scores := map[string][]float32{}
	for _, texts := range ordinary {
		for _, text := range texts {
			if len(text) <= shortText {
				scores["ordinary, 4 kB"] = append(scores["ordinary, 4 kB"], s.Scan(text).Score)
			}
		}
	}
	cases, err := readLines(filepath.Join(dir, "testdata/cases.jsonl.gz"))
	if err != nil {
		return err
	}
	for _, line := range cases {
		var c struct{ Set, Label, Text string }
		if err := json.Unmarshal(line, &c); err != nil {
			return err
		}
		key := "own cases, attack, " + c.Set
		if c.Label != "attack" {
			key = "own cases, benign"
		}
		scores[key] = append(scores[key], s.Scan(c.Text).Score)
	}
	for _, key := range sortKeys(scores) {
		for _, threshold := range thresholds {
			var reached figures.Share
			for _, score := range scores[key] {
				reached.Add(score >= threshold)
			}
			_, _ = fmt.Fprintf(out, "%-44s %s\n", fmt.Sprintf("at %.1f, %s", threshold, key), &reached)
		}
	}
	return nil
}
