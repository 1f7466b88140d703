package proxy_test

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// spoilt is one way in which a provider's answer can be broken.
type spoilt struct {
	name   string
	manner manner
	status int  // that the client gets; 0: 200 with the error in the stream, or 502 or 504 before it
	stalls bool // the connection stays open
	reason bool // the client gets the provider's own reason
	say    func(t *testing.T, wire, kind string, parts map[string]string) string
}

// head returns the head of an answer. A length of -1 omits Content-Length: the answer ends with its connection.
func head(kind string, length int) string {
	h := "HTTP/1.1 200 OK\r\nContent-Type: " + kind + "\r\nConnection: close\r\n"
	if length < 0 {
		return h + "\r\n"
	}
	return h + "Content-Length: " + strconv.Itoa(length) + "\r\n\r\n"
}

// eventsOf splits a streamed answer into its events.
func eventsOf(t *testing.T, wire, body string) (events []string) {
	switch wire {
	case "bedrock.converse":
		for line := range strings.Lines(body) {
			events = append(events, frameEvents(t, line))
		}
	case "ollama.chat":
		for line := range strings.Lines(body) {
			events = append(events, line)
		}
	default:
		events = strings.SplitAfter(body, "\n\n")
	}
	return events
}

// begun returns the first part of a streamed answer, with some output in it.
func begun(t *testing.T, wire string, parts map[string]string) (done, rest string) {
	events := eventsOf(t, wire, parts["plain.stream"])
	n := len(events)
	for i := range events {
		if strings.Contains(events[i], "世界") || strings.Contains(events[i], "Gr") {
			n = i + 1
			break
		}
	}
	require.Less(t, n, len(events), wire)
	return strings.Join(events[:n], ""), strings.Join(events[n:], "")
}

func wholeAnswer(parts map[string]string) string { return strings.TrimSpace(parts["plain.whole"]) }

const page = "<html><body><h1>It works</h1></body></html>"

var spoiltAnswers = []spoilt{
	{name: "HTML", manner: wholly, status: 502, say: func(*testing.T, string, string, map[string]string) string {
		return head("text/html", len(page)) + page
	}},
	{name: "HTML declared as JSON", manner: wholly, status: 502, say: func(*testing.T, string, string, map[string]string) string {
		return head("application/json", len(page)) + page
	}},
	{name: "wrong content type", manner: wholly, status: 502, say: func(_ *testing.T, _, _ string, p map[string]string) string {
		return head("text/plain", len(wholeAnswer(p))) + wholeAnswer(p)
	}},
	{name: "an empty body", manner: wholly, status: 502, say: func(*testing.T, string, string, map[string]string) string {
		return head("application/json", 0)
	}},
	{name: "truncated JSON", manner: wholly, status: 502, say: func(_ *testing.T, _, _ string, p map[string]string) string {
		a := wholeAnswer(p)
		return head("application/json", len(a)/2) + a[:len(a)/2]
	}},
	{name: "cut off", manner: wholly, status: 502, say: func(_ *testing.T, _, _ string, p map[string]string) string {
		a := wholeAnswer(p)
		return head("application/json", len(a)) + a[:len(a)/2]
	}},
	{name: "stalls", manner: wholly, status: 504, stalls: true, say: func(_ *testing.T, _, _ string, p map[string]string) string {
		a := wholeAnswer(p)
		return head("application/json", len(a)) + a[:len(a)/2]
	}},
	// A character cut in two: the answer is not JSON. Readers would repair it in different ways, so the client might
	// read other text than what was checked.
	{name: "text with invalid UTF-8", manner: wholly, status: 502, say: func(_ *testing.T, _, _ string, p map[string]string) string {
		a := strings.Replace(wholeAnswer(p), "世", "\xe4\xb8", 1)
		return head("application/json", len(a)) + a
	}},
	{name: "arguments with invalid UTF-8", manner: wholly, status: 502, say: func(t *testing.T, wire, _ string, p map[string]string) string {
		a := strings.Replace(strings.TrimSpace(p["tools.whole"]), "Rome", "R\xc3me", 1)
		if wire == "cohere.chat" { // has no tools here
			a = strings.Replace(wholeAnswer(p), "世", "\xc3", 1)
		}
		require.False(t, utf8.ValidString(a), wire)
		return head("application/json", len(a)) + a
	}},
	{name: "error in a 200", manner: wholly, reason: true, say: func(_ *testing.T, _, _ string, p map[string]string) string {
		return head("application/json", len(p["error"])) + p["error"]
	}},
	{name: "HTML", manner: streamed, status: 502, say: func(*testing.T, string, string, map[string]string) string {
		return head("text/html", len(page)) + page
	}},
	{
		name:   "HTML declared as a stream",
		manner: streamed,
		status: 502,
		say: func(_ *testing.T, _, kind string, _ map[string]string) string {
			return head(kind, len(page)) + page
		},
	},
	{name: "wrong content type", manner: streamed, status: 502, say: func(_ *testing.T, _, _ string, p map[string]string) string {
		return head("application/json", len(wholeAnswer(p))) + wholeAnswer(p)
	}},
	{name: "an empty stream", manner: streamed, status: 502, say: func(_ *testing.T, _, kind string, _ map[string]string) string {
		return head(kind, -1)
	}},
	{name: "half an event", manner: streamed, say: func(t *testing.T, wire, kind string, p map[string]string) string {
		a, b := begun(t, wire, p)
		return head(kind, -1) + a + b[:min(len(b)/2, 40)]
	}},
	{name: "cut off", manner: streamed, say: func(t *testing.T, wire, kind string, p map[string]string) string {
		a, _ := begun(t, wire, p)
		return head(kind, len(a)+1000) + a
	}},
	{name: "no end", manner: streamed, say: func(t *testing.T, wire, kind string, p map[string]string) string {
		a, _ := begun(t, wire, p)
		return head(kind, -1) + a
	}},
	{name: "stalls", manner: streamed, stalls: true, say: func(t *testing.T, wire, kind string, p map[string]string) string {
		a, _ := begun(t, wire, p)
		return head(kind, -1) + a
	}},
	{name: "stalls at once", manner: streamed, status: 504, stalls: true, say: func(_ *testing.T, _, kind string, _ map[string]string) string {
		return head(kind, -1)
	}},
	{name: "text with invalid UTF-8", manner: streamed, say: func(t *testing.T, wire, kind string, p map[string]string) string {
		return head(kind, -1) + strings.Join(eventsOf(t, wire, strings.Replace(p["plain.stream"], "世", "\xe4\xb8", 1)), "")
	}},
	{name: "error after output", manner: streamed, say: func(t *testing.T, wire, kind string, p map[string]string) string {
		a, _ := begun(t, wire, p)
		early := p["early"]
		if wire == "bedrock.converse" {
			early = frameEvents(t, early)
		}
		return head(kind, -1) + a + early + "\n"
	}},
}
