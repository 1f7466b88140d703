package llm

import (
	"strconv"
	"strings"
)

// Check finds errors that a scan of single fields cannot see and no provider could handle: a picture whose data is not
// base64 or longer than most characters (0: any), a tool result without its call, a call without a result, and two open
// calls with one id. It returns what the client must change, or "".
func (r *Request) Check(most int) string {
	open := map[string]int{} // calls that wait for a result, by id: some shapes have no ids
	for i := range r.Messages {
		for k := range r.Messages[i].Parts {
			p := &r.Messages[i].Parts[k]
			switch p.Kind {
			case CallPart:
				id := p.Call.ID
				if open[id]++; open[id] > 1 && id != "" {
					return "two tool calls that wait for their results have the same id; give each call a different id"
				}
			case ResultPart:
				id := p.Result.CallID
				if open[id]--; open[id] < 0 {
					return "the result of a tool call comes before its call, without a call, or twice; send each result once, after its call"
				}
				for j := range p.Result.Parts {
					if f := p.Result.Parts[j].findFlaw(most); f != "" {
						return f
					}
				}
			}
			if f := p.findFlaw(most); f != "" {
				return f
			}
		}
	}
	for _, n := range open {
		if n > 0 {
			return "a tool call has no result; send the result of each call after it, or omit the call"
		}
	}
	return ""
}

func (p *Part) findFlaw(most int) string {
	switch {
	case p.Kind != ImagePart || p.Image.URL != "":
		return ""
	case most > 0 && len(p.Image.Data) > most:
		return "an image is larger than the provider of this model accepts, " + strconv.Itoa(most) + " characters of base64; send a smaller one"
	case !isBase64(p.Image.Data):
		return "the data of an image is not base64; send the picture's bytes in standard base64"
	}
	return ""
}

// isBase64 takes both alphabets, and data without padding or with line breaks: all
// are in use.
func isBase64(s string) bool {
	n := 0
	for i := range len(s) {
		switch c := s[i]; {
		case 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '+', c == '/', c == '-', c == '_':
			n++
		case c == '\n', c == '\r':
		case c == '=' && strings.Trim(s[i:], "=\r\n") == "":
			return n > 0 && n%4 != 1
		default:
			return false
		}
	}
	return n > 0 && n%4 != 1
}
