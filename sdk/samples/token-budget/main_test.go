package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/sdk/guest"
	"github.com/headgate-dev/headgate/wasm/abi"
)

func TestWhatIsHeldIsSettledWithWhatWasUsed(t *testing.T) {
	require.NoError(t, guest.RunConfigure([]byte(`{"tokens_per_day":100}`)))
	x := guest.Trial{Fields: map[abi.Field]string{
		abi.FieldKeyID: "k", abi.FieldEstimate: "10", abi.FieldMaxTokens: "60", abi.FieldUsage: `{"input":9,"output":21}`,
	}}
	require.NoError(t, x.Run(guest.Request))
	assert.Nil(t, x.Denied)
	assert.Equal(t, [][2]string{{"x-tokens-left-today", "30"}}, x.Notes)
	second := x
	second.Kept = nil
	require.NoError(t, second.Run(guest.Request))
	require.NotNil(t, second.Denied, "what the first may use is not free")
	assert.Equal(t, abi.CodeQuota, second.Denied.Code)
	assert.Positive(t, second.Denied.Retry)
	assert.LessOrEqual(t, second.Denied.Retry, 24*time.Hour)
	require.NoError(t, x.Run(guest.Finish))
	require.NoError(t, second.Run(guest.Finish), "it holds nothing")
	x.Kept = nil
	require.NoError(t, x.Run(guest.Request))
	assert.Equal(t, [][2]string{{"x-tokens-left-today", "0"}}, x.Notes, "30 were used and 70 are held")
}

func TestWithoutTheStoreNobodyKnowsWhatIsLeft(t *testing.T) {
	require.NoError(t, guest.RunConfigure([]byte("{}")))
	x := guest.Trial{Down: true}
	require.ErrorIs(t, x.Run(guest.Request), guest.ErrUnavailable)
}

func TestSettingsThatMakeNoSenseAreRefused(t *testing.T) {
	for _, text := range []string{`{"tokens_per_day":0}`, `{"tokens_per_day":"many"}`, `{"answer_tokens":-1}`} {
		require.Error(t, guest.RunConfigure([]byte(text)), text)
	}
}
