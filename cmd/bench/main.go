// Command bench measures what Headgate costs per request, compared with floors that do the same work without
// governance.
//
//	bench run     starts everything, measures in interleaved rounds, writes bench-report.json
//	bench memory  holds many streams of agents open, and measures the gateway's memory
//	bench peers   measures other gateways that are installed here
//	bench report  prints the table of a written report and applies the same gate
//	bench mock    the upstream stand-in alone
//	bench load    the load generator alone
//	bench floor   one of the floors alone
//
// The figure that counts is CPU microseconds per request, from the operating system's own accounting of the gateway
// process. Other load on the machine hardly affects it, unlike throughput and latency. It is always read as a ratio to
// a tuned httputil.ReverseProxy measured in the same rounds.
//
// The harness imports the standard library only. It knows the gateway as a
// binary, a configuration file, an HTTP port and a metrics port, so that it
// cannot be fooled by sharing code with what it measures.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
)

// command is one subcommand; run gets the arguments after its name.
type command struct {
	name, says string
	run        func(ctx context.Context, args []string) error
}

func listCommands() []command {
	return []command{
		{"run", "measure the gateway and the floors, write the report, apply the gate", runCommand},
		{"memory", "hold many streams of agents open, and measure the gateway's memory", runMemory},
		{"peers", "measure other gateways that are installed here, print one table", runPeers},
		{"report", "print the table of a written report, apply the gate", runReportCommand},
		{"mock", "serve the upstream stand-in", runMock},
		{"load", "send load to one server, print what happened as JSON", runLoadCommand},
		{"floor", "serve a plain proxy (-kind revproxy or raw)", runFloor},
	}
}

// errGate means that everything worked but the figures miss their targets.
var errGate = errors.New("the gate is not met")

// errUsage means that the command line was wrong; the reason is already printed.
var errUsage = errors.New("wrong usage")

func main() {
	log.SetFlags(log.Ltime)
	os.Exit(realMain(os.Args[1:], os.Stderr))
}

// realMain returns the exit code: 0 success, 1 an error or a missed target, 2 wrong usage.
func realMain(args []string, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(args) > 0 {
		for _, c := range listCommands() {
			if c.name != args[0] {
				continue
			}
			err := c.run(ctx, args[1:])
			switch {
			case err == nil, errors.Is(err, flag.ErrHelp):
				return 0
			case errors.Is(err, errUsage):
				return 2
			}
			_, _ = fmt.Fprintf(errOut, "bench %s: %v\n", c.name, err)
			return 1
		}
	}
	_, _ = fmt.Fprintln(errOut, "usage: bench <command> [flags]; bench <command> -h lists the flags")
	for _, c := range listCommands() {
		_, _ = fmt.Fprintf(errOut, "  %-7s %s\n", c.name, c.says)
	}
	return 2
}

// parseFlags reads the flags of a subcommand, which takes no other arguments.
func parseFlags(fs *flag.FlagSet, args []string) error {
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errUsage
	}
	if fs.NArg() > 0 {
		_, _ = fmt.Fprintf(fs.Output(), "unexpected argument %q\n", fs.Arg(0))
		return errUsage
	}
	return nil
}
