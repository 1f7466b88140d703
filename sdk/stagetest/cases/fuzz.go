package cases

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/stagetest/play"
)

// Fuzzing is the result of fuzzing the stages of case files.
type Fuzzing struct {
	Runs  int
	Found []FuzzFault
}

// FuzzFault is a text on which a stage breaks a rule of all stages.
type FuzzFault struct {
	File string `json:"file"`
	Text string `json:"text"` // shortened as far as possible
	What string `json:"what"`
}

// Fuzz tries variations of the cases' texts, for the given time in total, on the stage of each file's first case that has
// one. The stage must judge each text without a fault, twice with the same result, and in pieces as it judges the whole. A
// seed always gives the same texts.
func (r *Runner) Fuzz(ctx context.Context, files []string, lasts time.Duration, seed uint64) (*Fuzzing, error) {
	out := new(Fuzzing)
	for _, path := range files {
		f, err := Read(path, r.Module)
		if err != nil {
			return nil, err
		}
		var first *Case
		var corpus []string
		for _, c := range f.Cases {
			if corpus = append(corpus, c.Texts()...); first == nil && c.Accepted() {
				first = c
			}
		}
		if first == nil {
			continue
		}
		b, err := makeBench(ctx, r.Make, first)
		if err != nil {
			return nil, fmt.Errorf("%s: the stage cannot be created: %w", first.block.NewProblem("", "").Position(), err)
		}
		z := &fuzzer{
			player: play.Player{Stage: b.made.Link.Stage, Phases: b.made.Link.Phases, Reset: b.reset},
			random: rand.New(rand.NewPCG(seed, 1)), corpus: append(corpus, play.Odd()...), // repeatable, not secret
		}
		fault, err := z.run(ctx, time.Now().Add(lasts/time.Duration(len(files))))
		out.Runs += z.runs
		if err = errors.Join(err, b.close(context.WithoutCancel(ctx))); err != nil {
			return nil, err
		}
		if fault != nil {
			fault.File = path
			out.Found = append(out.Found, *fault)
		}
	}
	return out, nil
}

// fuzzer tries texts on one stage.
type fuzzer struct {
	player play.Player
	random *rand.Rand
	corpus []string
	runs   int
}

// run tries texts until one breaks a rule or the time is over.
func (z *fuzzer) run(ctx context.Context, until time.Time) (*FuzzFault, error) {
	for n := 0; n < len(z.corpus) || time.Now().Before(until); n++ {
		text := z.corpus[n%len(z.corpus)]
		if n >= len(z.corpus) {
			text = z.mutateText(text)
		}
		what := z.try(ctx, text)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if what == "" {
			continue
		}
		text = z.shorten(ctx, text)
		if again := z.try(ctx, text); again != "" {
			what = again
		}
		return &FuzzFault{Text: text, What: what}, nil
	}
	return nil, nil
}

// try returns the rule that a text breaks, or "".
func (z *fuzzer) try(ctx context.Context, text string) string {
	z.runs++
	first, _, err := z.player.Play(ctx, play.Exchange(text))
	if err != nil {
		return err.Error()
	}
	again, _, err := z.player.Play(ctx, play.Exchange(text))
	switch {
	case err != nil:
		return "the second time: " + err.Error()
	case first != again:
		return "the second time the verdict differs:\nfirst  " + first + "second " + again
	case !z.player.Phases.Has(core.Response) || !utf8.ValidString(text):
		return ""
	}
	if _, ok := z.player.Stage.(core.StreamStage); !ok {
		return ""
	}
	whole, err := z.player.JudgeWhole(ctx, text)
	if err != nil {
		return err.Error()
	}
	for _, pieces := range play.Cuts(z.random, text) {
		got, err := z.player.JudgeStream(ctx, pieces)
		if err != nil {
			return fmt.Sprintf("in %d pieces: %v", len(pieces), err)
		}
		if !got.Same(whole, text) {
			return fmt.Sprintf("in %d pieces the result differs:\npieces %+v\nwhole  %+v", len(pieces), got, whole)
		}
	}
	return ""
}

// maxFuzzText is the maximum length of a text in bytes.
const maxFuzzText = 4 << 10

// mutateText returns a variation of a text of the corpus.
func (z *fuzzer) mutateText(text string) string {
	for range 1 + z.random.IntN(4) {
		at := 0
		if len(text) > 0 {
			at = z.random.IntN(len(text) + 1)
		}
		other := z.corpus[z.random.IntN(len(z.corpus))]
		switch z.random.IntN(6) {
		case 0: // a piece removed
			text = text[:at] + text[min(len(text), at+1+z.random.IntN(8)):]
		case 1: // another text inserted
			text = text[:at] + other + text[at:]
		case 2: // a byte added
			text = text[:at] + string([]byte{byte(z.random.Uint32())}) + text[at:]
		case 3: // a piece repeated
			text += text[at:]
		case 4: // the start of one text and the end of another
			text = text[:at] + other[len(other)/2:]
		case 5: // a character of any script
			text = text[:at] + string(rune(z.random.IntN(0x3000))) + text[at:]
		}
	}
	return text[:min(len(text), maxFuzzText)]
}

// maxTries limits the attempts to shorten a text.
const maxTries = 400

// shorten removes pieces of a text as long as it still breaks a rule.
func (z *fuzzer) shorten(ctx context.Context, text string) string {
	tries := 0
	for size := (len(text) + 1) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(text) && tries < maxTries; tries++ {
			if less := text[:at] + text[at+size:]; z.try(ctx, less) != "" {
				text = less
				continue
			}
			at += size
		}
	}
	return text
}

// Write writes the faults, each as a case that you can add to the file.
func (z *Fuzzing) Write(w io.Writer) error {
	var b strings.Builder
	for _, f := range z.Found {
		text := strconv.Quote(f.Text)
		fmt.Fprintf(&b, "%s\n  FAULT  on the text %s\n         %s\n", f.File, text, strings.ReplaceAll(strings.TrimSpace(f.What), "\n", "\n         "))
		if utf8.ValidString(f.Text) && !strings.ContainsAny(text, "\\") {
			fmt.Fprintf(&b, "         - {name: found by fuzzing, given: {text: %s}, expect: {verdict: pass}}\n", text)
		}
	}
	fmt.Fprintf(&b, "%d texts tried, %d faults found\n", z.Runs, len(z.Found))
	_, err := io.WriteString(w, b.String())
	return err
}
