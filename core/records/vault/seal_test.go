package vault

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestASealedTextOpensWithItsPasswordAndForItsPurposeAlone(t *testing.T) {
	const plain = "a secret of a webhook"
	sealed, err := Seal("pass", "webhook", plain)
	require.NoError(t, err)
	assert.NotContains(t, sealed, "secret")
	got, err := Open("pass", "webhook", " "+sealed+"\n")
	require.NoError(t, err)
	assert.Equal(t, plain, got)

	again, err := Seal("pass", "webhook", plain)
	require.NoError(t, err)
	assert.NotEqual(t, sealed, again, "each has its own salt and nonce")

	for name, c := range map[string]struct {
		password, purpose, sealed string
		want                      error
	}{
		"another password": {"word", "webhook", sealed, ErrUnsealed},
		"another purpose":  {"pass", "other", sealed, ErrUnsealed},
		"no password":      {"", "webhook", sealed, ErrPassword},
		"a changed byte":   {"pass", "webhook", sealed[:40] + flip(sealed[40]) + sealed[41:], ErrUnsealed},
		"a byte too few":   {"pass", "webhook", sealed[:len(sealed)-3], ErrUnsealed},
		"only the salt":    {"pass", "webhook", sealed[:len(sealedMark)+24], ErrUnsealed},
		"less than a salt": {"pass", "webhook", sealed[:len(sealedMark)+8], ErrNotSealed},
		"a plain text":     {"pass", "webhook", plain, ErrNotSealed},
		"nothing":          {"pass", "webhook", "", ErrNotSealed},
		"no mark":          {"pass", "webhook", strings.TrimPrefix(sealed, sealedMark), ErrNotSealed},
	} {
		_, err := Open(c.password, c.purpose, c.sealed)
		require.ErrorIs(t, err, c.want, name)
		assert.NotContains(t, err.Error(), "pass\"")
		assert.NotContains(t, err.Error(), plain)
	}
	_, err = Seal("", "webhook", plain)
	require.ErrorIs(t, err, ErrPassword)
}

// flip gives another letter.
func flip(c byte) string {
	if c == 'A' {
		return "B"
	}
	return "A"
}
