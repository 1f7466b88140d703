package chain_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// BenchmarkPrompt is the scan and the chain of a prompt of prose in turns, with a line end
// for every 130 bytes and a value for every 350: one link takes out most values, and a
// second the others, which it finds in the text as the first has made it.
func BenchmarkPrompt(b *testing.B) {
	for _, kb := range []int{1, 8, 100} {
		b.Run(fmt.Sprintf("%dKB", kb), func(b *testing.B) {
			body := promptOf(kb)
			c := newChain(b, keptTokens{}, link("values", findOnce(personal[1:])), link("detector", findOnce(personal[:1])))
			x := new(core.Exchange)
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				x.Reset()
				x.Request.Raw = body
				if e := (openai.Chat{}).Scan(x); e != nil {
					b.Fatal(e)
				}
				if d := c.RunRequest(context.Background(), x); d.Action != core.Pass {
					b.Fatal(d.Err)
				}
			}
			b.StopTimer()
			if len(x.Findings) < kb*2 || strings.Contains(string(x.Request.Raw), "EMP-") {
				b.Fatal("the values were not taken out")
			}
		})
	}
}

var personal = []string{
	"EMP-123456", "anna.lindqvist@example.com", "+46 70 174 06 05", "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00",
	"j.doe+orders@mail.example.org", "(202) 555-0143", "GB82 WEST 1234 5698 7654 32", "5555555555554444", "078-05-1120", "192.0.2.44",
}

// promptOf is a chat request of about so many KB.
func promptOf(kb int) []byte {
	line := strings.Repeat("an order left late ", 7)
	var b strings.Builder
	b.WriteString(`{"model":"m","temperature":0.2,"messages":[{"role":"system","content":"Answer in three sentences."}`)
	for k := 0; b.Len() < kb<<10-200; {
		b.WriteString(`,{"role":"user","content":"`)
		for from := b.Len(); b.Len()-from < 4000 && b.Len() < kb<<10-200; k++ {
			b.WriteString(line + `.\n` + line + `.\nContact: ` + personal[k%len(personal)] + ". " + line[:60])
		}
		b.WriteString(`"}`)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

// findOnce is a stage that looks for the values at its first call and says the same ever after.
func findOnce(values []string) *guard {
	var v core.Verdict
	return &guard{check: func(x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
		if p != core.Request {
			return core.Verdict{Action: core.Pass}, nil
		}
		found := v.Action != 0
		v.Action = core.Rewrite
		for i := range x.Request.Segments {
			text := x.Request.FindRun(i).Text
			for at := 0; !found && at < len(text); at++ {
				for _, value := range values {
					if strings.HasPrefix(text[at:], value) {
						v.Findings = append(v.Findings, core.Finding{Label: "VALUE", Segment: i, Start: at, End: at + len(value)})
						v.Edits = append(v.Edits, core.Edit{Segment: i, Start: at, End: at + len(value), Type: "VALUE"})
					}
				}
			}
		}
		return v, nil
	}}
}

// keptTokens keeps the placeholders that it has made.
type keptTokens map[string]string

func (k keptTokens) Mint(_ context.Context, _ *core.Exchange, _ core.Phase, typ, value string) (string, error) {
	token, ok := k[value]
	if !ok {
		token = fmt.Sprintf("{{PII_%s_%016x}}", typ, len(k)+1)
		k[strings.Clone(value)] = token
	}
	return token, nil
}

func (keptTokens) Resolve(context.Context, *core.Exchange, string) (string, bool, error) {
	return "", false, nil
}
