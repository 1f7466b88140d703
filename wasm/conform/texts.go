package conform

import (
	"strings"

	"github.com/headgate-dev/headgate/wasm"
)

// marker is a word that stands in no plugin. Where it appears outside the texts, a text has leaked.
const marker = "zq7kx9marker"

// prose is ordinary text of several scripts.
const prose = "The quick brown fox, 0123456789 and Grüße from 東京: see https://example.org/a?b=c or write to a.person@example.org. "

// odd are texts that no guest may stumble over: empty, blank, control characters, broken UTF-8 of every kind, unfinished placeholders and
// JSON, long words, and many characters of several bytes.
func odd() []string {
	return []string{
		"", " ", "\n\r\t\v\x00\x01\x7f", "é\u0301 \U0001F600 \u202Eabc\u202C \uFFFD \U0010FFFF",
		"caf\xc3 \xff\xfe\x80 \xed\xa0\x80 \xf0\x9f\x98 broken", "\x80", "\xf0\x9f\x98", "\xc0\xaf", "\xf5\x80\x80\x80",
		"{{PII_EMAIL_0123456789abcdef}}", "{{PII_EMAIL_0123", `{"a":"\u00e9"}`, strings.Repeat("{", 500), strings.Repeat("[\"", 300),
		strings.Repeat("a", 10_000), strings.Repeat("1", 5_000), strings.Repeat("é", 30_000), strings.Repeat("\x00", 5_000),
	}
}

// telling are texts about which a plugin has something to say, and some about which it has not: samples of its manifest, and those that
// the author adds.
func telling(m *wasm.Manifest, more []string) []string {
	out := []string{prose, prose + marker, "no match here"}
	for _, s := range m.Samples {
		out = append(out, s.Text, "x "+s.Text+" "+s.Text+" y", s.Text+" "+marker)
	}
	for _, text := range more {
		out = append(out, text, text+" "+marker)
	}
	return out
}

// repeated returns at least n bytes of a text.
func repeated(text string, n int) string { return strings.Repeat(text, n/len(text)+1) }
