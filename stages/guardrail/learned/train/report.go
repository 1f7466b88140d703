package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/headgate-dev/headgate/stages/guardrail/learned"
	"github.com/headgate-dev/headgate/stages/internal/figures"
)

// ordinaryRate is the share of held-out ordinary windows above the threshold of a report.
const ordinaryRate = 200

// printReport prints how much the model alone finds of attack families that it has not learned, and how often it raises an
// alarm on kinds of ordinary text that it has not learned. Each line trains a separate model, without that family or kind
// and without half of the packages; its threshold is the score that one in ordinaryRate windows of that half exceeds. A
// family is a way of attacking; the families early-injection and early-jailbreak are another author's file. The last lines
// report the gate: the share that it lets through of what those models find of a family, and of the ordinary windows that
// neither has learned from.
func printReport(out io.Writer, s *set) error {
	all := s.generateSamples(everything)
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
	var gate gateShares
	for _, family := range sortKeys(families) {
		found, _ := measureHoldout(s, all, family, "", &gate)
		_, _ = fmt.Fprintf(out, "%-44s %v\n", "left out, family "+family, &found)
	}
	for _, kind := range sortKeys(kinds) {
		_, wrong := measureHoldout(s, all, "", kind, &gate)
		_, _ = fmt.Fprintf(out, "%-44s %v\n", "left out, source "+kind, &wrong)
	}
	_, _ = fmt.Fprintf(out, "%-44s %v\n", "left out, found attacks that pass the gate", &gate.attacks)
	_, _ = fmt.Fprintf(out, "%-44s %v\n", "left out, ordinary windows that pass it", &gate.ordinary)
	return nil
}

// gateShares are the shares of windows that pass the gate.
type gateShares struct{ attacks, ordinary figures.Share }

// measureHoldout trains without a family or a kind of ordinary text. It returns how much the model finds of that
// family, and the alarms on that kind, and adds to the shares that pass the gate.
func measureHoldout(s *set, all []*sample, family, kind string, gate *gateShares) (found, wrong figures.Share) {
	learns := func(from string) bool { return chooseHalf(from+"x") == 0 }
	m := trainModel(s.generateSamples(part{
		family: func(f string, _ int) bool { return f != family },
		source: learns,
		kind:   func(k string) bool { return k != kind },
	}))
	var r learned.Reader
	score := func(x *sample) float32 { a, _, _, _ := m.Score(&r, x.text, x.to != 0 || x.source != ""); return a }
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
			hit := score(x) > threshold
			if found.Add(hit); hit {
				gate.attacks.Add(m.PassesGate(x.text))
			}
		case x.source != "" && x.family == kind:
			wrong.Add(score(x) > threshold)
		}
		if x.source != "" && !learns(x.source) {
			gate.ordinary.Add(m.PassesGate(x.text))
		}
	}
	return found, wrong
}
