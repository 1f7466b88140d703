package node

import (
	"os"
	"testing"

	"github.com/headgate-dev/headgate/sdk/stagetest/shared"
)

func TestMain(m *testing.M) {
	code := m.Run()
	shared.Remove()
	os.Exit(code)
}
