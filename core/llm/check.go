package llm

import "strings"

// Check looks for what a scan of single fields cannot see, and no provider could
// make sense of: a picture whose data is no base64, and the result of a call that
// nobody made. It tells the client what to change; "" when all is well.
func (r *Request) Check() string {
	calls := map[string]bool{}
	for i := range r.Messages {
		for k := range r.Messages[i].Parts {
			p := &r.Messages[i].Parts[k]
			switch {
			case p.Kind == CallPart:
				calls[p.Call.ID] = true
			case p.Kind == ResultPart && !calls[p.Result.CallID]:
				return "the result of a tool call stands before its call, or without one; send the call that it answers first"
			case p.Kind == ResultPart:
				for j := range p.Result.Parts {
					if f := p.Result.Parts[j].flaw(); f != "" {
						return f
					}
				}
			}
			if f := p.flaw(); f != "" {
				return f
			}
		}
	}
	return ""
}

func (p *Part) flaw() string {
	if p.Kind != ImagePart || p.Image.URL != "" || isBase64(p.Image.Data) {
		return ""
	}
	return "the data of an image is not base64; send the picture's bytes in standard base64"
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
