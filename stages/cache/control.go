package cache

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// control is what a client says about the cache.
type control struct {
	fresh bool // no stored answer is wanted; the new one is stored
	keep  bool // the answer may be stored
	// age is the oldest answer that is wanted; 0: any.
	age time.Duration
}

// controlOf reads X-Cache-Control and Cache-Control. Directives that it does not
// know say nothing.
func controlOf(h http.Header) control {
	c := control{keep: true}
	for _, name := range [...]string{"X-Cache-Control", "Cache-Control"} {
		for _, line := range h[name] {
			for d := range strings.SplitSeq(line, ",") {
				c.directive(strings.ToLower(strings.TrimSpace(d)))
			}
		}
	}
	return c
}

func (c *control) directive(d string) {
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
