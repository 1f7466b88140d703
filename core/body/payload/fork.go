package payload

import "slices"

// Fork returns a copy that can be edited while the payload stays as it is. All edits of the payload must be flushed. The
// copy must not outlive the payload: it shares the texts.
func (p *Payload) Fork() *Payload {
	f := &Payload{
		Status: p.Status, Header: p.Header, Raw: p.Raw,
		Segments: slices.Clone(p.Segments), Marks: slices.Clone(p.Marks), Tied: slices.Clone(p.Tied), hasher: p.hasher, Offsets: p.Offsets,
	}
	return f
}
