package cases

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/config"
)

// Runner runs cases.
type Runner struct {
	Make Maker
	// Module, if not empty, is tested instead of the modules that the files name.
	Module string
	// Only selects cases by their names; nil selects all.
	Only *regexp.Regexp
	// Update writes golden files instead of comparing with them.
	Update bool
}

// Result is the result of one case.
type Result struct {
	File, Name string
	Line       int // line of the case, from 1
	// Faults are the differences from the expectation; empty if the case has passed.
	Faults []string
	// Ways is the number of ways in which its answers were cut, including uncut; 1: there was nothing to cut.
	Ways int
	// Time is the time of the chain for all steps, the minimum of several runs.
	Time time.Duration
	// Fuel is the fuel that the stage uses for all steps; negative without a meter.
	Fuel int64
	// Written lists the golden files that were written.
	Written []string
}

// Passed reports whether all results were as expected.
func (r *Result) Passed() bool { return len(r.Faults) == 0 }

// Report is the result of all cases.
type Report struct {
	Results []Result
	Time    time.Duration
	// Labels are the labels of the stages, and Uncovered those that no case of the files expects, not even a case that
	// Runner.Only omits.
	Labels, Uncovered []string
}

// Failed counts the cases that have not passed.
func (r *Report) Failed() (n int) {
	for i := range r.Results {
		if !r.Results[i].Passed() {
			n++
		}
	}
	return n
}

// LimitFuel makes cases fail that used more fuel. Cases of stages without a meter pass.
func (r *Report) LimitFuel(most int64) {
	for i := range r.Results {
		if c := &r.Results[i]; c.Passed() && c.Fuel > most {
			c.Faults = append(c.Faults, fmt.Sprintf("fuel: at most %d, took %d", most, c.Fuel))
		}
	}
}

// ErrNoCase means that no case has the requested name.
var ErrNoCase = errors.New("no case has a name that matches")

// Run runs the cases of files, in the form that Find lists them. An error concerns the files or the stages; failed cases
// are in the report. If any file has an error, no case runs.
func (r *Runner) Run(ctx context.Context, files []string) (*Report, error) {
	list, problems := make([]*File, 0, len(files)), []config.Problem(nil)
	for _, path := range files {
		f, err := Read(path, r.Module)
		if list = append(list, f); err != nil {
			var p *config.Problems
			if !errors.As(err, &p) {
				return nil, err
			}
			problems = append(problems, p.List...)
		}
	}
	if len(problems) > 0 {
		return nil, &config.Problems{List: problems}
	}
	start, out := time.Now(), &Report{}
	known, expected := map[string]bool{}, map[string]bool{}
	for _, f := range list {
		for _, c := range f.Cases {
			c.addLabels(expected)
			if r.Only != nil && !r.Only.MatchString(c.Name) {
				continue
			}
			result, labels, err := r.runCase(ctx, c)
			if err == nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				return nil, err
			}
			for _, l := range labels {
				known[l] = true
			}
			out.Results = append(out.Results, result)
		}
	}
	if len(out.Results) == 0 {
		return nil, fmt.Errorf("%w %s; leave --run out to run all", ErrNoCase, r.Only)
	}
	for l := range known {
		out.Labels = append(out.Labels, l)
		if !expected[l] {
			out.Uncovered = append(out.Uncovered, l)
		}
	}
	slices.Sort(out.Labels)
	slices.Sort(out.Uncovered)
	out.Time = time.Since(start)
	return out, nil
}

// runCase runs a case and compares its outcome, repeats it in all other ways (streamed, in pieces), and times it.
func (r *Runner) runCase(ctx context.Context, c *Case) (res Result, labels []string, err error) {
	res = Result{File: c.File.Path, Name: c.Name, Line: c.Line(), Ways: 1, Fuel: -1}
	b, err := makeBench(ctx, r.Make, c)
	if c.refused != "" {
		if err == nil {
			res.Faults = append(res.Faults, "refused: the stage takes its settings")
			return res, b.made.Labels, b.close(ctx)
		}
		if !strings.Contains(err.Error(), c.refused) {
			res.Faults = append(res.Faults, fmt.Sprintf("refused: want words %q, got %q", c.refused, err))
		}
		return res, nil, nil
	}
	if err != nil {
		return res, nil, fmt.Errorf("%s: the stage cannot be created: %w", c.block.NewProblem("", "").Position(), err)
	}
	defer func() { err = errors.Join(err, b.close(ctx)) }()
	labels = b.made.Labels
	if err = c.checkStage(&b.made); err != nil {
		return res, labels, err
	}
	outs, took, err := b.run(ctx, c, nil)
	if err != nil {
		if ctx.Err() != nil {
			return res, labels, context.Cause(ctx)
		}
		res.Faults, err = append(res.Faults, err.Error()), nil
		return res, labels, err
	}
	for i := range outs {
		s := c.steps[i]
		faults := s.compare(&outs[i])
		if s.golden != "" {
			f, written, err := r.compareGolden(s.golden, outs[i].raw)
			if err != nil {
				return res, labels, err
			}
			if faults = append(faults, f...); written {
				res.Written = append(res.Written, s.golden)
			}
		}
		for _, f := range faults {
			if len(c.steps) > 1 {
				f = fmt.Sprintf("step %d: %s", i+1, f)
			}
			res.Faults = append(res.Faults, f)
		}
	}
	if len(res.Faults) > 0 {
		return res, labels, nil
	}
	if res.Ways, err = b.runStreamed(ctx, c, outs, &res); err != nil {
		return res, labels, err
	}
	res.Time, res.Fuel, err = b.measure(ctx, c, took)
	return res, labels, err
}
