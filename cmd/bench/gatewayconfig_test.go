package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGatewayFilesAreWritten(t *testing.T) {
	detector := filepath.Join(t.TempDir(), "employee-id.wasm")
	require.NoError(t, os.WriteFile(detector, []byte("\x00asm"), 0o600))
	s := gatewaySettings{
		Listen:   "127.0.0.1:1",
		Metrics:  "127.0.0.1:2",
		Dir:      t.TempDir(),
		Upstream: "http://127.0.0.1:3",
		Key:      "gw_bench_x",
		Detector: "employee-id.wasm",
		Chain:    chainSpine,
	}
	name, err := writeGateway(s, detector)
	require.NoError(t, err)
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	for _, want := range []string{
		`{listen: "127.0.0.1:1", metrics_listen: "127.0.0.1:2"}`, `base_url: "http://127.0.0.1:3"`, `key: "gw_bench_x"`,
		"chain:\n  - stage: pii\n    config: {types: [EMAIL, CREDIT_CARD, US_SSN, IBAN, PHONE, IP_ADDRESS]}\n  - wasm: employee-id.wasm\n    name: employees\n    config: {action: redact}\n",
	} {
		assert.Contains(t, string(b), want)
	}
	module, err := os.ReadFile(filepath.Join(s.Dir, "plugins", "employee-id.wasm"))
	require.NoError(t, err)
	assert.Equal(t, "\x00asm", string(module))

	s.Dir, s.Chain = t.TempDir(), ""
	name, err = writeGateway(s, "no detector is needed")
	require.NoError(t, err)
	b, err = os.ReadFile(name)
	require.NoError(t, err)
	assert.Contains(t, string(b), "\nchain: []\n")
	assert.NotContains(t, string(b), "wasm")
}

func TestAMissingDetectorIsAnError(t *testing.T) {
	_, err := writeGateway(gatewaySettings{Dir: t.TempDir(), Detector: "x.wasm", Chain: chainSpine}, filepath.Join(t.TempDir(), "x.wasm"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestChildrenGetNoTuningFromOutside(t *testing.T) {
	got := buildChildEnv(
		[]string{"PATH=/bin", "GOGC=off", "GOMEMLIMIT=1GiB", "GOMAXPROCS=8", "HEADGATE_SERVER_LISTEN=x", "GODEBUG=gctrace=1", "HOME=/h"},
	)
	assert.Equal(t, []string{"GOMAXPROCS=1", "PATH=/bin", "HOME=/h"}, got)
}
