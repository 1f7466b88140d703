package chain

// linkState is what a link does with the text of a stream.
type linkState uint8

const (
	judging  linkState = iota // its verdict counts
	passing                   // it has nothing to judge, or has failed and its fault rule lets the text pass
	watching                  // in shadow mode: it sees the text, and changes nothing
	retired                   // in shadow mode: it has objected or failed, and is not asked again
)

// isShadow reports whether the link is in shadow mode.
func (s linkState) isShadow() bool { return s >= watching }

// isAsked reports whether the link is shown text.
func (s linkState) isAsked() bool { return s == judging || s == watching }

// stop returns the state in which the link is not asked again.
func (s linkState) stop() linkState {
	if s.isShadow() {
		return retired
	}
	return passing
}

// streamState is the progress of a stream.
type streamState uint8

const (
	running streamState = iota // events arrive
	ended                      // all parts have ended, and no link is asked again
)

// partState says whether a part takes more text.
type partState uint8

const (
	open   partState = iota
	closed           // its held text was judged and released
)

// jsonState says what the next text of a part with JSON belongs to.
type jsonState uint8

const (
	blank  jsonState = iota // only white space has come: the text may still turn out to be prose
	values                  // strings and numbers are shown to the links one by one
	digits                  // the rest of a number that is too long to be shown
)

// placeState says what is known of the place of a finding on its way through the links.
type placeState uint8

const (
	placed  placeState = iota // it lies between Start and End
	growing                   // the link before has not cleared its end
	unknown                   // its text was sent, or its link does not know its place
)
