package pii

import (
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/stages/pii/piitest"
)

func TestEachTypeHasItsAction(t *testing.T) {
	const text = "card " + ownCard + " cvv 123, password=hunter2xyz, mail a@b.example"
	t.Run("what must not be stored is masked where others are redacted", func(t *testing.T) {
		b := newBench(t, "{}")
		x, _ := b.Send("k", piitest.BuildBody(text))
		got := piitest.ReadContents(t, x.Request.Raw)[0]
		assert.Regexp(
			t,
			`^card \{\{PII_CREDIT_CARD_[0-9a-f]{16}\}\} cvv \[CARD_CVV\], password=\[PASSWORD\], mail \{\{PII_EMAIL_[0-9a-f]{16}\}\}$`,
			got,
		)
		assert.Equal(t, 2, x.Minted.Len(), "a masked value is kept nowhere")
		assert.Equal(t, "card "+ownCard+" cvv [CARD_CVV], password=[PASSWORD], mail a@b.example", b.PassWhole(x, got, false))
		assert.Equal(t, got, b.Redact(got)[0], "masks are left alone")
	})
	t.Run("single types can differ", func(t *testing.T) {
		b := newBench(t, "{actions: {CREDIT_CARD: mask, EMAIL: flag, PASSWORD: redact}}")
		assert.Regexp(
			t,
			`^card \[CREDIT_CARD\] cvv \[CARD_CVV\], password=\{\{PII_PASSWORD_[0-9a-f]{16}\}\}, mail a@b.example$`,
			b.Redact(text)[0],
		)
	})
	t.Run("one type that blocks is enough", func(t *testing.T) {
		_, d := newBench(t, "{action: flag, actions: {CARD_CVV: block}}").Send("k", piitest.BuildBody(text))
		require.Equal(t, core.Block, d.Action)
		assert.Contains(t, d.Err.Public, "CARD_CVV")
		_, d = newBench(t, "{action: block, actions: {EMAIL: flag}}").Send("k", piitest.BuildBody("mail a@b.example"))
		assert.Equal(t, core.Pass, d.Action)
	})
	t.Run("mistakes are named", func(t *testing.T) {
		for config, says := range map[string]string{
			"actions: {EMAIL: hide}": `"hide"`, "actions: {SHOE: mask}": `"SHOE"`, "packs: [moon]": `"moon"`, "types: [all, MOON]": `"MOON"`,
		} {
			_, err := New(block(config), nil)
			assert.ErrorContains(t, err, says)
		}
	})
	t.Run("packs and types add up", func(t *testing.T) {
		b := newBench(t, "{packs: [secrets], types: [US_EIN], action: mask}")
		assert.Equal(
			t,
			"key [API_KEY], EIN [US_EIN], mail a@b.example",
			b.Redact("key AKIAIOSFODNN7EXAMPLQ, EIN 91-1144442, mail a@b.example")[0],
		)
	})
}

func TestAStreamOfEveryTypeIsRedactedAsTheWholeIs(t *testing.T) {
	b := newBench(t, "{packs: [all], response: redact, actions: {UUID: mask}}")
	x, _ := b.Send("k", piitest.BuildBody("hi"))
	for i, c := range ofTypes {
		text := "Sure. " + c.text + " Anything else?"
		want := b.PassWhole(x, text, false)
		check := func(pieces []string) {
			require.Equal(t, want, b.PassStream(x, pieces, false, func(sent string) {
				require.True(t, len(sent) <= len(want) && want[:len(sent)] == sent, "%q: no byte of a value is sent early: %q", text, sent)
			}))
		}
		require.NotEqual(t, want, text, c.want)
		check(piitest.SplitRunes(text))
		check(piitest.SplitPieces(rand.New(rand.NewPCG(uint64(i), 9)), text, 12))
		if i%6 == 0 {
			piitest.VisitCuts(text, check)
		}
	}
}

func FuzzWhatIsRedactedOfEveryTypeIsRestored(f *testing.F) {
	for i, c := range ofTypes {
		f.Add(c.text, uint8(i))
	}
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		if !utf8.ValidString(text) || text == "" || len(text) > 2000 {
			return
		}
		b := newBench(t, "{packs: [all], actions: {PASSWORD: redact, PRIVATE_KEY: redact, CARD_CVV: redact, CARD_TRACK: redact}}")
		assertRestored(t, b, text, size)
	})
}
