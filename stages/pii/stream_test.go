package pii

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/stages/internal/dataset"
	"github.com/headgate-dev/headgate/stages/pii/piitest"
)

// feed runs a text through the engine in the given pieces as a stream would,
// and returns the matches by their offsets in the whole.
func feed(t testing.TB, e *Engine, pieces []string) []Match {
	var got []Match
	buf, kept, base := "", 0, 0 // kept: released bytes in front; base: offset of buf
	for i, p := range pieces {
		buf += p
		hold := 0
		if i < len(pieces)-1 {
			hold = e.CountHeldFrom(buf, kept)
			require.LessOrEqual(t, hold, HoldMax, "hold is bounded")
			require.GreaterOrEqual(t, hold, 0)
		}
		cut := len(buf) - hold
		require.GreaterOrEqual(t, cut, kept, "what was released stays released")
		var before []Match // matches in the text before the cut alone
		n, whole := 0, hold < cutBack-utf8.UTFMax && !e.wide
		if whole {
			before = e.DetectFrom(nil, buf[:cut], kept)
		}
		for _, m := range e.DetectFrom(nil, buf, kept) {
			if m.Start >= cut {
				break
			}
			if n++; whole {
				require.GreaterOrEqual(t, len(before), n, "what stands before the cut is found without the rest: %q", buf)
				require.Equal(t, m, before[n-1], "what stands before the cut is final: %q", buf)
			}
			require.LessOrEqual(t, m.End, cut, "a match is released in part: %q cut %d in %q", buf[m.Start:m.End], cut, buf)
			m.Start += base
			m.End += base
			got = append(got, m)
		}
		require.True(t, !whole || len(before) == n, "nothing more is found before the cut: %q cut %d", buf, cut)
		drop := max(0, cut-ContextBytes)
		for drop > 0 && !utf8.RuneStart(buf[drop]) {
			drop--
		}
		buf, kept, base = buf[drop:], cut-drop, base+drop
	}
	return got
}

// assertAnyCutting checks that every way of cutting a text gives the matches
// of the whole.
func assertAnyCutting(t testing.TB, e *Engine, text string, seeds int) {
	want := e.Detect(nil, text)
	if len(text) < 400 {
		for i := range text {
			require.Equal(t, want, feed(t, e, []string{text[:i], text[i:]}), "cut at %d of %q", i, text)
		}
	}
	require.Equal(t, want, feed(t, e, piitest.SplitRunes(text)), "rune by rune: %q", text)
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		require.Equal(t, want, feed(t, e, piitest.SplitPieces(r, text, 1+seed%9*seed)), "seed %d: %q", seed, text)
	}
}

func TestStreamFindsWhatTheWholeTextHolds(t *testing.T) {
	e, err := NewEngine(Options{Packs: []string{packAll}})
	require.NoError(t, err)
	eachStreamed(t, func(t *testing.T, cases []testCase) {
		for _, c := range cases {
			assertAnyCutting(t, e, c.Text, 20)
		}
	})
}

func TestStreamFindsWhatTheCasesHold(t *testing.T) {
	for _, pack := range []string{packDefault, packAll} {
		t.Run(pack, func(t *testing.T) {
			eachCases(t, "pii_cases.jsonl.gz", func(t *testing.T, set string, cases []testCase) {
				step := raceShare()
				if set == dataset.Sample { // a third will do
					step *= 3
				}
				some := cases[:0]
				for i := 0; i < len(cases); i += step {
					some = append(some, cases[i])
				}
				cases = some
				streamFindsWhatTheCasesHold(t, pack, cases)
			})
		})
	}
}

func streamFindsWhatTheCasesHold(t *testing.T, pack string, cases []testCase) {
	e, err := NewEngine(Options{Region: "US", Packs: []string{pack}})
	require.NoError(t, err)
	var all strings.Builder
	for _, c := range cases {
		if !utf8.ValidString(c.Text) {
			continue
		}
		assertAnyCutting(t, e, c.Text, 2)
		all.WriteString(c.Text)
		all.WriteString([]string{" ", "", "\n", ". "}[len(c.Text)%4])
	}
	want := e.Detect(nil, all.String())
	for seed := range 3 {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		require.Equal(t, want, feed(t, e, piitest.SplitPieces(r, all.String(), 8<<(2*seed))), "seed %d", seed)
	}
}

