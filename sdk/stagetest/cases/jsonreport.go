package cases

import (
	"encoding/json"
	"fmt"
	"io"
)

// The keys of the JSON report. They are stable: others read it.
type (
	jsonReport struct {
		Passed    int        `json:"passed"`
		Failed    int        `json:"failed"`
		Labels    []string   `json:"labels"`
		Uncovered []string   `json:"uncovered"`
		Cases     []jsonCase `json:"cases"`
	}
	jsonCase struct {
		File   string   `json:"file"`
		Line   int      `json:"line"`
		Name   string   `json:"name"`
		Passed bool     `json:"passed"`
		Faults []string `json:"faults"`
		Ways   int      `json:"ways"`
		Time   float64  `json:"time_us"`
		Fuel   *int64   `json:"fuel"` // null: the stage has no meter
	}
)

// WriteJSON writes the results as one JSON object.
func (r *Report) WriteJSON(w io.Writer) error {
	failed := r.Failed()
	out := jsonReport{
		Passed:    len(r.Results) - failed,
		Failed:    failed,
		Labels:    normalizeList(r.Labels),
		Uncovered: normalizeList(r.Uncovered),
		Cases:     []jsonCase{},
	}
	for i := range r.Results {
		c := &r.Results[i]
		j := jsonCase{
			File: c.File, Line: c.Line, Name: c.Name, Passed: c.Passed(), Faults: normalizeList(c.Faults), Ways: c.Ways,
			Time: float64(c.Time.Nanoseconds()) / 1000,
		}
		if c.Fuel >= 0 {
			j.Fuel = &c.Fuel
		}
		out.Cases = append(out.Cases, j)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(out); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// normalizeList is never null in JSON.
func normalizeList(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
