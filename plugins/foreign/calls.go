package foreign

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/headgate-dev/headgate/core"
)

// Call is a call of an upstream that foreign code makes during an exchange.
type Call struct {
	Exchange *core.Exchange
	Link     string
	Upstream string // as the configuration names it
	Path     string // starts with a slash and satisfies IsPlainPath
	Body     []byte // JSON
}

// Caller calls the upstreams that the configuration names.
type Caller interface {
	// Call returns the status and the body of the answer. ErrLimited means that a limit has no room; any other error that there is no
	// answer. The caller owns the body.
	Call(ctx context.Context, c *Call) (status int, answer []byte, err error)
}

// ErrLimited means that a limit of an upstream, or of the caller on whose behalf it is called, has no room for a call.
var ErrLimited = errors.New("a limit has no room for the call")

// IsPlainPath reports whether a path may be appended to the URL of an upstream: it starts with one slash and contains no dot
// segments in any spelling, no fragment and no control characters. A query is allowed.
func IsPlainPath(path string) bool {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\#") {
		return false
	}
	for i := 0; i < len(path); i++ {
		if path[i] <= ' ' || path[i] > '~' {
			return false
		}
	}
	bare, _, _ := strings.Cut(path, "?")
	plain, err := url.PathUnescape(bare)
	if err != nil || strings.ContainsAny(plain, "\\\x00") {
		return false
	}
	for part := range strings.SplitSeq(plain, "/") {
		if part == "." || part == ".." {
			return false
		}
	}
	return true
}
