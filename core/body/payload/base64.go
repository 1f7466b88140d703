package payload

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// maxDataHead limits the head of a data URL: the part before its data.
const maxDataHead = 256

// SplitDataURL returns the media type of a data URL in base64, and its head with the comma. ok is false if it has no
// base64 data; isURL is true for any data URL.
func SplitDataURL(s string) (media, head string, isURL, ok bool) {
	const scheme = "data:"
	trimmed := strings.TrimLeft(s, " \t\r\n\f")
	if len(trimmed) < len(scheme) || !strings.EqualFold(trimmed[:len(scheme)], scheme) {
		return "", "", false, false
	}
	at := strings.IndexByte(s[:min(len(s), maxDataHead)], ',')
	if at < 0 {
		return "", "", true, false
	}
	head = s[:at+1]
	media = strings.TrimSpace(s[len(s)-len(trimmed)+len(scheme) : at])
	cut := strings.LastIndexByte(media, ';')
	if cut < 0 || !strings.EqualFold(strings.TrimSpace(media[cut+1:]), "base64") {
		return media, head, true, false
	}
	return media[:cut], head, true, true
}

// readFileText returns the text of a file that lies at the segment in base64. ok is false if that is not base64.
func (p *Payload) readFileText(s *Segment) (text string, ok bool) {
	raw, _ := p.decode(s.Span, s.Depth)
	if _, head, isURL, whole := SplitDataURL(raw); whole {
		raw = raw[len(head):]
	} else if isURL {
		return "", false
	}
	code, data := findCoding(raw)
	b := p.growRoom(code.DecodedLen(len(data)))
	n, err := code.Decode(b[len(b):cap(b)], zerocopy.ViewBytes(data))
	if err != nil {
		return "", false
	}
	decoded := b[len(b) : len(b)+n : len(b)+n]
	p.scratch = b[:len(b)+n]
	return unescapeJSON(zerocopy.String(decoded)), true
}

// findCoding returns the alphabet of base64 and the data without its padding. Line breaks are part of the format.
func findCoding(data string) (*base64.Encoding, string) {
	data = strings.TrimRight(data, "=\r\n")
	if strings.ContainsAny(data, "-_") {
		return base64.RawURLEncoding, data
	}
	return base64.RawStdEncoding, data
}

// encodeFile returns the edit that encodes the changed text of a file.
func (p *Payload) encodeFile(s *Segment) splice.Edit {
	was, _ := splice.ReadText(p.Raw, s.Span, s.Depth, nil)
	_, head, _, _ := SplitDataURL(zerocopy.String(was))
	code := base64.StdEncoding
	if c, _ := findCoding(zerocopy.String(was[len(head):])); c == base64.RawURLEncoding {
		code = base64.URLEncoding
	}
	return splice.Edit{Start: len(head), End: len(was), With: code.EncodeToString(zerocopy.ViewBytes(s.text))}
}

// unescapeJSON writes the characters of JSON text that stand there as escapes, so that a value is found in any
// spelling: "jo\u0040example.com". What JSON requires to be escaped stays, so the text means the same.
func unescapeJSON(text string) string {
	first := strings.TrimLeft(text, " \t\r\n\ufeff")
	if first == "" || first[0] != '{' && first[0] != '[' || !strings.Contains(text, `\u`) {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		if text[i] != '\\' || i+1 == len(text) {
			out = append(out, text[i])
			i++
			continue
		}
		n := 2
		if r, ok := decodeEscape(text[i:]); ok {
			out, n = utf8.AppendRune(out, r), 6
		} else {
			out = append(out, text[i:i+n]...)
		}
		i += n
	}
	return zerocopy.String(out)
}

// decodeEscape returns the character of an escape \uXXXX that JSON does not require.
func decodeEscape(s string) (r rune, ok bool) {
	if len(s) < 6 || s[1] != 'u' {
		return 0, false
	}
	for _, c := range []byte(s[2:6]) {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, r >= ' ' && r != '"' && r != '\\' && utf8.ValidRune(r)
}

// AddFile adds the segment of a file whose bytes lie at s.Span in base64, or as a data URL in base64, and returns its
// text. It adds nothing and returns false if the data is not base64 or decodes to more than most bytes.
func (p *Payload) AddFile(s Segment, most int) (text string, ok bool) {
	if base64.RawStdEncoding.DecodedLen(s.Span.Len()-maxDataHead) > most {
		return "", false
	}
	s.Base64 = true
	if text, ok = p.readFileText(&s); !ok || len(text) > most {
		return "", false
	}
	s.text, s.decoded = text, true
	p.Segments = append(p.Segments, s)
	return text, true
}
