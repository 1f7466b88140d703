// Command train makes data/model.bin, the learned part of the attack detectors, from the files beside it: run it with
// make guard-model. The same files give the same bytes on every machine.
//
//	train                  train on everything and write the model
//	train -report          leave each family of attacks and each kind of text out in turn, and print what is found of them
//	train -quality         print the figures of docs/guardrails.md, with confidence intervals
//	train -figures         write those of the repository's own files to testdata/figures.txt
//	train -collect         sample windows of ordinary text from the trees of Go, npm and Python on this machine
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	dir := flag.String("dir", "stages/guardrail", "`folder` of the guardrail stage")
	report := flag.Bool("report", false, "print held-out figures")
	gather := flag.Bool("collect", false, "sample ordinary text")
	quality := flag.Bool("quality", false, "print what the detectors find, and how often they are wrong")
	figures := flag.Bool("figures", false, "write the figures that a test compares")
	flag.Parse()
	work := func() error { return runCommand(*dir, *report, *gather) }
	if *quality || *figures {
		work = func() error { return printQuality(*dir, *figures) }
	}
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func runCommand(dir string, report, gather bool) error {
	if gather {
		return collectWindows(filepath.Join(dir, "learned/data/ordinary.jsonl.gz"))
	}
	set, err := readSet(dir)
	if err != nil {
		return err
	}
	if report {
		return printReport(os.Stdout, set)
	}
	m := trainModel(set.generateSamples(everything))
	path := filepath.Join(dir, "learned/data/model.bin")
	if err := os.WriteFile(path, m.Append(nil), 0o644); err != nil {
		return err
	}
	fmt.Printf("%s: %d bytes\n", path, len(m.Append(nil)))
	return nil
}
