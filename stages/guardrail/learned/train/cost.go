package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/stages/guardrail"
)

// How printCost measures.
const (
	costBytes  = 8 << 10
	costTexts  = 60  // of each kind
	costRounds = 200 // the least counts: other programs make it more, never less
)

// printCost prints the CPU time that the default detectors take for new texts of costBytes: middles of held-out files, by kind.
func printCost(out io.Writer, texts map[string][]string) error {
	s, err := guardrail.NewScanner(nil)
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, kind := range sortKeys(texts) {
		var costs []time.Duration
		for _, text := range texts[kind] {
			if len(text) < longText || len(costs) == costTexts {
				continue
			}
			at := (len(text) - costBytes) / 2
			costs = append(costs, measureCost(s, text[at:at+costBytes]))
		}
		if len(costs) == 0 {
			continue
		}
		slices.Sort(costs)
		sum := time.Duration(0)
		for _, c := range costs {
			sum += c
		}
		mean, median, most := sum/time.Duration(len(costs)), costs[len(costs)/2], costs[len(costs)*9/10]
		_, _ = fmt.Fprintf(out, "%-44s mean %6.1f us, median %6.1f, nine in ten below %6.1f, of %d texts\n", "CPU time of 8 KiB, "+kind,
			convertToMicroseconds(mean), convertToMicroseconds(median), convertToMicroseconds(most), len(costs))
	}
	return nil
}

func convertToMicroseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// measureCost returns the least CPU time of the thread for one scan of a text.
func measureCost(s *guardrail.Scanner, text string) time.Duration {
	least := time.Duration(1 << 62)
	for range costRounds {
		before := readThreadTime()
		s.Scan(text)
		least = min(least, readThreadTime()-before)
	}
	return least
}
