package pii

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/stages/internal/dataset"
	"github.com/headgate-dev/headgate/stages/pii/piitest"
)

type restoreCases struct {
	Vault map[string]string `json:"vault"`
	Other map[string]string `json:"other_tenant_vault"`
	Cases []struct {
		ID       string `json:"id"`
		Mode     string `json:"mode"`
		Text     string `json:"text"`
		Expected string `json:"expected"`
	} `json:"cases"`
}

// parseNested reads JSON text, and the JSON texts in its strings.
func parseNested(t testing.TB, text string) any {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal([]byte(text), &v), text)
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for k := range v {
				v[k] = walk(v[k])
			}
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case string:
			var in any
			if strings.ContainsAny(v, "{[") && json.Unmarshal([]byte(v), &in) == nil {
				return []any{"JSON text of", walk(in)}
			}
		}
		return v
	}
	return walk(v)
}

func TestAnswersAreRestoredUnderEveryCut(t *testing.T) {
	dataset.RunSets(t, "testdata/restore_cases.json", "restore_cases.json", func(t *testing.T, _ string, raw []byte) {
		var data restoreCases
		require.NoError(t, json.Unmarshal(raw, &data))
		require.NotEmpty(t, data.Cases)
		testRestore(t, &data)
	})
}

func testRestore(t *testing.T, data *restoreCases) {
	for _, config := range []string{"{}", "response: redact", "restore: tolerant", "{restore: tolerant, response: redact}"} {
		for _, c := range data.Cases {
			tolerant := strings.Contains(config, "tolerant")
			switch {
			case c.Mode == "tolerant" && !tolerant:
				c.Expected = c.Text // what a model has altered stays as it came
			case c.ID == "rs-006" && tolerant:
				c.Expected = "see anna.k@example.org" // a brace is missing, type and digits are whole
			}
			t.Run(c.ID+" "+config, func(t *testing.T) {
				b := newBench(t, config)
				for token, value := range data.Vault {
					b.Tokens.Add("k", token, value)
				}
				for token, value := range data.Other {
					b.Tokens.Add("another", token, value)
				}
				x, _ := b.Send("k", piitest.BuildBody("hi"))
				args := c.Mode == "json-args"
				same := func(got string) {
					if args {
						require.Equal(t, parseNested(t, c.Expected), parseNested(t, got))
						return
					}
					require.Equal(t, c.Expected, got)
				}
				same(b.PassWhole(x, c.Text, args))
				piitest.VisitCuts(c.Text, func(pieces []string) { same(b.PassStream(x, pieces, args, nil)) })
			})
		}
	}
}

func TestAStreamIsRedactedAsTheWholeIs(t *testing.T) {
	eachStreamed(t, func(t *testing.T, cases []testCase) {
		for i, c := range cases {
			if !utf8.ValidString(c.Text) || len(c.Text) > 2000 {
				continue
			}
			b := newBench(t, "response: redact")
			x, _ := b.Send("k", piitest.BuildBody("hi"))
			want := b.PassWhole(x, c.Text, false)
			check := func(pieces []string) {
				last := ""
				got := b.PassStream(x, pieces, false, func(sent string) {
					require.True(t, strings.HasPrefix(want, sent), "%s: no byte of a value is sent early, and what is sent stays: %q", c.ID, sent)
					require.True(t, strings.HasPrefix(sent, last))
					last = sent
				})
				require.Equal(t, want, got, c.ID)
			}
			if i%8 == 0 && len(c.Text) < 300 {
				piitest.VisitCuts(c.Text, check)
				continue
			}
			check(piitest.SplitRunes(c.Text))
			check(piitest.SplitPieces(rand.New(rand.NewPCG(uint64(i), 7)), c.Text, 12))
		}
	})
}

func FuzzWhatIsRedactedIsRestored(f *testing.F) {
	for _, s := range []string{
		"card " + ownCard, "{{PII_EMAIL_0123456789abcdef}} a@b.example", "{{PII_" + ownCard + "}}", ownCard + hisCard, "{{{" + ownCard + "}}}",
		"{{PII_A_a@b.example", "é " + ownCard + "\u200b\n\"\\", "DE89 3704 0044 0532 0130 00{{PII_IBAN_", "203.0.113.7, 2001:db8::1 +49 30 901820", "CAV 000",
	} {
		f.Add(s, uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		if !utf8.ValidString(text) || text == "" || len(text) > 2000 {
			return
		}
		assertRestored(t, newBench(t, "{}"), text, size)
	})
}

// assertRestored checks that what an answer quotes of a redacted text is the text again.
func assertRestored(t *testing.T, b *piitest.Bench, text string, size uint8) {
	x, d := b.Send("k", piitest.BuildBody(text))
	require.Equal(t, "pass", d.Action.String())
	for _, m := range x.Minted.All() {
		if strings.Contains(text, m.Token) {
			return // the text contains the placeholder of its own value
		}
	}
	sent := piitest.ReadContents(t, x.Request.Raw)[0]
	if slices.ContainsFunc(builtin, func(d detector) bool { return d.masked && strings.Contains(sent, "["+d.name+"]") }) {
		return // what must not be stored does not come back
	}
	for _, m := range x.Minted.All() {
		require.Contains(t, sent, m.Token)
	}
	require.Equal(t, text, b.PassWhole(x, sent, false))
	require.Equal(t, text, b.PassStream(x, piitest.SplitPieces(rand.New(rand.NewPCG(uint64(size), 1)), sent, 1+int(size)), false, nil))
	require.Equal(t, text, b.PassWhole(x, text, false), "restoring twice changes nothing")
}
