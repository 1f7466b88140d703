package stdio

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

const (
	maxLogLine     = 1 << 10 // bytes
	linesPerSecond = 10
	// minSecret is the length of the shortest value that is hidden: shorter values occur by chance.
	minSecret = 6
)

// output logs what a process writes to standard error. One goroutine uses it.
type output struct {
	log    func(string)
	hide   *strings.Replacer
	began  time.Time
	lines  int
	missed int
}

func newOutput(v *Server) *output {
	var secrets []string
	for _, pair := range v.spec.Env {
		for line := range strings.Lines(splitEnv(pair).Value) { // the log is filtered line by line
			if line = strings.TrimSpace(line); len(line) >= minSecret {
				secrets = append(secrets, line)
			}
		}
	}
	// The longest first: a secret that starts with another secret must be hidden whole.
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, secret := range secrets {
		pairs = append(pairs, secret, "[hidden]")
	}
	return &output{log: v.log, hide: strings.NewReplacer(pairs...)}
}

// splitEnv returns name and value of a variable.
func splitEnv(pair string) upstream.Field {
	name, value, _ := strings.Cut(pair, "=")
	return upstream.Field{Name: name, Value: value}
}

// read logs each line until the end of r. It truncates long lines, after hiding the values.
func (o *output) read(r io.Reader) {
	b := bufio.NewReaderSize(r, 8*maxLogLine)
	for isRest := false; ; {
		text, err := b.ReadSlice('\n')
		if !isRest {
			o.write(string(text))
		}
		isRest = errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !isRest {
			return
		}
	}
}

func (o *output) write(text string) {
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, o.hide.Replace(text)))
	if text == "" {
		return
	}
	if now := time.Now(); now.Sub(o.began) >= time.Second {
		o.began, o.lines = now, 0
	}
	if o.lines++; o.lines > linesPerSecond {
		o.missed++
		return
	}
	if len(text) > maxLogLine {
		text = strings.ToValidUTF8(text[:maxLogLine], "") + "…"
	}
	if o.missed > 0 {
		o.log("wrote lines to standard error that were dropped, because there were too many")
		o.missed = 0
	}
	o.log(text)
}
