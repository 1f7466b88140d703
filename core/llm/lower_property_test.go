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

// Google's models take dots and colons in names, which no other provider does.
func TestNamesThatTheTargetRefusesAreReplaced(t *testing.T) {
	r := &Request{
		Tools:  []Tool{{Name: "crm.find"}, {Name: "crm_find"}, {Name: "crm:find"}, {Name: "f"}},
		Choice: Choice{Mode: ChooseNamed, Names: []string{"crm:find"}},
		Messages: []Message{
			{Role: Assistant, Parts: []Part{call(Call{ID: "1", Name: "crm.find"})}},
			{Role: ToolRole, Parts: []Part{{Kind: ResultPart, Result: &Result{CallID: "1", Name: "crm.find"}}}},
		},
	}
	assert.Same(t, r, Lower(r, Target{}).Request, "nothing is replaced for a target that takes them")
	l := Lower(r, Target{PlainNames: true})
	sent := map[string]bool{}
	for i, u := range l.Request.Tools {
		require.Equal(t, -1, strings.IndexFunc(u.Name, isOddCharacter), u.Name)
		sent[u.Name] = true
		a := l.RestoreResponse(&Response{Choices: []Answer{{Parts: []Part{call(Call{Name: u.Name})}}}})
		assert.Equal(t, r.Tools[i].Name, a.Choices[0].Parts[0].Call.Name)
	}
	assert.Len(t, sent, 4)
	assert.Equal(t, []string{l.Request.Tools[2].Name}, l.Request.Choice.Names)
	assert.Equal(t, l.Request.Tools[0].Name, l.Request.Messages[0].Parts[0].Call.Name)
	assert.Equal(t, l.Request.Tools[0].Name, l.Request.Messages[1].Parts[0].Result.Name)
	assert.Equal(t, "crm.find", r.Tools[0].Name, "the request itself stays")
}

func TestManyToolsWhoseNamesLookAlikeAreNamedAtOnce(t *testing.T) {
	r := &Request{Tools: []Tool{{Name: strings.Repeat(".", 1<<20)}}}
	for i := range 20_000 {
		r.Tools = append(r.Tools, Tool{Name: string(rune(0x4e00+i%5000)) + strings.Repeat("é", i/5000)})
	}
	sent := map[string]bool{}
	for _, u := range Lower(r, Target{PlainNames: true}).Request.Tools {
		sent[u.Name] = true
	}
	assert.Len(t, sent, len(r.Tools))
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
