package wasm

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// shortTime is a context that ends after it was asked a number of times.
type shortTime struct {
	context.Context
	left int
}

func (s *shortTime) Err() error {
	if s.left--; s.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

func TestAFieldForAPluginElsewhereIsReadWhileThereIsTime(t *testing.T) {
	x := &core.Exchange{}
	x.Request.Raw = []byte(`{"model":"` + strings.Repeat("m", 20*workPiece) + `"}`)
	for _, name := range []string{"digest", "params", "input_count", "tool_types", "model"} {
		f, ok := abi.ParseField(name)
		require.True(t, ok)
		_, err := ReadField(&shortTime{context.Background(), 0}, &foreign.Services{}, x, abi.PhaseRequest, f)
		require.ErrorIs(t, err, context.DeadlineExceeded, "%s before it begins", name)
		if name != "model" {
			_, err = ReadField(&shortTime{context.Background(), 1}, &foreign.Services{}, x, abi.PhaseRequest, f)
			require.ErrorIs(t, err, context.DeadlineExceeded, "%s before the work on the body", name)
		}
		_, err = ReadField(context.Background(), &foreign.Services{}, x, abi.PhaseRequest, f)
		require.NoError(t, err, name)
	}
	value, err := ReadField(&shortTime{context.Background(), 5}, &foreign.Services{}, x, abi.PhaseRequest, abi.FieldDigest)
	require.ErrorIs(t, err, context.DeadlineExceeded, "in the middle of the body")
	assert.Empty(t, value)
}
