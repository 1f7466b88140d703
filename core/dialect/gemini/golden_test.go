package gemini

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/llm"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func compareGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))
}

// transcripts are the streams in testdata, by name.
func transcripts(t testing.TB) map[string]string {
	files, err := filepath.Glob(filepath.Join("testdata", "streams", "*.sse"))
	require.NoError(t, err)
	require.Len(t, files, 8)
	out := map[string]string{}
	for _, path := range files {
		body, err := os.ReadFile(path)
		require.NoError(t, err)
		out[strings.TrimSuffix(filepath.Base(path), ".sse")] = string(body)
	}
	return out
}

// cut gives the events of a stream; what is left becomes one too.
func cut(t testing.TB, body string) (events [][]byte) {
	var s sse.Splitter
	require.NoError(t, s.Write([]byte(body)))
	for raw := s.Next(); raw != nil; raw = s.Next() {
		events = append(events, bytes.Clone(raw))
	}
	if rest := s.Rest(); len(rest) > 0 {
		events = append(events, append(bytes.Clone(rest), "\n\n"...))
	}
	return events
}

// tellScan writes what a scan finds in an event on one line.
func tellScan(ev *core.Event) string {
	doc := ev.Raw
	if ev.Joined != nil {
		doc = ev.Joined
	}
	var b strings.Builder
	for _, d := range ev.Deltas {
		text := doc[d.Span.Start:d.Span.End]
		if d.Depth == 1 {
			text = splice.AppendText(nil, text)
		}
		fmt.Fprintf(&b, "kind %d choice %d index %d json %t: %q; ", d.Part.Kind, d.Part.Choice, d.Part.Index, d.JSON, text)
	}
	for _, v := range ev.Tied {
		fmt.Fprintf(&b, "tied to %d: %d bytes; ", v.Message, v.Span.Len())
	}
	for _, p := range ev.Ends {
		fmt.Fprintf(&b, "ends kind %d index %d; ", p.Kind, p.Index)
	}
	if len(ev.Closes) > 0 {
		fmt.Fprintf(&b, "closes %v; ", ev.Closes)
	}
	fmt.Fprintf(&b, "bare %t like %t done %t failed %t", ev.HasOnlyDeltas, ev.IsTemplate, ev.Done, ev.Failed)
	return b.String()
}

func TestTranscriptsAreScannedAsTheyAreMeant(t *testing.T) {
	for name, body := range transcripts(t) {
		t.Run(name, func(t *testing.T) {
			x := &core.Exchange{}
			var out strings.Builder
			var ev core.Event
			for _, raw := range cut(t, body) {
				ev.Reset(raw)
				require.NoError(t, Generate{}.ScanEvent(x, &ev))
				assert.Equal(t, string(raw), string(ev.Raw), "an event that is only read keeps its bytes")
				out.WriteString(tellScan(&ev) + "\n")
			}
			fmt.Fprintf(&out, "usage %+v\n", x.Usage)
			compareGolden(t, filepath.Join("streams", name+".scan.txt"), []byte(out.String()))
		})
	}
}

// line writes a neutral event on one line.
func line(ev *llm.Event) string {
	switch ev.Kind {
	case llm.Started:
		return fmt.Sprintf("started id %q model %q", ev.ID, ev.Model)
	case llm.Opened:
		s := fmt.Sprintf("opened %d kind %d", ev.Choice, ev.Part.Kind)
		if c := ev.Part.Call; c != nil {
			s += fmt.Sprintf(" %+v", *c)
		}
		if r := ev.Part.Reasoning; r != nil {
			s += fmt.Sprintf(" %+v", *r)
		}
		if i := ev.Part.Image; i != nil {
			s += fmt.Sprintf(" %+v", *i)
		}
		return s
	case llm.Delta:
		return fmt.Sprintf("delta %d %q", ev.Choice, ev.Text)
	case llm.Signed:
		return fmt.Sprintf("signed %d %q", ev.Choice, ev.Text)
	case llm.Logprobs:
		return fmt.Sprintf("logprobs %d %s", ev.Choice, ev.Raw)
	case llm.Finished:
		return fmt.Sprintf("finished %d %d", ev.Choice, ev.Finish)
	case llm.UsageEvent:
		return fmt.Sprintf("usage %+v", ev.Usage)
	case llm.Failed:
		return fmt.Sprintf("failed %+v", *ev.Error)
	case llm.Ended:
		return "ended"
	}
	return "?"
}

