package a2a

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

func TestACardNamesTheGatewayAndNothingElseOfTheAgent(t *testing.T) {
	const own = "https://gateway.example.com/a2a/geo"
	for _, version := range []string{Version03, Version10} {
		t.Run(version, func(t *testing.T) {
			before := read(t, "card_"+version+".json")
			out, err := RewriteCard(before, own, false)
			require.NoError(t, err)
			var was, is map[string]any
			require.NoError(t, json.Unmarshal(before, &was))
			require.NoError(t, json.Unmarshal(out, &is), string(out))
			assert.NotContains(t, is, "signatures")
			assert.NotContains(t, is, "additionalInterfaces")
			assert.NotContains(t, string(out), "georoute-agent.example.com/a2a")
			assert.NotContains(t, string(out), "GRPC")
			assert.NotContains(t, string(out), "accounts.google.com")
			assert.Contains(t, is["securitySchemes"], "headgate")
			capabilities := is["capabilities"].(map[string]any)
			assert.Equal(t, false, capabilities["pushNotifications"])
			assert.Equal(t, true, capabilities["streaming"])
			for _, same := range []string{"name", "description", "skills", "provider", "version", "defaultInputModes"} {
				assert.Equal(t, was[same], is[same], same)
			}
			if version == Version03 {
				assert.Equal(t, own, is["url"])
				assert.Equal(t, "JSONRPC", is["preferredTransport"])
				return
			}
			assert.Equal(t, []any{map[string]any{"url": own, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}}, is["supportedInterfaces"])
			assert.NotContains(t, is, "url")
		})
	}
}

func TestOnlyInterfacesThatTheGatewayServesStay(t *testing.T) {
	out, err := RewriteCard([]byte(`{"name":"x","supportedInterfaces":[{"url":"https://a/1","protocolBinding":"GRPC","protocolVersion":"1.0"},`+
		`{"url":"https://a/2","protocolBinding":"jsonrpc","protocolVersion":"0.3.0"},{"url":"https://a/3","protocolBinding":"JSONRPC","protocolVersion":"1.0","tenant":"t"},`+
		`{"url":"https://a/4","protocolBinding":"JSONRPC","protocolVersion":"9.0"},7],"skills":[{"id":"s","securityRequirements":[{}],"tags":["a"]},"odd"]}`), "https://g/a2a/x", false)
	require.NoError(t, err)
	assert.JSONEq(t, `{"name":"x","supportedInterfaces":[{"url":"https://g/a2a/x","protocolBinding":"JSONRPC","protocolVersion":"0.3"}],`+
		`"skills":[{"id":"s","tags":["a"]},"odd"],"securitySchemes":`+schemes10+`,"securityRequirements":`+requirements10+`}`, string(out))
	for _, bad := range []string{``, `[]`, `"x"`, `{"name":"x","name":"y"}`, `{"name":"x"`} {
		_, err := RewriteCard([]byte(bad), "https://g", false)
		require.Error(t, err, bad)
	}
}

func TestIDsAreReplacedWhereTheyAreIDs(t *testing.T) {
	swap := func(kind IDKind, id string) (string, *core.Error) {
		if kind == TaskID {
			return "T:" + id, nil
		}
		return "C:" + id, nil
	}
	for _, c := range []struct{ request, doc, root, want string }{
		{
			"", `{"jsonrpc":"2.0","id":7,"method":"message/send","params":{"message":{"taskId":"a","contextId":"\u0062","referenceTaskIds":["c"],"parts":[{"data":{"taskId":"x"}}]},"id":"y"}}`,
			"params",
			`{"jsonrpc":"2.0","id":7,"method":"message/send","params":{"message":{"taskId":"T:a","contextId":"C:b","referenceTaskIds":["T:c"],"parts":[{"data":{"taskId":"x"}}]},"id":"y"}}`,
		},
		{
			`{"jsonrpc":"2.0","id":7,"method":"tasks/get","params":{"id":"a"}}`, `{"params":{"id":"a","metadata":{"taskId":"x"}}}`, "params",
			`{"params":{"id":"T:a","metadata":{"taskId":"x"}}}`,
		},
		{
			"", `{"id":7,"result":{"kind":"task","id":"a","contextId":"b","status":{"message":{"taskId":"a"}},"history":[{"taskId":"a","contextId":"b"}],"artifacts":[{"artifactId":"x"}]}}`,
			"result",
			`{"id":7,"result":{"kind":"task","id":"T:a","contextId":"C:b","status":{"message":{"taskId":"T:a"}},"history":[{"taskId":"T:a","contextId":"C:b"}],"artifacts":[{"artifactId":"x"}]}}`,
		},
		{"", `{"id":7,"result":{"task":{"id":"a"},"statusUpdate":{"taskId":"a"}}}`, "result", `{"id":7,"result":{"task":{"id":"T:a"},"statusUpdate":{"taskId":"T:a"}}}`},
		{"", `{"id":7,"error":{"code":1,"data":{"taskId":"a"}}}`, "result", `{"id":7,"error":{"code":1,"data":{"taskId":"a"}}}`},
	} {
		if c.request == "" {
			c.request = send(`{"text":"x"}`)
		}
		call, x, e := scanRequest(c.request)
		require.Nil(t, e)
		out, e := call.ReplaceIDs(x, []byte(c.doc), c.root, swap)
		require.Nil(t, e)
		assert.Equal(t, c.want, string(out))
	}
}
