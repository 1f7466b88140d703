package pii

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
)

const ownCard, hisCard = "4111 1111 1111 1111", "5555 5555 5555 4444"

func TestSettingsAreChecked(t *testing.T) {
	for _, c := range []struct{ name, config, says string }{
		{"nothing is needed", "{}", ""},
		{"all can be set", "{types: [EMAIL], threshold: {EMAIL: 0.9}, region: DE, action: flag, response: redact, restore: tolerant}", ""},
		{"an unknown key is an error", "kind: x", "kind"},
		{"an unknown type is an error", "types: [SHOE_SIZE]", "SHOE_SIZE"},
		{"an unknown action is an error", "action: hide", `"hide"`},
		{"an unknown response is an error", "response: keep", `"keep"`},
		{"an unknown way to restore is an error", "restore: all", `"all"`},
		{"an unknown region is an error", "region: XX", "XX"},
		{"a threshold above one is an error", "threshold: {EMAIL: 2}", "EMAIL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			st, err := New(block(c.config), nil)
			if c.says == "" {
				require.NoError(t, err)
				assert.NotNil(t, st)
				return
			}
			require.ErrorContains(t, err, c.says)
			assert.Nil(t, st)
		})
	}
	_, err := New(nil, nil)
	assert.NoError(t, err, "a link without settings")
}

func TestTheActionDecidesOverARequest(t *testing.T) {
	t.Run("redact puts a placeholder in place", func(t *testing.T) {
		got := newBench(t, "{}").redact("card " + ownCard + ".")
		assert.Regexp(t, `^card \{\{PII_CREDIT_CARD_[0-9a-f]{16}\}\}\.$`, got[0])
	})
	t.Run("flag records and changes nothing", func(t *testing.T) {
		b := newBench(t, "action: flag")
		raw := body("card " + ownCard)
		x, d := b.send("k", raw)
		assert.Equal(t, core.Pass, d.Action)
		assert.Equal(t, raw, string(x.Request.Raw))
		require.Len(t, x.Findings, 1)
		assert.Equal(t, "CREDIT_CARD", x.Findings[0].Label)
		assert.Equal(t, ownCard, x.Request.Text(x.Findings[0].Segment)[x.Findings[0].Start:x.Findings[0].End])
	})
	t.Run("block refuses and names the type alone", func(t *testing.T) {
		_, d := newBench(t, "action: block").send("k", body("card "+ownCard))
		require.Equal(t, core.Block, d.Action)
		assert.Equal(t, 400, d.Err.HTTPStatus())
		assert.Contains(t, d.Err.Public, "CREDIT_CARD")
		assert.NotContains(t, d.Err.Public, "4111")
	})
	t.Run("block lets a clean request pass", func(t *testing.T) {
		_, d := newBench(t, "action: block").send("k", body("hello"))
		assert.Equal(t, core.Pass, d.Action)
	})
	t.Run("a type that is not asked for passes", func(t *testing.T) {
		assert.Equal(t, []string{"card " + ownCard}, newBench(t, "types: [EMAIL]").redact("card "+ownCard))
	})
}

func TestAValueSplitOverTwoTextPartsIsOneValue(t *testing.T) {
	b := newBench(t, "{}")
	raw := `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"card 4111 1111"},{"type":"text","text":" 1111 1111 end"}]}]}`
	x, d := b.send("k", raw)
	require.Equal(t, core.Pass, d.Action)
	require.Equal(t, 1, x.Minted.Len())
	m := x.Minted.All()[0]
	assert.Equal(t, ownCard, m.Value)
	assert.Equal(t, strings.NewReplacer("4111 1111", m.Token, " 1111 1111 end", " end").Replace(raw), string(x.Request.Raw))
	assert.Equal(t, ownCard, b.whole(x, m.Token, false))
}

