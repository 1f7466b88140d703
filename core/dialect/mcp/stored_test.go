package mcp

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

func TestARecordedMessageIsReadWithoutItsHeaders(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		era  Era
		code string
	}{
		"a modern call": {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{` + meta + `,"name":"find","arguments":{"q":"x y"}}}`, Modern, ""},
		"a legacy call": {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"find","arguments":{"q":"x y"}}}`, Legacy, ""},
		"a call without a name": {
			`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":{}}}`, Legacy, core.CodeMissingField,
		},
		"a name that redaction has replaced": {
			`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"{{PII_EMAIL_0123456789abcdef}}"}}`, Legacy, core.CodeInvalidValue,
		},
		"no message": {`{"id":7}`, 0, CodeInvalidMessage},
	} {
		t.Run(name, func(t *testing.T) {
			s, x := new(Stored), &core.Exchange{}
			x.Request.Raw = []byte(c.body)
			e := s.Scan(x)
			if c.code != "" {
				require.NotNil(t, e)
				assert.Equal(t, c.code, e.Code)
				return
			}
			require.Nil(t, e)
			assert.Equal(t, []string{c.era.String(), "tools/call", "find"}, []string{s.Era.String(), s.Method, s.Target})
			x.Response.Raw = []byte(result(`"content":[{"type":"text","text":"a"}]`))
			require.Error(t, s.ScanResponse(x), "the response has another id")
			x.Response.Raw = []byte(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"a text"}]}}`)
			require.NoError(t, s.ScanResponse(x))
			assert.Equal(t, "a text", x.Response.ReadText(len(x.Response.Segments)-1))
		})
	}
	_, _, e := scanRequest(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{`+meta+`,"name":"find"}}`, nil)
	require.NotNil(t, e, "a client must send the headers")
	assert.Equal(t, CodeHeaderMismatch, e.Code)
}
