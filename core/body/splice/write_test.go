package splice

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWrittenMembersAreParted(t *testing.T) {
	b := AppendString(AppendKey([]byte{'{'}, "a"), "x{\"")
	b = append(AppendKey(b, "b"), '[')
	b = append(AppendComma(b), '1')
	b = append(AppendComma(b), '2', ']')
	assert.JSONEq(t, `{"a":"x{\"","b":[1,2]}`, string(append(b, '}')))
}

func TestJSONIsWrittenOnOneLine(t *testing.T) {
	assert.Equal(t, `x{ "a":"\n",  "b":1}`, string(AppendOneLine([]byte("x"), "{\n \"a\":\"\\n\",\r\n  \"b\":1}\n")))
	assert.Equal(t, `{"a":1}`, string(AppendOneLine(nil, `{"a":1}`)))
}
