// Package llm is the neutral model of a call to a language model, through which translations between client shapes
// pass. It imports only the standard library. It has the features that at least two vendors share; a translation drops
// and counts, or refuses, the features of a single vendor.
package llm

// Usage counts the tokens of one call, by the provider's own count.
type Usage struct {
	// Reported is true when the provider gave a count at all. Without it, and
	// without an estimate, the other fields are zero and mean "unknown", not "none".
	Reported bool
	// Estimated is true when the gateway has counted, at least in part: the answer
	// ended before the provider told its count. Reported is then false.
	Estimated bool
	// Input and Output are the tokens read and written, cached and reasoning
	// tokens included.
	Input, Output int64
	// Cached is the part of Input that the provider read from its prompt cache.
	Cached int64
	// Written is the part of Input that the provider stored in its prompt cache.
	Written int64
	// Reasoning is the part of Output spent on reasoning.
	Reasoning int64
	// Media is the part of Input that is sound or pictures, if the provider reports it.
	Media int64
	// MediaOutput is the part of Output that is sound, if the provider reports it.
	MediaOutput int64
	// Units counts what is charged by other units than tokens.
	Units Units
}

// Units counts what providers charge by other units than tokens.
type Units struct {
	Images     int64 // pictures made
	Millis     int64 // milliseconds of sound that was read
	Searches   int64 // searches of a reranker
	Characters int64 // characters that were spoken
}

// VisitCounts calls found with the units that were used, by the names that they have in records and logs.
func (u Units) VisitCounts(found func(name string, n int64)) {
	if u == (Units{}) {
		return
	}
	for _, one := range [...]struct {
		name string
		n    int64
	}{{"images", u.Images}, {"audio_ms", u.Millis}, {"searches", u.Searches}, {"characters", u.Characters}} {
		if one.n > 0 {
			found(one.name, one.n)
		}
	}
}

// Add sums the units of two calls.
func (u Units) Add(o Units) Units {
	return Units{u.Images + o.Images, u.Millis + o.Millis, u.Searches + o.Searches, u.Characters + o.Characters}
}

// Known reports whether there is a count, be it an estimate.
func (u Usage) Known() bool { return u.Reported || u.Estimated }

// Total is Input plus Output.
func (u Usage) Total() int64 { return u.Input + u.Output }

// Add sums two calls, as when a request was tried more than once.
func (u Usage) Add(o Usage) Usage {
	return Usage{
		Reported:    (u.Reported || o.Reported) && !u.Estimated && !o.Estimated,
		Estimated:   u.Estimated || o.Estimated,
		Input:       u.Input + o.Input,
		Output:      u.Output + o.Output,
		Cached:      u.Cached + o.Cached,
		Written:     u.Written + o.Written,
		Reasoning:   u.Reasoning + o.Reasoning,
		Media:       u.Media + o.Media,
		MediaOutput: u.MediaOutput + o.MediaOutput,
		Units:       u.Units.Add(o.Units),
	}
}

// Subtract returns u without the counts of a part of it.
func (u Usage) Subtract(part Usage) Usage {
	u.Input -= part.Input
	u.Output -= part.Output
	u.Cached -= part.Cached
	u.Written -= part.Written
	u.Reasoning -= part.Reasoning
	u.Media -= part.Media
	u.MediaOutput -= part.MediaOutput
	u.Units.Images -= part.Units.Images
	u.Units.Millis -= part.Units.Millis
	u.Units.Searches -= part.Units.Searches
	u.Units.Characters -= part.Units.Characters
	return u
}
