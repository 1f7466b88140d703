package pii

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// BenchmarkFilter is a piece of a streamed answer without placeholders.
func BenchmarkFilter(b *testing.B) {
	text := strings.Repeat("some plain words of text, ", 5)
	for name, config := range map[string]string{"strict": "{}", "tolerant": "restore: tolerant", "redact": "response: redact", "redact all": "{response: redact, packs: [all]}"} {
		for kind, part := range map[string]core.Part{"text": {Kind: core.KindText}, "arguments": {Kind: core.KindToolArgs}} {
			b.Run(name+", "+kind, func(b *testing.B) {
				st, err := New(block(config), nil)
				require.NoError(b, err)
				f, err := st.(*Stage).Stream(context.Background(), &core.Exchange{}, nil)
				require.NoError(b, err)
				w := core.Window{Part: part, Text: text, Sent: len(text) - 12, New: len(text) - 12}
				b.ReportAllocs()
				for b.Loop() {
					if _, _, err := f.Check(context.Background(), w); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
