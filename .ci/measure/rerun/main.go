// Rerun runs go test with the flags that are given and the one package pattern that comes last, prints what go test
// prints, and runs tests that failed once more: see rerunnable. What passes only then is added to the file that
// $FLAKY_TESTS names. TEST_VERBOSE=1 prints the output of all tests.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: rerun [flags of go test] PACKAGES")
		os.Exit(2)
	}
	last := len(os.Args) - 1
	flaky, err := runTestsWithRetry(os.Args[1:last], os.Args[last], os.Stdout, os.Getenv("TEST_VERBOSE") != "")
	if err == nil && len(flaky) > 0 {
		err = appendLines(os.Getenv("FLAKY_TESTS"), flaky)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rerun:", err)
		os.Exit(1)
	}
}

// runTestsWithRetry runs the tests, and those that failed once more. It returns the names of tests that passed only then.
func runTestsWithRetry(flags []string, packages string, out io.Writer, verbose bool) (flaky []string, err error) {
	first, err := runTests(flags, packages, out, verbose)
	if err == nil {
		return nil, nil
	}
	if why := first.explainFailures(); why != "" {
		return nil, fmt.Errorf("%w; nothing is run again: %s", err, why)
	}
	for _, name := range slices.Sorted(maps.Keys(first.packages)) {
		p := first.packages[name]
		if !p.failed {
			continue
		}
		tests := p.listFailedTests()
		var quoted []string
		for _, t := range tests {
			quoted = append(quoted, regexp.QuoteMeta(t))
			flaky = append(flaky, name+"."+t)
		}
		fmt.Fprintf(out, "\n== once more: %s in %s\n", strings.Join(tests, ", "), name)
		again := append(slices.Clone(flags), "-count=1", "-run=^("+strings.Join(quoted, "|")+")$")
		second, err := runTests(again, name, out, verbose)
		if err != nil {
			return nil, err
		}
		for _, t := range tests {
			if second.packages[name] == nil || !second.packages[name].passed[t] {
				return nil, fmt.Errorf("%s of %s was not seen to pass when it was run again", t, name)
			}
		}
	}
	return flaky, nil
}

// event is a line of go test -json.
type event struct {
	Action, Package, Test, Output string
}

// runTests runs go test and prints the lines of packages, and the output of tests that failed. err is set if go test
// failed.
func runTests(flags []string, packages string, out io.Writer, verbose bool) (*results, error) {
	cmd := exec.Command("go", append(append([]string{"test", "-json"}, flags...), packages)...)
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r := &results{packages: map[string]*pkg{}}
	lines := bufio.NewReader(pipe)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		if len(line) > 0 && json.Unmarshal(line, &e) != nil {
			_, _ = out.Write(line) // not of a test, such as a tool's message
		}
		r.add(e, out, verbose)
		if err != nil {
			break
		}
	}
	if err := cmd.Wait(); err != nil {
		return r, fmt.Errorf("go test %s: %w", packages, err)
	}
	return r, nil
}

func appendLines(file string, lines []string) error {
	if file == "" {
		return nil
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(f, strings.Join(lines, "\n")); err != nil {
		_ = f.Close() // the write's error counts
		return err
	}
	return f.Close()
}
