// Command build compiles the policy beside it with OPA's own compiler, as
// "opa build -t wasm -e headgate/decision" does, and writes the module without the
// bundle around it.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/open-policy-agent/opa/v1/compile"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: build POLICY.rego ENTRYPOINT MODULE.wasm")
		os.Exit(2)
	}
	if err := build(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func build(policy, entrypoint, module string) error {
	var bundle bytes.Buffer
	c := compile.New().WithTarget(compile.TargetWasm).WithEntrypoints(entrypoint).WithPaths(policy).WithOutput(&bundle)
	if err := c.Build(context.Background()); err != nil {
		return fmt.Errorf("compile the policy: %w", err)
	}
	for _, m := range c.Bundle().WasmModules {
		return os.WriteFile(module, m.Raw, 0o644) // modules are public
	}
	return errors.New("the compiler produced no module")
}
