package pii

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/stages/pii/piitest"
)

func TestARequestWithTooManyValuesIsRefused(t *testing.T) {
	addresses := func(n int) string { return strings.Repeat("2001:db8::7 ", n) }
	for _, action := range []string{"redact", "mask", "flag"} {
		b := newBench(t, "{max_values: 50, action: "+action+"}")
		_, d := b.Send("k", piitest.BuildBody(addresses(50)))
		assert.NotEqual(t, core.Block, d.Action, action)
		for _, texts := range [][]string{{addresses(51)}, {addresses(30), addresses(21)}, {addresses(100_000)}} {
			x, d := b.Send("k", piitest.BuildBody(texts...))
			require.Equal(t, core.Block, d.Action, action)
			assert.Equal(t, core.TooLarge, d.Err.Kind)
			assert.Contains(t, d.Err.Public, "more than 50 values")
			assert.LessOrEqual(t, len(x.Findings), 50)
		}
	}
}

func TestABoundOutsideItsRangeIsAnError(t *testing.T) {
	for _, n := range []string{"-1", "1000000"} {
		_, err := New(block("max_values: "+n), nil)
		require.ErrorContains(t, err, "max_values")
	}
}

func TestAStreamedAnswerWithTooManyValuesIsEnded(t *testing.T) {
	st, err := New(block("{max_values: 50, response: redact}"), new(piitest.Tokens))
	require.NoError(t, err)
	f, err := st.(*Stage).Stream(context.Background(), new(core.Exchange), nil)
	require.NoError(t, err)
	text := strings.Repeat("2001:db8::7, ", 10)
	for n := range 6 {
		v, _, err := f.Check(context.Background(), core.Window{Text: text, Last: true})
		require.NoError(t, err)
		if n < 5 {
			require.NotEqual(t, core.Block, v.Action)
			continue
		}
		require.Equal(t, core.Block, v.Action)
		assert.Equal(t, core.ContentFiltered, v.Err.Kind)
	}
}

// leaving is a context that ends when it is asked for the nth time.
type leaving struct {
	context.Context
	asked, left int
}

func (c *leaving) Err() error {
	if c.asked++; c.asked >= c.left {
		return context.Canceled
	}
	return nil
}

func TestAScanEndsSoonAfterItsCallerHasLeft(t *testing.T) {
	text := strings.Repeat("mail anna.k@example.org, line\n", 100_000)
	for name, o := range map[string]Options{
		"default": {}, "all": {Packs: []string{packAll}}, "six": {Types: six},
		"custom": {Types: []string{"JWT"}, Custom: []Custom{{Name: "LINE", Words: []string{"line"}}}},
	} {
		e := engine(t, o)
		got, err := e.DetectWithin(&leaving{Context: context.Background(), left: 4}, nil, text, 0, len(text))
		assert.ErrorIs(t, err, context.Canceled, name)
		assert.Empty(t, got)
		c := &leaving{Context: context.Background(), left: 1 << 30}
		got, err = e.DetectWithin(c, nil, text, 0, len(text))
		require.NoError(t, err)
		assert.Len(t, got, 100_000, name)
		assert.Greater(t, c.asked, len(text)>>16, name)
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

func TestAStageThatHasUsedItsTimeLetsNothingPass(t *testing.T) {
	text := strings.Repeat("mail anna.k@example.org, line\n", 100_000)
	for name, o := range map[string]Options{
		"default": {}, "all": {Packs: []string{packAll}}, "six": {Types: six},
		"custom": {Types: []string{"JWT"}, Custom: []Custom{{Name: "LINE", Words: []string{"line"}}}},
	} {
		m := &spentMeter{context.Background(), 4}
		got, err := engine(t, o).DetectWithin(m, nil, text, 0, len(text))
		assert.ErrorIs(t, err, errSpent, name)
		assert.Empty(t, got, name)
		assert.Equal(t, -1, m.looks, "%s: the scan goes on after it was stopped", name)
	}
	x := new(core.Exchange)
	st, err := New(block("{}"), new(piitest.Tokens))
	require.NoError(t, err)
	f, err := st.(*Stage).Stream(context.Background(), x, nil)
	require.NoError(t, err)
	_, _, err = f.Check(&spentMeter{context.Background(), 0}, core.Window{Text: text, Last: true})
	require.NoError(t, err, "an answer that is restored only is not scanned")
	st, err = New(block("response: redact"), new(piitest.Tokens))
	require.NoError(t, err)
	f, err = st.(*Stage).Stream(context.Background(), x, nil)
	require.NoError(t, err)
	_, _, err = f.Check(&spentMeter{context.Background(), 0}, core.Window{Text: text, Last: true})
	assert.ErrorIs(t, err, errSpent)
}

func TestEachCustomTypeCountsAsWork(t *testing.T) {
	text := strings.Repeat("mail anna.k@example.org, line\n", 10_000)
	looks := func(n int) int {
		o := Options{Types: []string{"JWT"}}
		for i := range n {
			o.Custom = append(o.Custom, Custom{Name: "LINE_" + string(rune('A'+i)), Regex: "line|other"})
		}
		c := &leaving{Context: context.Background(), left: 1 << 30}
		_, err := engine(t, o).DetectWithin(c, nil, text, 0, len(text))
		require.NoError(t, err)
		return c.asked
	}
	assert.Greater(t, looks(8), 3*looks(1), "eight types read the text eight times")
}
