// Command work counts what the engine does with a text and with one that is twice as long. It reads lines of JSON from
// standard input, {"types": [...], "unit": "..."}, and writes for each the counts of basic blocks. It must be built with
// -cover -covermode=atomic: see TestTwiceTheTextIsTwiceTheWork.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/headgate-dev/headgate/stages/internal/blocks"
	"github.com/headgate-dev/headgate/stages/pii"
)

type job struct {
	Types  []string `json:"types"`
	Packs  []string `json:"packs"`
	Unit   string   `json:"unit"`
	Length int      `json:"length"`
}

type answer struct {
	Once  int `json:"once"`
	Twice int `json:"twice"`
}

func main() {
	if err := runJobs(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "work:", err)
		os.Exit(1)
	}
}

func runJobs(in io.Reader, out io.Writer) error {
	jobs, answers := json.NewDecoder(in), json.NewEncoder(out)
	engines := map[string]*pii.Engine{}
	for {
		var j job
		if err := jobs.Decode(&j); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		key := strings.Join(j.Types, ",") + "/" + strings.Join(j.Packs, ",")
		e := engines[key]
		if e == nil {
			var err error
			if e, err = pii.NewEngine(pii.Options{Types: j.Types, Packs: j.Packs, Region: "US"}); err != nil {
				return err
			}
			engines[key] = e
		}
		text := strings.Repeat(j.Unit, 2*j.Length/len(j.Unit)+1)
		var a answer
		var err error
		if a.Once, err = countBlocks(e, text[:j.Length]); err != nil {
			return err
		}
		if a.Twice, err = countBlocks(e, text[:2*j.Length]); err != nil {
			return err
		}
		if err = answers.Encode(a); err != nil {
			return err
		}
	}
}

func countBlocks(e *pii.Engine, text string) (int, error) {
	return blocks.Count(func() {
		e.Detect(nil, text)
		e.CountHeld(text)
	})
}
