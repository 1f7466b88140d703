package clients

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pixel is the beginning of a PNG file.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// TestImagesAndSchemasReachEveryProviderThatTakesThem sends what the clients send
// for an image and for an answer in a schema.
func TestImagesAndSchemasReachEveryProviderThatTakesThem(t *testing.T) {
	s := newScripted(t)
	addr := serveWith(t, everyProvider, s.URL)
	const schema = `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`
	for _, x := range targets {
		if x.dir == "cohere" { // it has neither
			continue
		}
		for name, send := range map[string]heardBack{
			"chat": post(t, addr, "/v1/chat/completions", nil, fmt.Sprintf(`{"model":%q,"max_tokens":64,"messages":[{"role":"user","content":[{"type":"text","text":"Where?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,%s"}}]}],`+
				`"response_format":{"type":"json_schema","json_schema":{"name":"place","strict":true,"schema":%s}}}`, x.model, pixel, schema)),
			"responses": post(t, addr, "/v1/responses", nil, fmt.Sprintf(`{"model":%q,"max_output_tokens":64,"input":[{"role":"user","content":[{"type":"input_text","text":"Where?"},{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,%s"}]}],`+
				`"text":{"format":{"type":"json_schema","name":"place","strict":true,"schema":%s}}}`, x.model, pixel, schema)),
			"messages": post(t, addr, "/v1/messages", nil, fmt.Sprintf(`{"model":%q,"max_tokens":64,"messages":[{"role":"user","content":[{"type":"text","text":"Where?"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}}]}],`+
				`"output_config":{"format":{"type":"json_schema","schema":%s}}}`, x.model, pixel, schema)),
			"generateContent": post(t, addr, "/v1/gen/v1beta/models/"+x.model+":generateContent", nil, fmt.Sprintf(`{"contents":[{"role":"user","parts":[{"text":"Where?"},{"inlineData":{"mimeType":"image/png","data":"%s"}}]}],`+
				`"generationConfig":{"maxOutputTokens":64,"responseMimeType":"application/json","responseJsonSchema":%s}}`, pixel, schema)),
		} {
			require.Equal(t, 200, send.status, "%s to %s: %s", name, x.dir, send.body)
		}
		s.mu.Lock()
		got := s.got
		s.got = nil
		s.mu.Unlock()
		require.Len(t, got, 4)
		for _, r := range got {
			assert.Contains(t, string(r.body), pixel, x.dir)
			if x.dir != "ollama" { // it looks at the bytes
				assert.Contains(t, string(r.body), "png", x.dir)
			}
			assert.Contains(t, string(r.body), `city`, x.dir)
		}
	}
}
