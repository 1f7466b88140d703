package splice

import (
	"fmt"
	"strings"
	"testing"
)

const prose = "The committee met on Tuesday and talked about the harbour, the price of timber and who would speak next. "

// chat is a chat request of about size bytes: turns of prose, with sep between
// the sentences. Small bodies hold one turn.
func chat(size int, sep string) []byte {
	var b strings.Builder
	b.WriteString(`{"model":"gpt-4o-mini","temperature":0.7,"max_tokens":256,"stream":false,"user":"user-1234","messages":[`)
	b.WriteString(`{"role":"system","content":"You are a helpful assistant."}`)
	for i := 0; b.Len() < size-200; i++ {
		fmt.Fprintf(&b, `,{"role":"%s","content":"`, [2]string{"user", "assistant"}[i%2])
		for from := b.Len(); b.Len()-from < 4000 && b.Len() < size-200; {
			b.WriteString(prose + sep)
		}
		b.WriteString(`"}`)
	}
	b.WriteString(`],"metadata":{"session":"4f7a","trace":"00-4bf92f3577b34da6a3ce929d0e0e4736"}}`)
	return []byte(b.String())
}

func BenchmarkScan(b *testing.B) {
	one := []byte(`"` + strings.Repeat(prose, 1000) + `"`)
	for _, c := range []struct {
		name string
		doc  []byte
	}{
		{"1KB", chat(1<<10, "")},
		{"8KB", chat(8<<10, "")},
		{"100KB", chat(100<<10, "")},
		{"100KB-newlines", chat(100<<10, `\n`)},
		{"100KB-one-string", one},
		{"100KB-french", chat(100<<10, "Où est passée la forêt près du château? ")},
		{"100KB-russian", chat(100<<10, strings.Repeat("Комитет собрался во вторник и говорил о гавани. ", 20))},
		{"100KB-japanese", chat(100<<10, strings.Repeat("委員会は火曜日に開かれ、港について話した。", 20))},
		{"100KB-ascii-japanese", chat(100<<10, strings.Repeat(`\u59d4\u54e1\u4f1a\u306f \ud83d\ude00`, 20))},
		{"100KB-code", chat(100<<10, strings.Repeat(`\tif err != nil {\n\t\treturn \"\", err\n\t}\n`, 20))},
		{"keys-5000", []byte(manyKeys(5000))},
	} {
		b.Run(c.name, func(b *testing.B) {
			var s Scanner
			b.SetBytes(int64(len(c.doc)))
			b.ReportAllocs()
			for b.Loop() {
				s.Reset(c.doc)
				s.Skip()
				if !s.End() {
					b.Fatal(s.Err())
				}
			}
		})
	}
}

// BenchmarkPull reads a chat as a dialect does, member by member.
func BenchmarkPull(b *testing.B) {
	for _, size := range []int{1 << 10, 8 << 10, 100 << 10} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			var s Scanner
			doc := chat(size, `\n`)
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				s.Reset(doc)
				pullObject(&s)
				if !s.End() {
					b.Fatal(s.Err())
				}
			}
		})
	}
}

func pullObject(s *Scanner) {
	for s.Enter(); s.Next(); {
		switch string(s.Key()) {
		case "messages":
			for s.Enter(); s.Next(); {
				pullObject(s)
			}
		case "content", "role", "model":
			s.String()
		default:
			s.Skip()
		}
	}
}

func BenchmarkAppendText(b *testing.B) {
	for _, c := range []struct{ name, raw string }{
		{"newline-every-100", strings.Repeat(prose+`\n`, 100)},
		{"code", strings.Repeat(`\tif err != nil {\n\t\treturn \"\", err\n\t}\n`, 250)},
		{"unicode-escapes", strings.Repeat(`\u65e5\u672c\u8a9e \ud83d\ude00 `, 300)},
	} {
		b.Run(c.name, func(b *testing.B) {
			raw := []byte(c.raw)
			buf := make([]byte, 0, len(raw))
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				buf = AppendText(buf[:0], raw)
			}
		})
	}
}

func BenchmarkCuts(b *testing.B) {
	for _, depth := range []uint8{1, 2} {
		b.Run(fmt.Sprintf("depth-%d", depth), func(b *testing.B) {
			doc, edits := redactable(depth)
			buf := make([]Cut, 0, len(edits))
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := AppendCuts(buf, doc, Span{0, len(doc)}, depth, edits); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkApply(b *testing.B) {
	doc, edits := redactable(1)
	cuts, err := AppendCuts(nil, doc, Span{0, len(doc)}, 1, edits)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(doc)))
	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = Apply(doc, cuts)
		}
	})
	b.Run("into-a-buffer", func(b *testing.B) {
		buf := make([]byte, 0, 2*len(doc))
		b.ReportAllocs()
		for b.Loop() {
			_, _ = Append(buf, doc, cuts)
		}
	})
}

// redactable is 8 KB of string content with an escape about every 100 bytes, and
// ten edits of its text.
func redactable(depth uint8) (raw []byte, edits []Edit) {
	text := strings.Repeat(prose+"\n", 80)
	for i := range 10 {
		at := i*len(text)/10 + 40
		edits = append(edits, Edit{at, at + 16, "{{PII_EMAIL_ADDRESS_1}}"})
	}
	raw = []byte(text)
	for range depth {
		raw = AppendEscaped(nil, string(raw))
	}
	return raw, edits
}
