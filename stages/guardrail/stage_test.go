package guardrail

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

func TestHeldTextIsBounded(t *testing.T) {
	st, err := New(nil)
	require.NoError(t, err)
	f, err := st.(*Stage).Stream(context.Background(), exchangeOf(t, "hi"), nil)
	require.NoError(t, err)
	text := ""
	for i := 0; i < len(prose); i += 7 {
		n := len(text)
		text += prose[i:min(len(prose), i+7)]
		_, hold, err := f.Check(context.Background(), core.Window{Text: text, New: n})
		require.NoError(t, err)
		require.LessOrEqual(t, hold, 4*(defaultWindow+7))
		text = text[len(text)-hold:]
	}
}
