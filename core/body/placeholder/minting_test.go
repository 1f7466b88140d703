package placeholder

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/body/scratch"
)

func TestASetAddsATokenOnceAndFindsItWithAndWithoutAnIndex(t *testing.T) {
	var m Set
	for i := range 3 * indexFrom {
		token := strings.Repeat("t", i+1)
		m.Add(token, "T", "v"+token)
		m.Add(token, "T", "another value")
		assert.Equal(t, i+1, m.Len())
		assert.Equal(t, i+1 > indexFrom, m.index != nil)
		for k := range i + 1 {
			v, ok := m.FindValue(strings.Repeat("t", k+1))
			assert.True(t, ok)
			assert.Equal(t, "v"+strings.Repeat("t", k+1), v)
		}
		_, ok := m.FindValue("none")
		assert.False(t, ok)
	}
	m.Reset()
	assert.Zero(t, m.Len())
	_, ok := m.FindValue("t")
	assert.False(t, ok)
}

func TestASetLetsALargeListGo(t *testing.T) {
	s := Set{list: make([]Minted, scratch.MaxKept)}
	s.Reset()
	assert.Zero(t, cap(s.list))
}
