package recent

import "github.com/headgate-dev/headgate/core"

// ListShadowed returns the kept exchanges, newest first, in which a link in shadow mode failed or would have done more than
// let the exchange pass. tenant "" is any. They come without their lists of stages, attempts, findings and placeholders, so
// that ending exchanges do not wait for copies.
func (r *Ring) ListShadowed(tenant string) (out []Exchange) {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.slots {
		e := &r.slots[(r.next-1-i+2*len(r.slots))%len(r.slots)]
		if (tenant == "" || e.Tenant == tenant) && e.isShadowed() {
			c := *e
			c.Stages, c.Attempts, c.Found, c.Placeholders = nil, nil, nil, nil // the slot reuses their memory
			out = append(out, c)
		}
	}
	return out
}

// isShadowed reports whether a link in shadow mode had a verdict.
func (e *Exchange) isShadowed() bool {
	for i := range e.Stages {
		if s := &e.Stages[i]; s.Shadow && (s.Action > core.Pass || s.Fault != 0) {
			return true
		}
	}
	return false
}
