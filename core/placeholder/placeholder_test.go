package placeholder

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The grammar once more, in the words of a regular expression: whole placeholders, and the proper beginnings of them.
var (
	whole  = regexp.MustCompile(`\{\{PII_[A-Z][A-Z0-9_]{0,30}_[0-9a-f]{16}(?:[0-9a-f]{8})?\}\}`)
	prefix = regexp.MustCompile(`^\{(?:\{(?:P(?:I(?:I(?:_(?:[A-Z][A-Z0-9_]{0,30}(?:_(?:[0-9a-f]{0,24}|(?:[0-9a-f]{16}|[0-9a-f]{24})\}))?)?)?)?)?)?)?$`)
)

func oraclePartial(text string) int {
	for n := min(len(text), MaxLen); n > 0; n-- {
		if prefix.MatchString(text[len(text)-n:]) {
			return n
		}
	}
	return 0
}

const hex16, hex24 = "0123456789abcdef", "0123456789abcdef01234567"

var grammarSeeds = []string{
	"", "{", "{{", "{{{", "{{P", "{{PII_", "{{PII_A", "{{PII_A_", "{{PII_A_0", "{{PII_A_" + hex16, "{{PII_A_" + hex16 + "}",
	"{{PII_A_" + hex16 + "}}", "{{PII_A_" + hex24 + "}}", "{{PII_A_" + hex24 + "}", "{{PII_A_" + hex24 + "0",
	"{{PII_A_" + hex16 + "0}}", "{{PII_A_" + hex16 + "01234567}} and {{PII_B_" + hex16 + "}}",
	"{{PII_CREDIT_CARD_" + hex16 + "}}s", "x{{{PII_EMAIL_" + hex16 + "}}}", "{{PII_{{PII_A_" + hex16 + "}}",
	"{{PII__A_" + hex16 + "}}", "{{PII_a_" + hex16 + "}}", "{{PII_A" + hex16 + "}}", "{{PII_A_0123456789ABCDEF}}",
	"{{PII_A_1111111111111111_" + hex16 + "}}", "{{PII_" + strings.Repeat("A", 31) + "_" + hex24 + "}}",
	"{{PII_" + strings.Repeat("A", 32) + "_" + hex24 + "}}", "{{PII_" + strings.Repeat("A", 31) + "_" + hex24 + "}",
	"{{PII_" + strings.Repeat("A", 31), "{{PII_" + strings.Repeat("A", 32), "{{PII_A_" + strings.Repeat("_", 29) + "_" + hex16,
	"{{ name }}", "{{PII_EMAIL}}", "}}", "{{PII_A_" + hex16 + "} }", "é{{PII_É_" + hex16 + "}}", "{{PII_A_" + hex16 + "}}{",
}

func checkGrammar(t *testing.T, text string) {
	t.Helper()
	want := whole.FindAllStringIndex(text, -1)
	var got [][]int
	for at := 0; ; {
		start, end, ok := Next(text, at)
		if !ok {
			break
		}
		got = append(got, []int{start, end})
		at = end
	}
	require.Equal(t, want, got, "%q", text)
	require.Equal(t, oraclePartial(text), Partial(text), "%q", text)
}

func TestGrammarAgreesWithTheRegularExpression(t *testing.T) {
	for _, s := range grammarSeeds {
		checkGrammar(t, s)
		for n := range len(s) {
			checkGrammar(t, s[:n])
			checkGrammar(t, s[n:])
			checkGrammar(t, s[:n]+"{{PII_"+s[n:])
		}
	}
}

func TestNextBeginsWhereItIsTold(t *testing.T) {
	text := "{{PII_A_" + hex16 + "}} {{PII_B_" + hex16 + "}}"
	start, end, ok := Next(text, 1)
	assert.True(t, ok)
	assert.Equal(t, "{{PII_B_"+hex16+"}}", text[start:end])
	start, _, ok = Next(text, -5)
	assert.True(t, ok)
	assert.Zero(t, start)
	_, _, ok = Next(text, len(text)+5)
	assert.False(t, ok)
}

func TestTheLongestPlaceholderHasMaxLenBytes(t *testing.T) {
	token := "{{PII_" + strings.Repeat("A", 31) + "_" + hex24 + "}}"
	assert.Len(t, token, MaxLen)
	assert.Equal(t, 64, MaxLen)
	_, end, ok := Next(token, 0)
	assert.True(t, ok)
	assert.Equal(t, 64, end)
	assert.Equal(t, 63, Partial(token[:63]))
}

// What Partial holds back and what Next finds fit together: however a text is cut, nothing is found less or twice.
func TestAStreamCutAnywhereFindsTheSamePlaceholders(t *testing.T) {
	text := "a {{PII_A_" + hex16 + "}}{{PII_B_" + hex24 + "}} {{PII_{{PII_C_C_" + hex16 + "}}}} {{x}} {{PII_D_" + hex16
	want := whole.FindAllString(text, -1)
	for size := 1; size <= len(text); size++ {
		var got []string
		held := ""
		for at := 0; at < len(text); at += size {
			held += text[at:min(at+size, len(text))]
			ready := held[:len(held)-Partial(held)]
			for from := 0; ; {
				start, end, ok := Next(ready, from)
				if !ok {
					break
				}
				got = append(got, ready[start:end])
				from = end
			}
			held = held[len(ready):]
		}
		require.Equal(t, want, got, "pieces of %d bytes", size)
	}
}

func TestTheGrammarAllocatesNothing(t *testing.T) {
	text := strings.Repeat("some {{text}} ", 50) + "{{PII_A_" + hex16 + "}} {{PII_A_" + hex16
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		Next(text, 0)
		Partial(text)
	}))
}

func FuzzGrammar(f *testing.F) {
	for _, s := range grammarSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkGrammar(t, s) })
}

func BenchmarkNextNone(b *testing.B) {
	text := strings.Repeat("The quick brown fox {jumps} over. ", 250)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Next(text, 0)
	}
}

func BenchmarkPartialNone(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over. ", 4)
	b.ReportAllocs()
	for b.Loop() {
		Partial(text)
	}
}
