package gemini

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

func formatConfigPath(f field) string { return "generationConfig." + names[f] }

// readConfig reads generationConfig.
func (r *request) readConfig() {
	if k := r.S.Kind(); k == splice.Null {
		from := r.S.Pos()
		r.S.Null()
		r.Mark(markConfig, splice.Span{Start: from, End: r.S.Pos()})
		return
	}
	o := r.openObject("generationConfig")
	r.Mark(markConfig, splice.Span{Start: r.S.Pos(), End: r.S.Pos()})
	r.notes.configEmpty = true
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		r.notes.configEmpty = false
		switch f {
		case fMaxOutputTokens:
			r.readLimit()
		case fCandidateCount:
			if n := r.readInteger(formatConfigPath(f), 1); n > 1 {
				r.Fail(scan.NewUnsupportedError(formatConfigPath(f), "more than one candidate is not supported; leave candidateCount out, or send 1"))
			}
		case fTemperature:
			r.readBoundedNumber(formatConfigPath(f), 0, 2)
		case fTopP:
			r.readBoundedNumber(formatConfigPath(f), 0, 1)
		case fTopK:
			r.readBoundedNumber(formatConfigPath(f), 0, 1<<31)
		case fPresencePenalty, fFrequencyPenalty:
			r.readBoundedNumber(formatConfigPath(f), -2, 2)
		case fSeed:
			r.readInteger(formatConfigPath(f), -1<<63)
		case fLogprobs:
			r.readInteger(formatConfigPath(f), 0)
		case fResponseLogprobs:
			r.ReadBool(formatConfigPath(f))
		case fStopSequences:
			r.readStop()
		case fResponseMIMEType:
			if r.ReadText(formatConfigPath(f)) == mimeJSON && r.X.Head.Format == llm.FormatText {
				r.X.Head.Format = llm.FormatJSON
			}
		case fResponseSchema, fResponseJSONSchema:
			if r.S.Kind() != splice.Null {
				r.X.Head.Format = llm.FormatSchema
			}
			r.readUnknown(zerocopy.String(o.key), core.RoleSystem, core.KindDefinition, -1, -1)
		case fThinkingConfig:
			r.readThinking()
		default:
			r.readUnknown(zerocopy.String(o.key), core.RoleSystem, core.KindOther, -1, -1)
		}
	}
	r.rejectRepeated(&o)
}

const mimeJSON = "application/json"

func (r *request) readLimit() {
	null := r.S.Kind() == splice.Null
	from := r.S.Pos()
	r.X.Head.MaxTokens = r.readInteger(formatConfigPath(fMaxOutputTokens), 1)
	r.Mark(markMaxValue, splice.Span{Start: from, End: r.S.Pos()})
	r.notes.limited = !null
}

func (r *request) readThinking() {
	o := r.openObject(formatConfigPath(fThinkingConfig))
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		if f == fThinkingLevel {
			r.X.Head.Effort = strings.Clone(strings.ToLower(r.ReadText(formatConfigPath(fThinkingConfig) + ".thinkingLevel")))
		} else {
			r.readUnknown(zerocopy.String(o.key), core.RoleSystem, core.KindOther, -1, -1)
		}
	}
	r.rejectRepeated(&o)
}

// readStop reads the stop sequences as texts: the model answers with placeholders, so
// values that are redacted in the prompt must be redacted here too.
func (r *request) readStop() {
	n := int32(0)
	for l := openList(r.S); l.moveToNext(); n++ {
		if r.S.Kind() != splice.String {
			r.RejectType(formatConfigPath(fStopSequences), "an array of strings")
			continue
		}
		r.readUnknown("stopSequences", core.RoleSystem, core.KindOther, -1, n)
	}
}

// readDigits reads a number, which can be in quotes. It returns nil for null and for
// invalid values.
func (r *request) readDigits(param, want string) []byte {
	var at splice.Span
	switch r.S.Kind() {
	case splice.Null:
		r.S.Null()
		return nil
	case splice.Number:
		at = r.S.Number()
	case splice.String:
		at, _ = r.S.String()
	default:
		r.RejectType(param, want)
		return nil
	}
	if r.S.Err() != nil {
		return nil
	}
	d := r.Doc[at.Start:at.End]
	if !isSpelledAsNumber(d) {
		r.Fail(scan.NewInvalid(param, "invalid type for "+strconv.Quote(param)+": expected "+want))
		return nil
	}
	return d
}

// isSpelledAsNumber reports whether text is a JSON number.
func isSpelledAsNumber(text []byte) bool {
	var s splice.Scanner
	s.Reset(text)
	return len(text) > 0 && text[0] > ' ' && text[len(text)-1] > ' ' && s.Kind() == splice.Number && s.Number().Len() > 0 && s.End()
}

func (r *request) readBoundedNumber(param string, lo, hi float64) {
	if d := r.readDigits(param, "a number"); d != nil {
		if e := scan.CheckRange(param, d, lo, hi); e != nil {
			r.Fail(e)
		}
	}
}

func (r *request) readInteger(param string, least int64) int64 {
	d := r.readDigits(param, "an integer")
	if d == nil {
		return 0
	}
	v, e := scan.ParseInteger(param, d, least)
	if e != nil {
		r.Fail(e)
	}
	return v
}
