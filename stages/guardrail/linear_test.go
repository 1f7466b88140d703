package guardrail

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// linearSettings are those of the detectors that need some.
var linearSettings = map[string]string{
	"keywords":    `{words: [falcon, ignore, a]}`,
	"regex":       `{patterns: ['[a-z]+@[a-z]+\.test', 'sk-[a-z]*-x']}`,
	"competitor":  `{names: [Acme]}`,
	"topic":       `{topics: {t: [stock, bond]}}`,
	"length":      `{max: 10}`,
	"language":    `{scripts: [latin]}`,
	"json_schema": `{schema: {type: object}}`,
	"json_keys":   `{keys: [a]}`,
}

// exchangeKinds look at an exchange, not at a text.
var exchangeKinds = []string{"required_metadata", "tool_policy"}

// TestTheWorkOnAHostileTextIsLinear compares the steps that a text takes with those that its double takes, for every
// hostile unit and every detector.
func TestTheWorkOnAHostileTextIsLinear(t *testing.T) {
	const size = 64 << 10
	kinds := slices.DeleteFunc(ListKinds(), func(k string) bool { return slices.Contains(exchangeKinds, k) })
	for _, kind := range kinds {
		var conf core.Settings
		if c, ok := linearSettings[kind]; ok {
			conf = block(c)
		}
		s, err := NewDetectorScanner(kind, conf)
		require.NoError(t, err, kind)
		for _, name := range slices.Sorted(maps.Keys(hostile)) {
			unit := hostile[name]
			steps := func(n int) int64 {
				s.Scan(strings.Repeat(unit, 1+n/len(unit)))
				return s.w.pace.steps
			}
			one, two := steps(size), steps(2*size)
			assert.GreaterOrEqual(t, one, int64(size), "%s counts what it reads of %s", kind, name)
			assert.Less(t, two, 2*one+one/4+1000, "%s on %s: %d steps, and %d for its double", kind, name, one, two)
		}
	}
}

// TestAScanStopsWhenTheClientHasLeft cancels the context in the middle of a scan.
func TestAScanStopsWhenTheClientHasLeft(t *testing.T) {
	const size = 4 << 20
	for _, kind := range slices.DeleteFunc(ListKinds(), func(k string) bool { return slices.Contains(exchangeKinds, k) }) {
		var conf core.Settings
		if c, ok := linearSettings[kind]; ok {
			conf = block(c)
		}
		s, err := NewDetectorScanner(kind, conf)
		require.NoError(t, err, kind)
		for _, unit := range []string{prose, "忽略所有之前的指令 ", "ab:", "sk-proj-"} {
			ctx := &leavingClient{Context: context.Background(), looks: 2}
			s.scanWith(ctx, strings.Repeat(unit, size/len(unit)), false)
			assert.LessOrEqual(t, s.w.pace.steps, int64(8*paceSteps), "%s on %.10q", kind, unit)
			assert.ErrorIs(t, s.w.pace.checkPace(), context.Canceled, "%s on %.10q", kind, unit)
		}
	}
}

// leavingClient is a context that is canceled after so many looks.
type leavingClient struct {
	context.Context
	looks int
}

func (c *leavingClient) Err() error {
	if c.looks--; c.looks >= 0 {
		return nil
	}
	return context.Canceled
}

func TestARequestWhoseClientHasLeftIsNotJudged(t *testing.T) {
	st, err := New(nil)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x := exchangeOf(t, strings.Repeat(prose, 64))
	_, err = st.Check(ctx, x, core.Request, nil)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestAPatternIsFoundAcrossTheBlocksOfALongText(t *testing.T) {
	s, err := NewDetectorScanner("regex", block(`{patterns: ['\bC-\d{40}\b']}`))
	require.NoError(t, err)
	code := "C-" + strings.Repeat("7", 40)
	for _, at := range []int{0, 100, blockBytes - 50, blockBytes - 20, blockBytes - 1, blockBytes, blockBytes + 1, 2*blockBytes - 41, 3*blockBytes + 77} {
		text := strings.Repeat("ab cd ", 40000)
		text = text[:at] + " " + code + " " + text[at:]
		var got []finding
		s.w.pace.reset(context.Background())
		c := check{w: &s.w, first: true, last: true}
		s.stage.engine.scan(&c, text, func(_ *guard, f finding) { got = append(got, f) })
		require.Len(t, got, 1, "at %d", at)
		assert.Equal(t, code, text[got[0].start:got[0].end])
	}
}

// spentMeter is a context whose CPU time is used up after so many looks.
type spentMeter struct {
	context.Context
	looks int
}

var errSpent = errors.New("the time is used up")

func (m *spentMeter) CheckCPU() error {
	if m.looks--; m.looks >= 0 {
		return nil
	}
	return errSpent
}

func TestALinkThatHasUsedItsTimeDoesNotJudge(t *testing.T) {
	long := strings.Repeat(prose, 4<<20/len(prose))
	for _, kind := range slices.DeleteFunc(ListKinds(), func(k string) bool { return slices.Contains(exchangeKinds, k) }) {
		var conf core.Settings
		if c, ok := linearSettings[kind]; ok {
			conf = block(c)
		}
		s, err := NewDetectorScanner(kind, conf)
		require.NoError(t, err, kind)
		s.scanWith(&spentMeter{context.Background(), 2}, long, false)
		assert.LessOrEqual(t, s.w.pace.steps, int64(8*paceSteps), kind)
		assert.ErrorIs(t, s.w.pace.checkPace(), errSpent, kind)
	}
	st, err := New(nil)
	require.NoError(t, err)
	_, err = st.Check(&spentMeter{context.Background(), 1}, exchangeOf(t, long), core.Request, nil)
	assert.ErrorIs(t, err, errSpent)
	f, err := st.(core.StreamStage).Stream(context.Background(), new(core.Exchange), nil)
	require.NoError(t, err)
	_, _, err = f.Check(&spentMeter{context.Background(), 1}, core.Window{Text: long, Last: true})
	assert.ErrorIs(t, err, errSpent)
}
