package openai

import (
	"fmt"
	"net/http"
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

// retold writes what a scan finds in an event on one line.
func retold(ev *core.Event, typ string) string {
	doc := ev.Raw
	if ev.Joined != nil {
		doc = ev.Joined
	}
	var b strings.Builder
	b.WriteString(typ + ": ")
	tell := func(what string, all []core.Delta) {
		for _, d := range all {
			raw := doc[d.Span.Start:d.Span.End]
			if d.Depth == 1 {
				raw = splice.AppendText(nil, raw)
			}
			fmt.Fprintf(&b, "%s kind %d index %d form %d json %t: %q; ", what, d.Part.Kind, d.Part.Index, d.Part.Form, d.JSON, raw)
		}
	}
	tell("delta", ev.Deltas)
	tell("whole", ev.Wholes)
	for _, p := range ev.Ends {
		fmt.Fprintf(&b, "ends kind %d index %d form %d; ", p.Kind, p.Index, p.Form)
	}
	if ev.Failed {
		fmt.Fprintf(&b, "failed %d; ", ev.Status)
	}
	fmt.Fprintf(&b, "bare %t like %t opening %t done %t", ev.HasOnlyDeltas, ev.IsTemplate, ev.Opening, ev.Done)
	return b.String()
}

// transcripts calls f for each stream in testdata.
func transcripts(t *testing.T, f func(t *testing.T, name string, body []byte)) {
	files, err := filepath.Glob(filepath.Join("testdata", "responses", "*.sse"))
	require.NoError(t, err)
	n := 0
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".sse")
		if strings.HasSuffix(name, ".encoded") {
			continue
		}
		n++
		t.Run(name, func(t *testing.T) {
			body, err := os.ReadFile(path)
			require.NoError(t, err)
			f(t, name, body)
		})
	}
	require.Equal(t, 10, n)
}

func TestResponsesTranscriptsAreReadAsTheyAreMeant(t *testing.T) {
	transcripts(t, func(t *testing.T, name string, body []byte) {
		var s sse.Splitter
		require.NoError(t, s.Write(body))
		x := &core.Exchange{}
		x.Request.Raw = []byte(`{"model":"m","instructions":"You are a help\u0066ul assistant."}`)
		var out strings.Builder
		var ev core.Event
		for raw := s.Next(); raw != nil; raw = s.Next() {
			ev.Reset(raw)
			require.NoError(t, Responses{}.ScanEvent(x, &ev))
			assert.Equal(t, string(raw), string(ev.Raw), "an event that is only read keeps its bytes")
			typ, _, _ := strings.Cut(strings.TrimPrefix(string(raw), "event: "), "\n")
			out.WriteString(retold(&ev, strings.TrimSpace(typ)) + "\n")
		}
		assert.Empty(t, s.Rest())
		fmt.Fprintf(&out, "usage %+v\n", x.Usage)
		compareGolden(t, filepath.Join("responses", name+".scan.txt"), []byte(out.String()))
	})
}

func scanResponsesEvent(t testing.TB, data string) *core.Event {
	t.Helper()
	ev := &core.Event{}
	ev.Reset([]byte("data: " + data + "\n\n"))
	require.NoError(t, Responses{}.ScanEvent(&core.Exchange{}, ev), data)
	return ev
}

func TestAFailureBeforeOutputNamesTheStatusThatItStandsFor(t *testing.T) {
	for event, want := range map[string]int{
		`{"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"m"}}}`: http.StatusTooManyRequests,
		`{"type":"error","code":"rate_limit_exceeded","message":"m","param":null}`:                     http.StatusTooManyRequests,
		`{"type":"error","error":{"type":"invalid_request_error","code":null,"message":"m"}}`:          http.StatusBadRequest,
		`{"error":{"code":"model_not_found","message":"m"}}`:                                           http.StatusNotFound,
		`{"type":"response.failed","response":{"error":{"code":"server_error","message":"m"}}}`:        http.StatusInternalServerError,
		`{"type":"response.failed","response":{"error":{"code":"invalid_prompt","message":"m"}}}`:      http.StatusBadRequest,
		`{"type":"response.failed","response":{"error":{"code":"new_trouble","message":"m"}}}`:         0,
	} {
		ev := scanResponsesEvent(t, event)
		assert.True(t, ev.Failed, event)
		assert.Equal(t, want, ev.Status, event)
		_, message := Responses{}.ReadError([]byte(event))
		assert.Equal(t, "m", message)
	}
	assert.True(t, scanResponsesEvent(t, `{"type":"response.created","response":{"id":"r","output":[]}}`).Opening)
	assert.False(t, scanResponsesEvent(t, `{"type":"response.output_item.added","item":{}}`).Opening)
}

