package proxy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type response struct {
	ID, Object, Status, Model string
	Incomplete                *struct{ Reason string } `json:"incomplete_details"`
	Output                    []struct {
		Type, ID, Status, Role, Name, Arguments, Input string
		CallID                                         string `json:"call_id"`
		Content                                        []struct{ Type, Text, Refusal string }
	}
	Usage *struct {
		Input   int `json:"input_tokens"`
		Output  int `json:"output_tokens"`
		Total   int `json:"total_tokens"`
		Details struct {
			Reasoning int `json:"reasoning_tokens"`
		} `json:"output_tokens_details"`
	}
}

func responsesTold(t *testing.T, body string, m manner) (a told) {
	var v response
	if m == wholly {
		strictly(t, body, &v)
		return v.tellAnswer(t)
	}
	var pieces told
	for i, f := range framesOf(t, body) {
		var e struct {
			Type, Delta string
			Sequence    *int `json:"sequence_number"`
			Index       int  `json:"output_index"`
			Item        struct{ Type, Name string }
			Response    response
		}
		strictly(t, f.data, &e)
		require.Equal(t, f.event, e.Type)
		require.NotNil(t, e.Sequence, f.data)
		require.Equal(t, i, *e.Sequence)
		require.Empty(t, v.ID, "nothing follows the end")
		switch e.Type {
		case "response.output_text.delta":
			pieces.Text += e.Delta
		case "response.refusal.delta":
			pieces.Refusal += e.Delta
		case "response.output_item.added":
			if e.Item.Type == "function_call" || e.Item.Type == "custom_tool_call" {
				pieces.Calls = append(pieces.Calls, e.Item.Name+" ")
			}
		case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
			pieces.Calls[len(pieces.Calls)-1] += e.Delta
		case "response.completed", "response.incomplete":
			require.Equal(t, "response."+e.Response.Status, e.Type)
			v = e.Response
		}
	}
	a = v.tellAnswer(t)
	assert.Equal(t, told{Text: a.Text, Refusal: a.Refusal, Calls: a.Calls}, pieces, "the final event repeats the others")
	return a
}

func (v *response) tellAnswer(t *testing.T) (a told) {
	require.Equal(t, "response", v.Object)
	require.NotEmpty(t, v.ID)
	require.NotEmpty(t, v.Model)
	for _, it := range v.Output {
		switch it.Type {
		case "message":
			require.Equal(t, "assistant", it.Role)
			require.NotEmpty(t, it.ID)
			for _, p := range it.Content {
				require.Contains(t, []string{"output_text", "refusal"}, p.Type)
				a.Text += p.Text
				a.Refusal += p.Refusal
			}
		case "function_call":
			require.NotEmpty(t, it.CallID)
			a.Calls = append(a.Calls, it.Name+" "+it.Arguments)
		case "custom_tool_call":
			require.NotEmpty(t, it.CallID)
			a.Calls = append(a.Calls, it.Name+" "+it.Input)
		default:
			require.Equal(t, "reasoning", it.Type)
		}
	}
	a.Finish = v.Status
	if v.Incomplete != nil {
		a.Finish += " " + v.Incomplete.Reason
	}
	if u := v.Usage; u != nil {
		assert.Equal(t, u.Total, u.Input+u.Output)
		a.Usage = &spent{u.Input, u.Output, u.Details.Reasoning}
	}
	return a
}
