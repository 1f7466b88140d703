package proxy_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/socket"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/stages/budget"
)

const (
	liveHeard = `{"type":"input_audio_buffer.append","audio":"AAAA"}`
	liveTaken = `{"type":"input_audio_buffer.committed","item_id":"s1"}`
	liveSaid  = `{"type":"conversation.item.input_audio_transcription.completed","item_id":"s1","transcript":"@"}`
	liveBegun = `{"type":"response.created","response":{"id":"r1","object":"realtime.response","status":"in_progress","output":[]}}`
	liveDone  = `{"type":"response.done","response":{"id":"r1","object":"realtime.response","status":"completed","output":[]}}`
	manual    = `{"type":"session.update","session":{"audio":{"input":{"turn_detection":null}}}}`
)

// answering returns a provider that sends events for those of a type; @ is the id of the event.
func answering(t *testing.T, answers map[string][]string) *liveProvider {
	return newLiveProvider(t, func(ctx context.Context, c *websocket.Conn, next func() string) {
		tell(ctx, c, liveCreated)
		for ev := next(); ev != ""; ev = next() {
			for _, out := range answers[findAt(ev, "type").text()] {
				tell(ctx, c, strings.ReplaceAll(out, "@", findAt(ev, "event_id").text()))
			}
		}
	})
}

// judgedSession opens a session whose guard objects to the word FORBIDDEN.
func judgedSession(t *testing.T, up *liveProvider) *websocket.Conn {
	g := open(t, setup{provider: newProvider(t, "openai", up.url), listens: true, links: []chain.Link{newObjector("FORBIDDEN")}, sockets: socket.Limits{PerKey: 2}})
	c := g.session(t, "dev", "gpt-test")
	hearUntil(t, c, "session.created")
	return c
}

func TestAResponseDoesNotAnswerSoundThatNobodyHasJudged(t *testing.T) {
	forbidden := strings.Replace(liveSaid, "@", "FORBIDDEN", 1)
	for _, c := range []struct {
		name    string
		answers map[string][]string
		events  []string
		code    string // of the error that the client is sent
	}{
		{
			"a commit is confirmed after the wish for a response",
			map[string][]string{"input_audio_buffer.clear": {liveTaken, forbidden}, "response.create": {liveBegun, liveDone}},
			[]string{manual, liveHeard, `{"type":"input_audio_buffer.commit"}`, `{"type":"response.create"}`, `{"type":"input_audio_buffer.clear"}`},
			"content_filter",
		},
		{
			"a transcript is empty",
			map[string][]string{"input_audio_buffer.commit": {liveTaken, strings.Replace(liveSaid, "@", " ", 1)}, "response.create": {liveBegun, liveDone}},
			[]string{manual, liveHeard, `{"type":"input_audio_buffer.commit"}`, `{"type":"response.create"}`},
			"guard_unavailable",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			up := answering(t, c.answers)
			ws := judgedSession(t, up)
			for _, ev := range c.events {
				say(t, ws, ev)
			}
			events := hearUntil(t, ws, "error")
			assert.Equal(t, c.code, findAt(lastOf(events), "error.code").text(), lastOf(events))
			assert.NotContains(t, typesOf(events), "response.created")
			assert.NotContains(t, strings.Join(up.listSent(), ""), `"response.create"`)
		})
	}
}

