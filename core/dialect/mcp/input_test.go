package mcp

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/body/splice"
)

func TestARetryIsReadAndStrippedOfWhatItBrings(t *testing.T) {
	var s splice.Scanner
	for name, c := range map[string]struct {
		request, state, action, without string
		has                             bool
	}{
		"a first turn": {`{"id":1,"params":{"name":"a"}}`, "", "", `{"id":1,"params":{"name":"a"}}`, false},
		"a retry": {
			`{"params": {"requestState":"s\u0041","name":"a","inputResponses":{"approval":{"action":"accept"}},"x":[1, 2]}, "id":1}`,
			"sA", "accept", `{"params": {"name":"a","x":[1, 2]}, "id":1}`, true,
		},
		"a retry with nothing else": {
			`{"params":{"inputResponses":{"approval":{"action":"decline"}}}}`, "", "decline", `{"params":{}}`, true,
		},
		"an answer to another question": {
			`{"params":{"requestState":"s","inputResponses":{"other":{"action":"accept"}},"a\"b":1}}`, "s", "", `{"params":{"a\"b":1}}`, true,
		},
		"values of other types": {
			`{"params":{"requestState":7,"inputResponses":[1]}}`, "", "", `{"params":{}}`, true,
		},
		"no params": {`{"id":1}`, "", "", `{"id":1}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			state, action := ReadInput(&s, []byte(c.request), "approval")
			assert.Equal(t, []string{c.state, c.action}, []string{state, action})
			assert.Equal(t, c.without, string(RemoveInput(&s, []byte(c.request))))
			assert.Equal(t, c.has, HasInput(&s, []byte(c.request)))
		})
	}
}

func TestACapabilitySaysHowAClientCanAskItsUser(t *testing.T) {
	var s splice.Scanner
	for capabilities, want := range map[string][2]bool{
		`{}`:                                    {false, false},
		`{"elicitation":{}}`:                    {true, false},
		`{"elicitation":{"form":{}}}`:           {true, false},
		`{"elicitation":{"url":{}}}`:            {false, true},
		`{"elicitation":{"url":{},"form":{}}}`:  {true, true},
		`{"elicitation":true,"sampling":{}}`:    {false, false},
		`{"sampling":{"elicitation":{"a":{}}}}`: {false, false},
	} {
		form, page := ReadElicitation(&s, []byte(`{"params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":`+capabilities+`}}}`))
		assert.Equal(t, want, [2]bool{form, page}, capabilities)
	}
}
