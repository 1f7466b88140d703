package webhook

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/headgate-dev/headgate/plugins/remote"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// readVerdict parses a reply about texts. It is strict: an unknown or repeated key, a value out of range, or a span
// that does not match its text makes the reply invalid. Its errors never contain anything from the reply.
func readVerdict(reply []byte, texts []string) (remote.Verdict, error) {
	var in webhook.Verdict
	if err := json.Unmarshal(reply, &in, json.RejectUnknownMembers(true)); err != nil {
		return remote.Verdict{}, errors.New("the guard's reply is not a verdict: it is broken JSON, or has unknown keys or types")
	}
	v := remote.Verdict{Action: remote.Action(in.Action), Message: remote.CleanText(in.Message, remote.MaxMessage)}
	n := len(in.Findings)
	switch {
	case in.Version != webhook.Version:
		return v, fmt.Errorf("the guard's reply is not of version %d", webhook.Version)
	case in.Action == webhook.Pass && n > 0:
		return v, errors.New("the guard's reply has findings, but passes; a guard that only reports findings replies flag")
	case (in.Action == webhook.Flag || in.Action == webhook.Redact) && n == 0:
		return v, errors.New("the guard's reply flags or redacts nothing")
	case in.Action != webhook.Pass && in.Action != webhook.Flag && in.Action != webhook.Redact && in.Action != webhook.Block:
		return v, errors.New("the guard's reply has no known action")
	case in.Unit != "" && in.Unit != webhook.Byte && in.Unit != webhook.UTF16 && in.Unit != webhook.Rune:
		return v, errors.New("the guard's reply has no known unit")
	case n > remote.MaxFindings:
		return v, fmt.Errorf("the guard's reply has more than %d findings", remote.MaxFindings)
	case n == 0:
		return v, nil
	}
	v.Spans = make([][]remote.Span, len(texts))
	for i := range in.Findings {
		f := &in.Findings[i]
		s, err := readFinding(f, i, in.Unit, texts)
		if err != nil {
			return v, err
		}
		v.Spans[f.Segment] = append(v.Spans[f.Segment], s)
	}
	return v, nil
}

// readFinding checks finding i of a reply against the text that it names.
func readFinding(f *webhook.Finding, i int, unit webhook.Unit, texts []string) (remote.Span, error) {
	if f.Segment < 0 || f.Segment >= len(texts) {
		return remote.Span{}, fmt.Errorf("finding %d names a segment that does not exist", i)
	}
	text := texts[f.Segment]
	start, ok := convertOffset(text, f.Start, unit)
	end, ok2 := convertOffset(text, f.End, unit)
	if !ok || !ok2 || start >= end {
		return remote.Span{}, fmt.Errorf("finding %d is empty, lies outside its segment, or splits a character", i)
	}
	s := remote.Span{Start: start, End: end, Label: f.Label, Score: 1}
	if f.Score != nil {
		s.Score = float32(*f.Score)
	}
	switch {
	case !remote.IsLabel(f.Label):
		return remote.Span{}, fmt.Errorf("finding %d has no label, or one that is not of small letters, digits and underscores", i)
	case !(s.Score >= 0 && s.Score <= 1):
		return remote.Span{}, fmt.Errorf("finding %d has a score that is not between 0 and 1", i)
	case f.With != nil && (len(*f.With) > remote.MaxWith || !utf8.ValidString(*f.With)):
		return remote.Span{}, fmt.Errorf("finding %d has a replacement of more than %d bytes", i, remote.MaxWith)
	}
	if f.With != nil {
		s.With, s.Plain = *f.With, true
	}
	return s, nil
}
