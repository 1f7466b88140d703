package proxy_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/chain"
)

const (
	speakInEvents = `{"model":"gpt-test","voice":"v","input":"to ann@example.com","stream_format":"sse"}`
	speechDone    = `data: {"type":"speech.audio.done","usage":{"input_tokens":14,"output_tokens":101,"total_tokens":115}}` + "\n\n"
)

func speechDelta(sound string) string {
	return "data: {\"type\":\"speech.audio.delta\",\"audio\":\"" + sound + "\"}\n\n"
}

func TestSpeechInEventsPassesAsItCameAndIsBookedByItsLastEvent(t *testing.T) {
	said := speechDelta("AAAA") + speechDelta("BBB=") + speechDone
	for name, links := range map[string][]chain.Link{"with guards": nil, "without": {}} {
		t.Run(name, func(t *testing.T) {
			up := newFake(t, says(streamHead+chunk(speechDelta("AAAA"))+chunk(speechDelta("BBB=")+speechDone)+chunk("")))
			with := setup{provider: newProvider(t, "openai", up.url), runtime: setPrices}
			if links == nil {
				with.chain = redacting(t, "")
			}
			g := open(t, with)
			a := g.callPath(speakPath, speakInEvents)
			require.Equal(t, 200, a.status, a.body)
			assert.Contains(t, a.header.Get("Content-Type"), "text/event-stream")
			assert.Equal(t, said, a.body)
			sent := up.last(t).body
			assert.Contains(t, sent, `"stream_format":"sse"`)
			assert.Equal(t, links != nil, strings.Contains(sent, "ann@example.com"), "the text is judged before")
			assert.Equal(t, int64(14*1_500+101*6_000), g.usage().Cost)
		})
	}
}

func TestSpeechInEventsIsJudgedWhereItIsNoSound(t *testing.T) {
	for name, event := range map[string]string{
		"another event":    `data: {"type":"speech.text","text":"now FORBIDDEN"}` + "\n\n",
		"another member":   `data: {"type":"speech.audio.delta","audio":"AAAA","transcript":"now FORBIDDEN"}` + "\n\n",
		"text as sound":    speechDelta("now FORBIDDEN"),
		"a type of text":   `data: {"type":"now FORBIDDEN"}` + "\n\n",
		"the end has text": `data: {"type":"speech.audio.done","note":"now FORBIDDEN"}` + "\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			up := newFake(t, says(streamHead+chunk(speechDelta("AAAA"))+chunk(event)+chunk(speechDone)+chunk("")))
			g := open(t, setup{provider: newProvider(t, "openai", up.url), links: []chain.Link{newObjector("FORBIDDEN")}})
			a := g.callPath(speakPath, speakInEvents)
			assert.NotContains(t, a.body, "FORBIDDEN")
			assert.Contains(t, a.body, `"code":"content_filter"`)
		})
	}
}

func TestSpeechInEventsFailsInTheGatewaysWords(t *testing.T) {
	failed := `data: {"type":"error","error":{"code":"invalid_api_key","message":"wrong key sk-12345"}}` + "\n\n"
	for name, begins := range map[string]string{"before output": "", "behind output": speechDelta("AAAA")} {
		t.Run(name, func(t *testing.T) {
			raw := streamHead
			if begins != "" {
				raw += chunk(begins)
			}
			up := newFake(t, says(raw+chunk(failed)+chunk("")))
			g := open(t, setup{provider: newProvider(t, "openai", up.url)})
			a := g.callPath(speakPath, speakInEvents)
			assert.Contains(t, a.body, "OpenAI API error")
			if begins == "" {
				assert.GreaterOrEqual(t, a.status, 400)
			} else {
				assert.Equal(t, 200, a.status)
				assert.True(t, strings.HasPrefix(a.body, begins), a.body)
			}
		})
	}
}

func TestSpeechInEventsThatDoesNotEndCostsWhatWasHeld(t *testing.T) {
	const least = 72 * 6_000 // four tokens of sound for each of 18 letters
	for name, rest := range map[string]string{
		"it breaks off":    "",
		"it fails late":    chunk(`data: {"type":"error","error":{"code":"server_error","message":"sorry"}}`+"\n\n") + chunk(""),
		"it is blocked":    chunk(`data: {"type":"speech.text","text":"now FORBIDDEN"}`+"\n\n") + chunk(speechDone) + chunk(""),
		"it is no speech":  chunk("data: {\"type\":\n\n") + chunk(""),
		"it has no events": chunk("<html>\n\n") + chunk(""),
	} {
		t.Run(name, func(t *testing.T) {
			up := newFake(t, says(streamHead+chunk(speechDelta("AAAA"))+rest))
			g := open(t, setup{provider: newProvider(t, "openai", up.url), runtime: setPrices, links: []chain.Link{newObjector("FORBIDDEN")}})
			g.callPath(speakPath, speakInEvents)
			g.outcome() // it is settled
			u := g.usage()
			assert.GreaterOrEqual(t, u.Cost, int64(least))
			assert.Less(t, u.Cost, int64(2*least), "it is booked once")
			assert.Equal(t, int64(1), u.Estimated)
		})
	}
}

func TestTheMockSpeaksInEvents(t *testing.T) {
	g := open(t, setup{chain: redacting(t, "")})
	a := g.callPath(speakPath, `{"model":"mock-echo","voice":"v","input":"hello","stream_format":"sse"}`)
	require.Equal(t, 200, a.status, a.body)
	var sound []byte
	for line := range strings.Lines(a.body) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			b, err := base64.StdEncoding.DecodeString(findAt(data, "audio").text())
			require.NoError(t, err)
			sound = append(sound, b...)
		}
	}
	plain := g.callPath(speakPath, `{"model":"mock-echo","voice":"v","input":"hello","stream_format":"audio"}`)
	assert.Equal(t, plain.body, string(sound))
	assert.Contains(t, a.body, `"output_tokens":5`)
}
