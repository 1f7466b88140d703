package gemini

import (
	"encoding/json"
	"strconv"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// openCall is a call without a result so far.
type openCall struct {
	id, name string
	made     bool // the id is ours
}

// readTurn reads one turn. It puts results first, because other dialects require them
// directly after the calls.
func (d *decoder) readTurn(i int) {
	parts := d.parts[:0]
	role := llm.User
	o := openObject(&d.s)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch f {
		case fRole:
			if scan.ReadAlias(&d.s, d.doc) == "model" {
				role = llm.Assistant
			}
		case fParts:
			for l := openList(&d.s); l.moveToNext(); {
				parts = append(parts, readPart(&d.s, d.doc))
			}
		default:
			d.drop("contents." + scan.ShortenName(convertToCamel(string(o.key))))
		}
	}
	d.parts = parts
	results, rest := llm.Message{Role: llm.ToolRole}, llm.Message{Role: role}
	for n := range parts {
		p := &parts[n]
		for _, about := range p.about {
			d.r.RecordDropped("contents.parts." + about)
		}
		if p.result != nil {
			results.Parts = append(results.Parts, d.decodeResult(p.result, i, n))
		} else if m, ok := d.decodePart(p, role, i, n); ok {
			rest.Parts = append(rest.Parts, m)
		}
	}
	for _, m := range []llm.Message{results, rest} {
		if len(m.Parts) > 0 {
			d.r.Messages = append(d.r.Messages, m)
		}
	}
}

// decodePart converts a part, if the neutral model has it.
func (d *decoder) decodePart(p *part, role llm.Role, i, n int) (m llm.Part, ok bool) {
	if p.other != "" && (p.hasText || p.call != nil || p.inline != nil) {
		d.r.RecordDropped("contents.parts." + scan.ShortenName(p.other))
	}
	switch {
	case p.thought:
		d.r.RecordDropped("contents.parts.thought")
		return m, false
	case p.call != nil && role == llm.Assistant:
		if p.call.name == "" {
			d.fail(newMissingError(formatTurnPath(int32(i), int32(n), "functionCall.name")))
		}
		c := &llm.Call{ID: p.call.id, Name: p.call.name, Input: p.call.encodeInput(), Signature: p.signature}
		if c.ID == "" { // the same in every request that repeats the turn
			c.ID = "call_" + strconv.Itoa(i) + "_" + strconv.Itoa(n)
		}
		d.open = append(d.open, openCall{c.ID, c.Name, p.call.id == ""})
		return llm.Part{Kind: llm.CallPart, Call: c}, true
	case p.inline != nil && role == llm.User:
		if img := p.inline.decodeImage(); img != nil {
			return llm.Part{Kind: llm.ImagePart, Image: img}, true
		}
		d.fail(scan.NewUnsupportedError(formatTurnPath(int32(i), int32(n), "inlineData"),
			"this route takes no inlineData but pictures (mimeType image/…); remove the part"))
	case p.hasText:
		if p.signature != "" {
			d.r.RecordDropped("contents.parts.thoughtSignature")
		}
		return llm.NewText(p.text), p.text != ""
	default:
		if name := p.nameKind(); name != "" {
			d.fail(scan.NewUnsupportedError(formatTurnPath(int32(i), int32(n), name), "this route takes no "+name+" here; remove the part"))
		}
	}
	return m, false
}

// decodeResult converts the result of a function. A result without an id answers the first
// open call of that name.
func (d *decoder) decodeResult(r *result, i, n int) llm.Part {
	to := &llm.Result{CallID: r.id, Name: r.name}
	for _, field := range r.about {
		d.r.RecordDropped("contents.parts.functionResponse." + field)
	}
	if k := d.findCall(r); k >= 0 {
		to.CallID = d.open[k].id
		d.open = append(d.open[:k], d.open[k+1:]...)
	} else if to.CallID == "" {
		d.fail(scan.NewInvalid(formatTurnPath(int32(i), int32(n), "functionResponse"), "no functionCall of that name stands before this functionResponse"))
	}
	text, failed := readOutcome(r.response)
	to.Failed = failed
	to.Parts = append(to.Parts, llm.NewText(text))
	for k := range r.parts {
		p := &r.parts[k]
		switch {
		case p.inline != nil && p.inline.decodeImage() != nil:
			to.Parts = append(to.Parts, llm.Part{Kind: llm.ImagePart, Image: p.inline.decodeImage()})
		case p.nameKind() != "":
			d.fail(scan.NewUnsupportedError(formatTurnPath(int32(i), int32(n), "functionResponse.parts"),
				"this route takes no parts in a functionResponse but pictures in inlineData; remove the part"))
		}
	}
	return llm.Part{Kind: llm.ResultPart, Result: to}
}

// findCall returns the index of the call that a result answers, or -1.
func (d *decoder) findCall(r *result) int {
	for k, c := range d.open {
		if r.id != "" && c.id == r.id {
			return k
		}
	}
	for k, c := range d.open {
		if c.name == r.name && (r.id == "" || c.made) {
			return k
		}
	}
	return -1
}

// readOutcome reads the response object of a function. By convention its text is under
// "output" or "result" and an error under "error". Any other object is used whole.
func readOutcome(response []byte) (text string, failed bool) {
	var s splice.Scanner
	s.Reset(response)
	if s.Kind() != splice.Object {
		return string(response), false
	}
	key, n, value := "", 0, splice.Span{}
	s.Enter()
	for ; s.Next(); n++ {
		key = string(s.Key())
		value = s.Skip()
	}
	if n != 1 || key != "output" && key != "result" && key != "error" || s.Err() != nil {
		return string(response), false
	}
	inner := response[value.Start:value.End]
	if json.Unmarshal(inner, &text) != nil {
		text = string(inner)
	}
	return text, key == "error"
}
