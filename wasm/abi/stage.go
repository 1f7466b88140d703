package abi

// Level is the importance of a line that a guest logs.
type Level uint32

// Levels of log lines. The zero value is treated as LevelInfo.
const (
	_ Level = iota
	LevelDebug
	LevelInfo
	LevelWarn
	LevelError
)

// Phases, as hg_stage gets them. The manifest says which of them a stage is made
// for; it is called in no other.
const (
	// PhaseRequest: the request is read, and not yet routed. Segments are its texts.
	PhaseRequest uint32 = 1
	// PhaseTarget: a provider is chosen; once for each that is tried. deny rules it
	// out. Segments are the request's texts.
	PhaseTarget uint32 = 2
	// PhaseResponse: a whole answer, with all its texts as segments; or, where the
	// answer is streamed, one text of it that has come to its end, as the only segment.
	// Nothing of the stream has been sent by then.
	PhaseResponse uint32 = 3
	// PhaseStreamEnd: a streamed answer has come to its end, once. Segments are all
	// its texts as they came; they can be read, and not edited any more.
	PhaseStreamEnd uint32 = 4
	// PhaseFinish: the exchange has ended, on whatever path. There are no segments and
	// no verdict; usage, cost and outcome are known.
	PhaseFinish uint32 = 5
)

var phases = [...]string{"", "request", "target", "response", "stream_end", "finish"}

// PhaseName is a phase's name in the manifest; "" for none.
func PhaseName(p uint32) string {
	if p < uint32(len(phases)) {
		return phases[p]
	}
	return ""
}

// ParsePhase finds a phase by its name in the manifest.
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
	StageDone   uint32 = 0 // the verdict was given through imports; none given: pass
	StageFailed uint32 = 1 // the guest failed; what it gave is not carried out
)

// Codes of deny that fix the status of the refusal. Any other code of small letters,
// digits and underscores, or none, is refused with the status of content_filter.
const (
	CodeContentFilter = "content_filter"      // 400
	CodeInvalidValue  = "invalid_value"       // 400
	CodePolicyDenied  = "POLICY_DENIED"       // 403
	CodeRateLimit     = "rate_limit_exceeded" // 429
	CodeQuota         = "insufficient_quota"  // 429; x-should-retry: false
	CodeOverloaded    = "overloaded"          // 503
)
