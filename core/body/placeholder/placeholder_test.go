package placeholder

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// grammar is the specification of a placeholder, in another language.
var grammar = regexp.MustCompile(`\{\{PII_[A-Z][A-Z0-9_]{0,30}_(?:[0-9a-f]{24}|[0-9a-f]{16})\}\}`)

const (
	short = "{{PII_EMAIL_0a1b2c3d4e5f6a7b}}"
	long  = "{{PII_CREDIT_CARD_0a1b2c3d4e5f6a7b01234567}}"
)

func TestOnlyWholePlaceholdersAreFound(t *testing.T) {
	most := "{{PII_" + strings.Repeat("T", 31) + "_0a1b2c3d4e5f6a7b01234567}}"
	require.Len(t, most, MaxLen)
	for name, tc := range map[string]struct {
		text string
		want string // "": none
	}{
		"one alone":                       {short, short},
		"with 24 digits":                  {long, long},
		"the longest":                     {most, most},
		"in a word":                       {"x" + short + "s", short},
		"behind a false start":            {"{{PII_EMAIL_{{PII_X_" + short, short},
		"behind more braces":              {"{{{{" + short + "}}", short},
		"a type that looks like digits":   {"{{PII_A0_1_2_0a1b2c3d4e5f6a7b}}", "{{PII_A0_1_2_0a1b2c3d4e5f6a7b}}"},
		"an underscore at a type's end":   {"{{PII_A__0a1b2c3d4e5f6a7b}}", "{{PII_A__0a1b2c3d4e5f6a7b}}"},
		"one letter":                      {"{{PII_A_0a1b2c3d4e5f6a7b}}", "{{PII_A_0a1b2c3d4e5f6a7b}}"},
		"a type that is too long":         {"{{PII_" + strings.Repeat("T", 32) + "_0a1b2c3d4e5f6a7b}}", ""},
		"a type that starts with a digit": {"{{PII_1A_0a1b2c3d4e5f6a7b}}", ""},
		"no type":                         {"{{PII__0a1b2c3d4e5f6a7b}}", ""},
		"a type in small letters":         {"{{PII_email_0a1b2c3d4e5f6a7b}}", ""},
		"digits in capitals":              {"{{PII_EMAIL_0A1B2C3D4E5F6A7B}}", ""},
		"15 digits":                       {"{{PII_EMAIL_0a1b2c3d4e5f6a7}}", ""},
		"20 digits":                       {"{{PII_EMAIL_0a1b2c3d4e5f6a7b0123}}", ""},
		"one brace at the end":            {"{{PII_EMAIL_0a1b2c3d4e5f6a7b}", ""},
		"a template's braces":             {"{{ PII_EMAIL_0a1b2c3d4e5f6a7b }} {{name}}", ""},
		"the end is missing":              {"{{PII_EMAIL_0a1b2c3d4e5f6a7b", ""},
		"nothing":                         {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			start, end, ok := Next(tc.text, 0)
			require.Equal(t, tc.want != "", ok)
			assert.Equal(t, tc.want, tc.text[start:end])
			assert.Equal(t, tc.want, grammar.FindString(tc.text), "the regular expression agrees")
		})
	}
}

func TestNextGoesOnFromWhereItIsTold(t *testing.T) {
	text := short + " " + long
	_, end, ok := Next(text, 0)
	require.True(t, ok)
	start, end, ok := Next(text, end)
	require.True(t, ok)
	assert.Equal(t, long, text[start:end])
	_, _, ok = Next(text, 1)
	assert.True(t, ok, "the second one is left")
	_, _, ok = Next(text, end)
	assert.False(t, ok)
	_, _, ok = Next(text, len(text)+5)
	assert.False(t, ok)
	start, _, _ = Next(text, -3)
	assert.Zero(t, start)
}

func TestPartialHoldsEveryBeginningAndNothingElse(t *testing.T) {
	for _, whole := range []string{short, long} {
		for n := range len(whole) {
			assert.Equal(t, n, FindPartial("text "+whole[:n]), "%q", whole[:n])
		}
		assert.Zero(t, FindPartial(whole))
		assert.Zero(t, FindPartial(whole[:len(whole)-3]+"x"))
	}
	assert.Equal(t, 1, FindPartial("{{{"[:1]))
	assert.Equal(t, 2, FindPartial("{{{"), "the last two braces may begin one")
	assert.Zero(t, FindPartial("{{name}}"))
}

// randomLookAlike is a text of pieces that placeholders are made of.
func randomLookAlike(r *rand.Rand) string {
	pieces := []string{
		"{",
		"{{",
		"{{PII_",
		"PII_",
		"EMAIL",
		"A",
		"_",
		"0a1b2c3d4e5f6a7b",
		"01234567",
		"0",
		"f",
		"}",
		"}}",
		" ",
		"é",
		short,
		long,
		strings.Repeat("T", 30),
	}
	var b strings.Builder
	for range r.IntN(10) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func TestNextAgreesWithTheGrammarOnLookAlikes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20000 {
		text := randomLookAlike(r)
		var got []string
		for at := 0; ; {
			start, end, ok := Next(text, at)
			if !ok {
				break
			}
			got = append(got, text[start:end])
			at = end
		}
		require.Equal(t, grammar.FindAllString(text, -1), got, "%q", text)
	}
}

// ways are continuations of which one makes a whole placeholder of any beginning.
func completes(tail string) bool {
	for _, whole := range []string{short, long} {
		for n := 1; n <= len(whole); n++ {
			if loc := grammar.FindStringIndex(tail + whole[n:]); loc != nil && loc[0] == 0 && loc[1] == len(tail+whole[n:]) {
				return true
			}
		}
	}
	// A type and digits of any length: the parts that are left.
	for d := 24; d >= 0; d-- {
		for _, more := range []string{"", "A_", "_", "PII_A_", "{PII_A_"} {
			s := tail + more + strings.Repeat("0", d) + "}}"
			if loc := grammar.FindStringIndex(s); loc != nil && loc[0] == 0 && loc[1] == len(s) {
				return true
			}
		}
	}
	s := tail + "}"
	loc := grammar.FindStringIndex(s)
	return loc != nil && loc[0] == 0 && loc[1] == len(s)
}

func TestPartialIsTheLongestEndThatCanStillBecomeOne(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range 3000 {
		text := randomLookAlike(r)
		want := 0
		for n := min(len(text), MaxLen-1); n > 0; n-- {
			if tail := text[len(text)-n:]; tail[0] == '{' && grammar.FindStringIndex(tail) == nil && completes(tail) {
				want = n
				break
			}
		}
		require.Equal(t, want, FindPartial(text), "%q", text)
		require.Less(t, FindPartial(text), MaxLen)
	}
}

func TestTouchesTellsWhatOverlapsAPlaceholder(t *testing.T) {
	text := "ab " + short + long + " cd"
	first, last := 3, 3+len(short)+len(long)
	for start := range text {
		for end := start + 1; end <= len(text); end++ {
			assert.Equal(t, start < last && end > first, Touches(text, start, end), "%d to %d", start, end)
		}
	}
	assert.False(t, Touches("no placeholder at all", 3, 8))
}

func BenchmarkPartial(b *testing.B) {
	text := strings.Repeat("words ", 20) + short[:20]
	b.ReportAllocs()
	for b.Loop() {
		if FindPartial(text) != 20 {
			b.Fatal("wrong")
		}
	}
}
