package wasm_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/headgate-dev/headgate/wasm"
)

// employeeID is the sample detector that `make run` loads: it finds numbers such as EMP-123456.
const employeeID = "../sdk/samples/employee-id/employee-id.wasm"

// Inspect describes a module without running it.
func ExampleInspect() {
	source, err := os.ReadFile(employeeID)
	if err != nil {
		fmt.Println(err)
		return
	}
	about, err := wasm.Inspect(source, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(about.Manifest.Name, about.Packed)
	// Output: employee-id true
}

// Load checks and compiles a module. A version serves concurrent calls, each in its own instance.
func ExampleLoad() {
	ctx := context.Background()
	source, err := os.ReadFile(employeeID)
	if err != nil {
		fmt.Println(err)
		return
	}
	version, err := wasm.Load(ctx, wasm.LoadOptions{Source: source, Name: "employee-id.wasm", Limits: wasm.Limits{Timeout: 5 * time.Second}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer version.Release(ctx)
	matches, err := version.Detect(ctx, nil, "badge EMP-123456", 0)
	fmt.Println(len(matches), err)
	// Output: 1 <nil>
}

// WithManifest adds a manifest to a module, so that a single file can be deployed.
func ExampleWithManifest() {
	empty := []byte("\x00asm\x01\x00\x00\x00")
	packed, err := wasm.WithManifest(empty, []byte(`{"name": "nothing", "kind": "detector", "labels": ["x"], "max_match": 8}`))
	fmt.Println(wasm.HasManifest(empty), wasm.HasManifest(packed), err)
	// Output: false true <nil>
}

// ParseManifest reports what is wrong with a manifest, and where.
func ExampleParseManifest() {
	_, err := wasm.ParseManifest([]byte(`{"kind": "planet"}`))
	fmt.Println(err != nil)
	// Output: true
}

// ParseIsolation reads the setting `isolate`.
func ExampleParseIsolation() {
	tenant, err := wasm.ParseIsolation("tenant")
	fmt.Println(tenant == wasm.IsolateTenant, err)
	_, err = wasm.ParseIsolation("planet")
	fmt.Println(err != nil)
	// Output:
	// true <nil>
	// true
}

// Fuel limits a judgement independently of the machine's load. A guest that needs more is cut.
func ExampleLimits() {
	ctx := context.Background()
	source, err := os.ReadFile(employeeID)
	if err != nil {
		fmt.Println(err)
		return
	}
	version, err := wasm.Load(ctx, wasm.LoadOptions{Source: source, Name: "employee-id.wasm", Limits: wasm.Limits{Fuel: 100_000_000}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer version.Release(ctx)
	found, err := version.Detect(ctx, nil, "EMP-123456 left", 0)
	fmt.Println(len(found), err)
	// Output: 1 <nil>
}
