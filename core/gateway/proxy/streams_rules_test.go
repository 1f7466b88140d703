package proxy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readEvents returns the types of a stream's events and their data.
func readEvents(t *testing.T, body string) (types []string, data []json.RawMessage) {
	body = strings.ReplaceAll(body, "\r\n", "\n") // Google's line ends
	require.True(t, strings.HasSuffix(body, "\n\n"), "the last event is complete: %q", body)
	for event := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		typ := ""
		for line := range strings.SplitSeq(event, "\n") {
			if v, ok := strings.CutPrefix(line, "event: "); ok {
				typ = v
			} else if v, ok := strings.CutPrefix(line, "data: "); ok {
				require.True(t, json.Valid([]byte(v)), v)
				data = append(data, json.RawMessage(v))
			} else {
				require.Fail(t, "neither an event nor a data line", "%q", line)
			}
		}
		types = append(types, typ)
	}
	return types, data
}

// streamFrom requests a feature from a provider of the matrix in a shape, as a stream.
func streamFrom(t *testing.T, v vendor, shape *shapeOf, feature string) answer {
	c := newColumn(t, v)
	model := c.modelFor(shape, feature)
	body := strings.Replace(shape.request(t, feature), `"MODEL"`, `"`+model+`"`, 1)
	body = strings.Replace(body, `"stream":false`, `"stream":true`, 1)
	path := strings.Replace(strings.Replace(shape.path, "MODEL", model, 1), ":generateContent", ":streamGenerateContent?alt=sse", 1)
	c.fake.say(feature, streamed)
	a := c.g.callPath(path, body)
	require.Equal(t, 200, a.status, a.body)
	assert.Contains(t, a.header.Get("Content-Type"), "text/event-stream")
	return a
}

// "Streaming events" 2: response.output_item.added, response.function_call_arguments.delta
// and .done, response.output_item.done, response.completed with usage, from every wire.
func TestAResponsesStreamHasTheEventsOfTheSpecification(t *testing.T) {
	for _, v := range vendors {
		if lacking[v.name]["tools"] {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			types, data := readEvents(t, streamFrom(t, v, shapesOf[3], "tools").body)
			at := -1
			for _, want := range []string{
				"response.created", "response.output_item.added", "response.function_call_arguments.delta",
				"response.function_call_arguments.done", "response.output_item.done", "response.completed",
			} {
				next := at + 1
				for next < len(types) && types[next] != want {
					next++
				}
				require.Less(t, next, len(types), "%s in %v", want, types)
				at = next
			}
			assert.Equal(t, len(types)-1, at, "response.completed is the last")
			var last struct {
				Response struct {
					Usage struct {
						Input  int `json:"input_tokens"`
						Output int `json:"output_tokens"`
					}
				}
			}
			require.NoError(t, json.Unmarshal(data[at], &last))
			assert.Positive(t, last.Response.Usage.Input)
			assert.Positive(t, last.Response.Usage.Output)
			for i, d := range data {
				var e struct {
					Type   string
					Number *int `json:"sequence_number"`
				}
				require.NoError(t, json.Unmarshal(d, &e))
				assert.Equal(t, types[i], e.Type, "the event's name is its type")
				require.NotNil(t, e.Number)
				if wireOf(v) != "openai.responses" {
					assert.Equal(t, i, *e.Number)
				}
			}
		})
	}
}

// wireOf returns the wire in which a provider is called for Responses.
func wireOf(v vendor) string {
	if v.name == "openai" || v.name == "azure-openai" {
		return "openai.responses"
	}
	return mainWire[v.name]
}

// "Streaming events" 3: generateContent streams are SSE with alt=sse, from every wire.
func TestAGenerateContentStreamIsSSEWithAltSSE(t *testing.T) {
	for _, v := range vendors {
		t.Run(v.name, func(t *testing.T) {
			types, data := readEvents(t, streamFrom(t, v, shapesOf[4], "plain").body)
			finish := ""
			for i, d := range data {
				assert.Empty(t, types[i], "events have no name")
				var e struct {
					Candidates []struct {
						Content      *struct{ Parts []struct{ Text string } }
						FinishReason string `json:"finishReason"`
					}
				}
				require.NoError(t, json.Unmarshal(d, &e))
				for _, c := range e.Candidates {
					assert.Empty(t, finish, "nothing follows the end")
					finish = c.FinishReason
				}
			}
			assert.Equal(t, "STOP", finish)
		})
	}
}

// The events of a Messages stream, from every wire: clients rely on the order.
func TestAMessagesStreamHasItsEventsInOrder(t *testing.T) {
	for _, v := range vendors {
		t.Run(v.name, func(t *testing.T) {
			types, data := readEvents(t, streamFrom(t, v, shapesOf[2], "plain").body)
			var seen []string
			for i, typ := range types {
				var e struct{ Type string }
				require.NoError(t, json.Unmarshal(data[i], &e))
				assert.Equal(t, typ, e.Type)
				if typ != "ping" && (len(seen) == 0 || seen[len(seen)-1] != typ) {
					seen = append(seen, typ)
				}
			}
			assert.Equal(
				t,
				[]string{"message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop"},
				seen,
			)
		})
	}
}
