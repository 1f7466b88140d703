package proxy_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func generateTold(t *testing.T, body string, m manner) (a told) {
	pieces := []string{body}
	if m == streamed {
		pieces = pieces[:0]
		for _, f := range framesOf(t, body) {
			require.Empty(t, f.event)
			pieces = append(pieces, f.data)
		}
	}
	for _, p := range pieces {
		var v struct {
			Candidates []struct {
				Index   int
				Finish  string `json:"finishReason"`
				Content struct {
					Role  string
					Parts []struct {
						Text    string
						Thought bool
						Call    *struct {
							Name string
							Args json.RawMessage
						} `json:"functionCall"`
					}
				}
			}
			Feedback struct{ BlockReason string } `json:"promptFeedback"`
			Usage    *struct {
				Prompt  int `json:"promptTokenCount"`
				Answer  int `json:"candidatesTokenCount"`
				Thought int `json:"thoughtsTokenCount"`
				Total   int `json:"totalTokenCount"`
			} `json:"usageMetadata"`
			Model string `json:"modelVersion"`
		}
		strictly(t, p, &v)
		for _, c := range v.Candidates {
			require.Empty(t, a.Finish, "nothing follows the finish")
			require.Zero(t, c.Index)
			for _, part := range c.Content.Parts {
				require.Equal(t, "model", c.Content.Role)
				if part.Call != nil {
					a.Calls = append(a.Calls, part.Call.Name+" "+string(part.Call.Args))
				}
				if !part.Thought {
					a.Text += part.Text
				}
			}
			a.Finish = c.Finish
		}
		if r := v.Feedback.BlockReason; r != "" {
			a.Finish = "blocked " + r
		}
		if u := v.Usage; u != nil {
			require.Equal(t, u.Total, u.Prompt+u.Answer+u.Thought)
			a.Usage = &spent{u.Prompt, u.Answer + u.Thought, u.Thought}
		}
	}
	require.NotEmpty(t, a.Finish)
	return a
}
