package pii

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// proseWords are plain words with the marks that prose has.
var proseWords = strings.Fields(`the quick brown fox, having seen enough of the garden, went back to the house: nobody was there. 
	"Tell me," said the cat, "what did you find?" It was late - too late (as they say) for a long answer; so it slept. In 1998 there
	were 3 of them, on page 12 of the book, and 40 more came by car at 10:30 to see what had become of their old friend's place`)

// madeUp are values of all types, none of a real person.
var madeUp = []string{
	"anna.k@example.org",
	"4539824553459855",
	"536-22-8726",
	"DE75370400440513110086",
	"+49 30 901820",
	"203.0.113.77",
	"2001:db8::ff00:42:8329",
	"5425 7096 6090 6571",
	"(212) 555-0187",
	"GB29 NWBK 6016 1331 9268 19",
}

// prose makes n bytes of text, with a made-up value after every so many words.
func prose(n, every int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(proseWords[i%len(proseWords)])
		b.WriteByte(" \n"[(i+1)%23/22])
		if every > 0 && i%every == every-1 {
			b.WriteString(madeUp[i/every%len(madeUp)] + " ")
		}
	}
	return b.String()[:n]
}

func BenchmarkDetect(b *testing.B) {
	e, err := NewEngine(Options{})
	require.NoError(b, err)
	texts := map[string]string{
		"letters":      strings.Repeat("just words and words with no number in them at all, ", 2000)[:100_000],
		"json":         strings.Repeat(`{"role":"user","index":12,"name":"abc_def","id":"7f3a9c","size":10240,"ok":true,"at":"2024-05-01T10:00:00Z"},`, 1000)[:100_000],
		"cyrillic":     strings.Repeat("просто слова и слова без номеров внутри, ", 2000)[:100_000],
		"smart-quotes": strings.Repeat("it’s “just words” — and words with no number in them at all, ", 2000)[:100_000],
	}
	for _, kb := range []int{1, 4, 8, 100} {
		texts[fmt.Sprintf("clean-%dKB", kb)] = prose(kb<<10, 0)
		texts[fmt.Sprintf("values-%dKB", kb)] = prose(kb<<10, 60)
	}
	for name, text := range texts {
		b.Run(name, func(b *testing.B) {
			dst := make([]Match, 0, 1000)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				dst = e.Detect(dst[:0], text)
			}
			b.ReportMetric(float64(len(dst)), "matches")
		})
	}
}

func BenchmarkHold(b *testing.B) {
	e, err := NewEngine(Options{})
	require.NoError(b, err)
	text := prose(400, 20)
	b.ReportAllocs()
	for b.Loop() {
		e.CountHeld(text)
	}
}

func BenchmarkAdversarial(b *testing.B) {
	e, err := NewEngine(Options{Region: "US"})
	require.NoError(b, err)
	for _, unit := range adversarial {
		for _, n := range []int{10_000, 1_000_000} {
			text := strings.Repeat(unit, n/len(unit)+1)[:n]
			b.Run(fmt.Sprintf("%q/%d", unit, n), func(b *testing.B) {
				dst := make([]Match, 0, 1000)
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					dst = e.Detect(dst[:0], text)
				}
			})
		}
	}
}

// adversarial are texts that, repeated, ask for work at every byte.
var adversarial = []string{
	"1",
	"1 ",
	"12 ",
	"123-",
	"@",
	"a",
	"a.",
	"a@",
	"a@b.",
	"x@y.zz@",
	":",
	"::",
	"1:",
	"a:b:",
	"1.1.",
	"1.",
	"+1 ",
	"(1) ",
	"+49 30 ",
	"DE75",
	"de75 ",
	"4-",
	"%40",
	"&#64;",
	"\u200b",
	"1\u200b",
	"好",
	"好@",
	"٤ ",
	"phone ",
	"phone 5550187 ",
	"call 12 ",
	"a好.",
	"1_",
	"1/",
	"1 x ",
	"4111 1111 1111 1111 ",
	"1(",
	"http://",
	"a://",
	"a://b:",
	"token=",
	"password: ",
	"-----BEGIN RSA PRIVATE KEY-----",
	"-----BEGIN RSA PRIVATE KEY-----\nabcdefghijklmnopqrstuvwxyz\n",
	"eyJ.",
	"eyJhbGciOi.",
	"AKIA",
	"sk-",
	"sk_live_",
	"12 Main ",
	"Dr. A ",
	"x (at) ",
	"a at b dot ",
	"AB 12 ",
	"A1",
	"A1 ",
	"12:34:",
	"%B4111111111111111^",
	"1.1,",
	"A",
	"A1Q~",
	"0x1",
	"bc1q",
	"ab-",
	"abcd.",
	"_",
	"a_",
	"\"a\",",
	"=",
	"passport A1234567 ",
	"1234567890 ",
	"123 456 789 ",
	"x.com/",
	"curl -u a:b ",
	"born 1 May 1990 ",
	"1.12345, 2.12345 ",
}
