// Command doubling counts what the stages schema and policy do with a text and with one that is twice as long. It reads lines of
// JSON from standard input and writes a line with two counts for each. It must be built with -cover -covermode=atomic: see
// TestTwiceTheTextIsTwiceTheWork.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/stages/internal/blocks"
)

// A job is a stage with its rules and a text of it: a head, a unit n times, a tail. "{n}" in a unit is its number.
type job struct {
	Run   string `json:"run"`   // a key of runs
	Rules string `json:"rules"` // a schema, or rules of a policy
	Head  string `json:"head"`
	Unit  string `json:"unit"`
	Tail  string `json:"tail"`
	Times int    `json:"times"`
}

// An answer has the counts of basic blocks for a job, and for the same with twice as many units.
type answer struct {
	Once  int `json:"once"`
	Twice int `json:"twice"`
}

// runs prepare a text and return what is counted.
var runs = map[string]func(ctx context.Context, rules, text string) (func() error, error){
	"schema":          prepareAnswer,
	"schema stream":   prepareStream,
	"policy request":  prepareRequestCheck,
	"policy answer":   prepareAnswerCheck,
	"policy findings": prepareFindingsCheck,
}

func main() {
	if err := runJobs(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "doubling:", err)
		os.Exit(1)
	}
}

func runJobs(ctx context.Context, in io.Reader, out io.Writer) error {
	jobs, answers := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var j job
		if err := jobs.Decode(&j); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var a answer
		var err error
		if a.Once, err = j.count(ctx, j.Times); err != nil {
			return fmt.Errorf("%s %s %q: %w", j.Run, j.Rules, j.Unit, err)
		}
		if a.Twice, err = j.count(ctx, 2*j.Times); err != nil {
			return err
		}
		if err = answers.Encode(a); err != nil {
			return err
		}
	}
}

// count returns the work of a job with n units.
func (j *job) count(ctx context.Context, n int) (int, error) {
	var text strings.Builder
	text.WriteString(j.Head)
	for i := range n {
		text.WriteString(strings.ReplaceAll(j.Unit, "{n}", strconv.Itoa(i)))
	}
	text.WriteString(j.Tail)
	work, err := runs[j.Run](ctx, j.Rules, text.String())
	if err != nil {
		return 0, err
	}
	var failed error
	ran, err := blocks.Count(func() { failed = work() })
	return ran, errors.Join(err, failed)
}
