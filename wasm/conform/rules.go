package conform

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/stagetest/play"
	"github.com/headgate-dev/headgate/wasm"
)

func (t *trial) tryEmpty() (string, error) {
	x := play.Exchange("")
	x.Request.Segments, x.Response.Segments = nil, nil
	said, _, err := t.s.Play(t.ctx, x)
	if err != nil {
		return "", err
	}
	if !t.m.IsStage() && strings.Contains(said, `["rewrite"`) {
		return "", errors.New("changes a body without text")
	}
	return "", nil
}

func (t *trial) checkOddText() (string, error) {
	for _, text := range append(play.Odd(), t.texts...) {
		if _, _, err := t.s.Play(t.ctx, play.Exchange(text)); err != nil {
			return "", fmt.Errorf("on %s: %w", shortenText(text), err)
		}
	}
	return "", nil
}

func (t *trial) checkHugeText() (string, error) {
	for _, text := range []string{repeatText(prose, 1<<20), repeatText(t.texts[len(t.texts)-1]+" ", 1<<20), strings.Repeat("a", 1<<20)} {
		_, _, err := t.s.Play(t.ctx, play.Exchange(text))
		if f, ok := findFault(err); ok && f == core.FaultError && strings.Contains(err.Error(), "more than it can report") {
			continue // it reported that it found more than 4096 matches
		}
		if err != nil {
			return "", fmt.Errorf("on a text that begins with %s: %w", shortenText(text), err)
		}
	}
	return "", nil
}

// findFault returns the kind of a plugin's fault.
func findFault(err error) (core.Fault, bool) {
	var e *wasm.Error
	if !errors.As(err, &e) {
		return 0, false
	}
	return e.Fault(), true
}

// memoryLimit is the default memory of an instance, in bytes.
const memoryLimit = 16 << 20

func (t *trial) checkOversize() (string, error) {
	most := t.o.Limits.Memory
	if most == 0 {
		most = memoryLimit
	}
	_, _, err := t.s.Play(t.ctx, play.Exchange(strings.Repeat("a", int(most)+1)))
	if f, ok := findFault(err); err != nil && (!ok || f != core.FaultMemory && f != core.FaultTimeout) {
		return "", fmt.Errorf("a text of %d bytes: %w; hg_alloc returns 0 when there is no memory", most+1, err)
	}
	if _, _, err := t.s.Play(t.ctx, play.Exchange(prose)); err != nil {
		return "", fmt.Errorf("the text after it: %w", err)
	}
	return "", nil
}

// tryMemory compares an instance that has seen texts in two orders with one that remembers nothing.
func (t *trial) tryMemory() (string, error) {
	if !t.steady {
		return "its manifest asks for the clock or for random numbers", nil
	}
	fresh, err := t.load(wasm.IsolateCall)
	if err != nil {
		return "", err
	}
	defer fresh.close(t.ctx)
	texts := append([]string{"", "a", "é"}, t.texts...)
	want := make([]string, len(texts))
	for k, text := range texts {
		if want[k], _, err = fresh.Play(t.ctx, play.Exchange(text)); err != nil {
			return "", fmt.Errorf("on %s: %w", shortenText(text), err)
		}
	}
	for round := range 2 {
		for k := range texts {
			if round == 1 {
				k = len(texts) - 1 - k
			}
			got, _, err := t.s.Play(t.ctx, play.Exchange(texts[k]))
			if err != nil {
				return "", fmt.Errorf("on %s: %w", shortenText(texts[k]), err)
			}
			if got != want[k] {
				return "", fmt.Errorf("%w: on %s\nafter other texts: %son a fresh instance: %s", errDiffers, shortenText(texts[k]), got, want[k])
			}
		}
	}
	return "", nil
}

