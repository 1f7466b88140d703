package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/sdk/guest"
	"github.com/headgate-dev/headgate/wasm/abi"
)

func request() guest.Trial {
	return guest.Trial{Fields: map[abi.Field]string{
		abi.FieldTask: "answer", abi.FieldDigest: "d1", abi.FieldModel: "m", abi.FieldDialect: "openai.chat", abi.FieldFinish: "stop",
	}}
}

func answer(kinds ...uint8) (texts []guest.TrialText) {
	for _, k := range kinds {
		texts = append(texts, guest.TrialText{Text: guest.Text{Kind: k}, Value: "an answer"})
	}
	return texts
}

func TestAnAnswerIsGivenAgain(t *testing.T) {
	require.NoError(t, guest.RunConfigure([]byte("{}")))
	x := request()
	require.NoError(t, x.Run(guest.Request))
	assert.Empty(t, x.Response)
	x.Texts = answer(abi.SegText)
	require.NoError(t, x.Run(guest.Response))
	again := request()
	again.Values = x.Values
	require.NoError(t, again.Run(guest.Request))
	assert.Equal(t, "an answer", again.Response)
	other := request()
	other.Values, other.Fields[abi.FieldModel] = x.Values, "another"
	require.NoError(t, other.Run(guest.Request))
	assert.Empty(t, other.Response)
}

func TestAnAnswerThatIsMoreThanOneTextIsNotKept(t *testing.T) {
	for name, c := range map[string]struct {
		kinds  []uint8
		finish string
	}{
		"a call of a tool": {[]uint8{abi.SegToolArgs}, "stop"}, "a text and a call": {[]uint8{abi.SegText, abi.SegToolArgs}, "stop"},
		"no text": {nil, "stop"}, "a text that was cut": {[]uint8{abi.SegText}, "length"},
	} {
		x := request()
		require.NoError(t, x.Run(guest.Request))
		x.Texts, x.Fields[abi.FieldFinish] = answer(c.kinds...), c.finish
		require.NoError(t, x.Run(guest.StreamEnd))
		assert.Empty(t, x.Values, name)
	}
}

func TestWithoutTheStoreTheModelAnswers(t *testing.T) {
	x := request()
	x.Down = true
	require.NoError(t, x.Run(guest.Request))
	assert.Empty(t, x.Response)
	x.Texts = answer(abi.SegText)
	require.NoError(t, x.Run(guest.Response))
}

func TestATimeThatMakesNoSenseIsRefused(t *testing.T) {
	for _, text := range []string{`{"ttl_seconds":0}`, `{"ttl_seconds":1e9}`, `[]`} {
		require.Error(t, guest.RunConfigure([]byte(text)))
	}
}
