package proxy_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// usageOf is the usage in the last chunk of a chat stream.
func usageOf(body string) string {
	lo, hi := strings.LastIndex(body, `"usage":`), strings.LastIndex(body, "}\n\ndata: [DONE]")
	if lo < 0 || hi < lo {
		return `"usage":null`
	}
	return body[lo:hi]
}

// withoutUsage cuts the usage chunk, which only clients that request it get.
func withoutUsage(body string) string {
	lo := strings.LastIndex(body, `data: {"id"`)
	if lo < 0 || !strings.Contains(body[lo:], `"choices":[]`) {
		return body
	}
	return body[:lo] + "data: [DONE]\n\n"
}

// frameEvents encodes events, one per line, as binary frames.
func frameEvents(t *testing.T, lines string) string {
	var b bytes.Buffer
	for line := range strings.Lines(lines) {
		kind, payload, _ := strings.Cut(strings.TrimSpace(line), " ")
		m := eventstream.Message{Payload: []byte(payload)}
		set := func(k, v string) { m.Headers.Set(k, eventstream.StringValue(v)) }
		if name, failed := strings.CutPrefix(kind, "!"); failed {
			set(":exception-type", name)
			set(":message-type", "exception")
		} else {
			set(":event-type", kind)
			set(":message-type", "event")
		}
		set(":content-type", "application/json")
		if err := eventstream.NewEncoder().Encode(&b, m); err != nil {
			t.Error(err) // not the test's goroutine
		}
	}
	return b.String()
}

// partsOf reads a file of testdata/matrix, whose parts start with "-- name --".
func partsOf(t *testing.T, name string) map[string]string {
	b, err := os.ReadFile("testdata/matrix/" + name + ".txt")
	if err != nil {
		t.Error(err)
	}
	parts, part := map[string]string{}, ""
	for line := range strings.Lines(string(b)) {
		if n, ok := strings.CutPrefix(line, "-- "); ok {
			part = strings.TrimSuffix(n, " --\n")
			continue
		}
		parts[part] += line
	}
	return parts
}

// overheard is the mock, with its requests recorded. If the mock has no answer, the answer comes from the script.
type overheard struct {
	route.Provider
	fake *scriptedProvider
}

func (o *overheard) Client() upstream.Client { return o }
func (o *overheard) Close() error            { return nil }

func (o *overheard) Do(ctx context.Context, r *upstream.Request) (*upstream.Response, error) {
	s := o.fake
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &asked{wire: "openai.chat", body: string(r.Body)}
	s.calls = append(s.calls, a)
	switch s.feature {
	case "parallel", "refusal", "early":
		status, kind, said := s.answer(a)
		a.said = said
		return &upstream.Response{
			Status: status, ContentLength: -1, Header: []upstream.Field{{Name: "Content-Type", Value: kind}},
			Body: &piecesBody{[]string{said}},
		}, nil
	}
	return o.Provider.Client().Do(ctx, r)
}