// decodeStream reads a stream that arrives in pieces.
func decodeStream(t testing.TB, pieces ...string) []string {
	var out []string
	emit := func(ev *llm.Event) error {
		out = append(out, line(ev))
		return nil
	}
	d := GenerateWire{}.DecodeStream()
	for _, p := range pieces {
		require.NoError(t, d.Decode([]byte(p), emit))
	}
	require.NoError(t, d.Close(emit))
	return out
}

func TestTranscriptsAreDecodedTheSameHoweverTheyAreCut(t *testing.T) {
	for name, body := range transcripts(t) {
		t.Run(name, func(t *testing.T) {
			whole := decodeStream(t, body)
			compareGolden(t, filepath.Join("streams", name+".events.txt"), []byte(strings.Join(whole, "\n")+"\n"))
			for i := range len(body) {
				require.Equal(t, whole, decodeStream(t, body[:i], body[i:]), "cut at %d", i)
			}
			var bytewise []string
			for i := range len(body) {
				bytewise = append(bytewise, body[i:i+1])
			}
			assert.Equal(t, whole, decodeStream(t, bytewise...))
			lf := strings.ReplaceAll(body, "\r\n", "\n")
			assert.Equal(t, whole, decodeStream(t, lf))
			assert.Equal(t, whole, decodeStream(t, strings.ReplaceAll(lf, "\n", "\r\n")))
			assert.Equal(t, whole, decodeStream(t, strings.TrimRight(body, "\r\n")), "without the last blank line")
		})
	}
}

func TestAStreamThatIsCutOffHasNoEnd(t *testing.T) {
	body := transcripts(t)["text"]
	events := cut(t, body)
	got := decodeStream(t, string(events[0])+string(events[1]))
	assert.NotContains(t, got, "ended")
	assert.Contains(t, got[len(got)-1], "usage", "what was counted is told")
	assert.Contains(t, decodeStream(t, body), "ended")

	emit := func(*llm.Event) error { return nil }
	d := GenerateWire{}.DecodeStream()
	require.NoError(t, d.Decode(events[0][:60], emit))
	assert.Error(t, d.Close(emit), "in the middle of an event")
}

func TestWhatIsEncodedIsWhatTheShapesOwnScanAndDecoderTake(t *testing.T) {
	for name, body := range transcripts(t) {
		t.Run(name, func(t *testing.T) {
			var out []byte
			e := Generate{}.EncodeStream(&llm.Request{Thoughts: true, Logprobs: name == "logprobs"})
			emit := func(ev *llm.Event) error {
				out = e.Append(out, ev)
				return nil
			}
			d := GenerateWire{}.DecodeStream()
			require.NoError(t, d.Decode([]byte(body), emit))
			require.NoError(t, d.Close(emit))
			x := &core.Exchange{}
			var ev core.Event
			for _, raw := range cut(t, string(out)) {
				ev.Reset(raw)
				require.NoError(t, Generate{}.ScanEvent(x, &ev), "%s", raw)
			}
			failed := name == "error" || name == "bare"
			assert.Equal(t, !failed, ev.Done)
			assert.Equal(t, failed, ev.Failed)
			compareGolden(t, filepath.Join("streams", name+".encoded.txt"), out)
			assert.Equal(t, texts(decodeStream(t, body)), texts(decodeStream(t, string(out))), "the same calls and texts")
		})
	}
}

// texts are the lines that tell of text, calls and the end.
func texts(lines []string) (out []string) {
	for _, l := range lines {
		if !strings.HasPrefix(l, "signed") && !strings.HasPrefix(l, "opened 0 kind 5") {
			out = append(out, l)
		}
	}
	return out
}

func TestWholeAnswersAreDecodedAndEncodedAgain(t *testing.T) {
	for _, name := range []string{"text", "tools", "blocked"} {
		t.Run(name, func(t *testing.T) {
			body, err := os.ReadFile(filepath.Join("testdata", "answers", name+".json"))
			require.NoError(t, err)
			a, err := GenerateWire{}.DecodeResponse(body)
			require.NoError(t, err)
			out, err := json.MarshalIndent(a, "", " ")
			require.NoError(t, err)
			compareGolden(t, filepath.Join("answers", name+".decoded.txt"), append(out, '\n'))

			again := Generate{}.Encode(nil, &llm.Request{Thoughts: true}, a)
			compareGolden(t, filepath.Join("answers", name+".encoded.txt"), append(again, '\n'))
			x := &core.Exchange{}
			x.Response.Raw = again
			require.NoError(t, Generate{}.ScanResponse(x))
			assert.Equal(t, a.Usage, x.Usage)
		})
	}
}
