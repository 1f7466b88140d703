// Command trial exposes a gateway to the ways in which gateways fail: each trial starts real gateways and providers on
// loopback, stresses them for a bounded time, and reports one row of a table. It exits with 1 if a gateway missed a
// requirement of a trial. `make trial` runs all; see docs/deploy.md.
//
// A trial is one file: a variable of type trial, and its name in the list below.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/headgate-dev/headgate/sdk/process"
)

var trials = []trial{
	slowReaders,
	slowAnswers,
	idleWebSockets,
	rollingRestart,
	contention,
	poisonedModule, poisonedProcess, poisonedWebhook,
	killSQLiteBatch, killSQLiteRequest, killPostgresBatch, killPostgresSync,
	databaseAway, diskFull, redisAway, lastCent,
	soak,
}

// trial is one stress test of a gateway.
type trial struct {
	name  string
	about string        // what is done, and what is required
	limit time.Duration // timeout, after which the trial has failed
	run   func(ctx context.Context, b *bench) (row, error)
}

// row is the result of a trial.
type row struct {
	acknowledged int   // requests whose client got a complete answer
	lost         int   // of these, those without records; or requests that got no answer at all
	refused      int   // requests refused with an error by the gateway
	doubled      int   // answers that have two records
	peak         int64 // anonymous memory of all gateways together, in bytes
	demands      []string
	note         string // shown if a requirement was not met
}

// require records a requirement that was not met.
func (r *row) require(holds bool, format string, args ...any) {
	if !holds {
		r.demands = append(r.demands, fmt.Sprintf(format, args...))
	}
}

// bench is what all trials share.
type bench struct {
	program string // the gateway
	root    string // of the repository, for samples
	dir     string // of the trial
}

func main() {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "spin":
			spinProcessor()
		case "guard":
			process.Serve(fragile{})
			return
		}
	}
	program := flag.String("headgate", "bin/headgate", "the gateway's program")
	only := flag.String("only", "", "names of trials, separated by commas; default: all")
	list := flag.Bool("list", false, "list the trials")
	flag.DurationVar(&soakTime, "soak", maxSoak, "how long the soak lasts, 20m at most")
	flag.Parse()
	if soakTime <= 0 || soakTime > maxSoak {
		fmt.Fprintln(os.Stderr, "trial: -soak: write a time between 1s and 20m")
		os.Exit(2)
	}
	if *list {
		for _, t := range trials {
			fmt.Printf("%-16s %s\n", t.name, t.about)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	path, err := filepath.Abs(*program)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "trial:", err)
		os.Exit(2)
	}
	if !runAll(ctx, path, strings.FieldsFunc(*only, func(r rune) bool { return r == ',' })) {
		stop()
		os.Exit(1) // stop was called
	}
}

// runAll runs the trials one after the other, prints the table and reports whether all passed.
func runAll(ctx context.Context, program string, only []string) (held bool) {
	held = true
	root, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "trial:", err)
		return false
	}
	fmt.Printf("%-16s %12s %6s %8s %8s %10s %8s\n", "trial", "acknowledged", "lost", "refused", "doubled", "peak MiB", "time")
	for _, t := range trials {
		if len(only) > 0 && !slices.Contains(only, t.name) {
			continue
		}
		began := time.Now()
		r, err := t.runIn(ctx, bench{program: program, root: root})
		fmt.Printf("%-16s %12d %6d %8d %8d %10.0f %7.0fs\n",
			t.name, r.acknowledged, r.lost, r.refused, r.doubled, float64(r.peak)/(1<<20), time.Since(began).Seconds())
		if err != nil {
			r.demands = append(r.demands, err.Error())
		}
		for _, d := range r.demands {
			held = false
			fmt.Printf("  FAILED: %s\n", d)
		}
		if len(r.demands) > 0 && r.note != "" {
			fmt.Printf("  %.300s\n", r.note)
		}
	}
	return held
}

// runIn runs a trial in its own folder.
func (t *trial) runIn(ctx context.Context, b bench) (row, error) {
	dir, err := os.MkdirTemp("", "headgate-trial-")
	if err != nil {
		return row{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	b.dir = dir
	ctx, cancel := context.WithTimeout(ctx, t.limit)
	defer cancel()
	r, err := t.run(ctx, &b)
	if err == nil && ctx.Err() != nil {
		err = fmt.Errorf("not done within %v", t.limit)
	}
	return r, err
}
