package webhook

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/headgate-dev/headgate/plugins/remote"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// Bounds of a verdict.
const (
	maxFindings = 1024 // of one reply
	maxMessage  = 500  // bytes that a client is shown
	maxWith     = 1024 // bytes of one replacement
)

// span is one finding in one text, in bytes.
type span struct {
	start, end int
	label      string
	score      float32
	with       string
	plain      bool // with takes the text's place; otherwise a placeholder does
}

// verdict is a reply that was checked.
type verdict struct {
	action  webhook.Action
	message string
	spans   [][]span // by segment
	label   string   // the first finding's
	by      string   // whose verdict it is, where several are asked
}

// readVerdict reads a reply about texts. It is strict: an unknown or repeated
// key, a value out of range, a span that does not fit its text make it no verdict
// at all. What it reports never holds anything out of the reply.
func readVerdict(reply []byte, texts []string) (verdict, error) {
	var in webhook.Verdict
	if err := json.Unmarshal(reply, &in, json.RejectUnknownMembers(true)); err != nil {
		return verdict{}, errors.New("its reply is not a verdict: it is broken JSON, or has keys or types that are not known")
	}
	v := verdict{action: in.Action, message: remote.Printable(in.Message, maxMessage)}
	n := len(in.Findings)
	switch {
	case in.Version != webhook.Version:
		return v, fmt.Errorf("its reply is not of version %d", webhook.Version)
	case in.Action == webhook.Pass && n > 0:
		return v, errors.New("its reply passes and has findings; flag says that")
	case (in.Action == webhook.Flag || in.Action == webhook.Redact) && n == 0:
		return v, errors.New("its reply flags or redacts nothing")
	case in.Action != webhook.Pass && in.Action != webhook.Flag && in.Action != webhook.Redact && in.Action != webhook.Block:
		return v, errors.New("its reply has no action that is known")
	case in.Unit != "" && in.Unit != webhook.Byte && in.Unit != webhook.UTF16 && in.Unit != webhook.Rune:
		return v, errors.New("its reply has no unit that is known")
	case n > maxFindings:
		return v, fmt.Errorf("its reply has more than %d findings", maxFindings)
	case n == 0:
		return v, nil
	}
	v.spans, v.label = make([][]span, len(texts)), in.Findings[0].Label
	for i := range in.Findings {
		f := &in.Findings[i]
		s, err := readFinding(f, i, in.Unit, texts)
		if err != nil {
			return v, err
		}
		v.spans[f.Segment] = append(v.spans[f.Segment], s)
	}
	return v, nil
}

// readFinding checks finding i of a reply against the text it is about.
func readFinding(f *webhook.Finding, i int, unit webhook.Unit, texts []string) (span, error) {
	if f.Segment < 0 || f.Segment >= len(texts) {
		return span{}, fmt.Errorf("finding %d names a segment that does not exist", i)
	}
	text := texts[f.Segment]
	start, ok := offset(text, f.Start, unit)
	end, ok2 := offset(text, f.End, unit)
	if !ok || !ok2 || start >= end {
		return span{}, fmt.Errorf("finding %d is empty, lies outside its segment, or cuts a character", i)
	}
	s := span{start: start, end: end, label: f.Label, score: 1}
	if f.Score != nil {
		s.score = float32(*f.Score)
	}
	switch {
	case !validLabel(f.Label):
		return span{}, fmt.Errorf("finding %d has no label, or one that is not of small letters, digits and underscores", i)
	case !(s.score >= 0 && s.score <= 1):
		return span{}, fmt.Errorf("finding %d has a score that is not between 0 and 1", i)
	case f.With != nil && (len(*f.With) > maxWith || !utf8.ValidString(*f.With)):
		return span{}, fmt.Errorf("finding %d replaces by more than %d bytes", i, maxWith)
	}
	if f.With != nil {
		s.with, s.plain = *f.With, true
	}
	return s, nil
}

func validLabel(s string) bool {
	if len(s) == 0 || len(s) > 63 || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_') {
			return false
		}
	}
	return true
}

// placeholderType makes the TYPE of a placeholder of a label: 31 bytes at most.
func placeholderType(label string) string {
	return strings.TrimRight(strings.ToUpper(label[:min(len(label), 31)]), "_")
}
