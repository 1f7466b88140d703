package conflict

import "github.com/headgate-dev/headgate/core/records/policies/policydoc"

// Codes of conflicts. Those of a single policy's text are in package dsl.
const (
	ExemptsPlatform    = "EXEMPTS_PLATFORM"
	RouteCycle         = "ROUTE_CYCLE"
	AllowlistsDisjoint = "ALLOWLISTS_DISJOINT"
	AllowDenyOverlap   = "ALLOW_DENY_OVERLAP"
	ShadowedRule       = "SHADOWED_RULE"
	RouteTargetDenied  = "ROUTE_TARGET_DENIED"
	RouteAmbiguous     = "ROUTE_AMBIGUOUS"
	RouteTooLate       = "ROUTE_TOO_LATE"
	NeverMatches       = "NEVER_MATCHES"
	MatchesEverything  = "MATCHES_EVERYTHING"
	CapConflict        = "CAP_CONFLICT"
	UnknownReference   = "UNKNOWN_REFERENCE"
	KeyByName          = "KEY_BY_NAME"
	RedundantRule      = "REDUNDANT_RULE"
	CapsMerge          = "CAPS_MERGE"
)

// levels are the levels of the codes that are not warnings.
var levels = map[string]string{
	ExemptsPlatform: policydoc.IssueError,
	RouteCycle:      policydoc.IssueError,
	RedundantRule:   policydoc.IssueInfo,
	CapsMerge:       policydoc.IssueInfo,
}

// FindLevel returns the severity of a code.
func FindLevel(code string) string {
	switch code {
	case "DUPLICATE_RULE_ID", "UNKNOWN_CONDITION", "STAGE_CONFLICT", "SYNTAX", "INVALID":
		return policydoc.IssueError
	}
	if l, ok := levels[code]; ok {
		return l
	}
	return policydoc.IssueWarning
}
