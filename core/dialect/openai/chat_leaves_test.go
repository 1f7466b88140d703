package openai

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A name with an escape is decoded into memory that the scanner uses again; what lies deeper must not become the name of
// what follows, or a text could be hidden behind a quiet one.
func TestNamesThatAreSpelledWithEscapesHideNothing(t *testing.T) {
	x, e := scanRequest(`{"model":"m","messages":[{"role":"user","content":"c"}],` +
		`"x\u0041bc":[{"t\u0079pe":"quiet","\u006eote":"one"},"two",[{"\u0069d":"quiet","deep\u0065r":{"t\u0079pe":["quiet"]}},"three"],"four"],"y\u0041":"five"}`)
	require.Nil(t, e)
	texts, fields := []string{}, []string{}
	for i := range x.Request.Segments {
		texts = append(texts, x.Request.ReadText(i))
		fields = append(fields, x.Request.Segments[i].Field)
	}
	assert.Equal(t, []string{"c", "xAbc", "type", "note", "one", "two", "id", "deeper", "type", "three", "four", "yA", "five"}, texts)
	const name = "member_name" // with an escape it is not plain
	assert.Equal(t, []string{name, name, name, "note", "xAbc", name, name, name, "xAbc", "xAbc", name, "yA"}, fields[1:])
}
