package abi

// Level is the severity of a line that a guest logs.
type Level uint32

// Levels of log lines. The zero value is treated as LevelInfo.
const (
	_ Level = iota
	LevelDebug
	LevelInfo
	LevelWarn
	LevelError
)

// Phases, as passed to hg_stage. A stage is called only in the phases that its manifest names.
const (
	// PhaseRequest: the request has been read, but not routed. Segments are its texts.
	PhaseRequest uint32 = 1
	// PhaseTarget: a provider has been chosen; called once for each provider that is tried. deny rules it out. Segments are the request's
	// texts.
	PhaseTarget uint32 = 2
	// PhaseResponse: a whole answer, with all its texts as segments. If the answer is streamed, one finished text of it as the only
	// segment; nothing of the stream has been sent by then.
	PhaseResponse uint32 = 3
	// PhaseStreamEnd: a streamed answer has ended; called once. Segments are all its texts as received; they can be read but no longer
	// edited.
	PhaseStreamEnd uint32 = 4
	// PhaseFinish: the exchange has ended, on any path. There are no segments and no verdict; usage, cost and outcome are known.
	PhaseFinish uint32 = 5
)

var phases = [...]string{"", "request", "target", "response", "stream_end", "finish"}

// PhaseName returns a phase's name in the manifest, or "" if p is unknown.
func PhaseName(p uint32) string {
	if p < uint32(len(phases)) {
		return phases[p]
	}
	return ""
}

// ParsePhase returns the phase with a name in the manifest.
func ParsePhase(name string) (p uint32, ok bool) {
	for p := PhaseRequest; p <= PhaseFinish; p++ {
		if phases[p] == name {
			return p, true
		}
	}
	return 0, false
}

// Results of hg_stage. Any other is a fault of kind abi.
const (
	StageDone   uint32 = 0 // the guest gave its verdict through imports; without a verdict the exchange passes
	StageFailed uint32 = 1 // the guest failed; its verdict is not carried out
)

// NoRetry is added to retry_ms of deny if the same request can never pass: clients are told not to send it again.
const NoRetry uint32 = 1 << 31

// Codes of deny that set the status of the refusal. Any other code of lower-case letters, digits and underscores, or an empty one, gets
// the status of content_filter.
const (
	CodeContentFilter = "content_filter"      // 400
	CodeInvalidValue  = "invalid_value"       // 400
	CodePolicyDenied  = "POLICY_DENIED"       // 403
	CodeRateLimit     = "rate_limit_exceeded" // 429
	CodeQuota         = "insufficient_quota"  // 429; x-should-retry: false
	CodeOverloaded    = "overloaded"          // 503
)
