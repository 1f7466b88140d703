// Package plugins finds the WebAssembly modules in a folder, decides whether they may be trusted, and turns them into
// stages.
//
// A file is read once: the bytes that were verified are the bytes that run. If a file is replaced by one that does not
// load, or removed while a link names it, the last good version keeps serving, and a Problem reports it.
package plugins