func (t *trial) checkParallel() (string, error) {
	if !t.steady {
		return "its manifest asks for the clock or for random numbers", nil
	}
	const callers = 8
	want := make([]string, len(t.texts))
	for k, text := range t.texts {
		var err error
		if want[k], _, err = t.s.Play(t.ctx, play.Exchange(text)); err != nil {
			return "", err
		}
	}
	var all sync.WaitGroup
	errs := make([]error, callers)
	for n := range callers {
		all.Go(func() {
			own := &play.Player{Stage: t.s.Stage, Phases: t.s.Phases} // the store is shared and has room for all
			for k := range t.texts {
				k = (k + n) % len(t.texts)
				got, _, err := own.Play(t.ctx, play.Exchange(t.texts[k]))
				if err == nil && got != want[k] && !t.m.Asks("state") {
					err = fmt.Errorf("%w: on %s", errDiffers, shortenText(t.texts[k]))
				}
				if err != nil {
					errs[n] = err
					return
				}
			}
		})
	}
	all.Wait()
	return "", errors.Join(errs...)
}

func (t *trial) tryStreams() (string, error) {
	switch {
	case !t.m.PhaseSet().Has(core.Response):
		return "it does not look at answers", nil
	case t.m.IsStage() && t.m.Streams == wasm.StreamsPass:
		return "it lets streams pass", nil
	case !t.steady:
		return "its manifest asks for the clock or for random numbers", nil
	}
	random := rand.New(rand.NewPCG(1, 2)) // the same cuts each time
	for _, text := range t.texts {
		text = strings.ToValidUTF8(text, "?") // the chain streams characters
		want, err := t.s.JudgeWhole(t.ctx, text)
		if err != nil {
			return "", fmt.Errorf("on %s: %w", shortenText(text), err)
		}
		for _, pieces := range play.Cuts(random, text) {
			got, err := t.s.JudgeStream(t.ctx, pieces)
			if err != nil {
				return "", fmt.Errorf("on %s in %d pieces: %w", shortenText(text), len(pieces), err)
			}
			if !got.Same(want, text) {
				return "", fmt.Errorf("%w: on %s in %d pieces\nin pieces: %+v\nwhole:     %+v", errDiffers, shortenText(text), len(pieces), got, want)
			}
		}
	}
	return "", nil
}

func (t *trial) checkSilence() (string, error) {
	for _, text := range t.texts {
		if !strings.Contains(text, marker) {
			continue
		}
		_, public, err := t.s.Play(t.ctx, play.Exchange(text))
		if err != nil {
			return "", err
		}
		if strings.Contains(public, marker) {
			return "", errors.New("a refusal, a header or a label contains a part of a text")
		}
	}
	for _, line := range t.lines.copyLines() {
		if strings.Contains(line, marker) {
			return "", errors.New("the plugin logged part of a text")
		}
	}
	return "", nil
}

// Sizes of the texts that work is measured on, and how often each is judged: the meter counts whole slices. A detector gets longer texts
// in pieces of 64 KiB.
const (
	smallWork, largeWork = 4 << 10, 60 << 10
	workRuns             = 8
)

func (t *trial) tryWork() (string, error) {
	v := t.s.plugin.Version()
	measure := func(size int) (uint64, error) {
		text := repeatText(prose, size)[:size]
		before := v.Stats().Fuel
		for range workRuns {
			if _, _, err := t.s.Play(t.ctx, play.Exchange(strings.ToValidUTF8(text, "?"))); err != nil {
				return 0, err
			}
		}
		return v.Stats().Fuel - before, nil
	}
	small, err := measure(smallWork)
	if err != nil {
		return "", err
	}
	large, err := measure(largeWork)
	if err != nil {
		return "", err
	}
	const slice = 20_000
	if large > 3*(largeWork/smallWork)*(small+slice) {
		return "", fmt.Errorf("%d KiB take %d units of fuel, %d KiB take %d", smallWork>>10, small/workRuns, largeWork>>10, large/workRuns)
	}
	return "", nil
}
