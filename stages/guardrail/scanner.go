package guardrail

import (
	"context"
	"slices"

	"github.com/headgate-dev/headgate/core"
)

// Scanner runs the detectors over single texts, outside of any exchange. Detectors that need
// an exchange (tools, metadata, the system prompt) find nothing. It is for one goroutine.
type Scanner struct {
	stage *Stage
	w     work
}

// Result is the result of a scan.
type Result struct {
	Hit    bool     // a detector reached its threshold
	Score  float32  // the highest of all detectors, above or below the threshold
	Labels []string // of the detectors that reached their threshold, without duplicates
}

// NewScanner returns a scanner from a stage's block of the configuration. nil means the default set.
func NewScanner(s core.Settings) (*Scanner, error) {
	st, err := New(s)
	if err != nil {
		return nil, err
	}
	return &Scanner{stage: st.(*Stage)}, nil
}

// NewDetectorScanner returns a scanner of one detector, from its type and its own
// settings; nil for none.
func NewDetectorScanner(kind string, s core.Settings) (*Scanner, error) {
	d := detectorSettings{}
	if s != nil {
		if err := s.Decode(&d); err != nil {
			return nil, err
		}
	}
	d.Type = kind
	st, err := newStage(settings{Detectors: []detectorSettings{d}})
	if err != nil {
		return nil, err
	}
	return &Scanner{stage: st}, nil
}

// Scan judges a whole text with all detectors, whatever their phases.
func (s *Scanner) Scan(text string) Result { return s.scanWith(context.Background(), text, false) }

// scanWith is Scan with a context that can stop it. tool says that the text comes from a tool.
func (s *Scanner) scanWith(ctx context.Context, text string, tool bool) Result {
	var r Result
	s.w.pace.reset(ctx)
	c := check{w: &s.w, tool: tool, first: true, last: true}
	s.stage.engine.scan(&c, text, func(g *guard, f finding) {
		r.Score = max(r.Score, f.score)
		if f.score < g.threshold {
			return
		}
		r.Hit = true
		label := f.label
		if label == "" {
			label = g.name
		}
		if !slices.Contains(r.Labels, label) {
			r.Labels = append(r.Labels, label)
		}
	})
	return r
}

// NewSecretRedactor returns a stage that overwrites the credentials that the detector of secrets finds.
func NewSecretRedactor() (core.Stage, error) {
	return newStage(settings{Detectors: []detectorSettings{{Type: "secrets", Action: actionRedact}}})
}