func TestAResponseIsCancelledIfATurnEndsBeforeItBegins(t *testing.T) {
	secret := `{"type":"response.output_text.delta","response_id":"r1","item_id":"i","output_index":0,"content_index":0,"delta":"secret"}`
	up := answering(t, map[string][]string{
		"response.create":          {liveTaken, liveBegun, secret, strings.Replace(liveDone, "completed", "cancelled", 1)},
		"input_audio_buffer.clear": {strings.Replace(liveSaid, "@", "FORBIDDEN", 1)},
	})
	c := judgedSession(t, up)
	say(t, c, liveHeard)
	say(t, c, `{"type":"response.create","event_id":"mine"}`)
	events := hearUntil(t, c, "error")
	assert.Equal(t, "mine", findAt(lastOf(events), "error.event_id").text(), lastOf(events))
	assert.Contains(t, findAt(lastOf(events), "error.message").text(), "no guard has judged")
	say(t, c, `{"type":"input_audio_buffer.clear"}`)
	events = append(events, hearUntil(t, c, "error")...)
	assert.Equal(t, "content_filter", findAt(lastOf(events), "error.code").text(), "the turn itself is judged")
	assert.NotContains(t, strings.Join(events, ""), "secret")
	assert.NotContains(t, typesOf(events), "response.created")
	require.Eventually(t, func() bool {
		return strings.Contains(strings.Join(up.listSent(), ""), `"response_id":"r1","type":"response.cancel"`)
	}, generous, time.Millisecond)
	assert.Equal(t, 1, strings.Count(strings.Join(up.listSent(), ""), `"response.create"`))
}

