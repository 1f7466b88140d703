//go:build ownmodel

package main

import (
	_ "embed" // model.bin

	"github.com/headgate-dev/headgate/stages/guardrail/learned"
)

//go:embed model.bin
var own []byte

// readModel returns the model that lies beside this file.
func readModel() (*learned.Model, error) { return learned.ParseModel(own) }
