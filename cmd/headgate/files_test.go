package main_test

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A file must not bypass the chain that a message must pass.
func TestFilesPassTheGuardsOrAreRefusedUntilTheOperatorLetsThemPass(t *testing.T) {
	t.Parallel()
	var asked atomic.Pointer[string]
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body) // a truncated body has no file
		body := string(b)
		asked.Store(&body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"a","object":"chat.completion","created":1,"model":"gpt-4o",`+
			`"choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}}`)
	}))
	t.Cleanup(up.Close)
	s := newSite(t)
	config := configText(up.URL, "  - stage: pii\n")
	s.write("gateway.yaml", []byte(config))
	c := s.serve("--config", "gateway.yaml").client(testKey)
	send := func(media, content string) answer {
		a, err := c.do("POST", "/v1/chat/completions", []byte(`{"model":"gpt-4o","messages":[{"role":"user","content":[{"type":"text","text":"Sum up."},`+
			`{"type":"file","file":{"filename":"a","file_data":"data:`+media+`;base64,`+base64.StdEncoding.EncodeToString([]byte(content))+`"}}]}]}`))
		require.NoError(t, err)
		return a
	}
	require.Equal(t, http.StatusOK, send("text/csv", "name,card\nJo,"+card+"\n").status)
	sent := regexp.MustCompile(`;base64,([^"]+)"`).FindStringSubmatch(*asked.Swap(nil))
	require.Len(t, sent, 2)
	text, err := base64.StdEncoding.DecodeString(sent[1])
	require.NoError(t, err)
	assert.Regexp(t, `^name,card\nJo,\{\{PII_CREDIT_CARD_[0-9a-f]{16}\}\}\n$`, string(text))

	const pdf = "%PDF-1.7 " + card
	a := send("application/pdf", pdf)
	assert.Equal(t, http.StatusBadRequest, a.status, a.body)
	assert.Contains(t, a.body, "files: pass")
	assert.Equal(t, "unsupported_parameter", a.code())
	assert.Nil(t, asked.Load(), "the provider is not called")

	s.write("gateway.yaml", []byte(config+"files: pass\n"))
	eventually(t, "the changed configuration lets files pass", func() bool { return send("application/pdf", pdf).status == http.StatusOK })
	assert.Contains(t, *asked.Load(), base64.StdEncoding.EncodeToString([]byte(pdf)))
}
