package bedrock

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/llm"
)

var streams = map[string][]llm.Event{
	"text.events": {
		{Kind: llm.Started},
		newOpened(llm.Part{Kind: llm.TextPart}), delta("Grüße"), delta(`, 世界 "x"`),
		{Kind: llm.Finished, Finish: llm.FinishStop, StopSequence: "END"},
		{Kind: llm.UsageEvent, Usage: llm.Usage{Reported: true, Input: 15, Output: 24, Cached: 5, Written: 2}},
		{Kind: llm.Ended},
	},
	"tools.events": {
		{Kind: llm.Started},
		newOpened(thought(llm.Reasoning{Vendor: vendor})), delta("The user "), delta("asks."),
		{Kind: llm.Signed, Text: "EqoBCkgIARABGAIiQL8S"},
		newOpened(thought(llm.Reasoning{Vendor: vendor, Encrypted: "VGhpcyBpcyBoaWRkZW4="})),
		newOpened(llm.Part{Kind: llm.TextPart}), delta("I'll look."),
		newOpened(call(llm.Call{ID: "tooluse_kZJM", Name: "top_song"})), delta(`{"sign":`), delta(` "WZPZ"}`),
		newOpened(call(llm.Call{ID: "tooluse_2", Name: "now"})), delta(`{}`),
		{Kind: llm.Finished, Finish: llm.FinishTools},
		{Kind: llm.UsageEvent, Usage: llm.Usage{Reported: true, Input: 10, Output: 30}},
		{Kind: llm.Ended},
	},
	"failed.events": {
		{Kind: llm.Started},
		newOpened(llm.Part{Kind: llm.TextPart}),
		delta("Half"),
		{
			Kind:  llm.Failed,
			Error: &llm.Failure{Status: 429, Code: "ThrottlingException", Message: "Too many requests, please wait before trying again."},
		},
	},
}

func TestAStreamIsReadHoweverItIsCut(t *testing.T) {
	for name, want := range streams {
		stream := frames(t, name)
		for _, n := range []int{0, 1, 2, 3, 7, 11, 12, 13, 64, 1000} {
			got, err := collect(stream, n)
			require.NoError(t, err, name)
			assert.Equal(t, want, got, "%s in pieces of %d", name, n)
		}
	}
}

func TestAStreamThatIsCutOffDoesNotEnd(t *testing.T) {
	stream := frames(t, "text.events")
	for n := range stream {
		got, err := collect(stream[:n], 0)
		require.NoError(t, err)
		stopped := false
		for i, ev := range got {
			stopped = stopped || ev.Kind == llm.Finished
			assert.True(t, ev.Kind != llm.Ended || stopped && i == len(got)-1)
		}
		assert.Equal(t, stopped, len(got) > 0 && got[len(got)-1].Kind == llm.Ended, "only the usage may be missing")
	}
}

func TestAJSONAnswerByAToolIsStreamedAsText(t *testing.T) {
	var stream []byte
	for _, e := range [][2]string{
		{"messageStart", `{"role":"assistant"}`},
		{"contentBlockStart", `{"contentBlockIndex":0,"start":{"toolUse":{"name":"headgate_json_answer","toolUseId":"1"}}}`},
		{"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{\"a\":1}"}}}`},
		{"contentBlockStop", `{"contentBlockIndex":0}`},
		{"messageStop", `{"stopReason":"tool_use"}`},
	} {
		stream = append(stream, frame(t, map[string]string{":event-type": e[0], ":message-type": "event"}, e[1])...)
	}
	got, err := collect(stream, 0)
	require.NoError(t, err)
	assert.Equal(t, []llm.Event{
		{
			Kind: llm.Started,
		},
		newOpened(llm.Part{Kind: llm.TextPart}),
		delta(`{"a":1}`),
		{Kind: llm.Finished, Finish: llm.FinishStop},
		{Kind: llm.Ended},
	}, got)
}

func TestExceptionsStandForAStatus(t *testing.T) {
	for name, status := range map[string]int{
		"throttlingException": 429, "validationException": 400, "internalServerException": 500, "serviceUnavailableException": 503,
		"modelStreamErrorException": 424, "modelTimeoutException": 408, "somethingElse": 0,
	} {
		got, err := collect(frame(t, map[string]string{":exception-type": name, ":message-type": "exception"}, `{"message":"m"}`), 0)
		require.NoError(t, err)
		require.Len(t, got, 1)
		assert.Equal(t, llm.Failed, got[0].Kind)
		assert.Equal(t, status, got[0].Error.Status, name)
		assert.Equal(t, "m", got[0].Error.Message)
	}
	got, err := collect(
		frame(t, map[string]string{":error-code": "InternalServerException", ":error-message": "m", ":message-type": "error"}, ""),
		0,
	)
	require.NoError(t, err)
	assert.Equal(t, []llm.Event{{Kind: llm.Failed, Error: &llm.Failure{Status: 500, Code: "InternalServerException", Message: "m"}}}, got)
}

func TestBrokenFramesAreTheProvidersFault(t *testing.T) {
	stream := frames(t, "text.events")
	for _, at := range []int{0, 5, 9, 20, len(stream) / 2, len(stream) - 1} {
		broken := bytes.Clone(stream)
		broken[at] ^= 0x40
		_, err := collect(broken, 0)
		require.ErrorContains(t, err, "broken event stream", "byte %d", at)
	}
	for _, n := range []uint32{0, 15, 1 << 30} {
		b := binary.BigEndian.AppendUint32(nil, n)
		b = binary.BigEndian.AppendUint32(b, 0)
		b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
		_, err := collect(b, 0)
		require.Error(t, err, "a frame of %d bytes", n)
	}
	event := func(kind, payload string) []byte {
		return frame(t, map[string]string{":event-type": kind, ":message-type": "event"}, payload)
	}
	_, err := collect(event("contentBlockDelta", `{"x":`), 0)
	require.Error(t, err)
	_, err = collect(event("contentBlockDelta", `{"delta":{"toolUse":{"input":"{"}}}`), 0)
	require.Error(t, err)
}

func TestAnErrorOfTheReaderEndsTheDecoding(t *testing.T) {
	stream := frames(t, "tools.events")
	for n := range streams["tools.events"] {
		d, seen := ConverseWire{}.DecodeStream(), 0
		err := d.Decode(stream, func(*llm.Event) error {
			if seen++; seen > n {
				return assert.AnError
			}
			return nil
		})
		require.ErrorIs(t, err, assert.AnError)
	}
}
