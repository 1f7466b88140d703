package stagetest

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core"
)

// Case is a text and the expected outcome of the stage.
type Case struct {
	Name string
	Text
	Action core.Action // zero: pass
	Out    string      // the text with the edits applied; the default is the text unchanged
	Labels []string    // of the findings, sorted
	Code   string      // of the error of a block; empty for any
}

// Cases runs the stage on each case, whole.
func Cases(t *testing.T, s core.Stage, cases []Case) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			got := Whole(t, s, c.Text)
			if c.Action == 0 {
				c.Action = core.Pass
			}
			if c.Out == "" {
				c.Out = c.Text.Text
			}
			assert.Equal(t, c.Action.String(), got.Action.String())
			assert.Equal(t, c.Out, got.Text)
			assert.Equal(t, c.Labels, got.Labels)
			if c.Code != "" && assert.NotNil(t, got.Err) {
				assert.Equal(t, c.Code, got.Err.Code)
			}
		})
	}
}
