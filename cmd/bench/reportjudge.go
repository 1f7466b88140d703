package main

import (
	"math"
	"slices"
)

// judge computes everything that follows from samples, checks and memory.
func (r *report) judge() {
	r.Ratio, r.RatioLow, r.RatioHigh, r.RawRatio = map[string]float64{}, map[string]float64{}, map[string]float64{}, map[string]float64{}
	r.Demanded, r.Pass, r.Micros = map[string]*float64{}, map[string]bool{}, map[string]map[string]float64{}
	var other []float64
	for _, sm := range r.Samples {
		if r.Micros[sm.System] == nil {
			r.Micros[sm.System] = map[string]float64{}
		}
		r.Micros[sm.System][sm.Cell] = roundValue(computeMedian(r.listMicros(sm.Cell, sm.System)), 2)
		other = append(other, sm.Load.Server.OtherShare)
	}
	r.OtherShare = roundValue(computeMedian(other), 3)
	r.OK = !slices.ContainsFunc(r.Checks, func(c check) bool { return !c.OK })
	if r.Anon != nil {
		r.Pass["anon_mb_after"] = *r.Anon < r.AnonLimit
		r.OK = r.OK && r.Pass["anon_mb_after"]
	}
	for _, f := range listFigures() {
		ratio, low, high, ok := r.computeRatio(&f)
		if raw, _, _, rawOK := r.compare(f.cell, sysRaw); rawOK {
			r.RawRatio[f.cell] = roundValue(raw, 3)
		}
		if !ok {
			continue
		}
		r.Ratio[f.key], r.RatioLow[f.key], r.RatioHigh[f.key] = roundValue(ratio, 3), roundValue(low, 3), roundValue(high, 3)
		r.Demanded[f.key] = nil
		good := !slices.ContainsFunc(f.listCells(), func(c string) bool {
			return len(listFailures(r.Checks, c, f.system)) > 0 || len(listFailures(r.Checks, c, sysRevproxy)) > 0
		})
		if f.demanded > 0 {
			r.Demanded[f.key] = &f.demanded
			good = good && ratio >= f.demanded
		}
		r.Pass[f.key] = good
		r.OK = r.OK && good
	}
}

// listMicros returns a system's CPU microseconds per request in a cell, by round.
func (r *report) listMicros(cellName, systemName string) []float64 {
	var out []float64
	for _, sm := range r.Samples {
		if sm.Cell == cellName && sm.System == systemName {
			out = append(out, sm.Load.Server.CPUMicros)
		}
	}
	return out
}

// computeRatio returns the value of a figure. A growth compares the slopes of ReverseProxy and of the system.
func (r *report) computeRatio(f *figure) (ratio, low, high float64, ok bool) {
	if !f.growth {
		return r.compare(f.cell, f.system)
	}
	base, own := r.computeSlopes(f, sysRevproxy), r.computeSlopes(f, f.system)
	if len(base) == 0 || len(base) != len(own) {
		return 0, 0, 0, false
	}
	low, high = math.Inf(1), math.Inf(-1)
	for i := range own {
		low, high = min(low, base[i]/own[i]), max(high, base[i]/own[i])
	}
	return computeMedian(base) / computeMedian(own), low, high, true
}

// computeSlopes returns, by round, the CPU microseconds that a system needs per additional 100 KiB in an agent's request: the
// least-squares line through the sizes.
func (r *report) computeSlopes(f *figure, system string) []float64 {
	var out []float64
	sizes := f.listCells()
	for round := 0; ; round++ {
		var n, sx, sy, sxx, sxy float64
		for _, c := range sizes {
			us := r.listMicros(c, system)
			if round >= len(us) {
				return out
			}
			x, y := float64(agentSizes[c])/(100<<10), us[round]
			n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
		}
		out = append(out, (n*sxy-sx*sy)/(n*sxx-sx*sx))
	}
}

// listCosts returns what a figure compares, by round: CPU time per request, or a slope.
func (r *report) listCosts(f *figure, system string) []float64 {
	if f.growth {
		return r.computeSlopes(f, system)
	}
	return r.listMicros(f.cell, system)
}

// compare returns the ratio of the medians, and the lowest and highest ratio of a single round. ok is false if one of
// the two was not measured.
func (r *report) compare(cellName, systemName string) (ratio, low, high float64, ok bool) {
	base, own := r.listMicros(cellName, sysRevproxy), r.listMicros(cellName, systemName)
	if len(base) == 0 || len(base) != len(own) || slices.Min(own) <= 0 {
		return 0, 0, 0, false
	}
	low, high = math.Inf(1), 0
	for i := range own {
		low, high = min(low, base[i]/own[i]), max(high, base[i]/own[i])
	}
	return computeMedian(base) / computeMedian(own), low, high, true
}

func roundValue(v float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(v*p) / p
}
