// Package cases runs stages on cases in YAML files: an input and the expected result. docs/plugin-testing.md describes the
// format. A stage runs as the only link of a real chain, so that a case sees what the gateway would do; the caller decides
// how to create the stage. The package imports, of the project, core, core/config, core/records/state,
// core/body/placeholder and the shapes. It does not import testing, because the gateway's program uses it.
package cases
