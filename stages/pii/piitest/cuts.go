package piitest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// testCutPlaceholders checks that placeholders come back wherever a stream is cut, and in the arguments of tools.
func testCutPlaceholders(t *testing.T, by *Subject) {
	const mail, card, foreign = "{{PII_EMAIL_0123456789abcdef}}", "{{PII_CREDIT_CARD_fedcba9876543210}}", "{{PII_EMAIL_ffffffffffffffff}}"
	const address, quoted = "anna.k@example.org", `A "quoted" \\ card`
	for _, config := range []string{"{}", "response: redact"} {
		for name, c := range map[string]struct {
			text, want string
			args       bool
		}{
			"one":               {"see " + mail, "see " + address, false},
			"two, side by side": {mail + card, address + quoted, false},
			"between others":    {"{{" + mail + "}} {{PII_", "{{" + address + "}} {{PII_", false},
			"another's":         {"see " + foreign + mail, "see " + foreign + address, false},
			"cut off":           {mail[:len(mail)-1], mail[:len(mail)-1], false},
			"with one brace":    {"é" + mail[1:] + "é", "é" + mail[1:] + "é", false},
			"in arguments":      {`{"to":"` + mail + `","a":[1,"` + mail + `"]}`, `{"to":"` + address + `","a":[1,"` + address + `"]}`, true},
			"as a key's value":  {`{"a":{"b":"` + mail + `."}}`, `{"a":{"b":"` + address + `."}}`, true},
		} {
			t.Run(name+" "+config, func(t *testing.T) {
				b := NewBench(t, by, config)
				b.Tokens.Add("k", mail, address)
				b.Tokens.Add("k", card, quoted)
				b.Tokens.Add("another", foreign, "ben@example.org")
				x, _ := b.Send("k", BuildBody("hi"))
				require.Equal(t, c.want, b.PassWhole(x, c.text, c.args))
				VisitCuts(c.text, func(pieces []string) { require.Equal(t, c.want, b.PassStream(x, pieces, c.args, nil), "%q", pieces) })
			})
		}
	}
}

// testCutValues checks that no byte of a value is sent early, wherever a stream is cut.
func testCutValues(t *testing.T, by *Subject) {
	for _, text := range []string{
		"card " + ownCard, ownCard + " and " + hisCard, "write to a@b.example or to c.d+e@f.example.org.", "no values here, 4111 is a number",
		"é " + hisCard + "é\u200b\n", "a@b", "@", "4111 1111 1111 1112", "x@y.example, {{PII_EMAIL_0123456789abcdef}}", "1 2 3 4 5 6 7 8 9",
	} {
		b := NewBench(t, by, "response: redact")
		x, _ := b.Send("k", BuildBody("hi"))
		want := b.PassWhole(x, text, false)
		check := func(pieces []string) {
			last := ""
			got := b.PassStream(x, pieces, false, func(sent string) {
				require.True(t, strings.HasPrefix(want, sent), "no byte of a value is sent early, and what is sent stays: %q", sent)
				require.True(t, strings.HasPrefix(sent, last))
				last = sent
			})
			require.Equal(t, want, got, "%q", pieces)
		}
		VisitCuts(text, check)
		check(SplitPieces(rand.New(rand.NewPCG(1, 7)), text, 12))
	}
}
