// Package plugins finds the WebAssembly modules that were dropped into a
// folder, decides whether they may be trusted, and turns them into stages. It
// imports core, wasm and the standard library, fsnotify to watch the folder,
// and yaml for manifests that lie beside a module.
//
// A file is read once: the bytes that were verified are the bytes that run. A
// file that is replaced by something that does not load, or that is taken away
// while a link names it, keeps serving as it last was, and a Problem says so.
package plugins
