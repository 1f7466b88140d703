package providers

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// callMock returns what the mock calls for a body: the name, the arguments and the call's id.
func callMock(t testing.TB, body string) (name, args, id string) {
	t.Helper()
	res, answer := ask(t, body)
	require.Equal(t, 200, res.Status, answer)
	var v struct {
		Choices []struct {
			Message struct {
				Calls []struct {
					ID       string
					Function struct{ Name, Arguments string }
				} `json:"tool_calls"`
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(answer), &v))
	require.Len(t, v.Choices[0].Message.Calls, 1, answer)
	c := v.Choices[0].Message.Calls[0]
	return c.Function.Name, c.Function.Arguments, c.ID
}

func mockTools(tools ...string) string {
	return `,"tools":[{"type":"function","function":` + strings.Join(tools, `},{"type":"function","function":`) + `}]`
}

func TestTheMockFillsTheMembersThatAToolRequires(t *testing.T) {
	for name, tc := range map[string]struct{ schema, want string }{
		"strings get the text":     {`{"required":["cmd"],"properties":{"cmd":{"type":"string"},"dir":{"type":"string"}}}`, `{"cmd":"echo hi"}`},
		"members without a schema": {`{"required":["a"]}`, `{"a":"echo hi"}`},
		"numbers":                  {`{"required":["a","b","c"],"properties":{"a":{"type":"integer"},"b":{"type":"number","minimum":2.5},"c":{"type":"integer","exclusiveMinimum":4}}}`, `{"a":1,"b":2.5,"c":5}`},
		"the rest of the types":    {`{"required":["a","b"],"properties":{"a":{"type":"boolean"},"b":{"type":"null"}}}`, `{"a":false,"b":null}`},
		"values that are listed":   {`{"required":["a","b","c"],"properties":{"a":{"enum":["x","y"]},"b":{"const":7},"c":{"type":"string","default":"d"}}}`, `{"a":"x","b":7,"c":"d"}`},
		"objects in lists":         {`{"required":["l"],"properties":{"l":{"type":"array","items":{"type":"object","required":["q"],"properties":{"q":{"type":"string"}}}}}}`, `{"l":[{"q":"echo hi"}]}`},
		"a list's shortest length": {`{"required":["l"],"properties":{"l":{"items":{"type":"integer"},"minItems":2}}}`, `{"l":[1,1]}`},
		"choices":                  {`{"required":["a","b"],"properties":{"a":{"type":["string","null"]},"b":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}`, `{"a":"echo hi","b":1}`},
		"references":               {`{"required":["a"],"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"required":["b"],"properties":{"b":{"type":"string"}}}}}`, `{"a":{"b":"echo hi"}}`},
		"formats":                  {`{"required":["a","b"],"properties":{"a":{"type":"string","format":"uri"},"b":{"type":"string","format":"date"}}}`, `{"a":"https://example.com/","b":"2026-01-02"}`},
		"nothing is required":      {`{"properties":{"n":{"type":"integer"},"q":{"type":"string"}}}`, `{"q":"echo hi"}`},
		"nothing takes a text":     {`{"properties":{"n":{"type":"integer"}}}`, `{}`},
		"no members":               {`{"type":"object"}`, `{"input":"echo hi"}`},
		"no schema":                {`true`, `{"input":"echo hi"}`},
		"keywords of other types":  {`{"required":"a","properties":[1]}`, `{"input":"echo hi"}`},
		"an unresolved reference":  {`{"required":["a"],"properties":{"a":{"$ref":"#/$defs/none"}}}`, `{"a":"echo hi"}`},
	} {
		t.Run(name, func(t *testing.T) {
			body := mockAsk("mock-tools", "echo hi", mockTools(`{"name":"run","parameters":`+tc.schema+`}`))
			tool, args, _ := callMock(t, body)
			assert.Equal(t, "run", tool)
			assert.JSONEq(t, tc.want, args)
		})
	}
}

func TestTheMockEndsASchemaThatRefersToItself(t *testing.T) {
	const schema = `{"required":["a","b","c","d"],"properties":{"a":{"$ref":"#/$defs/A"},"b":{"$ref":"#/$defs/A"},"c":{"$ref":"#/$defs/A"},"d":{"$ref":"#/$defs/B"}},
		"$defs":{"A":{"type":"object","required":["a","b","c","d"],"properties":{"a":{"$ref":"#/$defs/A"},"b":{"$ref":"#/$defs/A"},"c":{"$ref":"#/$defs/A"},"d":{"$ref":"#/$defs/A"}}},"B":{"$ref":"#/$defs/B"}}}`
	_, args, _ := callMock(t, mockAsk("mock-tools", "x", mockTools(`{"name":"run","parameters":`+schema+`}`)))
	assert.True(t, json.Valid([]byte(args)), args)
	assert.Less(t, len(args), 16<<10)
}

func TestTheMockCallsTheToolThatTheTextNames(t *testing.T) {
	tools := mockTools(`{"name":"Agent"}`, `{"name":"Bash"}`, `{"name":"Bash_Output"}`)
	for name, tc := range map[string]struct{ text, more, tool, args string }{
		"with its arguments":     {`Bash {"command":"echo {x}"} now`, "", "Bash", `{"command":"echo {x}"}`},
		"the last one":           {`Agent {"a":1}, then Bash{"b":2}`, "", "Bash", `{"b":2}`},
		"not a part of its name": {`Bash_Output {"id":3}`, "", "Bash_Output", `{"id":3}`},
		"no other word":          {`MyBash {"b":2}`, "", "Agent", `{"input":"MyBash {\"b\":2}"}`},
		"no arguments":           {`use Bash`, "", "Agent", `{"input":"use Bash"}`},
		"broken arguments":       {`Bash {"b"`, "", "Agent", `{"input":"Bash {\"b\""}`},
		"the demanded one":       {"x", `,"tool_choice":{"type":"function","function":{"name":"Bash"}}`, "Bash", `{"input":"x"}`},
		"any demanded":           {"x", `,"tool_choice":"required"`, "Agent", `{"input":"x"}`},
	} {
		t.Run(name, func(t *testing.T) {
			tool, args, _ := callMock(t, mockAsk("mock-tools", tc.text, tools+tc.more))
			assert.Equal(t, tc.tool, tool)
			assert.JSONEq(t, tc.args, args)
		})
	}
	_, body := ask(t, mockAsk("mock-tools", "x", tools+`,"tool_choice":"none"`))
	got, _ := texts(t, body)
	assert.Equal(t, []string{"x"}, got, "a client that wants no call gets a text")
}

func TestTheMockCallsAgainInTheNextTurnByAnotherID(t *testing.T) {
	const turn = `{"role":"user","content":"first"},{"role":"assistant","tool_calls":[]},{"role":"tool","tool_call_id":"call_mock_1","content":"42"}`
	body := func(more string) string {
		return fmt.Sprintf(`{"model":"mock-tools","messages":[%s%s]%s}`, turn, more, mockTools(`{"name":"run"}`))
	}
	_, answer := ask(t, body(""))
	got, _ := texts(t, answer)
	assert.Equal(t, []string{"42"}, got)
	_, args, id := callMock(t, body(`,{"role":"assistant","content":"42"},{"role":"user","content":"second"}`))
	assert.JSONEq(t, `{"input":"second"}`, args)
	assert.Equal(t, "call_mock_2", id)
}
