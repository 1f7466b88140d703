package remote

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/circuit"
)

// canaryText is the text of the canary. It is fixed, so clients cannot influence it.
const canaryText = "The quick brown fox, 0123456789 and Grüße from 東京."

// CanaryID stands for the exchange, the tenant and the key in a question that no caller has caused.
const CanaryID = "canary"

// runCanary calls the receiver with a synthetic exchange. The verdict does not matter. An asker
// with AsksCanary false is not called: whether it works does not depend on the texts that it is asked about.
func (s *Stage) runCanary(parent context.Context) error {
	if c, ok := s.asker.(interface{ AsksCanary() bool }); ok && !c.AsksCanary() {
		return nil
	}
	ctx, cancel := context.WithTimeout(parent, s.o.Timeout)
	defer cancel()
	q := &Question{
		Link: s.o.Link, Phase: core.Request, Exchange: CanaryID, Caller: Caller{Tenant: CanaryID, Key: CanaryID},
		Shape: "openai.chat", Model: "canary",
		Pieces: []Piece{{Role: core.RoleUser, Kind: core.KindText, Path: "messages.0.content", Text: canaryText}},
	}
	_, err := s.askOnce(ctx, parent, q)
	return err
}

// verifyReceiver runs the canary after several faults in a row, and opens the breaker if the canary fails too. If it
// passes, the texts may have caused the faults.
func (s *Stage) verifyReceiver() {
	if !s.doubting.TryLock() {
		return
	}
	defer s.doubting.Unlock()
	s.faults.Reset()
	if s.runCanary(context.Background()) != nil {
		s.breaker.Count(circuit.Failure)
	}
}

// try sends the canary to a receiver that is out of service, once its pause is over. It reports whether the receiver is
// back in service.
func (s *Stage) try(trial circuit.Permit) bool {
	err := s.runCanary(context.Background())
	if err != nil {
		trial.Trip()
		return false
	}
	trial.Succeed()
	return true
}
