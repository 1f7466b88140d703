package chart_test

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/manage/console/chart"
)

func Example() {
	c := chart.Chart{
		Title: "Latency", Unit: chart.FormatMillis, Start: time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC), Step: time.Minute,
		Series: []chart.Series{
			{Name: "median", Values: []float64{12, 14, math.NaN(), 11}},
			{Name: "95 %", Values: []float64{80, 120, math.NaN(), 75}},
		},
	}
	lines := string(c.Lines()) // a template renders {{.Lines}} of its chart
	fmt.Println(lines[strings.Index(lines, "<desc>"):strings.Index(lines, "</desc>")])
	fmt.Println(strings.Count(lines, "<path class=\"line"), "lines")
	fmt.Println(strings.HasPrefix(string(chart.DrawSparkline("Calls", []float64{1, 4, 2}, chart.FormatCount)), "<svg"))
	fmt.Println(strings.Contains(string(chart.DrawShare("By model", []chart.Part{{"a", 3}, {"b", 1}}, chart.FormatCount)), "75 %"))
	// Output:
	// <desc>median: last 11 ms, highest 14 ms; 95 %: last 75 ms, highest 120 ms.
	// 2 lines
	// true
	// true
}
