package payload

import (
	"slices"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// Fork returns a copy that can be edited while the payload stays as it is. All edits of the payload must be flushed. The
// copy must not outlive the payload: it shares the texts.
func (p *Payload) Fork() *Payload {
	f := &Payload{
		Status: p.Status, Header: p.Header, Raw: p.Raw,
		Segments: slices.Clone(p.Segments), Marks: slices.Clone(p.Marks), Tied: slices.Clone(p.Tied), hasher: p.hasher, Offsets: p.Offsets,
	}
	return f
}

// ForkFlushed is Fork for a payload with edits: the copy has them in its body.
func (p *Payload) ForkFlushed() (*Payload, error) {
	f := p.Fork()
	if p.edits.isEmpty() && !p.dropsLoose {
		return f, nil
	}
	cuts, err := p.appendCuts(nil)
	if err != nil {
		return nil, err
	}
	if f.Raw, err = splice.Append(nil, p.Raw, cuts); err != nil {
		return nil, err
	}
	f.edits = p.edits // shift only reads which segments are edited
	f.shift(cuts)
	f.edits = editList{}
	return f, nil
}
