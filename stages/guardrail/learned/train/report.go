package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/headgate-dev/headgate/stages/guardrail/learned"
)

// ordinaryRate is the share of held-out ordinary windows above the threshold of a report.
const ordinaryRate = 200

// printReport prints what the model alone finds of attacks whose family it has not learned, and how often it is wrong on kinds of
// text that it has not learned. Every line has a model of its own, trained without that family or kind and without half of the
// packages; its threshold is what one in ordinaryRate windows of that half passes. A family is a way of attacking; the
// families early-injection and early-jailbreak are another author's file.
func printReport(out io.Writer, s *set) error {
	all := s.samples(everything)
	families, kinds := map[string]bool{}, map[string]bool{}
	for _, x := range all {
		switch {
		case x.attack:
			families[x.family] = true
		case x.source == "":
		default:
			kinds[x.family] = true
		}
	}
	for _, family := range sortedKeys(families) {
		found, _ := leaveOut(s, all, family, "")
		_, _ = fmt.Fprintf(out, "%-44s %v\n", "left out, family "+family, &found)
	}
	for _, kind := range sortedKeys(kinds) {
		_, wrong := leaveOut(s, all, "", kind)
		_, _ = fmt.Fprintf(out, "%-44s %v\n", "left out, source "+kind, &wrong)
	}
	return nil
}

// leaveOut trains without a family or a kind of ordinary text and returns what the model finds of that family, and the alarms on
// that kind.
func leaveOut(s *set, all []*sample, family, kind string) (found, wrong share) {
	learns := func(from string) bool { return half(from+"x") == 0 }
	m := trainModel(s.samples(part{
		family: func(f string, _ int) bool { return f != family },
		source: learns,
		kind:   func(k string) bool { return k != kind },
	}))
	var r learned.Reader
	score := func(x *sample) float32 { a, _, _, _ := m.Score(&r, x.text); return a }
	var ordinary []float32
	for _, x := range all {
		if x.source != "" && x.family != kind && !learns(x.source) {
			ordinary = append(ordinary, score(x))
		}
	}
	slices.Sort(ordinary)
	threshold := ordinary[len(ordinary)-len(ordinary)/ordinaryRate-1]
	for _, x := range all {
		switch {
		case x.attack && x.family == family:
			found.add(score(x) > threshold)
		case x.source != "" && x.family == kind:
			wrong.add(score(x) > threshold)
		}
	}
	return found, wrong
}
