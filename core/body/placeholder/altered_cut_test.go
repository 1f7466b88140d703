package placeholder

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// altered are pieces that altered placeholders are made of.
var altered = []string{
	"{",
	"{{",
	"}",
	"}}",
	"PII",
	"pii",
	"Pii",
	"P",
	"p",
	"_",
	"__",
	"EMAIL",
	"email",
	"A",
	"CREDIT_CARD",
	"0a1b2c3d4e5f6a7b",
	"0A1B2C3D4E5F6A7B",
	"01234567",
	"0",
	"f",
	"&#123;",
	"&#125;",
	"&#x7b;",
	"&lbrace;",
	"&rbrace;",
	"&lcub;",
	"&",
	"&#",
	"%7B",
	"%7d",
	"%",
	"%5f",
	"｛",
	"｝",
	`\`,
	`\\`,
	`\u007b`,
	`\u007d`,
	`u007b`,
	`\{`,
	`\}`,
	`\_`,
	" ",
	"\n",
	"*",
	"`",
	"\u200b",
	"\u00a0",
	"&nbsp;",
	"%20",
	"é",
	"word ",
	short,
	long,
	"PII_EMAIL_0a1b2c3d4e5f6a7b",
	"{PII_EMAIL_0a1b2c3d4e5f6a7b}",
	"{{PII_",
	"PII_EMAIL_",
}

func randomAltered(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(14) {
		b.WriteString(altered[r.IntN(len(altered))])
	}
	return b.String()
}

// markPlaceholders puts <token> for each placeholder.
func markPlaceholders(text string) string {
	var b strings.Builder
	at := 0
	for {
		start, end, token, ok := FindNextAltered(text, at)
		if !ok {
			return b.String() + text[at:]
		}
		b.WriteString(text[at:start] + "<" + token + ">")
		at = end
	}
}

// restoredInPieces is restored for a text that arrives in pieces, as a stream's
// filter does it.
func restoredInPieces(t testing.TB, pieces []string) string {
	var b strings.Builder
	text, at := "", 0
	for i, p := range pieces {
		text += p
		hold := 0
		if i < len(pieces)-1 {
			hold = FindPartialAltered(text, at)
			require.Less(t, hold, MaxAltered)
		}
		clear := len(text) - hold
		require.GreaterOrEqual(t, clear, at)
		require.True(t, hold == 0 || utf8.RuneStart(text[clear]))
		for {
			start, end, token, ok := FindNextAltered(text, at)
			if !ok || start >= clear {
				break
			}
			require.LessOrEqual(t, end, clear, "what is released is final: %q of %q", text[start:end], text)
			b.WriteString(text[at:start] + "<" + token + ">")
			at = end
		}
		b.WriteString(text[at:clear])
		at = clear
		if drop := at - 96; drop > 0 { // as much as a filter may see again
			text, at = text[drop:], 96
		}
	}
	return b.String()
}

func requireAnyCutting(t testing.TB, r *rand.Rand, text string) {
	want := markPlaceholders(text)
	require.Equal(t, want, restoredInPieces(t, strings.Split(text, "")), "%q", text)
	for i := range text {
		require.Equal(t, want, restoredInPieces(t, []string{text[:i], text[i:]}), "%q cut at %d", text, i)
	}
	var pieces []string
	for rest := text; rest != ""; {
		n := 1 + r.IntN(min(9, len(rest)))
		for n < len(rest) && !utf8.RuneStart(rest[n]) {
			n++
		}
		pieces, rest = append(pieces, rest[:n]), rest[n:]
	}
	require.Equal(t, want, restoredInPieces(t, pieces), "%q", pieces)
}

func TestAlteredPlaceholdersAreTheSameUnderEveryCut(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for _, tc := range alterations {
		requireAnyCutting(t, r, "x "+tc.text+" y")
		requireAnyCutting(t, r, tc.text+tc.text)
	}
	for range 3000 {
		requireAnyCutting(t, r, randomAltered(r))
	}
}

func TestWhateverIsFoundUnalteredIsFoundAlteredToo(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for range 20000 {
		text := randomAltered(r) + randomLookAlike(r)
		var all [][2]int
		for at := 0; ; {
			start, end, _, ok := FindNextAltered(text, at)
			if !ok {
				break
			}
			all = append(all, [2]int{start, end})
			at = end
		}
		for at := 0; ; {
			start, end, ok := Next(text, at)
			if !ok {
				break
			}
			require.Contains(t, all, [2]int{start, end}, "%q", text)
			at = end
		}
	}
}

func TestNothingIsHeldThatCannotBecomeAPlaceholder(t *testing.T) {
	for text, want := range map[string]int{
		"":                              0,
		"just words.":                   0,
		"help":                          1,
		"happy":                         0,
		"a {":                           1,
		"{{name}}":                      0,
		"{{PII_EMAIL}}":                 0,
		"PII ":                          4,
		"PII is":                        0,
		"50%":                           1,
		"50% ":                          0,
		"this &":                        1,
		"this & ":                       0,
		short:                           0,
		short + " ":                     0,
		"PII_EMAIL_0a1b2c3d4e5f6a7b ":   0,
		"PII_EMAIL_0a1b2c3d4e5f6a7b":    26,
		"{PII_EMAIL_0a1b2c3d4e5f6a7b ":  28,
		"{PII_EMAIL_0a1b2c3d4e5f6a7b} ": 0,
		strings.Repeat(`\`, 40):         0,
		strings.Repeat("{", 40):         2,
		"{" + strings.Repeat(" ", 30):   0,
	} {
		assert.Equal(t, want, FindPartialAltered(text, 0), "%q", text)
		assert.Zero(t, FindPartialAltered(text, len(text)))
	}
}

func FuzzAlteredPlaceholdersAreTheSameUnderEveryCut(f *testing.F) {
	for _, tc := range alterations {
		f.Add(tc.text, uint64(1))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if utf8.ValidString(text) && len(text) < 400 {
			requireAnyCutting(t, rand.New(rand.NewPCG(seed, 1)), text)
		}
	})
}
