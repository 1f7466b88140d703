package core

// Finding is evidence: where something was found and what kind of thing it is.
// It never holds the text itself.
type Finding struct {
	Link       string
	Label      string
	Kind       FindingKind
	Phase      Phase
	Shadow     bool // found by a link in shadow mode
	Redacted   bool // personal data that the link takes out
	Segment    int  // -1: in streamed text
	Start, End int  // offsets in the segment's decoded text
	Score      float32
}

// FindingKind says what was found. Stages that know set it.
type FindingKind uint8

// Kinds of findings. Without one, a label in capitals is a type of personal data
// and any other a detector's: so the two have been spelled from the beginning.
const (
	_             FindingKind = iota
	FoundPII                  // a value that can be redacted
	FoundDetector             // a detector's opinion of the text
	FoundPolicy               // a policy's rule fired
)

// PII reports whether the finding is a value of personal data.
func (f *Finding) PII() bool {
	return f.Kind == FoundPII || f.Kind == 0 && f.Label != "" && f.Label[0] >= 'A' && f.Label[0] <= 'Z'
}

// Detector reports whether the finding is a detector's opinion.
func (f *Finding) Detector() bool {
	return f.Kind == FoundDetector || f.Kind == 0 && !f.PII()
}
