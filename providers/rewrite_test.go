package providers

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMembersAreTakenOutAndPutInAndAllOtherBytesStay(t *testing.T) {
	version := member{"anthropic_version", `"v"`}
	for body, want := range map[string]string{
		`{"model":"m","max_tokens":1}`:                    `{"anthropic_version":"v","max_tokens":1}`,
		`{ "max_tokens" : 1 , "model" : "m" }`:            `{"anthropic_version":"v", "max_tokens" : 1 }`,
		`{"a":1, "model":"m", "stream":true, "b":[1.0]}`:  `{"anthropic_version":"v","a":1, "b":[1.0]}`,
		`{"a":1,"stream":true,"model":"m"}`:               `{"anthropic_version":"v","a":1}`,
		`{"stream":true,"model":"m"}`:                     `{"anthropic_version":"v"}`,
		`{}`:                                              `{"anthropic_version":"v"}`,
		`{"model":"m","anthropic_version":"own","a":1}`:   `{"anthropic_version":"own","a":1}`,
		`{"mod\u0065l":"m","a":{"model":"n"}}`:            `{"anthropic_version":"v","a":{"model":"n"}}`,
		"{\n  \"a\": \"\\u00fc\",\n  \"model\": \"m\"\n}": "{\"anthropic_version\":\"v\",\n  \"a\": \"\\u00fc\"\n}",
	} {
		before := []byte(body)
		got, err := rewriteMembers(before, []string{"model", "stream"}, version)
		require.NoError(t, err, body)
		assert.Equal(t, want, string(got))
		assert.True(t, json.Valid(got), want)
		assert.Equal(t, body, string(before), "the client's bytes stay")
	}
	same, err := rewriteMembers([]byte(`{"a":1}`), nil)
	require.NoError(t, err)
	assert.Equal(t, `{"a":1}`, string(same))
	replaced, err := rewriteMembers([]byte(`{"anthropic_beta":["theirs"],"a":1}`), []string{"anthropic_beta"}, member{"anthropic_beta", `["ours"]`})
	require.NoError(t, err)
	assert.Equal(t, `{"anthropic_beta":["ours"],"a":1}`, string(replaced), "a member that is dropped does not keep out its replacement")
	for _, bad := range []string{``, `[]`, `{"a":1`, `{"a":1}x`} {
		_, err := rewriteMembers([]byte(bad), nil, version)
		require.Error(t, err, bad)
	}
}

func FuzzRewrittenMembers(f *testing.F) {
	f.Add([]byte(`{"model":"m","a":1,"stream":true}`))
	f.Add([]byte(`{"a":1,"stream":true,"model":"m"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := rewriteMembers(body, []string{"model", "stream"}, member{"anthropic_version", `"v"`})
		if err != nil {
			return
		}
		var before, after map[string]json.RawMessage
		if json.Unmarshal(body, &before) != nil {
			return
		}
		require.NoError(t, json.Unmarshal(got, &after), "%s", got)
		delete(before, "model")
		delete(before, "stream")
		if before["anthropic_version"] == nil {
			before["anthropic_version"] = json.RawMessage(`"v"`)
		}
		assert.Equal(t, before, after)
	})
}
