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
	// Module, when it is not empty, is tested in place of the modules that the files name.
	Module string
	// Only chooses cases by their names; nil: all.
	Only *regexp.Regexp
	// Update writes golden files in place of comparing with them.
	Update bool
}

// Result is what came of one case.
type Result struct {
	File, Name string
	Line       int // where the case stands, from 1
	// Faults are the ways in which it is not what was expected; none: the case has passed.
	Faults []string
	// Ways is in how many ways its answers were cut, the whole one counted; 1: there was nothing to cut.
	Ways int
	// Time is what the chain of the one link needs for all steps, the least of several runs.
	Time time.Duration
	// Fuel is how much code the stage runs for them, in weights of the meter; negative: it has none.
	Fuel int64
	// Written are golden files that were written.
	Written []string
}

// Passed reports whether all was as expected.
func (r *Result) Passed() bool { return len(r.Faults) == 0 }

// Report is what came of all cases.
type Report struct {
	Results []Result
	Time    time.Duration
	// Labels are those that the stages can find, and Uncovered those of them that no case
	// of the files expects, also not one that Runner.Only has left out.
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

// LimitFuel makes cases fail that took more fuel. Those of stages without a meter pass.
func (r *Report) LimitFuel(most int64) {
	for i := range r.Results {
		if c := &r.Results[i]; c.Passed() && c.Fuel > most {
			c.Faults = append(c.Faults, fmt.Sprintf("fuel: at most %d, took %d", most, c.Fuel))
		}
	}
}

// ErrNoCase says that no case has the name that was asked for.
var ErrNoCase = errors.New("no case has a name that matches")

// Run runs the cases of files, as Find lists them. An error is about the files or the stages; a case that
// fails is in the report. When there is an error in any file no case is run.
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
		return res, nil, fmt.Errorf("%s: the stage cannot be made: %w", c.block.Problem("", "").Position(), err)
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
	if res.Ways, err = b.everyWay(ctx, c, outs, &res); err != nil {
		return res, labels, err
	}
	res.Time, res.Fuel, err = b.measure(ctx, c, took)
	return res, labels, err
}
