package foreign

import "github.com/headgate-dev/headgate/core"

// Place is where a link found a value. It never holds the text.
type Place struct {
	Link  string  `json:"link"`
	Type  string  `json:"type"`
	Kind  string  `json:"kind"` // pii or detector
	Score float32 `json:"score"`
	Seg   int     `json:"seg"`   // the number of the text in this call
	Start int     `json:"start"` // in bytes, in that text and those that continue it
	End   int     `json:"end"`
	Late  bool    `json:"late,omitempty"` // its text was sent already, or its place is unknown
	Open  bool    `json:"open,omitempty"` // text that has not arrived may belong to it
}

// NewPlace returns the place of a finding.
func NewPlace(f *core.Finding, seg, start, end int) Place {
	return Place{Link: f.Link, Type: f.Label, Kind: classifyFinding(f), Score: f.Score, Seg: seg, Start: start, End: end}
}

// FormatPlaces returns places as a JSON array.
func FormatPlaces(all []Place) []byte { return encodeJSON(all) }
