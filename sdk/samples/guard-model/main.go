// guard-model is a sample detector in Go: the learned part of the built-in attack detectors, as a module. It scores
// windows of a text with a linear model and reports the segments that look like a prompt injection or a jailbreak.
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags='-s -w' -o guard-model.wasm .
//
// README.md says how to train a model with your own texts and build it in with the tag ownmodel.
package main

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/headgate-dev/headgate/sdk/guest"
	"github.com/headgate-dev/headgate/stages/guardrail/learned"
)

func init() {
	guest.Configure(configure)
	guest.Detector(find)
}

func main() {}

// Labels of the manifest.
const (
	labelInjection = iota
	labelJailbreak
)

// wholeBytes is the length up to which a text is one window, whatever the gate says.
const wholeBytes = 600

// longest is more than a segment has, and at most the max_match of the manifest. One that begins nearer to the end may go on.
const longest = 320

// The state of the one thread that a module has.
var (
	threshold = float32(0.6)
	model     *learned.Model
	reader    learned.Reader
	blocks    []learned.Block
	lowered   []byte
)

// configure reads {"threshold": 0.6}: the score from which a segment is reported, above 0 and below 1.
func configure(settings []byte) error {
	s := struct {
		Threshold *float32 `json:"threshold"`
	}{&threshold}
	if err := json.Unmarshal(settings, &s); err != nil {
		return err
	}
	if !(threshold > 0 && threshold < 1) {
		return fmt.Errorf("`threshold` is %v: write a number between 0 and 1", threshold)
	}
	return nil
}

// find judges a text in windows of two blocks that overlap by half. Long texts get a full look only where the gate lets them
// through.
func find(text []byte, f guest.Flags, emit func(guest.Span)) {
	if model == nil {
		var err error
		if model, err = readModel(); err != nil {
			panic(err) // the module was built with a broken model
		}
	}
	lowered = appendLower(lowered[:0], text)
	if len(lowered) <= wholeBytes {
		judgeWindow(0, len(lowered), 0, f, emit)
		return
	}
	blocks = model.Gate().Scan(blocks[:0], lowered)
	from := 0
	for i := range blocks {
		if i > 0 && i+1 == len(blocks) {
			return // the second half of the window before
		}
		if model.Gate().Passes(blocks, i) {
			from = judgeWindow(int(blocks[i].Start), int(blocks[min(i+1, len(blocks)-1)].End), from, f, emit)
		}
	}
}

// judgeWindow reports the worst segment of a window if it reaches the threshold and begins at from or later. It returns
// where the last segment that was reported ends.
func judgeWindow(start, end, from int, f guest.Flags, emit func(guest.Span)) int {
	attack, jailbreak, first, last := model.Score(&reader, lowered[start:end], len(lowered) > 2*learned.BlockBytes)
	score := float32(1 / (1 + math.Exp(-float64(attack))))
	if score < threshold || start+first < from || f.After() && len(lowered)-start-first < longest {
		return from
	}
	label := labelInjection
	if jailbreak > 0 {
		label = labelJailbreak
	}
	emit(guest.Span{Start: start + first, End: start + last, Label: label, Score: score})
	return start + last
}

// appendLower appends a text in lower case. It leaves letters outside ASCII alone, so that all offsets stay; the built-in
// detectors also resolve look-alikes and decode what is hidden.
func appendLower(dst, text []byte) []byte {
	for _, c := range text {
		if c-'A' < 26 {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}