// scraps are what random texts are made of: values, pieces of values and what
// surrounds them.
var scraps = []string{
	"4539824553459855",
	"4539 8245 5345 9855",
	"4539-8245-",
	"3446 281968 16154",
	"4 5 3 9 8 2 4 5 5 3 4 5 9 8 5 5",
	"4222222222222",
	"536-22-8726",
	"536 22 8726",
	"536228726",
	"DE75370400440513110086",
	"de75 3704 0044 0513 1100 86",
	"GB29 NWBK 6016 1331 9268 19",
	"NO93 8601 1117 947",
	"+49 30 901820",
	"+44 (0)20 7946 0958",
	"(212) 555-0187",
	"212-555-0187 ext. 12",
	"555 0187",
	"+1(567)3628910",
	"0 (917) 123 4567",
	"+",
	"(",
	") ",
	"203.0.113.77",
	"10.0.0.0/8",
	"2001:db8::ff00:42:8329",
	"fe80::1%eth0",
	"::ffff:192.0.2.1",
	"::1",
	"12:34:56",
	"1.2.3.4.5",
	"anna.k@example.org",
	"x@y.example",
	"a&#64;b.example",
	"a%40b.example",
	"用户@例子.公司",
	"info@münchen.example",
	"git@host.example:a/b",
	"@",
	"@@",
	".",
	"..",
	"-",
	":",
	"::",
	"/",
	"_",
	"x",
	"x ",
	" ext",
	"phone",
	"call ",
	"mobile: ",
	"SSN",
	"card ",
	"ip ",
	"version ",
	"order ",
	"IBAN ",
	"Telefon",
	"电话",
	"AKIAIOSFODNN7EXAMPLQ",
	"ghp_16C7e42F292c6912E7710c838347Ae178B4a",
	"sk-proj-",
	"xoxb-12345678901-abcdefGHIJ",
	"eyJhbGciOiJIUzI1NiJ9",
	".eyJzdWIiOiIxIn0",
	".c2lnbmF0dXJl",
	"postgres://u:pa55word@",
	"https://",
	"://",
	"db.example.com/x?y=1",
	"password",
	"password=",
	"api_key: ",
	"token = \"",
	"hunter2xyz9",
	"Authorization: Bearer ",
	"-----BEGIN RSA PRIVATE KEY-----\n",
	"MIIEpQIBAAKCAQEAn6\n",
	"-----END RSA PRIVATE KEY-----",
	"-----",
	"BEGIN",
	"%B4111111111111111^DOE/J^2512?",
	";4111111111111111=2512",
	"anna AT ",
	"AT example DOT org",
	"anna_at_",
	"_dot_com",
	" -at- ",
	"{at}",
	"<at>",
	"anna @ ",
	"example . org",
	"anna [@] ",
	"anna<b>@</b>",
	"<span>",
	"</b>",
	" DOT ",
	"mail kim at ",
	"gmail.com",
	"4539  8245  ",
	"5345 - 9855",
	"523--45--6789",
	"203[.]0[.]113[.]77",
	"<br>",
	"</td><td>",
	"&nbsp;",
	"|",
	"0049 171 ",
	"2345678",
	"DE75  3704 ",
	"DE75.3704.",
	"0044.0513.1100.86",
	"ssn: 5 2 3 ",
	"4 5 6 7 8 9",
	"\t",
	"x_92 (at) ",
	"(at)",
	"[at]",
	"[.]",
	"[dot]com",
	" at ",
	" dot ",
	"example dot org",
	"anna",
	"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
	"0x88dA6B6a8D3590e88E0FcadD5CEC56A7C9478319",
	"01:23:45:67:89:ab",
	"0012.3456.789a",
	"AA 12 34 56 B",
	"AA ",
	"B ",
	"AB",
	"DE 136 695 976",
	"131052-308T",
	"W520128(7)",
	"X1234567L",
	"2123 45670 1",
	"85.07.30-033 28",
	"passport ",
	"plate ",
	"ABC 123",
	"ABC ",
	"12 Main Street, Apt 4",
	" Main",
	" St",
	", Apt ",
	"Dr. ",
	"Anna Maria",
	"my name is ",
	"born on ",
	"4 June 1976",
	"June ",
	"June 4, ",
	"1976",
	"age ",
	"42",
	" years old",
	"52.5200, 13.4050",
	"cvv ",
	"123",
	"exp 04/29",
	"AGRIFRPP",
	"SWIFT ",
	"curl -u ",
	"user:",
	"f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
	"hooks.slack.com/services/",
	"key=",
	"'",
	"`",
	"<",
	">",
	"~",
	" ",
	"  ",
	"\n",
	", ",
	". ",
	"; ",
	"\"",
	"=",
	"the ",
	"word",
	"bad",
	"0",
	"1",
	"12",
	"2024",
	"99999",
	"a",
	"e",
	"Z9",
	"%",
	"&",
	"#",
	"\u200b",
	"\u200d\u200b",
	"\ufeff",
	"\u00ad",
	"\u00a0",
	"\u2009",
	"－",
	"４５３９",
	"٥٣٦",
	"６０２-３１-４４７８",
	"é",
	"好",
	"👉",
	"“",
	"\u200b\u200b\u200b\u200b\u200b\u200b",
}

