package cache

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// control is what a client's headers say about the cache.
type control struct {
	fresh bool // do not answer from the cache, but store the new answer
	keep  bool // the answer may be stored
	// age is the maximum age of an answer; 0 for any age.
	age time.Duration
}

// parseControl parses X-Cache-Control and Cache-Control. It ignores unknown directives.
func parseControl(h http.Header) control {
	c := control{keep: true}
	for _, name := range [...]string{"X-Cache-Control", "Cache-Control"} {
		for _, line := range h[name] {
			for d := range strings.SplitSeq(line, ",") {
				c.readDirective(strings.ToLower(strings.TrimSpace(d)))
			}
		}
	}
	return c
}

func (c *control) readDirective(d string) {
	switch d {
	case "no-cache":
		c.fresh = true
	case "no-store":
		c.fresh, c.keep = true, false
	default:
		s, ok := strings.CutPrefix(d, "max-age=")
		n, err := strconv.Atoi(s)
		switch {
		case !ok || err != nil || n < 0:
		case n == 0:
			c.fresh = true
		case n < 1<<31:
			c.age = time.Duration(n) * time.Second
		}
	}
}
