package cases

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/headgate-dev/headgate/core/config"
)

const emptyHint = "write link: and cases:, as docs/plugin-testing.md shows"

// reader collects the problems of a file.
type reader struct{ problems []config.Problem }

func (r *reader) add(p config.Problem) { r.problems = append(r.problems, p) }

// decode fills what into points at, and reports whether it could.
func (r *reader) decode(b config.Block, into any) bool {
	err := b.Decode(into)
	var list *config.Problems
	if errors.As(err, &list) {
		r.problems = append(r.problems, list.List...)
	}
	return err == nil
}

func (r *reader) joinErrors() error {
	if len(r.problems) == 0 {
		return nil
	}
	return &config.Problems{List: r.problems}
}

func parseFile(path string, text []byte, module string) (*File, error) {
	var keys fileKeys
	if err := config.DecodeDocument(path, text, emptyHint, &keys); err != nil {
		return nil, err // it names the file and the line
	}
	r, f, names := &reader{}, &File{Path: path}, map[string]string{}
	link := config.Link{}
	if !r.decode(keys.Link, &link) {
		return nil, r.joinErrors()
	}
	for _, block := range keys.Cases {
		c := r.readCase(f, block, link, module)
		if c == nil {
			continue
		}
		if first, twice := names[formatSlug(c.Name)]; twice {
			r.add(block.NewProblem(fmt.Sprintf("another case has this name, or one with the same file name: %q", first), "give each case a name of its own", "name"))
		}
		names[formatSlug(c.Name)] = c.Name
		f.Cases = append(f.Cases, c)
	}
	if len(keys.Cases) == 0 && len(r.problems) == 0 {
		r.add(config.Problem{File: path, Path: "cases", Message: "there is no case", Hint: emptyHint})
	}
	if err := r.joinErrors(); err != nil {
		return nil, err
	}
	return f, nil
}

// readCase reads a case. It returns nil if it cannot be read at all.
func (r *reader) readCase(f *File, block config.Block, link config.Link, module string) *Case {
	var keys caseKeys
	if !r.decode(block, &keys) {
		return nil
	}
	c := &Case{File: f, Name: keys.Name, block: block, Link: link}
	if formatSlug(c.Name) == "" {
		r.add(block.NewProblem("has no letter or digit", "write what the case shows, as in an employee number is found", "name"))
	}
	if !r.decode(keys.Link, &c.Link) {
		return nil
	}
	if keys.Link.Has("config") {
		r.add(block.NewProblem("a case with link must not have settings", "write config: as a key of the case", "link", "config"))
	}
	if block.Has("config") {
		c.Link.Config = keys.Config
	}
	if module != "" {
		c.Link.Stage, c.Link.Wasm, c.Link.Plugins, c.Link.Webhook = "", module, "", ""
	}
	switch kinds := countNames(&c.Link); {
	case c.Link.Kind() == "":
		r.add(
			block.NewProblem(
				"nothing is named that could be tested",
				"write link: {wasm: file.wasm} at the top of the file, or {stage: …} or {webhook: …}",
			),
		)
	case kinds > 1:
		r.add(block.NewProblem("the link names several things to test", "keep one of stage, wasm and webhook", "link"))
	case c.Link.Plugins != "":
		r.add(block.NewProblem("a case tests a single module", "write wasm: with its file instead of plugins:", "link", "plugins"))
	}
	if block.Has("refused") {
		c.refused = keys.Refused
		for _, key := range []string{"given", "expect", "steps"} {
			if block.Has(key) {
				r.add(block.NewProblem("cannot be combined with refused, which says that there is no stage to run", "keep one of them", key))
			}
		}
		return c
	}
	blocks, steps := keys.Steps, block.Has("steps")
	switch {
	case steps && (block.Has("given") || block.Has("expect")):
		r.add(block.NewProblem("cannot be combined with given or expect", "move them into the first step", "steps"))
		return c
	case steps && len(blocks) == 0:
		r.add(block.NewProblem("is empty", "write steps: [{given: …, expect: …}]", "steps"))
	case !steps:
		blocks = []config.Block{block}
	}
	for i, b := range blocks {
		at := stepKeys{keys.Given, keys.Expect}
		if steps && !r.decode(b, &at) {
			continue
		}
		name := formatSlug(c.Name)
		if steps {
			name = fmt.Sprintf("%s-%d", name, i+1)
		}
		if s := r.readStep(b, at, name, f.Path); s != nil {
			c.steps = append(c.steps, s)
		}
	}
	return c
}

// countNames returns how many kinds of stage a link names.
func countNames(l *config.Link) (n int) {
	for _, s := range []string{l.Stage, l.Wasm, l.Plugins, l.Webhook} {
		if s != "" {
			n++
		}
	}
	return n
}

func (r *reader) readStep(block config.Block, at stepKeys, name, path string) *step {
	s := &step{givenAt: at.Given, expectAt: at.Expect}
	if !block.Has("given") {
		r.add(block.NewProblem("is missing", "write given: {text: …}", "given"))
		return nil
	}
	if !block.Has("expect") {
		r.add(block.NewProblem("is missing", "write expect: {verdict: pass}", "expect"))
		return nil
	}
	ok := r.decode(at.Given, &s.given)
	ok = r.decode(at.Expect, &s.expect) && ok
	s.labelsWritten, s.spansWritten, s.editsWritten = at.Expect.Has("labels"), at.Expect.Has("spans"), at.Expect.Has("edits")
	s.spans, s.edits, s.retry = make(
		[]spanKeys,
		len(s.expect.Spans),
	), make(
		[]editKeys,
		len(s.expect.Edits),
	), make(
		[]messageKeys,
		len(s.expect.Retry),
	)
	for i, b := range s.expect.Spans {
		ok = r.decode(b, &s.spans[i]) && ok
	}
	for i, b := range s.expect.Edits {
		ok = r.decode(b, &s.edits[i]) && ok
	}
	for i, b := range s.expect.Retry {
		ok = r.decode(b, &s.retry[i]) && ok
	}
	if !ok {
		return nil
	}
	if s.given.Phase == "" {
		s.given.Phase = "request"
	}
	switch golden := s.expect.Golden; golden {
	case "", "false":
	case "true":
		s.golden = filepath.Join(strings.TrimSuffix(path, Suffix)+".golden", name)
	default:
		s.golden = filepath.Join(filepath.Dir(path), filepath.FromSlash(golden))
	}
	r.readMetadata(s)
	if !r.readGiven(s) {
		return nil
	}
	r.checkExpectation(s)
	return s
}
