// Package forms makes secrets by the forms in which vendors issue them, for tests and measurements.
package forms

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
)

const (
	digits         = "0123456789"
	capitals       = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	smallAndDigits = "abcdefghijklmnopqrstuvwxyz" + digits
)

// Alphabets are those of the files of forms, by their letters.
var Alphabets = map[byte]string{
	'A': capitals + smallAndDigits, 'L': smallAndDigits, 'U': capitals + digits, 'H': digits + "abcdef", 'D': capitals + smallAndDigits + "-_",
	'B': capitals + smallAndDigits + "+/", 'N': digits, 'W': capitals + smallAndDigits + "._", 'X': digits + "ABCDEF", 'M': "123456789",
	'E': "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 'J': smallAndDigits + "!@#$%^&*(-_=+)",
	uuid: digits + "abcdef",
}

// uuid is the alphabet of a UUID, which files write as {uuid}.
const uuid = 'G'

// A Form is a line of a file of forms: its name, and a template with parts such as {A36} for 36 random characters.
type Form struct{ Name, Template string }

// Read returns the forms of a file.
func Read(path string) (forms []Form, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		if name, template, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t"); ok && !strings.HasPrefix(line, "#") {
			forms = append(forms, Form{name, template})
		}
	}
	return forms, nil
}

var part = regexp.MustCompile(`\{(uuid|[A-Z]\d+)\}`)

// Fill makes a secret of a form.
func (f Form) Fill(r *rand.Rand) string { return f.FillWith(r, Draw) }

// FillWith puts what choose returns for an alphabet and a length in place of each part of a form.
func (f Form) FillWith(r *rand.Rand, choose func(alphabet byte, n int, r *rand.Rand) string) string {
	return part.ReplaceAllStringFunc(f.Template, func(p string) string {
		if p == "{uuid}" {
			p = "{G36}"
		}
		n, _ := strconv.Atoi(p[2 : len(p)-1]) // the expression matches digits only
		return choose(p[1], n, r)
	})
}

// Draw returns n random characters of an alphabet, or a UUID.
func Draw(alphabet byte, n int, r *rand.Rand) string {
	if alphabet == uuid {
		return fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), r.IntN(1<<12), r.Int64N(1<<48))
	}
	return DrawFrom(Alphabets[alphabet], n, r)
}

// DrawFrom returns n random characters of those in from.
func DrawFrom(from string, n int, r *rand.Rand) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = from[r.IntN(len(from))]
	}
	return string(b)
}
