package direct

import (
	"bytes"
	"regexp"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// addTranscript adds the texts of a transcript that is sent as text, as subtitles of SRT or as WebVTT: all lines but
// those with times and the number before them. They are judged as one text, because a value may lie in two subtitles.
func addTranscript(p *core.Payload) {
	doc := p.Raw
	number := -1 // where a line begins that may be the number of a subtitle
	first := len(p.Segments)
	add := func(from, to int) {
		if from < to {
			p.Segments = append(p.Segments, core.Segment{
				Role: core.RoleAssistant, Kind: core.KindText, Part: -1, Field: "text", Joined: len(p.Segments) > first,
				Span: splice.Span{Start: from, End: to},
			})
		}
	}
	from := 0
	for at := 0; at < len(doc); {
		end := at + 1 + bytes.IndexByte(doc[at:], '\n')
		if end == at {
			end = len(doc)
		}
		switch line := bytes.TrimSpace(doc[at:end]); {
		case isTime(line):
			if number >= 0 {
				add(from, number)
			} else {
				add(from, at)
			}
			from, number = end, -1
		case isDigits(line):
			number = at
		default:
			number = -1
		}
		at = end
	}
	add(from, len(doc))
}

// isTime reports whether a line holds the times of a subtitle: 00:00:01,000 --> 00:00:04,000.
func isTime(line []byte) bool {
	return subtitleTimes.Match(line)
}

// subtitleTimes are exact, because a line that is taken for times is not judged.
var subtitleTimes = regexp.MustCompile(`^([0-9]{1,3}:)?[0-9]{2}:[0-9]{2}[.,][0-9]{3} --> ([0-9]{1,3}:)?[0-9]{2}:[0-9]{2}[.,][0-9]{3}$`)

func isDigits(line []byte) bool {
	for _, c := range line {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(line) > 0 && len(line) <= 6
}
