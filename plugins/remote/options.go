package remote

import (
	"context"
	"time"
)

// Defaults of a link.
const (
	DefaultTimeout = 5 * time.Second // of a whole Check
	DefaultCalls   = 32              // at once
	DefaultWindow  = 400             // characters
	DefaultOverlap = 100
	// DefaultRequestWindow is how many characters of a request's text are judged together.
	DefaultRequestWindow = 64 << 10
)

// Options configure a link.
type Options struct {
	// Guard is the kind of guard, such as webhook or presidio, for errors.
	Guard string
	// Link is the name in the chain.
	Link string
	// Timeout limits one whole Check, including waiting and all calls. Default: DefaultTimeout.
	Timeout time.Duration
	// Calls limits the concurrent calls. Default: DefaultCalls.
	Calls int
	// FailOpen lets a stream continue after a failure, as if the window had no findings. For whole bodies, the link's
	// fault rule does the same.
	FailOpen bool
	// Shadow sends copies of texts and passes immediately. Note receives the guard's verdicts.
	Shadow bool
	Note   func(Observed)
	// Window is how many characters of an answer are judged together. Overlap is how many of them the next window
	// repeats. If both are 0, the defaults apply. Longer texts of requests are cut into windows of RequestWindow
	// characters, so that no prompt is too long for a guard. Default: DefaultRequestWindow.
	Window, Overlap, RequestWindow int
	// Texts and Bytes limit one call. Default: 256 texts, 1 MiB.
	Texts, Bytes int
	// Doubtful reports whether a window should be sent to the guard: a local guard is not sure about it. It must be safe for
	// concurrent use, and must report true if ctx ends before it is sure. Default: all windows are sent.
	Doubtful func(ctx context.Context, p *Piece) bool
	// Remember is how long the verdict on a text of a request may be used again, if the stage is given a memory. It requires
	// that the guard judges each window by its text, role and kind alone. Identity is all else that its verdicts depend on.
	// Default: verdicts are not used again.
	Remember time.Duration
	Identity string
	// Pause is how long a guard that failed its canary stays out of service before it is tried again. Default: 10 s.
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

// Limits of one call.
const (
	maxTexts = 256
	maxBytes = 1 << 20
)
