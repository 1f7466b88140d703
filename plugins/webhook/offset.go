package webhook

import (
	"unicode/utf8"

	"github.com/headgate-dev/headgate/sdk/webhook"
)

// convertOffset converts a receiver's offset to bytes. It returns false if the offset is outside the text or inside a
// character.
func convertOffset(text string, n int, u webhook.Unit) (int, bool) {
	if n < 0 || n > len(text) {
		return 0, false
	}
	if u == webhook.Byte || u == "" {
		return n, n == len(text) || utf8.RuneStart(text[n])
	}
	at := 0
	for i, r := range text {
		if at >= n {
			return i, at == n
		}
		at++
		if u == webhook.UTF16 && r > 0xFFFF {
			at++
		}
	}
	return len(text), at == n
}
