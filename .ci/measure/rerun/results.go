package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// mostFailures is how many tests may fail, subtests counted, so that they are run again: a change that breaks something
// breaks more, or breaks it twice.
const mostFailures = 6

// grave are words in the output of a failed test that no second run excuses, wherever they occur: tests quote the output
// of the programs that they start.
var grave = []string{"DATA RACE", "panic: ", "panicked", "fatal error: "}

// results is the output of one run of go test.
type results struct {
	packages map[string]*pkg
}

// pkg is the output for one package.
type pkg struct {
	failed  bool
	started map[string]bool     // tests that have not ended
	passed  map[string]bool     // by name
	fails   map[string]string   // output by name of a failed test
	output  map[string][]string // of tests that have not ended; "" is the package's own
}

// add records an event, and prints the part that interests a reader.
func (r *results) add(e event, out io.Writer, verbose bool) {
	if e.Package == "" {
		return
	}
	p := r.packages[e.Package]
	if p == nil {
		p = &pkg{started: map[string]bool{}, passed: map[string]bool{}, fails: map[string]string{}, output: map[string][]string{}}
		r.packages[e.Package] = p
	}
	switch e.Action {
	case "run":
		p.started[e.Test] = true
	case "output", "build-output":
		p.output[e.Test] = append(p.output[e.Test], e.Output)
		if verbose || e.Test == "" && e.Output != "PASS\n" {
			_, _ = io.WriteString(out, e.Output)
		}
	case "pass", "skip", "fail":
		if e.Test == "" {
			if p.failed = e.Action == "fail"; p.failed && !verbose {
				p.printUnended(out)
			}
			return
		}
		delete(p.started, e.Test)
		if p.passed[e.Test] = e.Action == "pass"; e.Action == "fail" {
			p.fails[e.Test] = strings.Join(p.output[e.Test], "")
			if !verbose {
				_, _ = io.WriteString(out, p.fails[e.Test])
			}
		}
		delete(p.output, e.Test)
	}
}

// printUnended prints what the tests said last that a package's end found running: the reason of a panic, and the goroutines of a
// test that hung.
func (p *pkg) printUnended(out io.Writer) {
	const most = 64 << 10
	for _, test := range slices.Sorted(maps.Keys(p.started)) {
		said := strings.Join(p.output[test], "")
		if len(said) > most {
			said = said[:most/2] + "\n…\n" + said[len(said)-most/2:]
		}
		_, _ = io.WriteString(out, said)
	}
}

// explainFailures returns why the failures of a run count at once, or "": few tests failed, each came to its end, and
// nothing but them failed.
func (r *results) explainFailures() string {
	failures := 0
	for name, p := range r.packages {
		if !p.failed {
			continue
		}
		if len(p.started) > 0 {
			return fmt.Sprintf("%s ended in the middle of %s", name, strings.Join(slices.Sorted(maps.Keys(p.started)), ", "))
		}
		if len(p.fails) == 0 {
			return name + " failed and none of its tests did"
		}
		own := strings.Join(p.output[""], "")
		if strings.Contains(own, "signal: ") || strings.Contains(strings.ReplaceAll(own, "exit status 1\n", ""), "exit status ") {
			return name + " was killed or crashed"
		}
		for _, word := range grave {
			for test, output := range p.fails {
				if strings.Contains(output, word) {
					return fmt.Sprintf("the output of %s in %s has %q", test, name, word)
				}
			}
			if strings.Contains(own, word) {
				return fmt.Sprintf("the output of %s has %q", name, word)
			}
		}
		failures += p.countFailures()
	}
	switch {
	case failures == 0:
		return "no test failed"
	case failures > mostFailures:
		return fmt.Sprintf("%d tests failed", failures)
	}
	return ""
}

// countFailures counts the failed tests without those that failed because of a subtest.
func (p *pkg) countFailures() (n int) {
	for test := range p.fails {
		isParent := false
		for other := range p.fails {
			isParent = isParent || strings.HasPrefix(other, test+"/")
		}
		if !isParent {
			n++
		}
	}
	return n
}

// listFailedTests returns the failed tests of a package, without subtests: a subtest may need what its parent does first.
func (p *pkg) listFailedTests() (tests []string) {
	for _, name := range slices.Sorted(maps.Keys(p.fails)) {
		if !strings.Contains(name, "/") {
			tests = append(tests, name)
		}
	}
	return tests
}
