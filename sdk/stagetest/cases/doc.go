// Package cases runs stages on cases that are written in YAML files: what is given, and what must come
// of it. docs/plugin-testing.md is the format. A stage is run as the only link of a real chain,
// so that a case sees what the gateway would do; how the stage is made is the caller's matter. The
// package imports of the project core, core/config, core/records/state, core/body/placeholder and the shapes; it
// does not import testing, because the gateway's own program uses it.
package cases
