package core

// Phase is a point of the flow at which stages are called.
type Phase uint8

// Phases. The numbers are part of the plugin ABI.
const (
	_        Phase = iota
	Request        // the request is read, not yet routed
	Target         // a provider is chosen; once per target that is tried
	Response       // the answer, whole or streamed
)

func (p Phase) String() string {
	switch p {
	case Request:
		return "request"
	case Target:
		return "target"
	case Response:
		return "response"
	}
	return "unknown"
}

// Phases is a set of phases.
type Phases uint8

// NewPhaseSet returns a set of phases.
func NewPhaseSet(ps ...Phase) (s Phases) {
	for _, p := range ps {
		s |= 1 << p
	}
	return s
}

// Has reports whether p is in the set.
func (s Phases) Has(p Phase) bool { return s&(1<<p) != 0 }
