package splice

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatIsNoUTF8IsNotUnmarshalled(t *testing.T) {
	var v string
	require.NoError(t, Unmarshal([]byte(`"gr\u00fc\u00df 世"`), &v))
	assert.Equal(t, "grüß 世", v)
	for _, doc := range []string{"\"\xff\"", "\"\xe4\xb8\"", "\"\xed\xa0\x80\""} {
		require.ErrorIs(t, Unmarshal([]byte(doc), &v), ErrUTF8)
	}
	require.Error(t, Unmarshal([]byte(`{`), &v))
}
