//go:build !ownmodel

package main

import "github.com/headgate-dev/headgate/stages/guardrail/learned"

// readModel returns the model of the built-in detectors.
func readModel() (*learned.Model, error) { return learned.Embedded() }
