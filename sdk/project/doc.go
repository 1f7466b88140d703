// Package project creates the folders of new plugins from templates, and builds plugins with the toolchain of their
// language: C, Rust, Go, AssemblyScript or Zig.
package project
