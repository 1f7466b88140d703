package guardrail

import "strings"

// exfil finds Markdown and HTML that makes a reader's program call a foreign host: a picture when the answer is shown, a
// link when it is clicked. It does not inspect what data the address carries.
type exfil struct{ allowed domains }

func newExfil(d *detectorSettings, _ *engine) (detector, error) {
	allowed, err := readDomains(d.AllowedDomains)
	return &exfil{allowed}, err
}

// Scores: a client loads a picture without asking, but a link needs a click.
const (
	scorePicture = 1
	scoreLink    = 0.7
)

// The longest text, address in angle brackets, and title of a link.
const (
	maxLabel   = 1000
	maxAddress = 8 << 10
	maxTitle   = 200
)

// loading lists the HTML attributes that contain an address.
var loading = []struct {
	name  string
	score float32
}{
	{"src", scorePicture},
	{"srcset", scorePicture},
	{"poster", scorePicture},
	{"background", scorePicture},
	{"data", scorePicture},
	{"href", scoreLink},
	{"action", scoreLink},
	{"formaction", scoreLink},
	{"ping", scorePicture},
}

func (x *exfil) detect(c *check, dst []finding) []finding {
	s := c.v.raw
	budget := 8*len(s) + 1<<16 // bytes that may be read twice: nested openings must not cost quadratic time
	for i := 0; i < len(s) && c.w.pace.spendSteps(1); i++ {
		if budget < 0 {
			return append(dst, finding{start: i, end: len(s), score: scorePicture})
		}
		switch s[i] {
		case ']':
			if i+1 >= len(s) || s[i+1] != '(' && s[i+1] != ':' {
				continue
			}
			open := strings.LastIndexByte(s[max(0, i-maxLabel):i], '[')
			if open < 0 {
				continue
			}
			open += max(0, i-maxLabel)
			addr, end := findAddress(s, i+2, s[i+1] == '(')
			budget -= end - open
			c.w.pace.spendSteps(end - open)
			score, start := float32(scoreLink), open
			if open > 0 && s[open-1] == '!' || s[i+1] == ':' { // a definition may be a picture's
				score = scorePicture
				if s[i+1] == '(' {
					start--
				}
			}
			dst = x.appendAddress(dst, addr, start, end, score)
		case '<':
			end := strings.IndexByte(s[i:], '>')
			if end < 0 {
				end = len(s) - i
			}
			budget -= end
			c.w.pace.spendSteps(end)
			dst = x.inspectTag(dst, s, i, i+end)
		case 'u', 'U':
			if len(s) > i+4 && strings.EqualFold(s[i:i+4], "url(") {
				addr, end := findAddress(s, i+4, true)
				budget -= end - i
				c.w.pace.spendSteps(end - i)
				dst = x.appendAddress(dst, strings.Trim(addr, "'\""), i, end, scorePicture)
			}
		}
	}
	return dst
}

// findAddress reads the target of a link: up to a space or the closing parenthesis, or
// between < and >.
func findAddress(s string, at int, closed bool) (string, int) {
	for at < len(s) && (s[at] == ' ' || s[at] == '\n' || s[at] == '\t') {
		at++
	}
	if at < len(s) && s[at] == '<' {
		if k := strings.IndexByte(s[at:min(len(s), at+maxAddress)], '>'); k > 0 {
			return s[at+1 : at+k], min(len(s), at+k+2)
		}
	}
	end, depth := at, 0
	for ; end < len(s) && s[end] > ' '; end++ {
		if s[end] == '(' {
			depth++
		}
		if s[end] == ')' && closed {
			if depth == 0 {
				break
			}
			depth--
		}
	}
	addr := s[at:end]
	if closed {
		if k := strings.IndexByte(s[end:min(len(s), end+maxTitle)], ')'); k >= 0 { // a title may follow
			end += k + 1
		}
	}
	return addr, end
}

// inspectTag inspects the attributes of an HTML tag, and <https://…>.
func (x *exfil) inspectTag(dst []finding, s string, start, end int) []finding {
	body := s[start+1 : end]
	if k := strings.Index(body, "://"); k > 0 && !strings.ContainsAny(body[:k], " =\"'") {
		return x.appendAddress(dst, body, start, min(len(s), end+1), scoreLink)
	}
	for at := 0; ; {
		eq := strings.IndexByte(body[at:], '=')
		if eq < 0 {
			return dst
		}
		eq += at
		at = eq + 1
		name := strings.TrimRight(body[:eq], " \n\t")
		for _, l := range loading {
			if len(name) <= len(l.name) || !strings.EqualFold(name[len(name)-len(l.name):], l.name) ||
				!strings.ContainsRune(" \n\t\"'/", rune(name[len(name)-len(l.name)-1])) {
				continue
			}
			v := strings.TrimLeft(body[at:], " \n\t")
			switch {
			case v != "" && (v[0] == '"' || v[0] == '\''):
				v, _, _ = strings.Cut(v[1:], v[:1])
			default:
				if k := strings.IndexAny(v, " \n\t"); k >= 0 {
					v = v[:k]
				}
			}
			dst = x.appendAddress(dst, v, start, min(len(s), end+1), l.score)
		}
	}
}

func (x *exfil) appendAddress(dst []finding, addr string, start, end int, score float32) []finding {
	host, leaves := parseHost(addr)
	if !leaves || x.allowed.has(host) {
		return dst
	}
	return append(dst, finding{start: start, end: end, score: score})
}
