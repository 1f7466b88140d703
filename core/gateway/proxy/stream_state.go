package proxy

// streamState is how far the provider's stream has come.
//
//	streaming ──► choiceFinished ──► streamEnded
//	    └──────────────┴──► streamFailed ──► streamFailedAndEnded
type streamState uint8

const (
	streaming      streamState = iota // no choice has finished: the answer is incomplete
	choiceFinished                    // only usage and the end may follow
	streamEnded                       // the stream's own end was received: later events are ignored
	streamFailed                      // the provider reported an error; its end may follow
	streamFailedAndEnded
)

func (s *streamState) finishChoice() {
	if *s == streaming {
		*s = choiceFinished
	}
}

func (s *streamState) fail() { *s = streamFailed }

func (s *streamState) end() {
	if s.isFailed() {
		*s = streamFailedAndEnded
	} else {
		*s = streamEnded
	}
}

func (s streamState) isEnded() bool  { return s == streamEnded || s == streamFailedAndEnded }
func (s streamState) isFailed() bool { return s >= streamFailed }