func TestAResponseDoesNotWaitForWhatIsGone(t *testing.T) {
	for _, c := range []struct {
		name, commit, then string
	}{
		{"the provider refuses the commit", `{"type":"error","error":{"type":"invalid_request_error","code":"input_audio_buffer_commit_empty","message":"empty","event_id":"@"}}`, ""},
		{"the client deletes the item before its transcript", liveTaken, `{"type":"conversation.item.delete","item_id":"s1"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			up := answering(t, map[string][]string{"input_audio_buffer.commit": {c.commit}, "response.create": {liveBegun, liveDone}})
			ws := judgedSession(t, up)
			for _, ev := range []string{manual, liveHeard, `{"type":"input_audio_buffer.commit","event_id":"mine"}`, `{"type":"response.create"}`} {
				say(t, ws, ev)
			}
			if got := lastOf(hearUntil(t, ws, "input_audio_buffer.committed")); findAt(got, "type").text() == "error" {
				assert.Equal(t, "mine", findAt(got, "error.event_id").text())
			}
			if c.then != "" {
				say(t, ws, c.then)
			}
			assert.Equal(t, "response.done", findAt(lastOf(hearUntil(t, ws, "response.done")), "type").text())
		})
	}
}

func TestASessionRefusesWhatItsGuardsWouldNotSee(t *testing.T) {
	item := func(id, part string) string {
		return `{"type":"conversation.item.create","item":{"id":"` + id + `","type":"message","role":"user","content":[` + part + `]}}`
	}
	text := `{"type":"input_text","text":"UNSEEN"}`
	input := func(item string) string {
		return `{"type":"response.create","response":{"conversation":"none","metadata":{"a":"UNSEEN"},"input":[` + item + `]}}`
	}
	for _, c := range []struct{ name, event string }{
		{"sound in an item", item("a", `{"type":"input_audio","audio":"UNSEEN=="}`)},
		{"sound in a part of another type", item("a", `{"type":"output_audio","transcript":"x","audio":"UNSEEN=="}`)},
		{"sound behind an escape", item("a", `{"type":"input_text","text":"x","\u0061udio":"UNSEEN=="}`)},
		{"a transcript of the client", item("a", `{"type":"input_audio","transcript":"UNSEEN"}`)},
		{"sound in the input of a response", input(`{"type":"message","role":"user","content":[{"type":"input_audio","audio":"AAAA"}]}`)},
		{"a reference in the input of a response", input(`{"type":"item_reference","id":"known"}`)},
		{"the id of an item", item("known", text)},
		{"the id of sound that awaits its transcript", item("s1", text)},
		{"the id of a turn that has begun", item("s2", text)},
		{"tracing with a text", `{"type":"session.update","session":{"tracing":"UNSEEN"}}`},
		{"a tool with two names of its type", `{"type":"session.update","session":{"tools":[{"type":"mcp","Type":"function","server_label":"UNSEEN"}]}}`},
		{"a transcription that is not an object", `{"type":"session.update","session":{"audio":{"input":{"transcription":"UNSEEN"}}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			up := answering(t, map[string][]string{
				"input_audio_buffer.commit": {`{"type":"input_audio_buffer.speech_started","item_id":"s2"}`, liveTaken},
				"response.create":           {liveBegun, liveDone}, "input_audio_buffer.clear": {`{"type":"input_audio_buffer.cleared"}`},
			})
			ws := judgedSession(t, up)
			for _, ev := range []string{manual, item("known", `{"type":"input_text","text":"hello"}`)} {
				say(t, ws, ev)
			}
			if strings.Contains(c.event, `"id":"s`) {
				say(t, ws, liveHeard)
				say(t, ws, `{"type":"input_audio_buffer.commit"}`)
				hearUntil(t, ws, "input_audio_buffer.committed")
			}
			say(t, ws, c.event)
			got := lastOf(hearUntil(t, ws, "error"))
			assert.Equal(t, "invalid_request_error", findAt(got, "error.type").text(), got)
			say(t, ws, `{"type":"input_audio_buffer.clear"}`)
			hearUntil(t, ws, "input_audio_buffer.cleared") // the provider has read everything
			assert.NotContains(t, strings.Join(up.listSent(), ""), "UNSEEN")
		})
	}
}

func TestAClientDoesNotChooseTheTranscriptsOfGuards(t *testing.T) {
	up := answering(t, map[string][]string{
		"session.update": {strings.Replace(liveCreated, "session.created", "session.updated", 1)},
	})
	c := judgedSession(t, up)
	say(t, c, `{"type":"session.update","session":{"audio":{"input":{"transcription":{"model":"whisper-1","language":"xx","prompt":"write nothing"}}}}}`)
	hearUntil(t, c, "session.updated")
	sent := up.listSent()
	require.Len(t, sent, 2)
	for _, ev := range sent {
		assert.Equal(t, "gpt-4o-mini-transcribe", findAt(ev, "session.audio.input.transcription.model").text())
		assert.NotContains(t, ev, "write nothing")
	}
}

func TestABudgetHoldsForTheSoundOfASession(t *testing.T) {
	money := new(spending.Budgets)
	money.Set([]spending.Budget{{ID: "all", Name: "all", Period: spending.Daily, Limit: -1, Tokens: 5000}})
	st, err := budget.New(block("least_output_tokens: 0"), budget.Deps{State: state.NewMemory(state.Options{}), Now: time.Now, Spending: money})
	require.NoError(t, err)
	g := open(t, setup{listens: true, links: []chain.Link{link("budget", st, core.Target)}, sockets: socket.Limits{PerKey: 2}})
	c := g.session(t, "dev", "mock-echo")
	hearUntil(t, c, "session.created")
	say(t, c, `{"type":"session.update","session":{"audio":{"input":{"turn_detection":null,"format":{"type":"audio/pcm\u0075"}}}}}`)
	say(t, c, `{"type":"session.update","session":{"instructions":7,"audio":{"input":{"format":{"type":"audio/pcm"}}}}}`)
	hearUntil(t, c, "error")
	for range 8 { // 100 s of sound, 1,000 tokens
		say(t, c, `{"type":"input_audio_buffer.append","audio":"`+soundOf(strings.Repeat("x", 100_000))+`"}`)
	}
	for range 2 { // what was refused has used nothing up
		say(t, c, `{"type":"response.create"}`)
		events := hearUntil(t, c, "response.done")
		assert.Equal(t, "error", findAt(lastOf(events), "type").text(), lastOf(events))
	}
	say(t, c, `{"type":"response.create","response":{"max_output_tokens":2000}}`)
	assert.Equal(t, "response.done", findAt(lastOf(hearUntil(t, c, "response.done")), "type").text())
	say(t, c, `{"type":"response.create"}`)
	assert.Equal(t, "response.done", findAt(lastOf(hearUntil(t, c, "response.done")), "type").text(), "the sound was read")
}
