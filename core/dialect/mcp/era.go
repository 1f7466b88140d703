package mcp

// Era is one of the two generations of the protocol.
type Era uint8

// Eras. Each is a bit, so that methods can belong to both.
const (
	// Legacy revisions open a session with initialize: 2025-11-25 and earlier.
	Legacy Era = 1 << iota
	// Modern revisions have no session. Each request states its version: 2026-07-28.
	Modern
)

func (e Era) String() string {
	switch e {
	case Legacy:
		return "legacy"
	case Modern:
		return "modern"
	}
	return ""
}

// The newest revision of each era.
const (
	ModernVersion = "2026-07-28"
	LegacyVersion = "2025-11-25"
)

// ListVersions returns the revisions that are read and written, newest first.
func ListVersions() []string {
	return []string{ModernVersion, LegacyVersion, "2025-06-18", "2025-03-26", "2024-11-05"}
}

// FindEra returns the era of a revision. It reports false for one that is not supported.
func FindEra(version string) (Era, bool) {
	switch version {
	case ModernVersion:
		return Modern, true
	case LegacyVersion, "2025-06-18", "2025-03-26", "2024-11-05":
		return Legacy, true
	}
	return 0, false
}
