package bedrock

import (
	"bytes"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/llm"
)

// FuzzFramesAreReadAsTheLibraryReadsThem reads frames behind each other, so that later
// ones find the headers of earlier ones, and has AWS's decoder read each on its own.
func FuzzFramesAreReadAsTheLibraryReadsThem(f *testing.F) {
	text := deltaFrame(f)
	other := frame(
		f,
		map[string]string{":event-type": "contentBlockDelta", ":content-type": "application/json", ":message-type": "event"},
		`{"x":1}`,
	)
	stop := frame(f, map[string]string{":event-type": "messageStop", ":message-type": "event"}, `{}`)
	broken := append([]byte(nil), other...)
	broken[len(broken)-7] ^= 1
	f.Add(text, other, text)
	f.Add(text, stop, text)
	f.Add(text, broken, other)
	f.Add(text, other[:len(other)-1], stop)
	f.Add(frame(f, nil, "x"), frame(f, nil, "y"), frame(f, nil, ""))
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		d := &decoder{framer: framer{frames: eventstream.NewDecoder()}}
		for _, raw := range [][]byte{a, b, c} {
			if n, err := readFrameLength(raw); err != nil || n != len(raw) {
				continue // Decode gives it no such frame
			}
			want, wrong := eventstream.NewDecoder().Decode(bytes.NewReader(raw), nil)
			got, err := d.decodeFrame(raw)
			require.Equal(t, wrong != nil, err != nil, "%v, %v", wrong, err)
			if wrong == nil {
				assert.Equal(t, want.Headers, got.Headers)
				assert.Equal(t, string(want.Payload), string(got.Payload))
			}
		}
	})
}

func TestADeltaOfAStreamIsDecodedInAtMostTenAllocations(t *testing.T) {
	d, chunk := ConverseWire{}.DecodeStream(), deltaFrame(t)
	emit := func(*llm.Event) error { return nil }
	require.NoError(t, d.Decode(chunk, emit))
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { _ = d.Decode(chunk, emit) }), 10.0)
}
