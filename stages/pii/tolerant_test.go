package pii

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/stages/pii/piitest"
)

var person, personDigits = placeholder.Format("PERSON", "aaaabbbbccccdddd"), "aaaabbbbccccdddd"

func TestATolerantStageRestoresWhatAModelHasAltered(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"small letters", "to {{pii_person_" + personDigits + "}}.", "to Kim."},
		{"no braces", "to PII_PERSON_" + personDigits + ", now", "to Kim, now"},
		{"a brace too few", "to {{PII_PERSON_" + personDigits + "}, now", "to Kim, now"},
		{"escapes of Markdown", `to \{\{PII\_PERSON\_` + personDigits + `\}\}`, "to Kim"},
		{"entities", "<b>&#123;&#123;PII_PERSON_" + personDigits + "&#125;&#125;</b>", "<b>Kim</b>"},
		{"escapes of JSON", `to \u007b\u007bPII_PERSON_` + personDigits + `\u007d\u007d`, "to Kim"},
		{"in bold", "**PII_PERSON_" + personDigits + "**", "**Kim**"},
		{"one of each", person + "{PII_PERSON_" + personDigits + "}PII_PERSON_" + personDigits + "x", "KimKimKimx"},
		{"the type alone stays", "to PERSON, {{PII_PERSON}} and PII_PERSON_aaaabbbb", "to PERSON, {{PII_PERSON}} and PII_PERSON_aaaabbbb"},
		{"one of another caller stays", "to pii_email_9999888877776666", "to pii_email_9999888877776666"},
		{"an unknown placeholder stays", "to {PII_PERSON_0000000000000000}", "to {PII_PERSON_0000000000000000}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, config := range []string{"restore: tolerant", "{restore: tolerant, response: redact}"} {
				b := newBench(t, config)
				b.Tokens.Add("k", person, "Kim")
				b.Tokens.Add("another", "{{PII_EMAIL_9999888877776666}}", "secret@other.example")
				x, _ := b.Send("k", piitest.BuildBody("hi"))
				require.Equal(t, c.want, b.PassWhole(x, c.text, false))
				piitest.VisitCuts(c.text, func(pieces []string) {
					last := ""
					got := b.PassStream(x, pieces, false, func(sent string) {
						require.True(t, strings.HasPrefix(c.want, sent) && strings.HasPrefix(sent, last), "what is sent stays: %q", sent)
						last = sent
					})
					require.Equal(t, c.want, got)
				})
			}
			b := newBench(t, "restore: strict")
			b.Tokens.Add("k", person, "Kim")
			x, _ := b.Send("k", piitest.BuildBody("hi"))
			assert.Equal(t, strings.ReplaceAll(c.text, person, "Kim"), b.PassWhole(x, c.text, false), "a strict one does not")
		})
	}
}

func TestATolerantStageKeepsNestedArgumentsJSON(t *testing.T) {
	for name, spelled := range map[string]string{
		"no braces":             "PII_PERSON_" + personDigits,
		"single braces":         "{PII_PERSON_" + personDigits + "}",
		"escaped braces":        `\u007b\u007bPII_PERSON_` + personDigits + `\u007d\u007d`,
		"escaped underscores":   `{{PII\\_PERSON\\_` + personDigits + `}}`,
		"behind an escape":      `\\\u007b\u007bPII_PERSON_` + personDigits + `\u007d\u007d\n`,
		"percent, and a quote":  `\"%7BPII_PERSON_` + personDigits + `%7D\"`,
		"escaped once too much": `\\u007b\\u007bPII_PERSON_` + personDigits + `\\u007d\\u007d`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, "restore: tolerant")
			b.Tokens.Add("k", person, awkward)
			x, _ := b.Send("k", piitest.BuildBody("hi"))
			args := `{"a":` + piitest.Quote(`{"to":"`+spelled+`"}`) + `}`
			check := func(got string) {
				var outer, inner map[string]string
				require.NoError(t, json.Unmarshal([]byte(got), &outer), got)
				require.NoError(t, json.Unmarshal([]byte(outer["a"]), &inner), outer["a"])
				require.Contains(t, inner["to"], awkward)
				require.NotContains(t, inner["to"], personDigits)
			}
			check(b.PassWhole(x, args, true))
			piitest.VisitCuts(args, func(pieces []string) { check(b.PassStream(x, pieces, true, nil)) })
		})
	}
}

