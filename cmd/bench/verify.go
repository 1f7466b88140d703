package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// verifyLimit bounds one run of the gateway's own verification.
const verifyLimit = 5 * time.Minute

// verifyAudit makes the gateway verify the audit log of a run and returns the checks. served is how many exchanges the
// gateway served in total.
func verifyAudit(ctx context.Context, binary, config, dir, system string, served int64) []check {
	ctx, cancel := context.WithTimeout(ctx, verifyLimit)
	defer cancel()
	verified := check{System: system, Name: "audit verify passes", OK: true}
	if out, err := runGateway(ctx, binary, dir, "audit", "verify", "--config", config); err != nil {
		verified.OK, verified.Says = false, fmt.Sprintf("%v: %s", err, findLastLine(out))
		return []check{verified}
	}
	out, err := runGateway(ctx, binary, dir, "audit", "verify", "--config", config, "--json")
	if err != nil {
		return []check{verified} // it prints no counts; the metrics were already checked
	}
	return append([]check{verified}, checkCounts(out, system, served)...)
}

// checkCounts compares the counts that the verification prints, if any, with the exchanges served: records (of all
// types), usage, and types, an object of counts by type.
func checkCounts(out []byte, system string, served int64) []check {
	var got struct {
		Records *int64           `json:"records"`
		Usage   *int64           `json:"usage"`
		Types   map[string]int64 `json:"types"`
	}
	if err := json.Unmarshal(out, &got); err != nil {
		return []check{{System: system, Name: "audit verify --json prints JSON", Says: err.Error()}}
	}
	var cs []check
	add := func(name string, ok bool, n int64) {
		c := check{System: system, Name: name, OK: ok}
		if !ok {
			c.Says = fmt.Sprintf("%d requests served, %d found", served, n)
		}
		cs = append(cs, c)
	}
	if got.Records != nil {
		add("verified records >= 2 x requests", *got.Records >= 2*served, *got.Records)
	}
	if got.Types != nil {
		for _, t := range exchangeRecords {
			add("verified "+t+" records = requests", got.Types[t] == served, got.Types[t])
		}
	}
	if got.Usage != nil {
		add("stored usage rows = requests", *got.Usage == served, *got.Usage)
	}
	return cs
}

// runGateway runs a command of the gateway to its end and returns its output.
func runGateway(ctx context.Context, binary, dir string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, binary, args...)
	c.Dir, c.Env = dir, buildChildEnv(os.Environ())
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	if err != nil && stderr.Len() > 0 {
		return stderr.Bytes(), err
	}
	return stdout.Bytes(), err
}

func findLastLine(b []byte) string {
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return lines[len(lines)-1]
}
