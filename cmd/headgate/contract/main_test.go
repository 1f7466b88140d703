package contract_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/headgate-dev/headgate/sdk/stagetest/shared"
)

// The gateway under test. On SQLite it detects races if the tests do: every operation of the specification then runs
// under the detector once. Elsewhere it does not: the detector would take three times as long to see the same code.
var program, racingProgram string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	defer shared.Remove()
	if program = os.Getenv("CONTRACT_PROGRAM"); program != "" {
		racingProgram = program
		return m.Run() // an existing build is tested
	}
	var err error
	if program, err = shared.Gateway(false); err == nil {
		racingProgram, err = shared.Gateway(raceDetector)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
