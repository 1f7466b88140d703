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
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
)

// tellScan writes what a scan finds in an event on one line.
func tellScan(ev *core.Event) string {
	doc := ev.Raw
	if ev.Joined != nil {
		doc = ev.Joined
	}
	var b strings.Builder
	for _, d := range ev.Deltas {
		fmt.Fprintf(
			&b,
			"kind %d choice %d index %d form %d json %t: %q; ",
			d.Part.Kind,
			d.Part.Choice,
			d.Part.Index,
			d.Part.Form,
			d.JSON,
			splice.AppendText(nil, doc[d.Span.Start:d.Span.End]),
		)
	}
	for _, v := range ev.Tied {
		fmt.Fprintf(&b, "tied to %d: %d bytes; ", v.Message, v.Span.Len())
	}
	if len(ev.Closes) > 0 {
		fmt.Fprintf(&b, "closes %v; ", ev.Closes)
	}
	if ev.Done {
		b.WriteString("done; ")
	}
	fmt.Fprintf(&b, "bare %t like %t withhold %t failed %t", ev.HasOnlyDeltas, ev.IsTemplate, ev.Withhold, ev.Failed)
	return b.String()
}

func TestTranscriptsAreReadAsTheyAreMeant(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "streams", "*.sse"))
	require.NoError(t, err)
	require.Len(t, files, 10)
	for _, path := range files {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			body, err := os.ReadFile(path)
			require.NoError(t, err)
			var s sse.Splitter
			require.NoError(t, s.Write(body))
			x, e := scanRequest(withField(`"stream":true`))
			require.Nil(t, e)
			var out strings.Builder
			var ev core.Event
			for raw := s.Next(); raw != nil; raw = s.Next() {
				ev.Reset(raw)
				require.NoError(t, Chat{}.ScanEvent(x, &ev))
				assert.Equal(t, string(raw), string(ev.Raw), "an event that is only read keeps its bytes")
				out.WriteString(tellScan(&ev) + "\n")
			}
			assert.Empty(t, s.Rest())
			fmt.Fprintf(&out, "usage %+v\n", x.Usage)
			compareGolden(t, filepath.Join("streams", strings.TrimSuffix(name, ".sse")+".txt"), []byte(out.String()))
		})
	}
}

func TestTheUsageEventIsWithheldFromAClientThatDidNotAskForIt(t *testing.T) {
	const event = `data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}` + "\n\n"
	for name, tc := range map[string]struct {
		request, event string
		want           bool
	}{
		"not asked":                   {`"stream":true`, event, true},
		"refused":                     {`"stream":true,"stream_options":{"include_usage":false}`, event, true},
		"asked":                       {`"stream":true,"stream_options":{"include_usage":true}`, event, false},
		"an event with choices stays": {`"stream":true`, strings.Replace(event, "[]", `[{"index":0,"delta":{},"finish_reason":"stop"}]`, 1), false},
		"an event with a null stays":  {`"stream":true`, `data: {"choices":[],"usage":null}` + "\n\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			x, e := scanRequest(withField(tc.request))
			require.Nil(t, e)
			var ev core.Event
			ev.Reset([]byte(tc.event))
			require.NoError(t, Chat{}.ScanEvent(x, &ev))
			assert.Equal(t, tc.want, ev.Withhold)
			assert.Equal(t, !strings.Contains(tc.event, "null}"), x.Usage.Reported, "it is counted either way")
		})
	}
}

func TestAnEventThatIsNoneIsAnError(t *testing.T) {
	for _, data := range []string{"x", "[]", `"x"`, "{", `{"a":1,"a":2}`, `{"choices":[{"delta":{"content":"` + "\xff" + `"}}]}`, "{}{}", "[DONE]x"} {
		var ev core.Event
		ev.Reset([]byte("data: " + data + "\n\n"))
		assert.Error(t, Chat{}.ScanEvent(&core.Exchange{}, &ev), data)
	}
	var ev core.Event
	ev.Reset([]byte("data: [DONE] \r\n\r\n"))
	require.NoError(t, Chat{}.ScanEvent(&core.Exchange{}, &ev))
	assert.True(t, ev.Done)
}

func TestOddTypesInAChunkAreNoCrash(t *testing.T) {
	for _, doc := range []string{
		`{"choices":{}}`, `{"choices":[1,{"index":"x","delta":5}]}`, `{"choices":[{"index":-1,"delta":{"content":{},"tool_calls":[1,{"index":1e99,"function":"x"}]}}]}`,
		`{"choices":[{"delta":{"tool_calls":{},"function_call":1,"content":["x"]}}]}`, `{"choices":null,"usage":[]}`, `{"error":null}`,
	} {
		var ev core.Event
		ev.Reset([]byte("data: " + doc + "\n\n"))
		assert.NoError(t, Chat{}.ScanEvent(&core.Exchange{}, &ev), doc)
		assert.False(t, ev.Failed)
	}
}
