package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// runReportCommand judges the samples of a written report again, so that it cannot repeat a verdict that its own figures
// contradict.
func runReportCommand(_ context.Context, args []string) error {
	fs := flag.NewFlagSet("report", flag.ContinueOnError)
	in := fs.String("in", filepath.Join(findProjectRoot(), "bench-report.json"), "the report to read")
	enforce := fs.Bool("gate", true, "end with an error when a demand is not met")
	if err := parseFlags(fs, args); err != nil {
		return err
	}
	b, err := os.ReadFile(*in)
	if err != nil {
		return fmt.Errorf("read the report: %w", err)
	}
	var r report
	if err := json.Unmarshal(b, &r); err != nil {
		return fmt.Errorf("decode the report: %w", err)
	}
	r.judge()
	r.print(os.Stdout)
	return r.checkGates(*enforce)
}
