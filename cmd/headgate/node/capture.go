package node

import (
	"crypto/rand"
	"fmt"

	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/replay"
	"github.com/headgate-dev/headgate/core/records/capture"
	"github.com/headgate-dev/headgate/core/records/vault"
	"github.com/headgate-dev/headgate/core/telemetry"
	"github.com/headgate-dev/headgate/stages/pii"
)

// openCapture starts the recorder of exchanges. It returns nil if capture is off.
func openCapture(cfg *config.Config, master *vault.Master, tel *telemetry.Telemetry) (*capture.Recorder, error) {
	c := &cfg.Capture
	if !c.Enabled {
		return nil, nil
	}
	chain, err := buildCaptureChain(c)
	if err != nil {
		return nil, err
	}
	return capture.Open(capture.Options{
		Dir: c.Dir, Key: master.CaptureKey(), Tenants: c.Tenants, Share: c.Share, Keep: c.Keep, MaxSize: int64(c.MaxSize), Redact: chain,
		OnError: func(err error, dropped int64) {
			tel.Log.Error().Err(err).Int64("dropped", dropped).Msg("exchanges could not be captured")
		},
	})
}

// buildCaptureChain returns a chain that redacts captured data irreversibly: the values of placeholders are not stored,
// and their key exists only in this process.
func buildCaptureChain(c *config.Capture) (*chain.Chain, error) {
	tokens := replay.Tokens{Key: make([]byte, 32)}
	_, _ = rand.Read(tokens.Key) // rand.Read never fails
	st, err := pii.NewRedactor(c.PII, tokens)
	if err != nil {
		return nil, fmt.Errorf("capture.pii: %w", err)
	}
	return chain.New([]chain.Link{{Name: "capture", Stage: st, Phases: pii.Phases, Mode: chain.Enforce, OnFault: chain.FaultBlocks}}, tokens)
}
