package piitest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
)

const ownCard, hisCard = "4111 1111 1111 1111", "5555 5555 5555 4444"

// Cases are what a stage that redacts does.
var Cases = []Case{
	{"settings that make no sense are refused", checkSettings},
	{"the action decides over a request", testActions},
	{"a finding says where its value is", testFindingPlaces},
	{"a value split over two text parts is one value", testJoinedParts},
	{"look-alikes of placeholders stay as they are", testLookAlikes},
	{"only the owner's placeholders are restored", testOwnPlaceholders},
	{"answers are redacted when the stage is set so", testAnswers},
	{"a vault that fails blocks", testVaultFailure},
	{"invented placeholders are asked for only so often", testLookupBound},
	{"redaction of a conversation keeps its beginning", testStablePrefix},
	{"concurrent exchanges do not see each other's values", testCallerSeparation},
	{"answers are restored under every cut", testCutPlaceholders},
	{"a stream is redacted as the whole is", testCutValues},
}

func checkSettings(t *testing.T, by *Subject) {
	for config, says := range map[string]string{
		"{}": "", "{types: [EMAIL], action: flag, response: redact}": "", "kind: x": "kind", "types: [SHOE_SIZE]": "SHOE_SIZE",
		"action: hide": `"hide"`, "response: keep": `"keep"`,
	} {
		l, err := by.Build(t, config, new(Tokens))
		if says != "" {
			require.ErrorContains(t, err, says, config)
			continue
		}
		require.NoError(t, err, config)
		if c, ok := l.Stage.(core.Closer); ok {
			require.NoError(t, c.Close(context.Background()))
		}
	}
}

func testActions(t *testing.T, by *Subject) {
	t.Run("redact puts a placeholder in place", func(t *testing.T) {
		got := NewBench(t, by, "{}").Redact("card " + ownCard + ".")
		assert.Regexp(t, `^card \{\{PII_CREDIT_CARD_[0-9a-f]{16}\}\}\.$`, got[0])
	})
	t.Run("flag records and changes nothing", func(t *testing.T) {
		b := NewBench(t, by, "action: flag")
		raw := BuildBody("card " + ownCard)
		x, d := b.Send("k", raw)
		assert.Equal(t, core.Pass, d.Action)
		assert.Equal(t, raw, string(x.Request.Raw))
		require.Len(t, x.Findings, 1)
		assert.Equal(t, "CREDIT_CARD", x.Findings[0].Label)
	})
	t.Run("block refuses and names the type alone", func(t *testing.T) {
		_, d := NewBench(t, by, "action: block").Send("k", BuildBody("card "+ownCard))
		require.Equal(t, core.Block, d.Action)
		assert.Equal(t, 400, d.Err.HTTPStatus())
		assert.Contains(t, d.Err.Public, "CREDIT_CARD")
		assert.NotContains(t, d.Err.Public, "4111")
	})
	t.Run("block lets a clean request pass", func(t *testing.T) {
		_, d := NewBench(t, by, "action: block").Send("k", BuildBody("hello"))
		assert.Equal(t, core.Pass, d.Action)
	})
	t.Run("a type that is not asked for passes", func(t *testing.T) {
		assert.Equal(t, []string{"card " + ownCard}, NewBench(t, by, "types: [EMAIL]").Redact("card "+ownCard))
	})
}

func testFindingPlaces(t *testing.T, by *Subject) {
	x, _ := NewBench(t, by, "action: flag").Send("k", BuildBody("card "+ownCard))
	require.Len(t, x.Findings, 1)
	f := x.Findings[0]
	assert.Equal(t, ownCard, x.Request.ReadText(f.Segment)[f.Start:f.End])
}

func testJoinedParts(t *testing.T, by *Subject) {
	b := NewBench(t, by, "{}")
	raw := `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"card 4111 1111"},{"type":"text","text":" 1111 1111 end"}]}]}`
	x, d := b.Send("k", raw)
	require.Equal(t, core.Pass, d.Action)
	require.Equal(t, 1, x.Minted.Len())
	m := x.Minted.All()[0]
	assert.Equal(t, ownCard, m.Value)
	assert.Equal(t, strings.NewReplacer("4111 1111", m.Token, " 1111 1111 end", " end").Replace(raw), string(x.Request.Raw))
	assert.Equal(t, ownCard, b.PassWhole(x, m.Token, false))
}

func testLookAlikes(t *testing.T, by *Subject) {
	for _, s := range []string{
		"{{PII_EMAIL_0123456789abcdef}}", "{{PII_CREDIT_CARD_4111111111111111}}", "{{PII_", "{{PII_X}}", "{{ name }}", "{{{{", "}}",
		"{{PII_EMAIL_0123456789ABCDEF}}", "{{PII_{{PII_EMAIL_0123456789abcdef}}}}",
	} {
		b := NewBench(t, by, "response: redact")
		assert.Equal(t, []string{s}, b.Redact(s))
		x, _ := b.Send("k", BuildBody("hi"))
		assert.Equal(t, s, b.PassWhole(x, s, false))
		assert.Equal(t, s, b.PassStream(x, SplitRunes(s), false, nil))
	}
}

