package process

import "github.com/headgate-dev/headgate/core"

// own is what is stored for one exchange: the bytes that the plugin keeps, and its unsettled reservations.
type own struct {
	kept  []byte
	holds holds

	answer     *keptAnswer // that Finish brings; nil if the plugin did not ask for it
	thresholds int         // reported in the exchange
	calls      int         // of upstreams
	unknown    []string    // placeholders asked for that were unknown
}

// isEmpty reports whether nothing must be stored for the exchange.
func (o *own) isEmpty() bool {
	return len(o.kept) == 0 && !o.holds.hasAny() && o.answer == nil && o.thresholds == 0 && o.calls == 0 && len(o.unknown) == 0
}

// storeKept stores what the plugin keeps, and its reservations, in the verdict.
func (s *Stage) storeKept(o *own, v *core.Verdict) {
	if b, ok := v.Keep.([]byte); ok {
		o.kept, v.Keep = b, nil
	}
	if !o.isEmpty() {
		v.Keep = o
	}
}
