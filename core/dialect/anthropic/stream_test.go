package anthropic

import (
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

// compareGolden compares with a file under testdata, byte for byte.
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

// transcripts gives the published streams by name.
func transcripts(t testing.TB) map[string][]byte {
	files, err := filepath.Glob(filepath.Join("testdata", "streams", "*.sse"))
	require.NoError(t, err)
	require.Len(t, files, 7)
	all := map[string][]byte{}
	for _, path := range files {
		body, err := os.ReadFile(path)
		require.NoError(t, err)
		all[strings.TrimSuffix(filepath.Base(path), ".sse")] = body
	}
	return all
}

// tellScan writes what a scan finds in an event on one line.
func tellScan(ev *core.Event) string {
	doc := ev.Raw
	if ev.Joined != nil {
		doc = ev.Joined
	}
	var b strings.Builder
	for _, d := range ev.Deltas {
		text, _ := splice.ReadText(doc, d.Span, d.Depth, nil)
		fmt.Fprintf(&b, "kind %d choice %d index %d json %t: %q; ", d.Part.Kind, d.Part.Choice, d.Part.Index, d.JSON, text)
	}
	if len(ev.Ends) > 0 {
		fmt.Fprintf(&b, "ends block %d; ", ev.Ends[0].Index)
	}
	if len(ev.Closes) > 0 {
		fmt.Fprintf(&b, "closes %v; ", ev.Closes)
	}
	fmt.Fprintf(&b, "bare %t done %t failed %t", ev.HasOnlyDeltas, ev.Done, ev.Failed)
	return b.String()
}

func TestTranscriptsAreReadAsTheyAreMeant(t *testing.T) {
	for name, body := range transcripts(t) {
		t.Run(name, func(t *testing.T) {
			var s sse.Splitter
			require.NoError(t, s.Write(body))
			x, e := scanRequest(withField(`"stream":true`))
			require.Nil(t, e)
			var out strings.Builder
			var ev core.Event
			one := func(raw []byte) {
				ev.Reset(raw)
				require.NoError(t, Messages{}.ScanEvent(x, &ev))
				assert.Equal(t, string(raw), string(ev.Raw), "an event that is only read keeps its bytes")
				out.WriteString(tellScan(&ev) + "\n")
			}
			for raw := s.Next(); raw != nil; raw = s.Next() {
				one(raw)
			}
			if rest := s.Rest(); len(rest) > 0 {
				one(rest)
			}
			fmt.Fprintf(&out, "usage %+v\n", x.Usage)
			compareGolden(t, filepath.Join("streams", name+".scan.txt"), []byte(out.String()))
		})
	}
}

func TestAnEventThatIsNoneIsAFault(t *testing.T) {
	for _, data := range []string{"[1]", "{", `{"type":"ping","type":"ping"}`, "[DONE]"} {
		var ev core.Event
		ev.Reset([]byte("data: " + data + "\n\n"))
		require.Error(t, Messages{}.ScanEvent(&core.Exchange{}, &ev), data)
		require.Error(t, MessagesWire{}.DecodeStream().Decode(ev.Raw, func(*llm.Event) error { return nil }), data)
	}
}

// tell writes an event of the neutral model on one line.
func tell(ev *llm.Event) string {
	switch ev.Kind {
	case llm.Started:
		return fmt.Sprintf("started %s %s", ev.ID, ev.Model)
	case llm.Opened:
		switch p := ev.Part; p.Kind {
		case llm.CallPart:
			return fmt.Sprintf("opened call %+v", *p.Call)
		case llm.ReasoningPart:
			return fmt.Sprintf("opened reasoning %+v", *p.Reasoning)
		default:
			return fmt.Sprintf("opened %d %q", p.Kind, p.Text)
		}
	case llm.Delta:
		return fmt.Sprintf("delta %q", ev.Text)
	case llm.Signed:
		return fmt.Sprintf("signed %q", ev.Text)
	case llm.Finished:
		return fmt.Sprintf("finished %d %q", ev.Finish, ev.StopSequence)
	case llm.UsageEvent:
		return fmt.Sprintf("usage %+v", ev.Usage)
	case llm.Failed:
		return fmt.Sprintf("failed %+v", *ev.Error)
	case llm.Ended:
		return "ended"
	}
	return fmt.Sprintf("%+v", *ev)
}

// decodeStream reads a stream that arrives in pieces of n bytes.
func decodeStream(t testing.TB, body []byte, n int) string {
	var out strings.Builder
	emit := func(ev *llm.Event) error {
		out.WriteString(tell(ev) + "\n")
		return nil
	}
	d := MessagesWire{}.DecodeStream()
	for from := 0; from < len(body); from += n {
		require.NoError(t, d.Decode(body[from:min(from+n, len(body))], emit))
	}
	require.NoError(t, d.Close(emit))
	return out.String()
}

func TestAStreamIsDecodedAlikeHoweverItIsChopped(t *testing.T) {
	for name, body := range transcripts(t) {
		t.Run(name, func(t *testing.T) {
			whole := decodeStream(t, body, len(body))
			compareGolden(t, filepath.Join("streams", name+".llm.txt"), []byte(whole))
			for n := 1; n < 200; n++ {
				require.Equal(t, whole, decodeStream(t, body, n), "in pieces of %d bytes", n)
			}
			lf := strings.ReplaceAll(string(body), "\r\n", "\n")
			require.Equal(t, whole, decodeStream(t, []byte(strings.ReplaceAll(lf, "\n", "\r\n")), 3), "with CR LF")
			require.Equal(t, whole, decodeStream(t, []byte(strings.TrimRight(lf, "\n")), 3), "without the last blank line")
		})
	}
}

func TestAnErrorOfTheReceiverStopsADecoder(t *testing.T) {
	body := transcripts(t)["tools"]
	calls := 0
	err := MessagesWire{}.DecodeStream().Decode(body, func(*llm.Event) error {
		calls++
		return assert.AnError
	})
	require.ErrorIs(t, err, assert.AnError)
	assert.Equal(t, 1, calls)
}

func TestTheAnswerToolIsTextAndNoCall(t *testing.T) {
	const stream = `data: {"type":"message_start","message":{"id":"m","model":"c"}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"headgate_answer","input":{}}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}

data: {"type":"content_block_stop","index":0}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}

data: {"type":"message_stop"}

`
	assert.Equal(t, "started m c\nopened 1 \"\"\ndelta \"{\\\"a\\\":1}\"\nfinished 1 \"\"\nended\n", decodeStream(t, []byte(stream), 7))
	a, err := MessagesWire{}.DecodeResponse(
		[]byte(`{"type":"message","content":[{"type":"tool_use","id":"t","name":"headgate_answer","input":{"a":1}}],"stop_reason":"tool_use"}`),
	)
	require.NoError(t, err)
	assert.Equal(t, []llm.Answer{{Parts: []llm.Part{llm.NewText(`{"a":1}`)}, Finish: llm.FinishStop}}, a.Choices)
}

// A model that thinks cannot be made to call the tool, so that it may talk before.
func TestWordsBesideAnAnswerInJSONAreDropped(t *testing.T) {
	a, err := MessagesWire{}.DecodeResponse([]byte(`{"type":"message","content":[{"type":"thinking","thinking":"hm","signature":"s"},` +
		`{"type":"text","text":"Here it is:"},{"type":"tool_use","id":"t","name":"headgate_answer","input":{"a":1}},` +
		`{"type":"tool_use","id":"u","name":"headgate_answer","input":{"a":2}},{"type":"tool_use","id":"v","name":"f","input":{}}],"stop_reason":"tool_use"}`))
	require.NoError(t, err)
	require.Len(t, a.Choices[0].Parts, 3)
	assert.Equal(t, "hm", a.Choices[0].Parts[0].Reasoning.Text)
	assert.Equal(t, llm.NewText(`{"a":1}`), a.Choices[0].Parts[1])
	assert.Equal(t, "f", a.Choices[0].Parts[2].Call.Name)
	assert.Equal(t, llm.FinishTools, a.Choices[0].Finish)
}

func TestTheFirstEventOnlyAnnouncesTheAnswer(t *testing.T) {
	var x core.Exchange
	for data, want := range map[string]bool{
		`{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}`: true,
		`{"type":"ping"}`: false,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`: false,
	} {
		var ev core.Event
		ev.Reset([]byte("data: " + data + "\n\n"))
		require.NoError(t, Messages{}.ScanEvent(&x, &ev))
		assert.Equal(t, want, ev.Opening, data)
	}
}
