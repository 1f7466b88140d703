package process

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/plugins/remote"
)

// Limits of a plugin's log output, so that it cannot fill a disk.
const (
	maxLogLine     = 1 << 10 // bytes
	linesPerSecond = 10
)

// output logs what a process writes to its standard output and standard error, line by line.
type output struct {
	to func(text string, dropped int)

	mu      sync.Mutex
	began   time.Time
	lines   int
	dropped int
}

// writeLine passes a line on, cut to size and without control characters.
func (o *output) writeLine(text []byte) {
	if o.to == nil || len(text) == 0 {
		return
	}
	o.mu.Lock()
	if now := time.Now(); now.Sub(o.began) >= time.Second {
		o.began, o.lines = now, 0
	}
	if o.lines >= linesPerSecond {
		o.dropped++
		o.mu.Unlock()
		return
	}
	o.lines++
	dropped := o.dropped
	o.dropped = 0
	o.mu.Unlock()
	o.to(remote.CleanText(string(text), maxLogLine), dropped)
}

// read logs everything until the end of r. Lines that are too long are cut.
func (o *output) read(r io.Reader) {
	b := bufio.NewReaderSize(r, maxLogLine)
	for cut := false; ; {
		text, err := b.ReadSlice('\n')
		if !cut {
			o.writeLine(text)
		}
		cut = errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !cut {
			return
		}
	}
}

// Write receives the plugin's output from go-plugin, in pieces that are lines or parts of lines.
func (o *output) Write(b []byte) (int, error) {
	for text := range strings.Lines(string(b)) {
		o.writeLine([]byte(text))
	}
	return len(b), nil
}

// note logs a line from the host itself.
func (o *output) note(text string) {
	if o.to != nil {
		o.to(text, 0)
	}
}
