package proxy_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// verdict is the outcome of a feature.
type verdict string

const (
	native     verdict = "native"            // the client's own bytes, and the provider's
	translated verdict = "translated"        // expressed in the other shape, in both directions
	dropped    verdict = "dropped (counted)" // left out, and counted; the rest was answered
	refused    verdict = "refused"           // a 4xx in the client's shape; the provider was not called
	wrong      verdict = "wrong"             // none of these
)

// judge derives the verdict from the bytes.
func (c *cell) judge(t *testing.T) verdict {
	if c.asked == nil {
		return c.judgeRefusal(t)
	}
	if c.feature == "error" || c.feature == "early" {
		return c.judgeError(t)
	}
	require.NoError(t, c.got.err)
	if !assert.Equal(t, http.StatusOK, c.got.status) {
		return wrong
	}
	c.judgeAnswer(t)
	m := wireMarks[c.asked.wire]
	missing := m.missing(t, c.feature, c.asked.body, c.shape.system)
	if c.ownWire() {
		cut := c.compare(t)
		switch {
		case len(cut) == 0:
			assert.Empty(t, c.dropped)
			c.compareAnswer(t)
			return native
		case assert.Equal(t, c.dropped, cut, "every field that is cut is counted"):
			return dropped
		}
		return wrong
	}
	switch {
	case len(missing) == 0 && !slices.ContainsFunc(c.dropped, c.unexplained):
		return translated
	case len(missing) > 0 && len(c.dropped) > 0:
		assert.True(t, slices.ContainsFunc(c.dropped, c.names), "%q is not the field of %s", c.dropped, c.feature)
		c.compareRest(t, missing)
		return dropped
	}
	assert.Fail(t, "neither translated nor dropped", "not in the provider's request: %v", missing)
	return wrong
}

// ownWire reports whether the provider was called in the client's own shape. An effort that moves from the model's name
// into the body changes the body.
func (c *cell) ownWire() bool {
	if c.feature == "custom" && c.asked.wire == "openai.chat" && c.vendor.name != "openai" {
		return false // custom tools become functions
	}
	return c.asked.wire == c.shape.wire && !(c.shape.variant && withEffort[c.feature])
}

// compareRest checks that nothing is missing except what was dropped.
func (c *cell) compareRest(t *testing.T, missing []string) {
	if !c.shape.calls { // the shape has only a prompt
		var doc any
		require.NoError(t, json.Unmarshal([]byte(c.asked.body), &doc))
		m := wireMarks[c.asked.wire]
		assert.Len(t, m.user.values(doc), 1)
		return
	}
	for _, what := range missing {
		assert.Regexp(t, "^(effort|unknown) ", what)
	}
}

// fieldsOf are the fields that carry a feature, in any shape.
var fieldsOf = map[string][]string{
	"tools":      {"tools"},
	"parallel":   {"tools"},
	"structured": {"response_format", "text.format"},
	"detour":     {"reasoning_effort", "reasoning.effort", "generationConfig.thinkingConfig", "thinkingConfig", "thinking", "tools"},
	"unknown":    {"x_unknown", "xUnknown"},
	"reasoning":  {"reasoning_effort", "reasoning.effort", "generationConfig.thinkingConfig", "thinkingConfig", "thinking"},
}

func (c *cell) names(field string) bool { return slices.Contains(fieldsOf[c.feature], field) }

// besides are fields that may be dropped although the feature itself arrives: strict schemas of forced tools, and the
// signature of a thought if the client's shape has no field for it.
var besides = map[string][]string{
	"response_format.json_schema.strict": {
		"structured",
	},
	"text.format.strict":   {"structured"},
	"output_config.format": {"structured"},
	"tools.strict":         {"tools"},
	"reasoning.signature":  {"reasoning"},
}

func (c *cell) unexplained(field string) bool { return !slices.Contains(besides[field], c.feature) }
