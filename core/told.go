package core

// told is what a client was sent of each part, for shapes that repeat it.
type told struct{ parts []toldPart }

type toldPart struct {
	Part
	text    []byte
	changed bool // it is not what the provider sent
}

func newTold(d Dialect) *told {
	if _, ok := d.(Repeater); ok {
		return new(told)
	}
	return nil
}

// add notes text that goes out.
func (t *told) add(p Part, text string, changed bool) {
	if t == nil {
		return
	}
	q := t.find(p)
	if q == nil {
		t.parts = append(t.parts, toldPart{Part: p})
		q = &t.parts[len(t.parts)-1]
	}
	q.text = append(q.text, text...)
	q.changed = q.changed || changed
}

// whole gives all that was sent of a part, if that is not what the provider sent.
func (t *told) whole(p Part) (text []byte, changed bool) {
	if t == nil {
		return nil, false
	}
	if q := t.find(p); q != nil && q.changed {
		return q.text, true
	}
	return nil, false
}

// find looks from the end: parts arrive one after the other.
func (t *told) find(p Part) *toldPart {
	for i := len(t.parts) - 1; i >= 0; i-- {
		if t.parts[i].Part == p {
			return &t.parts[i]
		}
	}
	return nil
}
