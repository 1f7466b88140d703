package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startTestMock serves a mock until the test ends and returns it with its URL.
func startTestMock(t *testing.T) (*mock, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	m := newMock(streamChunks, 20)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- m.serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		http.DefaultClient.CloseIdleConnections()
		assert.NoError(t, <-done)
	})
	return m, "http://" + l.Addr().String()
}

func post(t *testing.T, url, body string) string {
	t.Helper()
	res, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	require.Equal(t, http.StatusOK, res.StatusCode)
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(b)
}

type mockChoice struct {
	Message, Delta struct{ Content string }
	FinishReason   string `json:"finish_reason"`
}

type mockCompletion struct {
	Choices []mockChoice
	Usage   *struct {
		Total int `json:"total_tokens"`
	}
}

const testPlaceholder = "{{PII_CREDIT_CARD_0123456789abcdef}}"

func TestMockEchoesTheFirstPlaceholder(t *testing.T) {
	tests := map[string]struct{ body, echo string }{
		"a prompt with one": {`{"messages":[{"content":"card ` + testPlaceholder + `"}]}`, testPlaceholder},
		"a prompt with two": {
			`{"a":"{{PII_EMAIL_0123456789abcdef}} ` + testPlaceholder + `"}`,
			"{{PII_EMAIL_0123456789abcdef}}",
		},
		"a prompt with none":              {`{"messages":[]}`, noPlaceholder},
		"an unclosed one":                 {`{"a":"{{PII_EMAIL_0123"}`, noPlaceholder},
		"something that would break JSON": {`{"a":"{{PII_EMAIL","b":"}}"}`, noPlaceholder},
		"a broken one before a good one":  {`{"a":"{{PII_{{PII_EMAIL_0123456789abcdef}}"}`, "{{PII_EMAIL_0123456789abcdef}}"},
		"one that is too long":            {`{"a":"{{PII_` + strings.Repeat("A", 64) + `}}"}`, noPlaceholder},
	}
	m, url := startTestMock(t)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var c mockCompletion
			require.NoError(t, json.Unmarshal([]byte(post(t, url, tc.body)), &c))
			require.Len(t, c.Choices, 1)
			assert.Equal(t, 1, strings.Count(c.Choices[0].Message.Content, tc.echo))
			assert.Positive(t, c.Usage.Total)

			body := strings.TrimSuffix(tc.body, "}") + `,"stream": true}`
			chunks, echoed := 0, 0
			s := bufio.NewScanner(strings.NewReader(post(t, url, body)))
			last, usage := "", 0
			for s.Scan() {
				data, ok := strings.CutPrefix(s.Text(), "data: ")
				if !ok {
					assert.Empty(t, s.Text(), "only data lines and the blank lines between them")
					continue
				}
				if last = data; data == "[DONE]" {
					continue
				}
				var e mockCompletion
				require.NoError(t, json.Unmarshal([]byte(data), &e), data)
				if e.Usage != nil {
					usage = e.Usage.Total
				}
				for _, ch := range e.Choices {
					if ch.Delta.Content != "" {
						chunks++
					}
					echoed += strings.Count(ch.Delta.Content, tc.echo)
				}
			}
			assert.Equal(t, "[DONE]", last)
			assert.Equal(t, streamChunks, chunks)
			assert.Equal(t, 1, echoed, "whole, in one chunk")
			assert.Positive(t, usage)
		})
	}
	require.Eventually(t, func() bool { return m.readStats().Echoes >= 6 }, 10*time.Second, time.Millisecond, "counted once the answer is written")
	s := m.readStats()
	assert.Equal(t, int64(2*len(tests)), s.Requests)
	assert.Equal(t, int64(len(tests)), s.Streams)
	assert.Equal(t, int64(6), s.Placeholders)
	assert.Equal(t, int64(6), s.Echoes)
	assert.Positive(t, s.BytesIn)
	assert.Greater(t, s.BytesOut, s.BytesIn)
}

func TestAnswersWeighTheSameWithAndWithoutAPlaceholder(t *testing.T) {
	assert.Len(t, noPlaceholder, len("{{PII_EMAIL_0123456789abcdef}}"))
}

func TestMockCountsOnlyChatCompletions(t *testing.T) {
	m, url := startTestMock(t)
	_, err := fetchURL(t.Context(), url+"/v1/models")
	require.NoError(t, err)
	_, err = fetchURL(t.Context(), url+"/nowhere")
	var status statusError
	require.ErrorAs(t, err, &status)
	assert.Equal(t, http.StatusNotFound, int(status))
	s, err := fetchStats(t.Context(), url)
	require.NoError(t, err)
	assert.Zero(t, s.Requests)
	assert.Equal(t, int64(1), s.Unknown)
	assert.Equal(t, m.readStats().Unknown, s.Unknown)
}

func TestMockReadsChunkedBodies(t *testing.T) {
	_, url := startTestMock(t)
	res, err := http.Post(
		url+"/v1/chat/completions",
		"application/json",
		io.MultiReader(strings.NewReader(`{"a":"{{PII_EMAIL_`), strings.NewReader(`0123456789abcdef}}"}`)),
	)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	assert.Contains(t, string(b), "{{PII_EMAIL_0123456789abcdef}}")
}

func FuzzEchoNeverBreaksTheAnswer(f *testing.F) {
	f.Add([]byte(testPlaceholder))
	f.Add([]byte(`{{PII_"}}`))
	f.Add([]byte("{{PII_}}{{PII_A}}"))
	s := newScript(3, 4)
	f.Fuzz(func(t *testing.T, body []byte) {
		echo := findPlaceholder(body)
		if echo == nil {
			return
		}
		require.Contains(t, string(body), string(echo))
		require.LessOrEqual(t, len(echo), maxPlaceholder)
		answer := append(append(append([]byte(nil), s.wholeBefore...), echo...), s.wholeAfter...)
		require.True(t, json.Valid(answer))
	})
}