func TestDigitsOfAnAlteredPlaceholderAreNoValue(t *testing.T) {
	token := placeholder.Format("CREDIT_CARD", "4111111111111111")
	for _, known := range []bool{true, false} {
		b := newBench(t, "{restore: tolerant, response: redact}")
		altered := "card: CREDIT_CARD {PII_CREDIT_CARD_ 4111111111111111}, and " + hisCard
		want := altered
		if known {
			b.Tokens.Add("k", token, ownCard)
			want = "card: CREDIT_CARD " + ownCard + ", and " + hisCard
		}
		want = strings.Replace(want, hisCard, piitest.MintToken(b, hisCard), 1)
		x, _ := b.Send("k", piitest.BuildBody("hi"))
		assert.Equal(t, want, b.PassWhole(x, altered, false))
		piitest.VisitCuts(altered, func(pieces []string) { require.Equal(t, want, b.PassStream(x, pieces, false, nil)) })
	}
}

func TestARequestIsNotReadTolerantly(t *testing.T) {
	b := newBench(t, "restore: tolerant")
	b.Redact("pii_person_"+personDigits, "{PII_PERSON_"+personDigits+"}")
	assert.Zero(t, b.Tokens.Asked)
}

func TestAlteredInventionsAreAskedForOnlySoOften(t *testing.T) {
	b := newBench(t, "restore: tolerant")
	x, _ := b.Send("k", piitest.BuildBody("hi"))
	var text strings.Builder
	for i := range 500 {
		text.WriteString("PII_EMAIL_" + strings.Repeat("0", 13) + string([]byte{hexDigits[i>>8&15], hexDigits[i>>4&15], hexDigits[i&15]}) + " ")
	}
	assert.Equal(t, text.String(), b.PassWhole(x, text.String(), false))
	assert.Equal(t, maxUnknown, b.Tokens.Asked)
}

const hexDigits = "0123456789abcdef"

// alteredBits are what texts with altered placeholders and with values are made of.
var alteredBits = []string{
	person,
	"PII_PERSON_" + personDigits,
	"{PII_PERSON_" + personDigits + "}",
	"pii_person_" + personDigits,
	"{{ PII_PERSON_" + personDigits,
	" }}",
	"{",
	"}",
	"%7B",
	"%7d",
	"&#123;",
	`\`,
	`\{`,
	`\u007b`,
	"{{PII_",
	"PII_",
	"PII",
	"p",
	"_",
	"_4111111111111111",
	"PERSON",
	"0000000000000000",
	ownCard,
	"4111",
	" ",
	"\n",
	"a@b.example",
	"@",
	"x.",
	"%",
	"&",
	"*",
	"word ",
	"é",
	`"`,
	`{"a":"`,
	`\"`,
	`","b":`,
	`"}`,
	"[",
	"]",
	"PII_CREDIT_CARD_4111111111111111",
	"+49 30 901820",
}

func TestATolerantStageGivesTheSameUnderEveryCut(t *testing.T) {
	for seed := range uint64(400 / raceShare()) {
		r := rand.New(rand.NewPCG(seed, 21))
		var text strings.Builder
		for range r.IntN(16) {
			text.WriteString(alteredBits[r.IntN(len(alteredBits))])
		}
		requireSameInPieces(t, r, text.String())
	}
}

func FuzzATolerantStageGivesTheSameUnderEveryCut(f *testing.F) {
	for _, s := range alteredBits {
		f.Add("a "+s+alteredBits[1]+s, uint64(1))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if utf8.ValidString(text) && text != "" && len(text) < 600 {
			requireSameInPieces(t, rand.New(rand.NewPCG(seed, 1)), text)
		}
	})
}

func requireSameInPieces(t testing.TB, r *rand.Rand, text string) {
	for _, config := range []string{"restore: tolerant", "{restore: tolerant, response: redact}"} {
		b := newBench(t, config)
		b.Tokens.Add("k", person, awkward)
		x, _ := b.Send("k", piitest.BuildBody("hi"))
		want := b.PassWhole(x, text, false)
		require.Equal(t, want, b.PassStream(x, piitest.SplitRunes(text), false, nil), "%s: %q", config, text)
		require.Equal(t, want, b.PassStream(x, piitest.SplitPieces(r, text, 12), false, nil), "%s: %q", config, text)
		args := `{"a":` + piitest.Quote(text) + `,"b":[` + piitest.Quote(`{"c":`+piitest.Quote(text)+`}`) + `]}`
		want = b.PassWhole(x, args, true)
		require.True(t, json.Valid([]byte(want)), want)
		require.JSONEq(t, want, b.PassStream(x, piitest.SplitRunes(args), true, nil), "%s: %q", config, args)
		require.JSONEq(t, want, b.PassStream(x, piitest.SplitPieces(r, args, 12), true, nil), "%s: %q", config, args)
	}
}
