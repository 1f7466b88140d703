// Package plugins finds the WebAssembly modules that were dropped into a
// folder, decides whether they may be trusted, and turns them into stages.
//
// A file is read once: the bytes that were verified are the bytes that run. A
// file that is replaced by something that does not load, or that is taken away
// while a link names it, keeps serving as it last was, and a Problem says so.
package plugins
