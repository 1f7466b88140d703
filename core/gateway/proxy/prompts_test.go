package proxy_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// buildPrompts is a request with three prompts.
func buildPrompts(model string, streamed bool) string {
	body := `{"model":"` + model + `","prompt":["one","two","three"]`
	if streamed {
		body += `,"stream":true`
	}
	return body + `}`
}

const promptUsage = "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"gpt-test\",\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2,\"total_tokens\":7}}\n\n"

// answersPrompt repeats the prompt.
func answersPrompt(r sent) string {
	for _, p := range []string{"one", "two", "three"} {
		if strings.Contains(r.body, `"`+p+`"`) {
			return stream(roleEvent, textEvent("said "+p), stopEvent, promptUsage, doneEvent)
		}
	}
	return ""
}

// A later prompt moves to the next target if the first refuses it. The first target's error must not appear between the
// answers.
func TestALaterPromptOfAStreamFailsOver(t *testing.T) {
	for name, refusal := range map[string]string{
		"with nothing": "", "with a short text": `{"error":{"message":"overloaded"}}`,
		"with a long text": `{"error":{"message":"` + strings.Repeat("overloaded ", 4<<10) + `"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int32
			first := newFake(t, func(c net.Conn, r sent) {
				if calls.Add(1) > 1 {
					says(buildWhole(503, "application/json", refusal))(c, r)
					return
				}
				says(answersPrompt(r))(c, r)
			})
			second := newFake(t, func(c net.Conn, r sent) { says(answersPrompt(r))(c, r) })
			g := open(t, setup{targets: []route.Provider{
				openAI(t, "a", first.url, nil, upstream.Timeouts{}), openAI(t, "b", second.url, nil, upstream.Timeouts{}),
			}})
			a := g.callPath("/v1/completions", buildPrompts("many", true))
			require.Equal(t, 200, a.status, a.body)
			for _, want := range []string{"said one", "said two", "said three"} {
				assert.Contains(t, a.body, want)
			}
			assert.NotContains(t, a.body, "overloaded")
			assert.True(t, strings.HasSuffix(a.body, "data: [DONE]\n\n"), a.body)
		})
	}
}

func TestWhatTheFirstPromptsUsedIsBookedWhenALaterOneFails(t *testing.T) {
	for name, later := range map[string]string{
		"by a status":    buildWhole(400, "application/json", `{"error":{"message":"no"}}`),
		"by its form":    buildWhole(200, "text/html", "<html>"),
		"by its content": buildWhole(200, "application/json", "[]"),
		"by its end":     streamHead + chunk(roleEvent+textEvent("x")),
	} {
		for _, streamed := range []bool{false, true} {
			if streamed == (name == "by its content") || !streamed && name == "by its end" {
				continue
			}
			t.Run(name, func(t *testing.T) {
				var calls atomic.Int32
				up := newFake(t, func(c net.Conn, r sent) {
					switch {
					case calls.Add(1) > 2:
						says(later)(c, r)
					case streamed:
						says(answersPrompt(r))(c, r)
					default:
						says(buildWhole(200, "application/json", completion("x")))(c, r)
					}
				})
				g := open(t, setup{url: up.url})
				g.callPath("/v1/completions", buildPrompts("gpt-test", streamed))
				g.outcome()
				u := g.usage()
				if streamed {
					assert.EqualValues(t, 10, u.Input)
				} else {
					// The usage of an unusable answer that the provider may have charged for is estimated.
					assert.Equal(t, name == "by its content", u.Estimated == 1)
					assert.GreaterOrEqual(t, u.Input, int64(14))
				}
			})
		}
	}
}

func TestAnAnswerDoesNotWaitForThatOfTheNextPrompt(t *testing.T) {
	read := make(chan struct{})
	up := newFake(t, func(c net.Conn, r sent) {
		if strings.Contains(r.body, `"two"`) {
			select {
			case <-read:
			case <-time.After(generous):
			}
		}
		says(answersPrompt(r))(c, r)
	})
	g := open(t, setup{url: up.url})
	r := g.request("dev", strings.NewReader(buildPrompts("gpt-test", true)))
	r.URL.Path = "/v1/completions"
	ctx, leave := context.WithTimeout(t.Context(), generous/2)
	defer leave()
	res, err := http.DefaultTransport.RoundTrip(r.WithContext(ctx))
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	lines, text := bufio.NewReader(res.Body), ""
	for !strings.Contains(text, `"finish_reason":"stop"`) {
		line, err := lines.ReadString('\n')
		require.NoError(t, err, text)
		text += line
	}
	assert.Contains(t, text, "said one")
	close(read)
	rest, err := io.ReadAll(lines)
	require.NoError(t, err)
	assert.Contains(t, string(rest), "said three")
}
