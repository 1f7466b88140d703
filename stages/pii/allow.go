package pii

// An allowList holds what is no finding: values, and domains whose addresses
// are none.
type allowList struct {
	values  map[string]bool
	domains map[string]bool
}

func (s *scan) allowed(_ string, _ *detector) bool { return false }

type customs struct{}

// addresses is filled by findAPIKey and findCrypto.
func (s *scan) addresses(_, _ int) {}
