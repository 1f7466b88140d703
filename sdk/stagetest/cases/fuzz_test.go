package cases_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/sdk/stagetest/cases"
)

// judge is a stage that a test makes of a function.
type judge func(text string) (core.Verdict, error)

func (j judge) Check(_ context.Context, x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
	if len(x.Request.Segments) == 0 {
		return core.Verdict{Action: core.Pass}, nil
	}
	return j(x.Request.ReadText(0))
}

// fuzzStage tries texts like "abc" on a stage.
func fuzzStage(t *testing.T, j judge) *cases.Fuzzing {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x.cases.yaml")
	text := "link: {stage: pii}\ncases:\n- name: a\n  given: {text: abc}\n  expect: {verdict: pass}\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	r := cases.Runner{Make: func(context.Context, *config.Link, string, cases.Given) (cases.Made, error) {
		return cases.Made{Link: chain.Link{Name: "tested", Stage: j, Phases: core.NewPhaseSet(core.Request)}}, nil
	}}
	found, err := r.Fuzz(t.Context(), []string{file}, 200*time.Millisecond, 7)
	require.NoError(t, err)
	return found
}

func TestFuzzingFindsAFaultAndMakesItsTextShort(t *testing.T) {
	found := fuzzStage(t, func(text string) (core.Verdict, error) {
		if strings.Contains(text, "\xff") {
			return core.Verdict{}, errors.New("it cannot read this")
		}
		return core.Verdict{Action: core.Pass}, nil
	})
	require.Len(t, found.Found, 1)
	assert.Equal(t, "\xff", found.Found[0].Text)
	assert.Equal(t, "it cannot read this", found.Found[0].What)
	var b strings.Builder
	require.NoError(t, found.Write(&b))
	assert.Contains(t, b.String(), `FAULT  on the text "\xff"`)
	assert.Contains(t, b.String(), "1 faults found")
}

func TestFuzzingFindsAVerdictThatIsNotRepeated(t *testing.T) {
	calls := 0
	found := fuzzStage(t, func(string) (core.Verdict, error) {
		if calls++; calls%2 == 0 {
			return core.Verdict{Action: core.Block, Err: &core.Error{Kind: core.Forbidden, Public: "no"}}, nil
		}
		return core.Verdict{Action: core.Pass}, nil
	})
	require.Len(t, found.Found, 1)
	assert.Contains(t, found.Found[0].What, "the second time the verdict differs")
}

func TestFuzzingOfAGoodStageTriesManyTextsAndFindsNothing(t *testing.T) {
	seen := map[string]bool{}
	found := fuzzStage(t, func(text string) (core.Verdict, error) {
		seen[text] = true
		return core.Verdict{Action: core.Pass}, nil
	})
	assert.Empty(t, found.Found)
	assert.GreaterOrEqual(t, found.Runs, 18, "the texts of the case and the odd ones at least")
	assert.Contains(t, seen, "abc")
}

func TestACaseThatTakesMoreFuelThanAllowedFails(t *testing.T) {
	r := cases.Report{Results: []cases.Result{{Name: "a", Fuel: 100}, {Name: "b", Fuel: 101}, {Name: "no meter", Fuel: -1}, {Fuel: 999, Faults: []string{"x"}}}}
	r.LimitFuel(100)
	assert.Equal(t, 2, r.Failed())
	assert.Equal(t, []string{"fuel: at most 100, took 101"}, r.Results[1].Faults)
	assert.Equal(t, []string{"x"}, r.Results[3].Faults)
}
