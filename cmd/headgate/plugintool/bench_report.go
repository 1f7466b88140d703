package plugintool

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// benchReport is the result of plugin bench. Its keys are stable: other programs read them.
type benchReport struct {
	What   string      `json:"what"`
	Digest string      `json:"sha256,omitempty"`
	Bytes  int         `json:"bytes,omitempty"` // of the module
	Cold   float64     `json:"load_cold_ms"`    // 0: not a module
	Warm   float64     `json:"load_cached_ms"`  // 0: not a module
	Memory int64       `json:"instance_memory"` // bytes of linear memory of one instance
	Floor  string      `json:"floor"`           // what the floor is
	Sizes  []benchSize `json:"sizes"`
}

type benchSize struct {
	Bytes  int     `json:"bytes"`
	Micros float64 `json:"us"`
	MBps   float64 `json:"mb_per_s"`
	Fuel   *int64  `json:"fuel"` // weight of the executed code; null: not metered
	Allocs int64   `json:"allocs"`
	Native float64 `json:"floor_us"`
	Times  float64 `json:"times_floor"`
	Err    string  `json:"error,omitempty"` // why it could not be timed
}

func (r *benchReport) print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprint(&b, r.What)
	if r.Bytes > 0 {
		fmt.Fprintf(
			&b,
			", %d bytes, sha256 %s\nload: %.1f ms cold, %.1f ms from the cache; memory of an instance: %d bytes",
			r.Bytes,
			r.Digest,
			r.Cold,
			r.Warm,
			r.Memory,
		)
	}
	b.WriteString("\n\n")
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	rows := []string{"text (bytes)\tµs\tMB/s\tfuel\tallocations\tfloor µs\ttimes floor\t\n"}
	for _, s := range r.Sizes {
		if s.Err != "" {
			rows = append(rows, fmt.Sprintf("%d\t-\t-\t-\t-\t-\t-\t\n", s.Bytes))
			continue
		}
		fuel := "-"
		if s.Fuel != nil {
			fuel = fmt.Sprint(*s.Fuel)
		}
		rows = append(rows, fmt.Sprintf("%d\t%.2f\t%.0f\t%s\t%d\t%.2f\t%.1f\t\n", s.Bytes, s.Micros, s.MBps, fuel, s.Allocs, s.Native, s.Times))
	}
	_, err := io.WriteString(t, strings.Join(rows, ""))
	if err = errors.Join(err, t.Flush()); err != nil {
		return err
	}
	fmt.Fprintf(&b, "\nfloor: %s\n", r.Floor)
	for _, s := range r.Sizes {
		if s.Err != "" {
			fmt.Fprintf(&b, "a text of %d bytes could not be timed: %s\n", s.Bytes, s.Err)
		}
	}
	_, err = io.WriteString(w, b.String())
	return err
}
