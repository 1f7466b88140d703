package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// defaultLeastCPU is how much CPU time of the server a load measures, however long that takes on a busy machine: with
// ticks of 10 ms it is exact to 2 %.
const defaultLeastCPU = 500 * time.Millisecond

// runOptions are the flags of "bench run".
type runOptions struct {
	headgate, self, detector string
	systems, only            []string
	rounds, connections      int
	rate                     float64
	measure, warm            time.Duration
	minCPU                   time.Duration // of the server, measured in one load
	gatewayCore, loadCore    int
	nice                     int
	profileDir, out          string
	keep, gate               bool
}

func runCommand(ctx context.Context, args []string) error {
	o, err := parseRunFlags(args)
	if err != nil {
		return err
	}
	// Both pinning and the children's end with their parent depend on the thread that starts them; the main goroutine's
	// thread lasts as long as the process.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	rep, err := executeRun(ctx, o)
	if err != nil {
		return err
	}
	if err := rep.write(o.out); err != nil {
		return err
	}
	rep.print(os.Stdout)
	log.Printf("report written to %s", o.out)
	return rep.checkGates(o.gate && o.rate == 0) // the CPU time of an idle server is mostly the cost of waking up
}

func parseRunFlags(args []string) (runOptions, error) {
	var o runOptions
	var systems, only string
	pin := true
	root := findProjectRoot()
	fs := flag.NewFlagSet("run", flag.ContinueOnError)
	fs.StringVar(&o.headgate, "headgate", filepath.Join(root, "bin", "headgate"), "the gateway's binary")
	fs.StringVar(&o.self, "self", "", "the bench binary that serves mock, load and floors (default: this one)")
	fs.StringVar(
		&o.detector,
		"detector",
		filepath.Join(root, "sdk", "samples", "employee-id", "employee-id.wasm"),
		"the Wasm detector in the chain",
	)
	fs.StringVar(&systems, "systems", strings.Join(listSystems(), ","), "systems, comma separated")
	fs.StringVar(&only, "only", "", "figures, comma separated (default: all that the report asks for)")
	fs.IntVar(&o.rounds, "rounds", 5, "rounds")
	fs.IntVar(&o.connections, "c", 64, "connections")
	fs.Float64Var(&o.rate, "rate", 0, "requests per second, open loop, to read latency (no gate then); 0: closed loop")
	fs.DurationVar(&o.measure, "d", time.Second, "measured time of one load, at least 1s")
	fs.DurationVar(&o.warm, "warm", 400*time.Millisecond, "warm-up of one load")
	fs.IntVar(&o.gatewayCore, "gateway-core", 1, "core of the server under test")
	fs.IntVar(&o.loadCore, "load-core", 0, "core of the mock and the load")
	fs.IntVar(
		&o.nice,
		"nice",
		-15,
		"priority of all that is measured, -20 to 19: keeps neighbours off the cores where it is allowed, 0 is as usual",
	)
	fs.BoolVar(&pin, "pin", true, "pin the processes to their cores")
	fs.StringVar(&o.profileDir, "profile", "", "after the rounds, write a CPU profile of each system in each cell to this folder")
	fs.StringVar(&o.out, "out", filepath.Join(root, "bench-report.json"), "the report")
	fs.BoolVar(&o.keep, "keep", false, "keep the folder with configuration, database and logs")
	fs.BoolVar(&o.gate, "gate", true, "end with an error when a demand is not met")
	if err := parseFlags(fs, args); err != nil {
		return o, err
	}
	if !pin {
		o.gatewayCore, o.loadCore = -1, -1
	}
	if o.minCPU = defaultLeastCPU; o.rate > 0 {
		o.minCPU = 0 // a server that waits for its next request uses CPU time slowly
	}
	o.systems = splitList(systems)
	if only != "" {
		o.only = splitList(only)
	}
	return o, o.complete()
}

// complete checks the options and makes the paths absolute, because the children run in their own folders.
func (o *runOptions) complete() error {
	for _, s := range o.systems {
		if !slices.Contains(listSystems(), s) {
			return fmt.Errorf("-systems: no system %q", s)
		}
	}
	for _, k := range o.only {
		if !slices.ContainsFunc(listFigures(), func(f figure) bool { return f.key == k }) {
			return fmt.Errorf("-only: no figure %q", k)
		}
	}
	switch {
	case o.measure < time.Second:
		return errors.New("-d: CPU time comes in ticks of 10 ms, so measure at least 1s")
	case o.rounds < 1:
		return errors.New("-rounds: want at least one")
	}
	if o.self == "" {
		self, err := os.Executable()
		if err != nil {
			return fmt.Errorf("find this program: %w", err)
		}
		o.self = self
	}
	for _, p := range []*string{&o.headgate, &o.self, &o.detector, &o.out, &o.profileDir} {
		if *p == "" {
			continue
		}
		abs, err := filepath.Abs(*p)
		if err != nil {
			return err
		}
		*p = abs
	}
	return nil
}

// checkFiles reports early that a file that the parts need is missing, and how to proceed.
func (o *runOptions) checkFiles(parts []part) error {
	for _, p := range parts {
		if !isGateway(p.system) {
			continue
		}
		if _, err := os.Stat(o.headgate); err != nil {
			return fmt.Errorf("-headgate: %w: build it with go build -o bin/ ./cmd/headgate, or measure -systems revproxy,raw", err)
		}
		if _, err := os.Stat(o.detector); err != nil && redacts(p.system) {
			return fmt.Errorf("-detector: %w", err)
		}
	}
	return nil
}

func splitList(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}

// findProjectRoot returns the nearest parent folder that contains go.mod, or else the working directory.
func findProjectRoot() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "go.mod")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return dir
		}
	}
}
