package llm

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Names of any tools: sent names differ and are short, and each finds its tool
// again, called whole or in a stream.
func TestEveryLoweredToolIsFoundAgain(t *testing.T) {
	words := []string{"a", "b", "a__b", "b__a", "tool_search", "", strings.Repeat("é", 30), strings.Repeat("x", 63)}
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		pick := func() string { return words[rnd.IntN(len(words))] }
		r, known := &Request{}, map[tool]bool{}
		for range 1 + rnd.IntN(8) {
			u := Tool{Kind: ToolKind(rnd.IntN(3)), Namespace: pick(), Name: "n" + pick()}
			if u.Kind == SearchTool {
				u.Namespace, u.Name = "", searchName
			}
			if k := newToolKey(u.Kind, u.Namespace, u.Name); !known[k] {
				known[k] = true
				r.Tools = append(r.Tools, u)
			}
		}
		l, sent := Lower(r, Target{}), map[string]bool{}
		for i, u := range l.Request.Tools {
			about := fmt.Sprintf("seed %d: %v", seed, r.Tools[i])
			require.False(t, sent[u.Name], about)
			sent[u.Name] = true
			require.Empty(t, u.Namespace, about)
			require.Equal(t, FunctionTool, u.Kind, about)
			if r.Tools[i].Namespace != "" {
				require.LessOrEqual(t, len(u.Name), maxName, about)
			}
			want := Call{Kind: r.Tools[i].Kind, Namespace: r.Tools[i].Namespace, Name: r.Tools[i].Name, Input: "text"}
			args := "text"
			if want.Kind == CustomTool {
				args = wrapInput(args)
			}
			a := l.RestoreResponse(&Response{Choices: []Answer{{Parts: []Part{call(Call{Name: u.Name, Input: args})}}}})
			assert.Equal(t, want, *a.Choices[0].Parts[0].Call, about)
			out := raiseEvents(t, l, newOpened(0, call(Call{Name: u.Name})), delta(0, args[:2]), delta(0, args[2:]), newFinished(0, FinishTools))
			text := ""
			for _, ev := range out {
				text += ev.Text
			}
			want.Input = ""
			assert.Equal(t, want, *out[0].Part.Call, about)
			assert.Equal(t, "text", text, about)
		}
	}
}

func BenchmarkLower(b *testing.B) {
	r := &Request{Tools: []Tool{{Name: "f"}, {Name: "g"}}}
	for range 100 {
		r.Messages = append(r.Messages, Message{Role: User, Parts: []Part{NewText("x")}})
	}
	for name, with := range map[string]Tool{"nothing": {Name: "h"}, "a custom tool": patch(), "a namespace": {Namespace: "crm", Name: "find"}} {
		b.Run(name, func(b *testing.B) {
			c := *r
			c.Tools = append(c.Tools[:2:2], with)
			b.ReportAllocs()
			for b.Loop() {
				Lower(&c, Target{})
			}
		})
	}
}
