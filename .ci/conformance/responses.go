package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// openResponses is the revision of the compliance program of Open Responses (Apache 2.0).
const openResponses = "92c12d96d7b61d6d15e2214daa5e9c6000ab6e1c"

// responsesCases are all cases of that revision, by the model that the mock answers them with: mock-tools answers with a call
// of a tool, which only one case wants. "websocket-continuation" cannot pass with it: its second turn holds no result for the
// call of the first, and such a conversation is refused, as OpenAI does.
var responsesCases = []struct {
	model string
	cases []string
}{
	{"mock-echo", []string{
		"basic-response", "assistant-phase", "response-output-phase-schema", "streaming-response", "websocket-response",
		"websocket-sequential-responses", "websocket-continuation", "websocket-reconnect-store-false-recovery",
		"websocket-previous-response-not-found", "websocket-failed-continuation-evicts-cache", "websocket-compact-new-chain",
		"system-prompt", "image-input", "multi-turn", "compact-response", "compact-missing-model",
	}},
	{"mock-tools", []string{"tool-calling"}},
}

// runResponses runs the compliance program of Open Responses against a gateway with every stage. clone is a clone of its
// repository, of which the pinned revision is taken, and modules are the packages that it runs on.
func (t *tools) runResponses(ctx context.Context, clone, modules string) error {
	dir := filepath.Join(t.out, "openresponses")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := copyProgram(ctx, clone, dir); err != nil {
		return err
	}
	modules, err := filepath.Abs(modules)
	if err != nil {
		return err
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		return err
	}
	addr, p, err := t.launchGateway(ctx, "openresponses", func(addr string) string { return fmt.Sprintf(settings, addr, key) })
	if err != nil {
		return err
	}
	defer p.stop()
	var failed error
	for _, r := range responsesCases {
		c := exec.CommandContext(ctx, filepath.Join(modules, ".bin", "bun"), "run", filepath.Join("bin", "compliance-test.ts"),
			"--base-url", "http://"+addr+"/v1", "--api-key", key, "--model", r.model, "--filter", strings.Join(r.cases, ","))
		c.Dir, c.Stdout, c.Stderr = dir, os.Stdout, os.Stderr
		if err := c.Run(); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", r.model, err))
		}
	}
	return failed
}

// copyProgram copies the program from a clone, at its pinned revision, whatever the clone has checked out.
func copyProgram(ctx context.Context, clone, dir string) error {
	archive := filepath.Join(dir, "program.tar")
	get := exec.CommandContext(ctx, "git", "-C", clone, "archive", "--output", archive, openResponses, "bin/compliance-test.ts", "src/lib", "src/generated")
	if out, err := get.CombinedOutput(); err != nil {
		return fmt.Errorf("%s does not hold the revision %s; clone https://github.com/openresponses/openresponses, or fetch in it: %s", clone, openResponses, out)
	}
	if out, err := exec.CommandContext(ctx, "tar", "-xf", archive, "-C", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("unpack the compliance program: %w: %s", err, out)
	}
	return nil
}
