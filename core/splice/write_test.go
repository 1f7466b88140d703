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
	assert.Equal(t, `{"a":"x{\"","b":[1,2]}`, string(append(b, '}')))
}
