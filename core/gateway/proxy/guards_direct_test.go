package proxy_test

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

const (
	rerankPath     = "/v1/rerank"
	moderatePath   = "/v1/moderations"
	drawPath       = "/v1/images/generations"
	redrawPath     = "/v1/images/edits"
	speakPath      = "/v1/audio/speech"
	transcribePath = "/v1/audio/transcriptions"
	translatePath  = "/v1/audio/translations"
)

const formBoundary = "headgate-form"

// formOf returns a form of the parts: "name=value", or "name@file name=bytes".
func formOf(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		name, value, _ := strings.Cut(p, "=")
		head := `Content-Disposition: form-data; name="` + name + `"`
		if name, file, ok := strings.Cut(name, "@"); ok {
			head = `Content-Disposition: form-data; name="` + name + `"; filename="` + file + "\"\r\nContent-Type: audio/wav"
		}
		b.WriteString("--" + formBoundary + "\r\n" + head + "\r\n\r\n" + value + "\r\n")
	}
	return b.String() + "--" + formBoundary + "--\r\n"
}

func isForm(body string) bool { return strings.HasPrefix(body, "--"+formBoundary) }

// mediaOf returns the header of a body.
func mediaOf(body string) []string {
	if isForm(body) {
		return []string{"Content-Type", "multipart/form-data; boundary=" + formBoundary}
	}
	return nil
}

// addDirect adds the places of the shapes that are never translated.
func addDirect(add func(shape, path string, streams bool, places map[string]string)) {
	add("rerank", rerankPath, false, map[string]string{
		inText:    `{"model":"gpt-test","query":"to @ now","documents":["a"]}`,
		inParts:   `{"model":"gpt-test","query":"q","documents":["one","to @ now",{"text":"to @ now","title":"to @ now"}]}`,
		inMembers: `{"model":"gpt-test","query":"q","documents":["a",{"to @ now":1}],"to @ now":1}`,
		inNames:   `{"model":"gpt-test","query":"q","documents":[{"id":"to @ now","url":"to @ now"}],"rank_fields":["to @ now"]}`,
	})
	add("moderations", moderatePath, false, map[string]string{
		inText:    `{"model":"gpt-test","input":"to @ now"}`,
		inParts:   `{"model":"gpt-test","input":["one",{"type":"text","text":"to @ now"}]}`,
		inMembers: `{"model":"gpt-test","input":[{"type":"text","text":"a","to @ now":1}],"to @ now":1}`,
		inNames:   `{"model":"gpt-test","input":[{"type":"to @ now","image_url":{"url":"to @ now"}}]}`,
	})
	add("images", drawPath, false, map[string]string{
		inText:    `{"model":"gpt-test","prompt":"to @ now"}`,
		inMembers: `{"model":"gpt-test","prompt":"p","to @ now":1}`,
		inNames:   `{"model":"gpt-test","prompt":"p","user":"@","style":"to @ now"}`,
	})
	add("image edits", redrawPath, false, map[string]string{
		inText:  formOf("image@a.png=x", "model=gpt-test", "prompt=to @ now"),
		inNames: formOf("image@a.png=x", "model=gpt-test", "prompt=p", "user=@", "size=to @ now", "unknown=to @ now"),
	})
	add("speech", speakPath, false, map[string]string{
		inText:    `{"model":"gpt-test","voice":"v","input":"to @ now"}`,
		inSystem:  `{"model":"gpt-test","voice":"v","input":"a","instructions":"to @ now"}`,
		inMembers: `{"model":"gpt-test","voice":"v","input":"a","to @ now":1}`,
		inNames:   `{"model":"gpt-test","input":"a","voice":{"id":"to @ now"}}`,
	})
	add("transcriptions", transcribePath, false, map[string]string{
		inText:  formOf("file@a.wav=x", "model=gpt-test", "prompt=to @ now"),
		inParts: formOf("file@a.wav=x", "model=gpt-test", "known_speaker_names[]=Bo", "known_speaker_names[]=to @ now"),
		inNames: formOf("file@a.wav=x", "model=gpt-test", "language=to @ now", "unknown=to @ now"),
	})
	add("translations", translatePath, false, map[string]string{inText: formOf("file@a.wav=x", "model=gpt-test", "prompt=to @ now")})
}

// directTellings returns the places of their answers.
func directTellings() (out []telling) {
	sound := formOf("file@a.wav=x", "model=gpt-test")
	add := func(shape, path, provider, place, body, media, answer string) {
		out = append(out, telling{shape, path, provider, place, body, wholly, media + "\n" + answer})
	}
	add("responses compact", compactPath, "openai", inText, `{"model":"gpt-test","input":"hi"}`, "application/json", buildCompacted("to @ now", ""))
	add("responses compact", compactPath, "openai", inArguments, `{"model":"gpt-test","input":"hi"}`, "application/json",
		buildCompacted("hi", `,{"type":"function_call","id":"f","call_id":"c","name":"send","arguments":"{\"to\":\"@\"}"}`))
	add("rerank", rerankPath, "vllm", inText, `{"model":"gpt-test","query":"q","documents":["a"],"return_documents":true}`, "application/json",
		`{"results":[{"index":0,"relevance_score":1,"document":{"text":"to @ now"}}]}`)
	add("images", drawPath, "openai", inText, `{"model":"gpt-test","prompt":"p"}`, "application/json",
		`{"created":1,"data":[{"b64_json":"AAAA","revised_prompt":"to @ now"}]}`)
	add("image edits", redrawPath, "openai", inText, formOf("image@a.png=x", "model=gpt-test", "prompt=p"), "application/json",
		`{"created":1,"data":[{"b64_json":"AAAA","revised_prompt":"to @ now"}]}`)
	for _, s := range []struct{ shape, path string }{{"transcriptions", transcribePath}, {"translations", translatePath}} {
		add(s.shape, s.path, "openai", inText, sound, "application/json", `{"text":"to @ now","usage":{"type":"duration","seconds":2}}`)
		add(s.shape, s.path, "openai", inParts, sound, "application/json",
			`{"text":"hi","duration":2.0,"segments":[{"id":0,"text":" to @1","tokens":[1]},{"id":1,"text":"@2 now","tokens":[2]}]}`)
	}
	add("transcriptions as subtitles", transcribePath, "openai", inText, sound, "text/plain; charset=utf-8",
		"WEBVTT\n\n00:00.000 --> 00:02.000\nto @ now\n")
	return out
}

// arrivesDirect sends a request and reports whether the value of the answer reached the client.
func (c *telling) arrivesDirect(t *testing.T, value string, s *stands) bool {
	t.Helper()
	kind := "direct " + c.provider
	if s.tells[kind] == nil {
		up := newFake(s.t, func(conn net.Conn, _ sent) { _, _ = io.WriteString(conn, *s.says.Load()) })
		s.tells[kind] = &stand{gate: open(s.t, setup{provider: newProvider(s.t, c.provider, up.url), chain: s.chain})}
	}
	half := len(value) / 2
	media, answer, _ := strings.Cut(c.reply, "\n")
	raw := buildWhole(200, media, strings.NewReplacer("@1", value[:half], "@2", value[half:], "@", value).Replace(answer))
	s.says.Store(&raw)
	a := s.tells[kind].callPath(c.path, c.body, mediaOf(c.body)...)
	assert.NotContains(t, a.body, core.CodeGuardUnavailable, "a guard that fails stops everything, and proves nothing")
	if s.chain == nil {
		require.Equal(t, 200, a.status, a.body)
	}
	return strings.Contains(joinStrings(t, a.body), value)
}