func testOwnPlaceholders(t *testing.T, by *Subject) {
	b := NewBench(t, by, "{}")
	x, _ := b.Send("anna", BuildBody("card "+ownCard))
	token := x.Minted.All()[0].Token
	for key, want := range map[string]string{"anna": ownCard, "ben": token} {
		x, _ := b.Send(key, BuildBody("what was "+token+"?"))
		assert.Contains(t, string(x.Request.Raw), token, "a request is never restored")
		assert.Equal(t, want, b.PassWhole(x, token, false), key)
		assert.Equal(t, want, b.PassStream(x, SplitRunes(token), false, nil), key)
	}
}

func testAnswers(t *testing.T, by *Subject) {
	b := NewBench(t, by, "response: redact")
	x, _ := b.Send("k", BuildBody("mine is "+ownCard))
	mine := x.Minted.All()[0].Token
	text := "yours " + mine + ", his " + hisCard + ", mail a@b.example."
	want := b.PassWhole(x, text, false)
	assert.NotContains(t, want, hisCard)
	assert.Contains(t, want, ownCard)
	assert.Equal(t, 1, x.Minted.Len(), "what was taken out of an answer is not minted for the caller")
	assert.Equal(t, want, b.PassStream(x, SplitRunes(text), false, nil))
	again := b.PassWhole(x, want, false)
	assert.NotContains(t, again, hisCard)

	b = NewBench(t, by, "{action: block, response: redact}")
	x, _ = b.Send("k", BuildBody("hi"))
	x.Response.Raw = []byte(`{"choices":[{"message":{"content":"his ` + hisCard + `"}}]}`)
	require.NoError(t, ScanResponse(x))
	assert.Equal(t, core.Block, b.Chain.RunResponse(context.Background(), x).Action)
}

func testVaultFailure(t *testing.T, by *Subject) {
	b := NewBench(t, by, "{}")
	b.Tokens.Err = errors.New("the database is gone")
	x, d := b.Send("k", BuildBody("{{PII_EMAIL_0123456789abcdef}}"))
	if d.Action == core.Pass { // placeholders in requests are none of its concern
		x.Response.Raw = []byte(`{"choices":[{"message":{"content":"{{PII_EMAIL_0123456789abcdef}}"}}]}`)
		require.NoError(t, ScanResponse(x))
		d = b.Chain.RunResponse(context.Background(), x)
	}
	require.Equal(t, core.Block, d.Action)
	assert.True(t, d.Fault)
}

func testLookupBound(t *testing.T, by *Subject) {
	b := NewBench(t, by, "{}")
	var fakes strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&fakes, "%s ", placeholder.Format("EMAIL", fmt.Sprintf("%016x", i)))
	}
	x, d := b.Send("k", BuildBody(fakes.String()+ownCard))
	require.Equal(t, core.Pass, d.Action)
	assert.LessOrEqual(t, b.Tokens.Asked, by.Asked)
	token := x.Minted.All()[0].Token
	assert.Equal(t, fakes.String()+ownCard, b.PassWhole(x, fakes.String()+token, false), "invented ones stay, one's own comes back")
	assert.Equal(t, fakes.String()+ownCard, b.PassStream(x, []string{fakes.String(), token}, false, nil))
	assert.Equal(t, by.Asked, b.Tokens.Asked, "the bound is the exchange's")
	b.Chain.Finish(context.Background(), x)

	b.Tokens.Asked = 0
	one := placeholder.Format("EMAIL", "00000000000000ff")
	x, _ = b.Send("k", BuildBody(strings.Repeat(one, 100)))
	assert.Equal(t, strings.Repeat(one, 100), b.PassWhole(x, strings.Repeat(one, 100), false))
	assert.Equal(t, 1, b.Tokens.Asked, "a placeholder is looked up once, and the next exchange has its own bound")
	b.Chain.Finish(context.Background(), x)
}

func testStablePrefix(t *testing.T, by *Subject) {
	b := NewBench(t, by, "{}")
	talk := []string{"I am a@b.example", "card " + ownCard, "no values here", "again a@b.example and " + hisCard}
	all := b.Redact(talk...)
	for k := range talk {
		assert.Equal(t, all[:k], b.Redact(talk[:k+1]...)[:k], "the first %d messages", k)
	}
	assert.Equal(t, all[0][5:], all[3][6:6+len(all[0])-5], "one value, one placeholder")
	assert.Equal(t, all, b.Redact(all...), "what is redacted is not redacted again")
}

func testCallerSeparation(t *testing.T, by *Subject) {
	b := NewBench(t, by, "response: redact")
	var wg sync.WaitGroup
	for key, text := range map[string]string{"anna": ownCard, "ben": hisCard} {
		for range 4 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				other := hisCard
				if text == hisCard {
					other = ownCard
				}
				for range 100 {
					x, _ := b.Send(key, BuildBody("card "+text))
					token := x.Minted.All()[0].Token
					assert.Equal(t, text, b.PassWhole(x, token, false))
					_, known := x.Minted.FindValue(MintToken(b, other))
					assert.False(t, known)
					got := b.PassStream(x, []string{"x ", MintToken(b, other)[:20], MintToken(b, other)[20:]}, false, nil)
					assert.Equal(t, "x "+MintToken(b, other), got)
					b.Chain.Finish(context.Background(), x)
				}
			}()
		}
	}
	wg.Wait()
}

// MintToken returns the placeholder of a card, as the fake vault spells it.
func MintToken(b *Bench, card string) string {
	token, _ := b.Tokens.Mint(context.Background(), nil, 0, "CREDIT_CARD", card)
	return token
}
