package main

import (
	"fmt"
	"slices"

	"github.com/headgate-dev/headgate/stages/guardrail/learned"
)

// printReport trains without a third of the families, and without half of the sources, and prints what a model finds of
// the rest at the threshold that one in two hundred ordinary windows passes.
func printReport(s *set) error {
	all := s.samples(everything)
	families := map[string]bool{}
	for _, x := range all {
		if x.attack {
			families[x.family] = true
		}
	}
	names := sortedKeys(families)
	var r learned.Reader
	fmt.Printf("%-18s %8s %8s\n", "family left out", "windows", "found")
	for _, name := range names {
		m := trainModel(s.samples(part{
			family: func(f string, _ int) bool { return f != name },
			source: func(from string) bool { return half(from+"x") == 0 },
		}))
		var benign, attacks []float64
		for _, x := range all {
			a, _, _, _ := m.Score(&r, x.text)
			switch {
			case x.attack && x.family == name:
				attacks = append(attacks, float64(a))
			case !x.attack && x.family != "benign" && x.family != "prompt":
				benign = append(benign, float64(a))
			}
		}
		slices.Sort(benign)
		t := benign[len(benign)-len(benign)/200-1]
		n := 0
		for _, a := range attacks {
			if a > t {
				n++
			}
		}
		fmt.Printf("%-18s %8d %7.1f%%  threshold %.2f\n", name, len(attacks), 100*float64(n)/float64(len(attacks)), t)
	}
	return nil
}
