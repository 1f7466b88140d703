package hosted_test

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/body/hosted"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// Comparing each choice with each tool would take longer than a test may.
func TestRemovingManyToolsFromManyChoicesTakesLinearTime(t *testing.T) {
	const n = 500_000
	doc := []byte(`{"tools":[`)
	tools := make([]hosted.Tool, n)
	for i := range n {
		if i > 0 {
			doc = append(doc, ',')
		}
		start, name := len(doc), "m"+strconv.Itoa(i)
		doc = append(doc, `{"type":"mcp","name":"`+name+`"}`...)
		tools[i] = hosted.Tool{Type: "mcp", Name: name, Span: splice.Span{Start: start, End: len(doc)}}
	}
	choice := bytes.Repeat([]byte(`{"type":"mcq","name":"f"},`), n)
	doc = append(append(append(doc, `],"tool_choice":{"type":"allowed_tools","tools":[`...), choice[:len(choice)-1]...), `]},"input":"x"}`...)
	got := hosted.AppendWithoutTools(nil, doc, tools)
	assert.Equal(t, `"input":"x"}`, string(got[len(got)-12:]))
	assert.NotContains(t, string(got), `"mcp"`)
}
