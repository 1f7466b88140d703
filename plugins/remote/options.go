package remote

import (
	"time"
)

// Defaults of a link.
const (
	DefaultTimeout = 5 * time.Second // of one whole Check
	DefaultCalls   = 32              // at once
	DefaultWindow  = 400             // characters
	DefaultOverlap = 100
	// DefaultRequestWindow is how many characters of a request's text are judged together.
	DefaultRequestWindow = 64 << 10
)

// Options configure a link.
type Options struct {
	// Guard is the kind of guard, for errors: webhook, presidio.
	Guard string
	// Link is the name in the chain.
	Link string
	// Timeout bounds one whole Check, waiting and all calls included; 0: DefaultTimeout.
	Timeout time.Duration
	// Calls bounds the calls at once; 0: DefaultCalls.
	Calls int
	// FailOpen makes a stream go on after a failure, as if nothing had been found in that window. On whole bodies the link's
	// fault rule does the same.
	FailOpen bool
	// Shadow sends copies of texts and passes at once; Note is told what the guard said of them.
	Shadow bool
	Note   func(Observed)
	// Window is how many characters of an answer are judged together, and Overlap how many of them the next window shows
	// again; 0 and 0: the defaults. Longer texts of requests are cut into windows of RequestWindow characters, so that no
	// prompt is too long for a guard; 0: DefaultRequestWindow.
	Window, Overlap, RequestWindow int
	// Texts and Bytes bound one call; 0: 256 texts, 1 MiB.
	Texts, Bytes int
	// Pause is how long a guard that failed its canary is left alone; 0: 10 s.
	Pause time.Duration
}

// breakerPause is the default of Options.Pause.
const breakerPause = 10 * time.Second

// fill sets the defaults of omitted options.
func (o *Options) fill() {
	for value, preset := range map[*int]int{
		&o.Calls: DefaultCalls, &o.RequestWindow: DefaultRequestWindow, &o.Texts: maxTexts, &o.Bytes: maxBytes,
	} {
		if *value <= 0 {
			*value = preset
		}
	}
	if o.Window == 0 {
		o.Window, o.Overlap = DefaultWindow, DefaultOverlap
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Pause <= 0 {
		o.Pause = breakerPause
	}
}

// Bounds of one call.
const (
	maxTexts = 256
	maxBytes = 1 << 20
)
