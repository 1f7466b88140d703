package auth

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestATokenOfOursIsWellFormedAndShowsTwentyCharacters(t *testing.T) {
	token := NewPAT()
	require.NoError(t, CheckPAT(token))
	assert.NotEqual(t, token, NewPAT())
	assert.True(t, strings.HasPrefix(token, "headgate_pat_"))
	assert.Equal(t, token[:20], CutVisiblePATPrefix(token))
	assert.Equal(t, "short", CutVisiblePATPrefix("short"))
}

func TestATokenOfSomebodyElsesIsLookedAt(t *testing.T) {
	const random = "4f1c9aD02b7E86-53_4f1c9aD02b7E8653"
	require.NoError(t, CheckPAT(PATPrefix+random))
	for name, c := range map[string]struct{ token, want string }{
		"another prefix":    {"gw_" + random, "must start with headgate_pat_"},
		"nothing":           {"", "must start with headgate_pat_"},
		"too short":         {PATPrefix + random[:31], "at least 32"},
		"too long":          {PATPrefix + strings.Repeat(random, 8), "at most 256"},
		"a space":           {PATPrefix + random + " x", "letters, digits"},
		"a line":            {PATPrefix + random + "\n", "letters, digits"},
		"another alphabet":  {PATPrefix + random + "ä", "letters, digits"},
		"not random at all": {PATPrefix + strings.Repeat("abcabcab", 6), "not random"},
	} {
		err := CheckPAT(c.token)
		require.ErrorContains(t, err, c.want, name)
		assert.NotContains(t, err.Error(), random, name)
	}
}
