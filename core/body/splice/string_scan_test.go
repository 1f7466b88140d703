package splice

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEscapesInARowEndWhereTheTextDoes(t *testing.T) {
	for text, want := range map[string]struct {
		end int
		why Reason
	}{
		`\n\t\t"`:           {6, ""},
		`\n\"\\"`:           {6, ""},
		`\n\u0041\n"`:       {10, ""},
		`\n\`:               {2, ReasonTruncated},
		`\n\t`:              {4, ReasonTruncated},
		`\n\x"`:             {2, ReasonEscape},
		`\n` + "\x01" + `"`: {2, ReasonControl},
		`\né\n"`:            {6, ""},
	} {
		end, escaped, why := scanText([]byte(text), 0)
		require.Equal(t, want.why, why, text)
		require.Equal(t, want.end, end, text)
		require.True(t, escaped, text)
	}
}

// BenchmarkScanText reads source code as JSON spells it.
func BenchmarkScanText(b *testing.B) {
	doc := []byte(strings.Repeat(`func (c *conn) serve(ctx context.Context) {\n\tif err != nil {\n\t\treturn fmt.Errorf(\"serve: %w\", err)\n\t}\n}\n`, 50) + `"`)
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if end, _, why := scanText(doc, 0); end != len(doc)-1 || why != "" {
			b.Fatal(end, why)
		}
	}
}
