package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCommandLine(t *testing.T) {
	tests := map[string]struct {
		args []string
		code int
	}{
		"nothing prints the usage":     {nil, 2},
		"an unknown command":           {[]string{"fly"}, 2},
		"help is not an error":         {[]string{"mock", "-h"}, 0},
		"an unknown flag":              {[]string{"mock", "-fly"}, 2},
		"an unexpected argument":       {[]string{"report", "x"}, 2},
		"an unknown floor":             {[]string{"floor", "-kind", "gold"}, 1},
		"an unknown system":            {[]string{"run", "-systems", "gold"}, 1},
		"an unknown figure":            {[]string{"run", "-only", "gold"}, 1},
		"too short to measure":         {[]string{"run", "-d", "10ms"}, 1},
		"a report that does not exist": {[]string{"report", "-in", "no-such-file.json"}, 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var errOut bytes.Buffer
			assert.Equal(t, tc.code, realMain(tc.args, &errOut))
		})
	}
}
