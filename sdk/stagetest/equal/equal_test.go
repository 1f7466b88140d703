package equal

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/sdk/project/guests"
	"github.com/headgate-dev/headgate/stages/ratelimit/ratelimittest"
	"github.com/headgate-dev/headgate/wasm"
)

var update = flag.Bool("update", false, "write the table of docs/stages.md")

// stand is a sample in the place of a compiled-in stage.
type stand struct {
	stage, sample, language string
	cases                   []string
	run                     func(t *testing.T, r *runtime, i int)
	// missing gives for each case that the sample cannot pass the reason, and apart those that it cannot pass as a process only. They are
	// not run.
	missing, apart map[string]string
}

// runtime is a way in which samples run.
type runtime struct {
	name string
	on   mount
}

const inProcess = "process"

var runtimes = []runtime{{"module", asModule}, {inProcess, asProcess}}

// stands are the samples, in the order of the table.
var stands = []stand{rateLimit(), budget(), cache(), pii(), policy(), guardrail()}

func rateLimit() stand {
	build := func(on mount) ratelimittest.Builder {
		return func(t testing.TB, config string, d ratelimittest.Deps) (chain.Link, error) {
			o := wasm.Options{Grant: foreign.Grant{Scopes: []string{"platform"}}, Services: foreign.Services{DefaultCap: d.DefaultCap, Bare: d.Bare}}
			if d.State != nil {
				o.State = d.State
			}
			return on(t, "rate-limit", config, o)
		}
	}
	s := stand{stage: "ratelimit", sample: "rate-limit", language: "Go"}
	for i := range ratelimittest.Cases {
		s.cases = append(s.cases, ratelimittest.Cases[i].Name)
	}
	s.run = func(t *testing.T, r *runtime, i int) { ratelimittest.Cases[i].Run(t, build(r.on)) }
	return s
}

// TestPluginsPassTheCasesOfTheStagesThatTheyStandInFor is the proof of equal powers.
func TestPluginsPassTheCasesOfTheStagesThatTheyStandInFor(t *testing.T) {
	if raceEnabled {
		t.Skip("the detector makes loading modules in Go very slow; .ci/check runs this test without it")
	}
	rows, whole := []string(nil), true
	for i := range stands {
		s := &stands[i]
		for _, list := range []map[string]string{s.missing, s.apart} {
			for name := range list {
				require.Contains(t, s.cases, name, "a case that is missing is one of the stage's")
			}
		}
		var passed [2]int
		for r := range runtimes {
			ran := 0
			for k, name := range s.cases {
				if s.lacks(name, r) {
					continue
				}
				t.Run(s.stage+"/"+runtimes[r].name+"/"+name, func(t *testing.T) {
					ran++
					s.run(t, &runtimes[r], k)
					if !t.Failed() {
						passed[r]++
					}
				})
			}
			whole = whole && ran == len(s.cases)-len(s.missing)-r*len(s.apart)
		}
		rows = append(rows, s.row(passed))
	}
	if !whole {
		return // a filter named some of the cases
	}
	compareTable(t, rows)
}

// lacks reports whether the sample cannot pass a case in a runtime.
func (s *stand) lacks(name string, r int) bool {
	return s.missing[name] != "" || r == 1 && s.apart[name] != ""
}

// row is a row of the table.
func (s *stand) row(passed [2]int) string {
	byReason := map[string][]string{}
	for name, reason := range s.missing {
		byReason[reason] = append(byReason[reason], name)
	}
	for name, reason := range s.apart {
		reason = "as a process, " + reason
		byReason[reason] = append(byReason[reason], name)
	}
	var reasons []string
	for reason, names := range byReason {
		slices.Sort(names)
		reasons = append(reasons, strings.Join(names, ", ")+": "+reason)
	}
	slices.Sort(reasons)
	left := strings.Join(reasons, "; ")
	return fmt.Sprintf("| `%s` | [%s](../sdk/samples/%[2]s), %s | %d of %d | %d of %[5]d | %[7]s |",
		s.stage, s.sample, s.language, passed[0], len(s.cases), passed[1], left)
}

const (
	tableBegin = "<!-- equal:begin: from go test ./sdk/stagetest/equal -update -->\n"
	tableEnd   = "<!-- equal:end -->"
)

// compareTable compares the table of docs/stages.md with the runs, or writes it.
func compareTable(t *testing.T, rows []string) {
	t.Helper()
	root, err := guests.Root()
	require.NoError(t, err)
	file := filepath.Join(root, "docs", "stages.md")
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(b), tableBegin)
	require.True(t, found, "the page has the table's place")
	_, after, found := strings.Cut(rest, tableEnd)
	require.True(t, found)
	table := "\n| stage | sample | of the stage's cases it passes as a module | as a process | cases that it cannot pass, and why |\n" +
		"|---|---|---|---|---|\n" +
		strings.Join(rows, "\n") + "\n\n"
	page := before + tableBegin + table + tableEnd + after
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(page), 0o600))
		return
	}
	assert.Equal(t, page, string(b), "run the test with -update")
}
