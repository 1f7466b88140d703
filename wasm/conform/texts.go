package conform

import (
	"strings"

	"github.com/headgate-dev/headgate/wasm"
)

// marker is a word that no plugin contains. If it appears outside the texts, a text has leaked.
const marker = "zq7kx9marker"

// prose is ordinary text of several scripts.
const prose = "The quick brown fox, 0123456789 and Grüße from 東京: see https://example.org/a?b=c or write to a.person@example.org. "

// listSampleTexts returns texts about which a plugin has something to say, and some about which it has not: samples of
// its manifest, and those that the author adds.
func listSampleTexts(m *wasm.Manifest, more []string) []string {
	out := []string{prose, prose + marker, "no match here"}
	for _, s := range m.Samples {
		out = append(out, s.Text, "x "+s.Text+" "+s.Text+" y", s.Text+" "+marker)
	}
	for _, text := range more {
		out = append(out, text, text+" "+marker)
	}
	return out
}

// repeatText returns at least n bytes of a text.
func repeatText(text string, n int) string { return strings.Repeat(text, n/len(text)+1) }
