package proxy_test

import (
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/socket"
)

var betaForm = []string{"OpenAI-Beta", "realtime=v1"}

func TestGuardsJudgeSessionsInTheBetasForm(t *testing.T) {
	g := open(t, setup{listens: true, chain: judging(t, ""), sockets: socket.Limits{PerKey: 2}})
	for _, c := range []struct {
		name, model string
		events      []string
		done        string
		types       []string // of events that the client must be sent
	}{
		{"text", "mock-echo", []string{
			`{"type":"session.update","session":{"modalities":["text"],"instructions":"Be brief.","temperature":0.8}}`,
			`{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"my card is ` + card + `"}]}}`,
			`{"type":"response.create","response":{"modalities":["text"]}}`,
		}, "response.output.0.content.0.text", []string{"conversation.item.created", "response.text.delta", "response.text.done"}},
		{"an output transcript", "mock-echo", []string{
			`{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"my card is ` + card + `"}]}}`,
			`{"type":"response.create","response":{"max_response_output_tokens":500}}`,
		}, "response.output.0.content.0.transcript", []string{"response.audio_transcript.delta", "response.audio.delta"}},
		{"an input transcript, committed by the client", "mock-echo", []string{
			`{"type":"session.update","session":{"turn_detection":null,"input_audio_transcription":{"model":"whisper-1"}}}`,
			`{"type":"input_audio_buffer.append","audio":"` + soundOf("my card is "+card) + `"}`,
			`{"type":"input_audio_buffer.commit"}`,
			`{"type":"response.create"}`,
		}, "response.output.0.content.0.transcript", []string{"conversation.item.input_audio_transcription.completed"}},
		{"a turn that the provider detects", "mock-echo", []string{
			`{"type":"input_audio_buffer.append","audio":"` + soundOf("my card is "+card) + `"}`,
			`{"type":"input_audio_buffer.append","audio":"AAAAAAAA"}`,
		}, "response.output.0.content.0.transcript", []string{"input_audio_buffer.committed"}},
		{"arguments", "mock-tools", []string{
			`{"type":"session.update","session":{"tools":[{"type":"function","name":"pay","parameters":{"type":"object"}}]}}`,
			`{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"my card is ` + card + `"}]}}`,
			`{"type":"response.create"}`,
		}, "response.output.0.arguments", []string{"response.function_call_arguments.delta"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ws := g.session(t, "dev", c.model, betaForm...)
			for _, ev := range c.events {
				say(t, ws, ev)
			}
			events := hearUntil(t, ws, "response.done")
			assert.Contains(t, findAt(lastOf(events), c.done).text(), card, lastOf(events))
			assert.NotContains(t, strings.Join(events, "\n"), "{{PII", "the client reads its own values")
			for _, typ := range c.types {
				assert.Contains(t, typesOf(events), typ)
			}
			require.NoError(t, ws.Close(websocket.StatusNormalClosure, ""))
		})
	}
}

func TestAProviderInTheBetasFormIsToldNotToAnswerByItself(t *testing.T) {
	up := answering(t, map[string][]string{"session.update": {`{"type":"session.updated","session":{"turn_detection":{"type":"server_vad","create_response":false},"input_audio_transcription":{"model":"x"}}}`}})
	g := open(t, setup{provider: newProvider(t, "openai", up.url), listens: true, chain: judging(t, ""), sockets: socket.Limits{PerKey: 2}})
	c := g.session(t, "dev", "gpt-test", betaForm...)
	hearUntil(t, c, "session.created")
	say(t, c, `{"type":"session.update","session":{"turn_detection":{"type":"server_vad","threshold":0.5}}}`)
	shown := lastOf(hearUntil(t, c, "session.updated"))
	assert.Equal(t, true, findAt(shown, "session.turn_detection.create_response").v, "the client sees its own setting")
	assert.Nil(t, findAt(shown, "session.input_audio_transcription").v)
	sent := up.listSent()
	require.Len(t, sent, 2)
	for _, ev := range sent {
		assert.Equal(t, false, findAt(ev, "session.turn_detection.create_response").v, ev)
		assert.NotEmpty(t, findAt(ev, "session.input_audio_transcription.model").text(), ev)
		assert.Nil(t, findAt(ev, "session.audio").v, ev)
	}
}

func TestSettingsOfTheOtherFormAreRefused(t *testing.T) {
	for _, c := range []struct{ session, names string }{
		{`{"turn_detection":{"type":"server_vad","create_response":true}}`, "audio.input.turn_detection"},
		{`{"input_audio_transcription":null}`, "audio.input.transcription"},
		{`{"modalities":["text"]}`, "output_modalities"},
		{`{"max_response_output_tokens":"inf"}`, "max_output_tokens"},
		{`{"temperature":1}`, "beta"},
	} {
		up := answering(t, map[string][]string{"input_audio_buffer.clear": {`{"type":"input_audio_buffer.cleared"}`}})
		ws := judgedSession(t, up)
		say(t, ws, `{"type":"session.update","event_id":"mine","session":`+c.session+`}`)
		got := lastOf(hearUntil(t, ws, "error"))
		assert.Equal(t, "unsupported_parameter", findAt(got, "error.code").text(), got)
		assert.Equal(t, "mine", findAt(got, "error.event_id").text())
		assert.Contains(t, findAt(got, "error.message").text(), c.names)
		say(t, ws, `{"type":"input_audio_buffer.clear"}`)
		hearUntil(t, ws, "input_audio_buffer.cleared")
		assert.Len(t, up.listSent(), 2, "the provider has not read it")
	}
	g := open(t, setup{listens: true, sockets: socket.Limits{PerKey: 1}})
	c := g.session(t, "dev", "mock-echo", betaForm...)
	say(t, c, `{"type":"session.update","session":{"audio":{"input":{"turn_detection":{"type":"server_vad","create_response":true}}}}}`)
	assert.Contains(t, findAt(lastOf(hearUntil(t, c, "error")), "error.message").text(), "current form")
}