func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	few := scraps
	if r.IntN(2) == 0 { // a few scraps over and over: long runs
		few = nil
		for range 1 + r.IntN(4) {
			few = append(few, scraps[r.IntN(len(scraps))])
		}
	}
	for b.Len() < n {
		b.WriteString(few[r.IntN(len(few))])
	}
	return b.String()
}

func TestStreamFindsWhatRandomTextsHold(t *testing.T) {
	for _, pack := range []string{packDefault, packAll} {
		t.Run(pack, func(t *testing.T) { streamFindsWhatRandomTextsHold(t, pack) })
	}
}

func streamFindsWhatRandomTextsHold(t *testing.T, pack string) {
	e, err := NewEngine(Options{Region: "US", Packs: []string{pack}})
	require.NoError(t, err)
	n := 300 / raceShare()
	if v, err := strconv.Atoi(os.Getenv("PII_SEEDS")); err == nil {
		n = v
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		text := randomText(r, 20+r.IntN(500))
		want := e.Detect(nil, text)
		require.Equal(t, want, feed(t, e, piitest.SplitRunes(text)), "seed %d: %q", seed, text)
		require.Equal(t, want, feed(t, e, piitest.SplitPieces(r, text, 30)), "seed %d: %q", seed, text)
	}
}

// feedPlain is feed with Detect and Hold alone, for a stream that tells what is
// new by the offsets of the matches.
func feedPlain(t testing.TB, e *Engine, pieces []string) []Match {
	var got []Match
	buf, kept, base := "", 0, 0
	for i, p := range pieces {
		buf += p
		hold := 0
		if i < len(pieces)-1 {
			hold = e.CountHeld(buf)
		}
		cut := max(len(buf)-hold, kept)
		for _, m := range e.Detect(nil, buf) {
			if m.Start >= cut || m.Start < kept {
				continue
			}
			require.LessOrEqual(t, m.End, cut, "a match is released in part: %q cut %d in %q", buf[m.Start:m.End], cut, buf)
			m.Start += base
			m.End += base
			got = append(got, m)
		}
		drop := max(0, cut-ContextBytes)
		for drop > 0 && !utf8.RuneStart(buf[drop]) {
			drop--
		}
		buf, kept, base = buf[drop:], cut-drop, base+drop
	}
	return got
}

func TestStreamWithoutOffsetsFindsWhatTheCasesHold(t *testing.T) {
	e, err := NewEngine(Options{Region: "US"})
	require.NoError(t, err)
	eachCases(t, "pii_cases.jsonl.gz", func(t *testing.T, _ string, cases []testCase) {
		for _, c := range cases {
			require.Equal(t, e.Detect(nil, c.Text), feedPlain(t, e, piitest.SplitRunes(c.Text)), c.Text)
		}
	})
}
