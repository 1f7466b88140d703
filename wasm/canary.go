package wasm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// Texts that every guest must process without a fault, whatever it detects.
var canaryTexts = []string{
	"",
	strings.ToValidUTF8(strings.Repeat("The quick brown fox, 0123456789 and Grüße from 東京. ", 1900)[:100<<10], ""),
	"caf\xc3 \xff\xfe\x80 \xed\xa0\x80 \xf0\x9f\x98 broken",
}

// runCanary runs the texts and the manifest's samples. A guest that passes has shown that it returns, obeys the contract,
// and finds what its author declares.
func (i *instance) runCanary(ctx context.Context) error {
	defer i.call.disarm()
	i.used = true
	if i.v.has.judges {
		return i.rehearse(ctx)
	}
	for _, text := range canaryTexts {
		i.call.arm(ctx, newTimeAllowance(i.v.limits.Start))
		if _, err := i.runHooks(text, 0); err != nil {
			return err
		}
	}
	for k, s := range i.v.Manifest.Samples {
		i.call.arm(ctx, newTimeAllowance(i.v.limits.Start))
		got, err := i.runHooks(s.Text, abi.WithSource(0, abi.SourceUser))
		if err != nil {
			return err
		}
		var labels []string
		for _, m := range got {
			labels = append(labels, i.v.Manifest.Labels[m.Label])
		}
		if !slices.Equal(labels, s.Labels) {
			return &Error{
				Plugin: i.v.Name,
				Kind:   core.FaultABI,
				Reason: fmt.Sprintf("sample %d of the manifest: %d labels were expected, %d found, or they differ", k, len(s.Labels), len(labels)),
			}
		}
	}
	return nil
}

// runHooks runs all hooks of the guest on a text and returns the matches of the last one. A guest that keeps state over
// an answer is reset before each hook if possible.
func (i *instance) runHooks(text string, flags uint32) (got []Match, err error) {
	if i.v.has.detect {
		if got, err = i.judge(text, flags); err != nil {
			return nil, err
		}
	}
	if i.v.has.stream {
		i.reset()
		i.used = true
		got, err = i.judgeByStream(text, flags)
	}
	return got, err
}
