package nested

import (
	"strconv"
	"strings"
	"testing"
)

// BenchmarkTwoMachines reads the same arguments of a tool, 1 KB and 100 KB, with the scanner and with the cursor.
func BenchmarkTwoMachines(b *testing.B) {
	for _, rows := range []int{8, 800} {
		text := `{"rows":[` + strings.Repeat(`{"to":"`+strings.Repeat("some words ", 9)+`","n":12345678},`, rows) + `{}]}`
		raw, size := []byte(text), strconv.Itoa(len(text))
		b.Run("scanner/"+size, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				var s Scanner
				for i := 0; i < len(raw); {
					_, i, _ = s.Next(raw, i)
				}
			}
		})
		b.Run("cursor/"+size, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				var c Cursor
				c.Read(text)
			}
		})
	}
}
