package core

// Finding is evidence: the place and the kind of what a stage found. It never contains the text itself.
type Finding struct {
	Link       string
	Label      string
	Kind       FindingKind
	Phase      Phase
	Shadow     bool // found by a link in shadow mode
	Redacted   bool // personal data that the link redacts
	Segment    int  // -1: in streamed text
	Start, End int  // offsets in the segment's decoded text
	Score      float32
}

// FindingKind is the kind of a finding. Stages set it if they know it.
type FindingKind uint8

// Kinds of findings. If unset, a label in capitals is a type of personal data, and any other label is a detector's.
const (
	_             FindingKind = iota
	FoundPII                  // a value that can be redacted
	FoundDetector             // a detector's opinion of the text
	FoundPolicy               // a policy's rule fired
)

// IsPII reports whether the finding is a value of personal data.
func (f *Finding) IsPII() bool {
	return f.Kind == FoundPII || f.Kind == 0 && f.Label != "" && f.Label[0] >= 'A' && f.Label[0] <= 'Z'
}

// IsDetector reports whether the finding is a detector's opinion.
func (f *Finding) IsDetector() bool {
	return f.Kind == FoundDetector || f.Kind == 0 && !f.IsPII()
}