func TestLookAlikesStayAsTheyAre(t *testing.T) {
	for _, s := range []string{
		"{{PII_EMAIL_0123456789abcdef}}", "{{PII_CREDIT_CARD_4111111111111111}}", "{{PII_", "{{PII_X}}", "{{ name }}", "{{{{", "}}",
		"{{PII_EMAIL_0123456789ABCDEF}}", "{{PII_{{PII_EMAIL_0123456789abcdef}}}}",
	} {
		b := newBench(t, "response: redact")
		assert.Equal(t, []string{s}, b.redact(s))
		x, _ := b.send("k", body("hi"))
		assert.Equal(t, s, b.whole(x, s, false))
		assert.Equal(t, s, b.streamed(x, runes(s), false, nil))
	}
}

func TestOnlyTheOwnersPlaceholdersAreRestored(t *testing.T) {
	b := newBench(t, "{}")
	x, _ := b.send("anna", body("card "+ownCard))
	token := x.Minted.All()[0].Token
	for key, want := range map[string]string{"anna": ownCard, "ben": token} {
		x, _ := b.send(key, body("what was "+token+"?"))
		assert.Contains(t, string(x.Request.Raw), token, "a request is never restored")
		assert.Equal(t, want, b.whole(x, token, false), key)
		assert.Equal(t, want, b.streamed(x, runes(token), false, nil), key)
	}
}

func TestAnswersAreRedactedWhenTheStageIsSetSo(t *testing.T) {
	b := newBench(t, "response: redact")
	x, _ := b.send("k", body("mine is "+ownCard))
	mine := x.Minted.All()[0].Token
	text := "yours " + mine + ", his " + hisCard + ", mail a@b.example."
	want := b.whole(x, text, false)
	assert.NotContains(t, want, hisCard)
	assert.Contains(t, want, ownCard)
	assert.Equal(t, 1, x.Minted.Len(), "what was taken out of an answer is not minted for the caller")
	assert.Equal(t, want, b.streamed(x, runes(text), false, nil))
	again := b.whole(x, want, false)
	assert.NotContains(t, again, hisCard)

	b = newBench(t, "{action: block, response: redact}")
	x, _ = b.send("k", body("hi"))
	x.Response.Raw = []byte(`{"choices":[{"message":{"content":"his ` + hisCard + `"}}]}`)
	require.NoError(t, scanResponse(x))
	assert.Equal(t, core.Block, b.chain.Response(context.Background(), x).Action)
}

func TestAVaultThatFailsBlocks(t *testing.T) {
	b := newBench(t, "{}")
	b.tok.err = errors.New("the database is gone")
	_, d := b.send("k", body("{{PII_EMAIL_0123456789abcdef}}"))
	require.Equal(t, core.Block, d.Action)
	assert.True(t, d.Fault)
}

func TestInventedPlaceholdersAreAskedForOnlySoOften(t *testing.T) {
	b := newBench(t, "{}")
	var fakes strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&fakes, "%s ", placeholder.Spell("EMAIL", fmt.Sprintf("%016x", i)))
	}
	x, d := b.send("k", body(fakes.String()+ownCard))
	require.Equal(t, core.Pass, d.Action)
	assert.Equal(t, maxUnknown, b.tok.asked)
	token := x.Minted.All()[0].Token
	assert.Equal(t, fakes.String()+ownCard, b.whole(x, fakes.String()+token, false), "invented ones stay, one's own comes back")
	assert.Equal(t, fakes.String()+ownCard, b.streamed(x, []string{fakes.String(), token}, false, nil))
	assert.Equal(t, maxUnknown, b.tok.asked, "the bound is the exchange's")
	b.chain.Finish(context.Background(), x)

	b.tok.asked = 0
	one := placeholder.Spell("EMAIL", "00000000000000ff")
	x, _ = b.send("k", body(strings.Repeat(one, 100)))
	assert.Equal(t, 1, b.tok.asked, "a placeholder is looked up once, and the next exchange has its own bound")
	b.chain.Finish(context.Background(), x)
}
