//go:build !wasip1

package guest

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/wasm/abi"
)

// runStage runs a function as the stage.
func runStage(t *testing.T, x *Trial, fn func()) {
	t.Helper()
	Stage(func(Phase) error { fn(); return nil })
	defer Stage(nil)
	require.NoError(t, x.Run(Request))
}

func TestWhatAStageSaysIsThereForItsTests(t *testing.T) {
	x := &Trial{Fields: map[abi.Field]string{abi.FieldModel: string(make([]byte, 1000))}, Texts: []TrialText{
		{Text{Role: abi.RoleUser, Kind: abi.SegText, Source: abi.SourceUser}, "Grüße"}, {Text{Joined: true}, "long and more"},
	}}
	runStage(t, x, func() {
		value, ok := Field(abi.FieldModel)
		assert.True(t, ok)
		assert.Len(t, value, 1000, "more than there was room for at first")
		_, ok = Field(abi.FieldTenant)
		assert.False(t, ok, "it was not granted")
		require.Equal(t, 2, Texts())
		assert.Equal(t, Text{Role: abi.RoleUser, Kind: abi.SegText, Source: abi.SourceUser, Len: 7}, Info(0))
		assert.True(t, Info(1).Joined)
		assert.Equal(t, "Grüße", string(Read(0)))
		assert.Equal(t, "long and more", string(Read(1)))
		Edit(0, 0, 2, "x")
		Redact(1, 0, 4, "WORD")
		SetModel("other")
		CapTokens(7)
		Header("x-a", "b")
		Note("odd")
		Keep([]byte("kept"))
		Deny("code", "message", 1500*time.Millisecond)
	})
	assert.Equal(t, &Denial{Code: "code", Message: "message", Retry: 1500 * time.Millisecond}, x.Denied)
	assert.Equal(t, []TrialEdit{{0, 0, 2, "x"}}, x.Edits)
	assert.Equal(t, []TrialEdit{{1, 0, 4, "WORD"}}, x.Redacted)
	assert.Equal(t, "other", x.Model)
	assert.Equal(t, int64(7), x.Tokens)
	assert.Equal(t, [][2]string{{"x-a", "b"}, {"odd", ""}}, x.Notes)
	runStage(t, x, func() {
		assert.Equal(t, "kept", string(Kept()))
		Respond("text")
	})
	assert.Nil(t, x.Denied, "that was another call")
	assert.Equal(t, "text", x.Response)
}

func TestTheStateOfATrial(t *testing.T) {
	x := new(Trial)
	runStage(t, x, func() {
		limits := []Limit{{Kind: Spend, Key: "a", Cost: 30, Max: 100}, {Kind: Concurrent, Key: "b", Cost: 1, Max: 1, Period: time.Minute}}
		hold, err := Take(limits)
		require.NoError(t, err)
		require.Positive(t, hold)
		assert.Equal(t, int64(70), limits[0].Left)
		second, err := Take(limits)
		require.NoError(t, err)
		assert.Zero(t, second)
		assert.False(t, limits[0].Short)
		assert.True(t, limits[1].Short)
		assert.Equal(t, time.Minute, limits[1].Wait)
		settled, err := Settle(hold, 12, 0)
		require.NoError(t, err)
		assert.True(t, settled)
		settled, err = Settle(hold, 12, 0)
		require.NoError(t, err)
		assert.False(t, settled)
		assert.Equal(t, map[string]int64{"a": 12, "b": 0}, x.Taken)

		require.NoError(t, Put("k", []byte("v"), time.Second))
		v, ok, err := Get("k")
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Equal(t, "v", string(v))
		require.NoError(t, Put("k", nil, 0))
		_, ok, err = Get("k")
		require.NoError(t, err)
		assert.False(t, ok)
	})
	x.Down = true
	runStage(t, x, func() {
		_, err := Take([]Limit{{Kind: Rate, Key: "a"}})
		require.ErrorIs(t, err, ErrUnavailable)
		_, _, err = Get("k")
		require.ErrorIs(t, err, ErrUnavailable)
		require.ErrorIs(t, Put("k", nil, time.Second), ErrUnavailable)
	})
	x.Down, x.Full = false, true
	runStage(t, x, func() {
		_, err := Take([]Limit{{Kind: Rate, Key: "a"}})
		require.ErrorIs(t, err, ErrFull)
	})
	assert.Zero(t, x.Held())
}

func TestAPluginWithoutAStageFails(t *testing.T) {
	require.Error(t, new(Trial).Run(Request))
	Stage(func(Phase) error { return errors.New("no") })
	defer Stage(nil)
	require.EqualError(t, new(Trial).Run(Request), "no")
}
