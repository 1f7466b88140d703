package stdio

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNotificationsThatNobodyReadsAreBoundedByBytesAndByNumber(t *testing.T) {
	for name, c := range map[string]struct{ length, kept int }{
		"many small ones": {100, maxNotes},
		"few large ones":  {300 << 10, 3},
		"one too large":   {2 << 20, 0},
	} {
		a := &answer{token: []byte("7"), notes: make(chan []byte, maxNotes)}
		ch := &child{prefix: "p-", waiting: map[string]*answer{"p-1": a}}
		line := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p-1","message":%q}}`, strings.Repeat("x", c.length))
		for range 2 * maxNotes {
			ch.handleMessage([]byte(line))
		}
		assert.Len(t, a.notes, c.kept, name)
		for range c.kept {
			assert.NotEmpty(t, a.takeNote(), name)
		}
		assert.Zero(t, a.waiting.Load(), name)
		if ch.handleMessage([]byte(line)); c.kept > 0 {
			assert.NotEmpty(t, a.takeNote(), "%s: there is room again", name)
		}
	}
}
