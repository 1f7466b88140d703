package piitest

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// PassWhole takes a whole answer through the chain. args says that the text is a
// tool's arguments.
func (b *Bench) PassWhole(x *core.Exchange, text string, args bool) string {
	b.t.Helper()
	msg := `{"content":` + Quote(text) + `}`
	if args {
		msg = `{"tool_calls":[{"id":"1","function":{"name":"f","arguments":` + Quote(text) + `}}]}`
	}
	x.Response.Reset()
	x.Response.Raw = []byte(`{"choices":[{"index":0,"message":` + msg + `}]}`)
	require.NoError(b.t, openai.Chat{}.ScanResponse(x))
	d := b.Chain.RunResponse(context.Background(), x)
	require.Equal(b.t, core.Pass, d.Action, "%v", d.Err)
	var v struct {
		Choices []struct {
			Message delta `json:"message"`
		} `json:"choices"`
	}
	require.NoError(b.t, json.Unmarshal(x.Response.Raw, &v), "%s", x.Response.Raw)
	return v.Choices[0].Message.joinText()
}

type delta struct {
	Content   string `json:"content"`
	ToolCalls []struct {
		Function struct {
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func (d delta) joinText() string {
	s := d.Content
	for _, c := range d.ToolCalls {
		s += c.Function.Arguments
	}
	return s
}

// PassStream takes an answer in pieces through the chain. each, when set, sees all
// that was released after each piece.
func (b *Bench) PassStream(x *core.Exchange, pieces []string, args bool, each func(sent string)) string {
	b.t.Helper()
	ctx := context.Background()
	s, e := b.Chain.Stream(ctx, x, openai.Chat{})
	require.Nil(b.t, e)
	defer s.Close(ctx)
	var all strings.Builder
	event := func(raw string) {
		ev := &core.Event{Raw: []byte("data: " + raw + "\n\n")}
		require.NoError(b.t, openai.Chat{}.ScanEvent(x, ev))
		out, e := s.RunEvent(ctx, ev, nil)
		require.Nil(b.t, e)
		for line := range strings.Lines(string(out)) {
			data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
			if !ok || data == "[DONE]" {
				continue
			}
			var v struct {
				Choices []struct {
					Delta delta `json:"delta"`
				} `json:"choices"`
			}
			require.NoError(b.t, json.Unmarshal([]byte(data), &v), data)
			for _, c := range v.Choices {
				all.WriteString(c.Delta.joinText())
			}
		}
		if each != nil {
			each(all.String())
		}
	}
	for _, p := range pieces {
		d := `{"content":` + Quote(p) + `}`
		if args {
			d = `{"tool_calls":[{"index":0,"function":{"arguments":` + Quote(p) + `}}]}`
		}
		event(`{"id":"c","choices":[{"index":0,"delta":` + d + `}]}`)
	}
	event(`{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
	event("[DONE]")
	return all.String()
}

// ScanResponse scans an answer in the shape of the client.
func ScanResponse(x *core.Exchange) error { return openai.Chat{}.ScanResponse(x) }

// SplitRunes cuts a text into its characters.
func SplitRunes(text string) []string { return strings.Split(text, "") }

// SplitPieces cuts a text at random, on rune boundaries.
func SplitPieces(r *rand.Rand, text string, size int) []string {
	var out []string
	for len(text) > 0 {
		n := min(len(text), 1+r.IntN(size))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

// VisitCuts runs f with a text cut in two at every place, rune by rune, in pieces
// of a few runes, and at random.
func VisitCuts(text string, f func(pieces []string)) {
	f([]string{text})
	for i := range text {
		f([]string{text[:i], text[i:]})
	}
	all := SplitRunes(text)
	for _, size := range []int{1, 2, 3, 5, 7} {
		var out []string
		for i := 0; i < len(all); i += size {
			out = append(out, strings.Join(all[i:min(i+size, len(all))], ""))
		}
		f(out)
	}
	for seed := range uint64(20) {
		f(SplitPieces(rand.New(rand.NewPCG(seed, 7)), text, 9))
	}
}
