package openai

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// eventNames spell the kinds of events.
var eventNames = map[llm.EventKind]string{
	llm.Started: "started", llm.Opened: "opened", llm.Delta: "delta", llm.Signed: "signed", llm.Logprobs: "logprobs",
	llm.Finished: "finished", llm.UsageEvent: "usage", llm.Failed: "failed", llm.Ended: "ended",
}

// tellEvent writes an event on one line.
func tellEvent(ev *llm.Event) string {
	s := fmt.Sprintf("%s %d", eventNames[ev.Kind], ev.Choice)
	switch ev.Kind {
	case llm.Started:
		return fmt.Sprintf("started id %q model %q created %d", ev.ID, ev.Model, ev.Created)
	case llm.Opened:
		if c := ev.Part.Call; c != nil {
			return s + fmt.Sprintf(": call %q of %q kind %d", c.ID, c.Name, c.Kind)
		}
		return s + fmt.Sprintf(": part %d", ev.Part.Kind)
	case llm.Delta, llm.Signed:
		return s + fmt.Sprintf(": %q", ev.Text)
	case llm.Logprobs:
		return s + ": " + string(ev.Raw)
	case llm.Finished:
		return s + fmt.Sprintf(": reason %d stop %q", ev.Finish, ev.StopSequence)
	case llm.UsageEvent:
		return fmt.Sprintf("usage %+v", ev.Usage)
	case llm.Failed:
		return fmt.Sprintf("failed %+v", *ev.Error)
	}
	return eventNames[ev.Kind]
}

// decodeStream feeds a decoder with body, cut where cuts say.
func decodeStream(d wire.StreamDecoder, body []byte, cuts ...int) (lines []string, err error) {
	emit := func(ev *llm.Event) error {
		lines = append(lines, tellEvent(ev))
		return nil
	}
	at := 0
	for _, c := range append(cuts, len(body)) {
		piece := append([]byte(nil), body[at:c]...)
		if err = d.Decode(piece, emit); err != nil {
			return lines, err
		}
		for i := range piece { // nothing may point into what was read
			piece[i] = 'x'
		}
		at = c
	}
	return lines, d.Close(emit)
}

func wireTranscripts(t testing.TB) map[string][]byte {
	out := map[string][]byte{}
	for _, dir := range []string{"streams", "wire"} {
		files, err := filepath.Glob(filepath.Join("testdata", dir, "*.sse"))
		require.NoError(t, err)
		for _, path := range files {
			body, err := os.ReadFile(path)
			require.NoError(t, err)
			out[filepath.Join("wire", strings.TrimSuffix(filepath.Base(path), ".sse"))] = body
		}
	}
	require.Len(t, out, 17)
	return out
}

func TestStreamsOfManyProvidersAreDecoded(t *testing.T) {
	for name, body := range wireTranscripts(t) {
		t.Run(name, func(t *testing.T) {
			lines, err := decodeStream(ChatWire{}.DecodeStream(), body)
			require.NoError(t, err)
			compareGolden(t, name+".txt", []byte(strings.Join(lines, "\n")+"\n"))
		})
	}
}

func TestAnyChoppingOfAStreamDecodesToTheSame(t *testing.T) {
	for name, body := range wireTranscripts(t) {
		t.Run(name, func(t *testing.T) {
			want, err := decodeStream(ChatWire{}.DecodeStream(), body)
			require.NoError(t, err)
			every := make([]int, 0, len(body))
			for i := 1; i < len(body); i++ {
				every = append(every, i)
				if i%7 == 0 {
					got, err := decodeStream(ChatWire{}.DecodeStream(), body, i)
					require.NoError(t, err)
					require.Equal(t, want, got, "cut at %d", i)
				}
			}
			got, err := decodeStream(ChatWire{}.DecodeStream(), body, every...)
			require.NoError(t, err)
			assert.Equal(t, want, got, "byte by byte")
			crlf := []byte(strings.ReplaceAll(strings.ReplaceAll(string(body), "\r\n", "\n"), "\n", "\r\n"))
			got, err = decodeStream(ChatWire{}.DecodeStream(), crlf, 5, len(crlf)/2)
			require.NoError(t, err)
			assert.Equal(t, want, got, "with CR LF")
			got, err = decodeStream(ChatWire{}.DecodeStream(), []byte(strings.TrimRight(string(body), "\r\n")))
			require.NoError(t, err)
			assert.Equal(t, want, got, "without the last blank line")
		})
	}
}

func TestThePassThroughCountsAsTheTranslationDoes(t *testing.T) {
	for name, body := range wireTranscripts(t) {
		var want llm.Usage
		require.NoError(t, ChatWire{}.DecodeStream().Decode(body, func(ev *llm.Event) error {
			if ev.Kind == llm.UsageEvent {
				want = ev.Usage
			}
			return nil
		}))
		var s sse.Splitter
		require.NoError(t, s.Write(body))
		x := &core.Exchange{}
		var ev core.Event
		for raw := s.Next(); raw != nil; raw = s.Next() {
			ev.Reset(raw)
			require.NoError(t, Chat{}.ScanEvent(x, &ev))
		}
		assert.Equal(t, want, x.Usage, name)
	}
}