func TestTextThatNoKnownEventBringsIsLookedAt(t *testing.T) {
	for name, tc := range map[string]struct {
		event string
		delta bool
	}{
		"pieces of an unknown kind":  {`{"type":"response.shell_call_command.delta","output_index":1,"command_index":0,"delta":"secret"}`, true},
		"a whole of an unknown kind": {`{"type":"response.new.done","words":["secret"],"id":"quiet"}`, false},
		"an annotation":              {`{"type":"response.output_text.annotation.added","annotation":{"type":"url_citation","url":"quiet","title":"secret"}}`, false},
		"an item of an unknown type": {`{"type":"response.output_item.done","item":{"type":"apply_patch_call","call_id":"quiet","operation":{"diff":"secret"}}}`, false},
		"an item that begins full":   {`{"type":"response.output_item.added","item":{"type":"message","content":[{"type":"output_text","text":"secret"}]}}`, false},
		"an answer that begins full": {`{"type":"response.created","response":{"output":[{"type":"message","content":[{"type":"output_text","text":"secret"}]}]}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			ev := scanResponsesEvent(t, tc.event)
			all := ev.Wholes
			if tc.delta {
				all = ev.Deltas
			}
			require.Len(t, all, 1)
			assert.Equal(t, "secret", string(ev.Raw[all[0].Span.Start:all[0].Span.End]))
		})
	}
}

func TestTheIdOfAnItemIsNoTextOfEveryDelta(t *testing.T) {
	for id, texts := range map[string]int{"msg_1763912345678": 1, "msg_68af4030baa48193b0b43b4c2a176a1a0e6b5e7a4c3d2e1f": 1, "two words": 2} {
		ev := scanResponsesEvent(t, `{"type":"response.output_text.delta","item_id":"`+id+`","output_index":0,"content_index":0,"delta":"x"}`)
		assert.Len(t, append(ev.Deltas, ev.Wholes...), texts, id)
	}
}

func TestSealedReasoningIsNeverLookedAt(t *testing.T) {
	ev := scanResponsesEvent(
		t,
		`{"type":"response.output_item.done","item":{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"gAAAA secret"}}`,
	)
	assert.Empty(t, ev.Wholes)
	ev = scanResponsesEvent(
		t,
		`{"type":"response.output_item.done","item":{"content":[{"type":"reasoning_text","text":"raw"}],"type":"reasoning"}}`,
	)
	require.Len(t, ev.Wholes, 1)
	assert.Equal(t, core.Part{Kind: core.KindReasoning, Form: formRaw}, ev.Wholes[0].Part, "as its deltas are named")
	ev = scanResponsesEvent(t, `{"type":"response.content_part.done","part":{"text":"raw","type":"reasoning_text"}}`)
	require.Len(t, ev.Wholes, 1)
	assert.Equal(t, core.Part{Kind: core.KindReasoning, Form: formRaw}, ev.Wholes[0].Part)
}

func TestAResponsesEventThatIsNoneIsAnError(t *testing.T) {
	for _, data := range []string{"x", "[]", `"x"`, "{", `{"a":1,"a":2}`, `{"type":"response.output_text.delta","delta":"` + "\xff" + `"}`, "{}{}"} {
		var ev core.Event
		ev.Reset([]byte("data: " + data + "\n\n"))
		assert.Error(t, Responses{}.ScanEvent(&core.Exchange{}, &ev), data)
	}
	for _, doc := range []string{
		`{"type":1}`, `{"type":"response.output_text.delta","delta":5,"output_index":"x"}`, `{"type":"response.completed","response":[]}`, `{"type":"response.completed"}`,
		`{"type":"response.output_item.done","item":"x"}`, `{"type":"response.output_item.done","item":{"content":[1],"summary":{},"arguments":[]}}`, `{"error":null}`, `{}`,
		`{"type":"response.completed","response":{"output":[1,{"content":"x"}],"usage":[]}}`,
	} {
		ev := scanResponsesEvent(t, doc)
		assert.False(t, ev.Failed, doc)
	}
}

func TestReadingAPieceOfAResponseAllocatesNothing(t *testing.T) {
	x, raw := &core.Exchange{}, []byte(responsesDelta)
	var ev core.Event
	read := func() {
		ev.Reset(raw)
		if err := (Responses{}).ScanEvent(x, &ev); err != nil {
			t.Fatal(err)
		}
	}
	read()
	require.Len(t, ev.Deltas, 1)
	assert.Zero(t, testing.AllocsPerRun(100, read))
}

const responsesDelta = "event: response.output_text.delta\n" +
	`data: {"type":"response.output_text.delta","item_id":"msg_123","output_index":0,"content_index":0,"delta":"In","logprobs":[],"sequence_number":4,"obfuscation":"w4Pq8s"}` + "\n\n"

// neutral writes an event of the neutral model on one line.
func neutral(ev *llm.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", ev.Kind)
	switch ev.Kind {
	case llm.Started:
		fmt.Fprintf(&b, " started id %q model %q created %d", ev.ID, ev.Model, ev.Created)
	case llm.Opened:
		fmt.Fprintf(&b, " opened %d %q", ev.Part.Kind, ev.Part.Text)
		if c := ev.Part.Call; c != nil {
			fmt.Fprintf(&b, " call %+v", *c)
		}
		if r := ev.Part.Reasoning; r != nil {
			fmt.Fprintf(&b, " reasoning %+v", *r)
		}
	case llm.Delta, llm.Signed:
		fmt.Fprintf(&b, " text %q", ev.Text)
	case llm.Logprobs:
		fmt.Fprintf(&b, " logprobs %s", ev.Raw)
	case llm.Finished:
		fmt.Fprintf(&b, " finished %d", ev.Finish)
	case llm.UsageEvent:
		fmt.Fprintf(&b, " usage %+v", ev.Usage)
	case llm.Failed:
		fmt.Fprintf(&b, " failed %+v", *ev.Error)
	case llm.Ended:
		b.WriteString(" ended")
	}
	return b.String() + "\n"
}
