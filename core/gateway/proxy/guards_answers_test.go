package proxy_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// telling is a place of an answer that can contain a value. The answer is a file of testdata/matrix/answers, with the
// value in place of its words.
type telling struct {
	shape, path string
	provider    string
	place       string
	body        string // the request
	manner      manner
	reply       string // of a server of tools, or of a direct shape, with "@" and "@64" as in asking; "": a file holds the answer
}

// tellings returns all places of all endpoints whose answers contain text.
func tellings() (out []telling) {
	const inputs = `{"model":"gpt-test","input":"hi"STREAM}`
	chats := `{"model":"gpt-test","messages":[{"role":"user","content":"hi"}]STREAM}`
	for _, s := range []struct{ shape, path, provider, body string }{
		{"chat", chatPath, "openai", chats},
		{"completions", legacyPath, "openai", `{"model":"gpt-test","prompt":"hi"STREAM}`},
		{"messages", messagesPath, "anthropic", `{"model":"gpt-test","max_tokens":9,"messages":[{"role":"user","content":"hi"}]STREAM}`},
		{"responses", answersPath, "openai", inputs},
		{"generateContent", generatePath, "gemini", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`},
		{"ide-chat", editorPath, "openai", chats},
		{"ide-responses", editorPath, "openai", inputs},
		{"chat", chatPath, "anthropic", chats},
		{"messages", messagesPath, "openai", `{"model":"gpt-test","max_tokens":9,"messages":[{"role":"user","content":"hi"}]STREAM}`},
		{"responses", answersPath, "gemini", inputs},
		{"generateContent", generatePath, "anthropic", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`},
	} {
		for _, place := range []string{inText, inArguments} {
			if place == inArguments && s.shape == "completions" {
				continue // the shape has no tools
			}
			for _, m := range []manner{wholly, streamed} {
				out = append(out, telling{s.shape, s.path, s.provider, place, s.body, m, ""})
			}
		}
	}
	return slices.Concat(out, directTellings(), toolTellings(), agentTellings())
}

// feature is the part of the file that has such a place.
func (c *telling) feature() string {
	if c.place == inArguments {
		return "tools"
	}
	return "plain"
}

// plantValue puts a value into the bytes of an answer. In text streams the value is cut in two.
func plantValue(value string) func(said string) string {
	a, b := value[:len(value)/2], value[len(value)/2:]
	r := strings.NewReplacer("Grüße, 世界", "to "+value+" now", "Grüß", "to "+a, "e, 世界", b+" now", "Rome", "to "+value+" now")
	return r.Replace
}

// joinStrings returns all strings of an answer. Strings under one name are joined, because a stream splits words.
func joinStrings(t *testing.T, body string) string {
	if isForm(body) || strings.HasPrefix(body, "WEBVTT") {
		return body
	}
	docs := []string{body}
	if strings.Contains(body, "data: ") {
		docs = docs[:0]
		for _, line := range strings.Split(body, "\n") {
			if d, ok := strings.CutPrefix(strings.TrimSuffix(line, "\r"), "data: "); ok && d != "[DONE]" {
				docs = append(docs, d)
			}
		}
	}
	said := map[string]string{}
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case string:
			said[name] += v
		case []any:
			for _, e := range v {
				walk(name, e)
			}
		case map[string]any:
			for k, e := range v {
				said[name+" members"] += k + "\n"
				walk(name+"."+k, e)
			}
		}
	}
	for _, d := range docs {
		var v any
		require.NoError(t, json.Unmarshal([]byte(d), &v), d)
		walk("", v)
	}
	names := make([]string, 0, len(said))
	for n := range said {
		names = append(names, n)
	}
	slices.Sort(names)
	all := ""
	for _, n := range names {
		all += said[n] + "\n"
	}
	return all
}
