package foreign

import "net/http"

// spokenHeaders are the header fields of a request that say how to answer it: what a cache may do, and what changes how a
// provider reads the request. None of them identifies the caller.
var spokenHeaders = []string{
	"Cache-Control", "X-Cache-Control", "Anthropic-Version", "Anthropic-Beta", "Msgapi-Version", "Msgapi-Beta", "Openai-Beta",
}

// FormatHeaders returns the header fields of a request that say how to answer it, as a JSON object of lists by canonical name.
func FormatHeaders(h http.Header) []byte {
	out := map[string][]string{}
	for _, name := range spokenHeaders {
		if v := h[name]; len(v) > 0 {
			out[name] = v
		}
	}
	return encodeJSON(out)
}
