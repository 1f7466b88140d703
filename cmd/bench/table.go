package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// print writes the report as Markdown.
func (r *report) print(out io.Writer) {
	var b strings.Builder
	fmt.Fprintf(
		&b,
		"\n## Headgate beside httputil.ReverseProxy\n\n%s, %s, %d cores, %d connections, %d rounds of %.1f s, others took %.2f of the core\n",
		r.CPU,
		r.GoVersion,
		r.Cores,
		r.Connections,
		r.Rounds,
		r.MeasuredSecs,
		r.OtherShare,
	)
	r.printFigures(&b)
	r.printCells(&b)
	if r.Anon != nil {
		fmt.Fprintf(&b, "\nAnonymous memory after the run: %.1f MiB of %.0f MiB (%s); resident with files: %.1f MiB\n",
			*r.Anon, r.AnonLimit, formatVerdict(*r.Anon < r.AnonLimit), *r.RSS)
	}
	held := 0
	for _, c := range r.Checks {
		if c.OK {
			held++
		}
	}
	fmt.Fprintf(&b, "\nChecks: %d of %d hold\n", held, len(r.Checks))
	for _, s := range r.reasons() {
		fmt.Fprintf(&b, "- NOT MET: %s\n", s)
	}
	_, _ = io.WriteString(out, b.String()) // a closed standard output cannot be reported
}

// printFigures writes the ratios with a target.
func (r *report) printFigures(b *strings.Builder) {
	if len(r.Ratio) == 0 {
		return
	}
	b.WriteString("\n| figure | gateway us/req | ReverseProxy us/req | ratio | single rounds | demanded | |\n|---|---|---|---|---|---|---|\n")
	for _, f := range listFigures() {
		ratio, ok := r.Ratio[f.key]
		if !ok {
			continue
		}
		demanded := "–"
		switch {
		case f.demanded > 0:
			demanded = fmt.Sprintf("%.2f", f.demanded)
		case f.aim > 0:
			demanded = fmt.Sprintf("(aim %.2f)", f.aim)
		}
		fmt.Fprintf(
			b,
			"| %s | %.1f | %.1f | **%.2f** | %.2f–%.2f | %s | %s |\n",
			f.key,
			computeMedian(r.listCosts(&f, f.system)),
			computeMedian(r.listCosts(&f, sysRevproxy)),
			ratio,
			r.RatioLow[f.key],
			r.RatioHigh[f.key],
			demanded,
			formatVerdict(r.Pass[f.key]),
		)
	}
}

// printCells writes the medians of every system in every cell.
func (r *report) printCells(b *strings.Builder) {
	b.WriteString(
		"\n| cell | system | CPU us/req | lowest–highest | req/CPU-s | x ReverseProxy | req/s | p50 us | p99 us | first token p50 | peak MiB | others | idle |\n" +
			"|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
	)
	for _, c := range listCells() {
		for _, name := range listSystems() {
			us := r.listMicros(c.name, name)
			if len(us) == 0 {
				continue
			}
			ratio, _, _, _ := r.compare(c.name, name)
			med := func(of func(loadReport) float64) float64 { return computeMedian(r.listColumn(c.name, name, of)) }
			first := "–"
			if c.stream {
				first = fmt.Sprintf("%.0f", med(func(l loadReport) float64 { return l.FirstToken.p50() }))
			}
			fmt.Fprintf(
				b,
				"| %s | %s | %.1f | %.1f–%.1f | %.0f | %.2f | %.0f | %.0f | %.0f | %s | %.1f | %.2f | %.2f |\n",
				c.name,
				name,
				computeMedian(us),
				slices.Min(us),
				slices.Max(us),
				1e6/max(
					computeMedian(us),
					1e-3,
				),
				ratio,
				med(func(l loadReport) float64 { return l.Rps }),
				med(func(l loadReport) float64 { return l.Latency.p50() }),
				med(
					func(l loadReport) float64 { return l.Latency.p99() },
				),
				first,
				med(func(l loadReport) float64 { return float64(l.Server.RSSPeak) / (1 << 20) }),
				med(func(l loadReport) float64 { return l.Server.OtherShare }),
				med(func(l loadReport) float64 { return l.Server.IdleShare }),
			)
		}
	}
}

// listColumn returns one value of every sample of a system in a cell.
func (r *report) listColumn(cellName, systemName string, of func(loadReport) float64) []float64 {
	var out []float64
	for _, sm := range r.Samples {
		if sm.Cell == cellName && sm.System == systemName {
			out = append(out, of(sm.Load))
		}
	}
	return out
}

func formatVerdict(ok bool) string {
	if ok {
		return "ok"
	}
	return "**no**"
}
