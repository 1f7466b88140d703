//go:build !linux

package main

import "time"

const startEnds = time.Second

// dropMapped does nothing where the system has no such call.
func dropMapped() {}
