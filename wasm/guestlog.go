package wasm

import (
	"strings"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/wasm/abi"
)

// maxLogLine is the longest line, in bytes, that a guest can log.
const maxLogLine = 1 << 10

// linesPerSecond is the default of Limits.LogLines. Further lines are counted and dropped: a guest could otherwise fill a disk with the
// prompts it sees.
const linesPerSecond = 10

// LogFunc receives a line that a guest logs, truncated and without control characters. dropped is the number of lines dropped since the
// previous call.
type LogFunc func(level abi.Level, text string, dropped int)

// guestLog limits the rate of log lines.
type guestLog struct {
	to   LogFunc
	most int // lines per second

	mu      sync.Mutex
	began   time.Duration
	lines   int
	dropped int
}

func (l *guestLog) writeLine(level abi.Level, text []byte) {
	if l.to == nil || len(text) == 0 {
		return
	}
	if level < abi.LevelDebug || level > abi.LevelError {
		level = abi.LevelInfo
	}
	l.mu.Lock()
	if at := readClock(); at-l.began >= time.Second {
		l.began, l.lines = at, 0
	}
	if l.lines >= l.most {
		l.dropped++
		l.mu.Unlock()
		return
	}
	l.lines++
	dropped := l.dropped
	l.dropped = 0
	l.mu.Unlock()
	l.to(level, strings.TrimSpace(stripControls(strings.ToValidUTF8(string(text), " "), maxLogLine)), dropped)
}
