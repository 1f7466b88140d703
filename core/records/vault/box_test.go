package vault

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestABoxOpensWhatItSealedForTheSamePurposeAndContextAlone(t *testing.T) {
	db := openDB(t, ":memory:")
	m, _, err := LoadMaster(t.Context(), db, "a long enough password for tests")
	require.NoError(t, err)
	box, err := m.NewBox("one")
	require.NoError(t, err)
	other, err := m.NewBox("two")
	require.NoError(t, err)

	sealed := box.Seal([]byte("value"), "record 1")
	assert.NotContains(t, string(sealed), "value")
	plain, err := box.Open(sealed, "record 1")
	require.NoError(t, err)
	assert.Equal(t, "value", string(plain))

	again := box.Seal([]byte("value"), "record 1")
	assert.NotEqual(t, sealed, again, "two seals of one value must not look alike")
	for name, try := range map[string]func() ([]byte, error){
		"another record":  func() ([]byte, error) { return box.Open(sealed, "record 2") },
		"another purpose": func() ([]byte, error) { return other.Open(sealed, "record 1") },
		"altered": func() ([]byte, error) {
			b := append([]byte(nil), sealed...)
			b[len(b)-1] ^= 1
			return box.Open(b, "record 1")
		},
		"cut": func() ([]byte, error) { return box.Open(sealed[:5], "record 1") },
	} {
		_, err := try()
		assert.Error(t, err, name)
	}
}
