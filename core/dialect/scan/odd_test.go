package scan_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

func TestAStringIsOddUnlessItIsSpelledLikeAnIdentifier(t *testing.T) {
	for text, odd := range map[string]bool{
		`msg_1763912345678`:     false,
		`QUJD\/R0g=`:            false,
		`QUJD\u003d\u003d`:      false, // as some encoders write =
		`QUJD\u003D`:            false,
		`two words`:             true,
		`two\u0020words`:        true,
		`\u00e9t\u00e9`:         true,
		`\u0000`:                true,
		`\u003`:                 true,
		`tab\t`:                 true,
		`2026-11-23T10:47:00Z`:  false,
		`https://example.com/x`: false,
	} {
		doc := []byte(`{"a":["` + text + `"]}`)
		found := ""
		scan.VisitOddStrings(doc, splice.Span{Start: 0, End: len(doc)}, func(at splice.Span) { found = string(doc[at.Start:at.End]) })
		if odd {
			assert.Equal(t, text, found)
		} else {
			assert.Empty(t, found, text)
		}
	}
}
