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

// BenchmarkScanText reads text as JSON spells it, in blocks and without them.
func BenchmarkScanText(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"source", `func (c *conn) serve(ctx context.Context) {\n\tif err != nil {\n\t\treturn fmt.Errorf(\"serve: %w\", err)\n\t}\n}\n`},
		{"prose", "The order left the warehouse on monday while the invoice says friday, so the customer wants to know which date is right. "},
		{"german", "Die Bestellung verließ das Lager am Montag; natürlich möchte der Kunde wissen, welches Datum nun gültig ist, und warum. "},
		{"chinese", "订单于周一离开仓库,而发票上写的是周五,所以客户想知道哪个日期是正确的。"},
		{"escaped chinese", `\u8ba2\u5355\u4e8e\u5468\u4e00\u79bb\u5f00\u4ed3\u5e93,\u800c\u53d1\u7968\u4e0a\u5199\u7684\u662f\u5468\u4e94 `},
	} {
		doc := []byte(strings.Repeat(c.text, 6000/len(c.text)) + `"`)
		for _, blocks := range []bool{false, true} {
			b.Run(c.name+"/"+map[bool]string{false: "bytes", true: "blocks"}[blocks], func(b *testing.B) {
				was := readsBlocks
				readsBlocks = was && blocks
				defer func() { readsBlocks = was }()
				b.SetBytes(int64(len(doc)))
				for b.Loop() {
					if end, _, why := scanText(doc, 0); end != len(doc)-1 || why != "" {
						b.Fatal(end, why)
					}
				}
			})
		}
	}
}

// scanParts are what the blocks and the scan byte by byte could read differently.
var scanParts = []string{
	"a", "plain text of some length, ", `"`, `\"`, `\\`, `\n`, `\t\t`, `\/`, `\b\f\r`, `\u00e9`, `\ud83d\ude42`, `\x`, `\`, `\\\`, "\x00", "\x1f", "\x7f", " ", "!", "é", "日本", "🙂",
	"\xff", "\x80", strings.Repeat(`\\`, 40), strings.Repeat("x", 63), strings.Repeat("y", 64), `\ud83d`, "/", "b", "n", "u",
}

// checkBlocks reads a string with and without blocks.
func checkBlocks(t *testing.T, doc []byte) {
	t.Helper()
	for from := range min(len(doc)+1, 3) {
		end, escaped, why := scanText(doc, from)
		plainEnd, plainEscaped, plainWhy := scanTextPlain(doc, from)
		require.Equal(t, plainEnd, end, "%d %q", from, doc)
		require.Equal(t, plainWhy, why, "%d %q", from, doc)
		if why == "" {
			require.Equal(t, plainEscaped, escaped, "%d %q", from, doc)
		}
	}
}

func scanTextPlain(doc []byte, i int) (end int, escaped bool, why Reason) {
	was := readsBlocks
	readsBlocks = false
	defer func() { readsBlocks = was }()
	return scanText(doc, i)
}

func TestBlocksAreReadAsBytesAre(t *testing.T) {
	for at := range 140 {
		for _, part := range scanParts {
			for _, before := range []string{"x", `\\`, `\n`} {
				filled := strings.Repeat(before, at)[:at]
				checkBlocks(t, []byte(filled+part+strings.Repeat("z", 70)+`"`))
				checkBlocks(t, []byte(filled+part+`"`+strings.Repeat("z", 70)))
				checkBlocks(t, []byte(filled+part+strings.Repeat(`\`, 71)+`"`))
			}
		}
	}
	for b := range 256 {
		for _, at := range []int{0, 1, 31, 32, 62, 63, 64, 65} {
			filled := strings.Repeat("x", at)
			checkBlocks(t, []byte(filled+string([]byte{byte(b)})+strings.Repeat("z", 70)+`"`))
			checkBlocks(t, []byte(filled+string([]byte{'\\', byte(b)})+strings.Repeat("z", 70)+`"`))
		}
	}
}

// Lines of other systems end with \r\n: their escapes must not send the scan of each line the long way round.
func TestEveryShortEscapeIsReadInBlocks(t *testing.T) {
	if !readsBlocks {
		return // the processor has none of the instructions
	}
	for _, c := range `"\/bfnrt` {
		doc := []byte(strings.Repeat(`\`+string(c)+"x", 3*blockSize))
		k, escaped := skipBlocks(&doc[0], len(doc))
		require.Equal(t, len(doc), k, "%q", c)
		require.True(t, escaped)
	}
}

func FuzzBlocksAreReadAsBytesAre(f *testing.F) {
	f.Add([]byte{3, 4, 5, 25, 4, 4, 13, 2}, []byte(`\\\\\"x`))
	f.Fuzz(func(t *testing.T, picks, raw []byte) {
		var doc []byte
		for _, p := range picks {
			doc = append(doc, scanParts[int(p)%len(scanParts)]...)
		}
		checkBlocks(t, doc)
		checkBlocks(t, append(append(doc, raw...), strings.Repeat("z", 80)...))
	})
}

// TestNothingBeyondTheDocumentIsRead scans strings that end where the memory of their document does.
func TestNothingBeyondTheDocumentIsRead(t *testing.T) {
	whole := []byte(strings.Repeat("x", 300) + `"`)
	for n := range whole {
		end, _, why := scanText(whole[:n:n], 0)
		require.Equal(t, n, end)
		require.Equal(t, ReasonTruncated, why)
	}
}
