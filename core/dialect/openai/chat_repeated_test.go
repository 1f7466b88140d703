package openai

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core"
)

const bareChunk = `data: {"id":"c-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hello"},"logprobs":null,"finish_reason":null}],"usage":null}` + "\n\n"

// readBehind reads an event in an exchange that has seen others.
func readBehind(ev string, legacy bool, others ...string) (core.Event, error) {
	x := new(core.Exchange)
	for _, o := range others {
		var e core.Event
		e.Reset([]byte(o))
		_ = scanEvent(x, &e, legacy)
	}
	var e core.Event
	e.Reset([]byte(ev))
	err := scanEvent(x, &e, legacy)
	return e, err
}

func assertReadAlike(t *testing.T, first, ev string) {
	t.Helper()
	for _, legacy := range []bool{false, true} {
		want, wantErr := readBehind(ev, legacy)
		got, err := readBehind(ev, legacy, first)
		if assert.Equal(t, wantErr == nil, err == nil, "%q behind %q: %v, %v", ev, first, wantErr, err) && err == nil {
			if len(want.Deltas) == 0 {
				want.Deltas, got.Deltas = nil, got.Deltas[:len(got.Deltas):len(got.Deltas)]
				assert.Empty(t, got.Deltas)
				got.Deltas = nil
			}
			assert.Equal(t, want, got, "%q behind %q", ev, first)
		}
	}
}

func TestAnEventIsReadTheSameBehindOneThatIsLikeIt(t *testing.T) {
	with := func(text string) string { return strings.Replace(bareChunk, "Hello", text, 1) }
	for name, ev := range map[string]string{
		"another text":             with("World"),
		"the same text":            bareChunk,
		"no text":                  with(""),
		"an escape":                with(`a\"b\u00e9\n`),
		"a text that is cut":       with(`a\`),
		"an escape that is none":   with(`\x`),
		"half an escape":           with(`\u00`),
		"a text of two languages":  with("héllo 世界"),
		"broken UTF-8":             with("a\xffb"),
		"a control character":      with("a\x01b"),
		"an end of line":           with("a\nb"),
		"a text that ends early":   with(`a","content":"b`),
		"a text and a role":        with(`a","role":"assistant`),
		"a finish":                 strings.Replace(bareChunk, `"finish_reason":null`, `"finish_reason":"stop"`, 1),
		"a count":                  strings.Replace(bareChunk, `"usage":null`, `"usage":{"prompt_tokens":1,"completion_tokens":2}`, 1),
		"another choice":           strings.Replace(bareChunk, `"index":0`, `"index":1`, 1),
		"a tail that is too short": strings.TrimSuffix(bareChunk, "\n\n"),
		"the end":                  "data: [DONE]\n\n",
		"a comment":                ": x\n\n",
		"nothing":                  "",
	} {
		t.Run(name, func(t *testing.T) { assertReadAlike(t, bareChunk, ev) })
	}
}

func FuzzAnEventIsReadTheSameBehindAnother(f *testing.F) {
	for _, text := range []string{"x", `\u00e9`, `a"`, "\xc3", `","role":"`, "\\"} {
		f.Add(bareChunk, strings.Replace(bareChunk, "Hello", text, 1))
	}
	f.Add(`data: {"choices":[{"text":"a","index":0}]}`+"\n\n", `data: {"choices":[{"text":"b","index":0}]}`+"\n\n")
	f.Add("data: {\"choices\":[{\"delta\":{\"refusal\":\"a\"}}]}\n\n", "data: {\"choices\":[{\"delta\":{\"refusal\":\"a\"}}]}\ndata: x\n\n")
	f.Fuzz(func(t *testing.T, first, ev string) { assertReadAlike(t, first, ev) })
}
