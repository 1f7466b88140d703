package server

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
)

// refuseAmbiguousTarget answers 404 to a target whose path another program could take for another path: a proxy in front
// that allows or forbids by path may decode, clean or merge it, and the gateway does not.
func refuseAmbiguousTarget(c *gin.Context) {
	u := c.Request.URL
	raw := u.RawPath
	if c.Request.Method == http.MethodGet && strings.Contains(u.Path, "/models/") { // SDKs escape the slash in a model's name
		raw = strings.NewReplacer("%2f", "", "%2F", "").Replace(raw)
	}
	if isAmbiguous(u.Path) || raw != "" && hasEscapedSeparator(raw) {
		writeNoEndpoint(c)
		c.Abort()
	}
}

// isAmbiguous reports whether a decoded path has an empty segment, a dot segment, a backslash or a control character. An
// empty last segment is a trailing slash, which no route has.
func isAmbiguous(path string) bool {
	for i := range len(path) {
		switch b := path[i]; {
		case b < ' ' || b == 0x7f || b == '\\':
			return true
		case b != '/':
		case strings.HasPrefix(path[i+1:], "/"):
			return true
		case strings.HasPrefix(path[i+1:], "."):
			rest := strings.TrimLeft(path[i+1:], ".")
			dots := len(path) - i - 1 - len(rest)
			if dots <= 2 && (rest == "" || rest[0] == '/') {
				return true
			}
		}
	}
	return false
}

// hasEscapedSeparator reports whether decoding the path would add a separator or a dot.
func hasEscapedSeparator(raw string) bool {
	for {
		i := strings.IndexByte(raw, '%')
		if i < 0 || len(raw) < i+3 {
			return false
		}
		switch strings.ToLower(raw[i+1 : i+3]) {
		case "2e", "2f", "5c":
			return true
		}
		raw = raw[i+3:]
	}
}
