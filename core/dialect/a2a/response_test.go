package a2a

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

func TestAnswersOfTheSpecificationAreRead(t *testing.T) {
	const joke = "result Why did the chicken cross the road? To get to the other side!"
	for name, want := range map[string][]string{
		"task_0.3.json":    {"result joke", joke, "result tell me a joke"},
		"message_0.3.json": {joke},
		"task_1.0.json":    {"result Weather Report", "result Today will be sunny with a high of 75°F"},
	} {
		request := "send_0.3.json"
		if strings.Contains(name, "1.0") {
			request = "send_1.0.json"
		}
		_, x, err := scanAnswer(t, string(read(t, request)), string(read(t, name)))
		require.NoError(t, err, name)
		assert.Equal(t, want, texts(&x.Response), name)
	}
}

func TestEventsOfTheSpecificationAreRead(t *testing.T) {
	for _, version := range []string{Version03, Version10} {
		c, x, e := scanRequest(string(read(t, "stream_"+version+".json")))
		require.Nil(t, e)
		var told []string
		all := events(t, read(t, "events_"+version+".sse"))
		for i, raw := range all {
			data := strings.TrimSuffix(strings.TrimPrefix(string(raw), "data: "), "\n\n")
			require.NoError(t, c.Peek(x, []byte(data)), data)
			assert.Equal(t, i == len(all)-1, c.Answer.Last, data)
			var ev core.Event
			ev.Reset(raw)
			require.NoError(t, c.ScanEvent(x, &ev))
			assert.Equal(t, c.Answer.Last, ev.Done)
			for _, d := range ev.Deltas {
				told = append(told, fmt.Sprint(d.Part.Choice, " ", string(raw[d.Span.Start:d.Span.End])))
			}
			if version == Version03 && i == 3 {
				assert.Equal(t, []int32{0}, ev.Closes, "the last chunk of an artifact")
			}
		}
		if version == Version10 {
			assert.Equal(t, []string{`0 # Climate Change Report\n\n`}, told)
			continue
		}
		assert.Equal(t, []string{
			`-1 "write a long paper describing the attached pictures"`, `0 <section 1...>`, `0 <section 2...>`, `0 <section 3...>`,
		}, told)
	}
}

func TestAnAnswerThatIsNotOneIsRefused(t *testing.T) {
	request := send(`{"text":"x"}`)
	task := `{"kind":"task","id":"t-1","contextId":"c-1","status":{"state":"completed"}}`
	for name, answer := range map[string]string{
		"no JSON":                     `<html>`,
		"a list":                      `[]`,
		"another version":             `{"jsonrpc":"1.0","id":7,"result":` + task + `}`,
		"another id":                  `{"jsonrpc":"2.0","id":8,"result":` + task + `}`,
		"an id of another kind":       `{"jsonrpc":"2.0","id":"7","result":` + task + `}`,
		"a result without id":         `{"jsonrpc":"2.0","result":` + task + `}`,
		"a result with an id of null": `{"jsonrpc":"2.0","id":null,"result":` + task + `}`,
		"a request":                   `{"jsonrpc":"2.0","id":7,"method":"message/send"}`,
		"a result and an error":       `{"jsonrpc":"2.0","id":7,"result":` + task + `,"error":{"code":1,"message":"x"}}`,
		"neither":                     `{"jsonrpc":"2.0","id":7}`,
		"a result that is a string":   `{"jsonrpc":"2.0","id":7,"result":"done"}`,
		"a result of nothing":         `{"jsonrpc":"2.0","id":7,"result":{"kind":"task"}}`,
		"a result of another version": `{"jsonrpc":"2.0","id":7,"result":{"task":` + task + `}}`,
		"an error that is a string":   `{"jsonrpc":"2.0","id":7,"error":"x"}`,
		"an error without a code":     `{"jsonrpc":"2.0","id":7,"error":{"message":"x"}}`,
		"a part that is a string":     `{"jsonrpc":"2.0","id":7,"result":{"kind":"message","parts":["x"]}}`,
		"a member twice":              `{"jsonrpc":"2.0","id":7,"id":7,"result":` + task + `}`,
	} {
		_, _, err := scanAnswer(t, request, answer)
		require.Error(t, err, name)
	}
	c, x, err := scanAnswer(t, request, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"to ann","data":[{"@type":"x","reason":"to bob"}]}}`)
	require.NoError(t, err, "an error may be told before the id is known")
	assert.True(t, c.Answer.Failed)
	assert.Equal(t, []string{"result to ann", "result @type", "result to bob"}, texts(&x.Response))
}

func TestAFileThatNoLinkCanJudgeIsNoted(t *testing.T) {
	for part, want := range map[string]string{
		`{"raw":"JVBERi0xLjQ=","mediaType":"application/pdf"}`:           "application/pdf",
		`{"file":{"bytes":"JVBERi0xLjQ="}}`:                              "application/octet-stream",
		`{"raw":"iVBORw0KGgo=","mediaType":"image/png"}`:                 "",
		`{"url":"https://example.com/a.pdf"}`:                            "",
		`{"raw":"dG8gYW5u","mediaType":"text/plain"}`:                    "",
		`{"raw":"JVBERi0xLjQ=","mediaType":"text/plain","filename":"x"}`: "text/plain",
	} {
		c, _, err := scanAnswer(t, send(`{"text":"x"}`), `{"jsonrpc":"2.0","id":7,"result":{"kind":"message","role":"agent","parts":[`+part+`]}}`)
		require.NoError(t, err, part)
		assert.Equal(t, want, c.Answer.Opaque, part)
	}
}
