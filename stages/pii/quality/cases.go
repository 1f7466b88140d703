package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/stages/internal/figures"
	"github.com/headgate-dev/headgate/stages/pii"
	"github.com/headgate-dev/headgate/stages/pii/internal/forms"
)

// figuresFile holds the figures of the repository's own files, which a test compares with the measured figures.
const figuresFile = "testdata/figures.txt"

// sixTypes are the types that nearly every text can hold.
var sixTypes = []string{"EMAIL", "CREDIT_CARD", "US_SSN", "IBAN", "IP_ADDRESS", "PHONE"}

// judgedTiers are the tiers of cases that count: not those in which somebody has disguised a value.
var judgedTiers = []string{"core", "context", "regional"}

// isFind reports whether hits of a kind are wanted. All kinds here are shares that should be high.
func isFind(string) bool { return true }

// labelled is a line of testdata/cases.jsonl.gz.
type labelled struct {
	Tier, Text, Note string
	Scope            []string
	Spans            []pii.Match
	Hint             struct{ Region string }
}

// measureCases judges the repository's own files in a folder: how many values of each of the six types are found (recall), how many of the
// findings are values (precision), and how many forms of secrets of vendors are found. It writes what is missed or wrong in the texts
// of contexts.txt to misses.
func measureCases(dir string, misses io.Writer) (figures.Table, error) {
	t := figures.Table{}
	if err := measureTypes(t, filepath.Join(dir, "testdata/cases.jsonl.gz")); err != nil {
		return nil, err
	}
	if err := measureContexts(t, dir, misses); err != nil {
		return nil, err
	}
	for _, name := range []string{"published", "vendors"} {
		if err := measureForms(t, "secrets, forms of testdata/"+name+".txt", filepath.Join(dir, "testdata", name+".txt")); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func measureTypes(t figures.Table, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	engines := map[string]*pii.Engine{}
	for lines := json.NewDecoder(z); ; {
		var c labelled
		switch err := lines.Decode(&c); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if !slices.Contains(judgedTiers, c.Tier) || strings.HasPrefix(c.Note, "optional") {
			continue
		}
		e := engines[c.Hint.Region]
		if e == nil {
			if e, err = pii.NewEngine(pii.Options{Region: c.Hint.Region}); err != nil {
				return err
			}
			engines[c.Hint.Region] = e
		}
		c.judge(t, e.DetectAll(nil, c.Text))
	}
}

// judge counts what was found in a case, of the six types that are in its scope. A value is found if a finding of its type shares a byte
// with it.
func (c *labelled) judge(t figures.Table, found []pii.Match) {
	judged := func(name string) bool { return slices.Contains(sixTypes, name) && slices.Contains(c.Scope, name) }
	meets := func(a, b pii.Match) bool { return a.Type == b.Type && a.Start < b.End && b.Start < a.End }
	for _, want := range c.Spans {
		if judged(want.Type) {
			hit := slices.ContainsFunc(found, func(m pii.Match) bool { return meets(m, want) })
			t.Add("recall, "+want.Type, hit)
			t.Add("recall, all six", hit)
		}
	}
	for _, m := range found {
		if judged(m.Type) {
			right := slices.ContainsFunc(c.Spans, func(want pii.Match) bool { return meets(m, want) })
			t.Add("precision, "+m.Type, right)
			t.Add("precision, all six", right)
		}
	}
}

// fills is how many secrets of a form are made; surroundings are what they stand in. One in twenty may be missed: a few random values look
// like words.
const fills = 20

var surroundings = []string{"use this: % and go", "export X=%\n", `{"v":"%"}`, "`%`\n"}

// secretTypes are the types of secrets.
var secretTypes = []string{"API_KEY", "JWT", "URL_CREDENTIALS", "PASSWORD", "PRIVATE_KEY"}

func measureForms(t figures.Table, kind, path string) error {
	all, err := forms.Read(path)
	if err != nil {
		return err
	}
	e, err := pii.NewEngine(pii.Options{})
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(18, 5))
	for _, f := range all {
		missed := 0
		for range fills {
			v := f.Fill(r)
			for _, around := range surroundings {
				found := e.Detect(nil, strings.Replace(around, "%", v, 1))
				if !slices.ContainsFunc(found, func(m pii.Match) bool { return slices.Contains(secretTypes, m.Type) }) {
					missed++
				}
			}
		}
		t.Add(kind, missed <= fills*len(surroundings)/20)
	}
	return nil
}
