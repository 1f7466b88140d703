package cases

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// The elements of JUnit's XML, as build servers read them.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		File    string        `xml:"file,attr"`
		Line    int           `xml:"line,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitFailure `xml:"failure,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the results as JUnit XML: a suite for each file.
func (r *Report) WriteJUnit(w io.Writer) error {
	all := junitSuites{Tests: len(r.Results), Failures: r.Failed(), Time: formatSeconds(r.Time)}
	for i := range r.Results {
		c := &r.Results[i]
		if n := len(all.Suites); n == 0 || all.Suites[n-1].Name != c.File {
			all.Suites = append(all.Suites, junitSuite{Name: c.File})
		}
		s := &all.Suites[len(all.Suites)-1]
		out := junitCase{Name: c.Name, Class: c.File, File: c.File, Line: c.Line, Time: formatSeconds(c.Time)}
		s.Tests++
		if !c.Passed() {
			s.Failures++
			first, _, _ := strings.Cut(c.Faults[0], "\n")
			out.Failure = &junitFailure{Message: cleanText(first), Text: cleanText(strings.Join(c.Faults, "\n"))}
		}
		s.Cases = append(s.Cases, out)
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if _, err = io.WriteString(w, xml.Header+string(text)+"\n"); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

func formatSeconds(d time.Duration) string { return fmt.Sprintf("%.6f", d.Seconds()) }

// cleanText removes characters that XML does not allow.
func cleanText(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
			return utf8.RuneError
		}
		return r
	}, s)
}
