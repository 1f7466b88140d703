package dsl

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnExpressionReadsArgumentsAndAnnotationsOfACall(t *testing.T) {
	p, err := Parse([]byte(`rules:
  - id: a
    action: DENY
    when: has(tool.args.filter) && tool.args.filter.limit > 100 && !tool.annotations.readOnlyHint
`), "p", "")
	require.NoError(t, err)
	for text, want := range map[string]Truth{
		`{"tool":{"name":"find","args":{"filter":{"limit":101}},"annotations":{"readOnlyHint":false}}}`: True,
		`{"tool":{"name":"find","args":{"filter":{"limit":100}},"annotations":{"readOnlyHint":false}}}`: False,
		`{"tool":{"name":"find","args":{}}}`: False,
		`{"model":"gpt-5"}`:                  False,
	} {
		f, err := ReadContext([]byte(text), true, time.Now())
		require.NoError(t, err)
		got, err := p.Rules[0].Eval(f)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	_, err = Parse([]byte("rules: [{id: a, action: DENY, when: 'tool.arguments.x == 1'}]"), "p", "")
	require.ErrorContains(t, err, "tool has no field")
}
