// Package process is for authors of plugins that are processes of their own: Serve makes
// a plugin of any core.Stage. README.md shows how to begin, docs/process-plugins.md has
// the protocol, for other languages too.
package process
