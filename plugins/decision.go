package plugins

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// DecisionsFile is the file in the plugins folder in which an operator decides about candidates, one per line: "promote
// <sha256>  <file>", or "reject". A decision names the digest, so it cannot apply to another version by mistake. It
// never overrides the trust rule.
const DecisionsFile = "plugins.decisions"

// Decision is an operator's decision about one version of a file.
type Decision struct {
	Promote      bool // otherwise it is rejected
	File, Digest string
}

// ParseDecisions parses the text of a plugins.decisions. Lines that start with # are comments.
func ParseDecisions(text []byte) ([]Decision, error) {
	var out []Decision
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		digest, file, _ := strings.Cut(strings.TrimSpace(rest), " ") // the name may contain blanks
		file = strings.TrimSpace(file)
		bad := func(why string) ([]Decision, error) {
			return nil, fmt.Errorf("%s, line %d: %s; write promote or reject, the sha256 in hex, and the file", DecisionsFile, n, why)
		}
		if file == "" {
			return bad("not three words")
		}
		if word != "promote" && word != "reject" {
			return bad(fmt.Sprintf("%q is not a decision", truncateText(word, 20)))
		}
		if raw, err := hex.DecodeString(digest); err != nil || len(raw) != 32 {
			return bad("the second word is not a digest")
		}
		if !isPlainFile(file) {
			return bad("the third word is not the name of a file in this folder")
		}
		d := Decision{Promote: word == "promote", File: file, Digest: strings.ToLower(digest)}
		if slices.ContainsFunc(out, func(o Decision) bool { return o.File == d.File && o.Digest == d.Digest }) {
			return bad("this version was decided about before")
		}
		out = append(out, d)
	}
	if lines.Err() != nil {
		return nil, fmt.Errorf("%s: it has a line that is too long to be a decision", DecisionsFile)
	}
	return out, nil
}

// FormatDecisions returns the text of the file.
func FormatDecisions(list []Decision) []byte {
	b := []byte("# Decisions about candidates; headgate plugin promote and reject write them.\n")
	for _, d := range list {
		word := "reject"
		if d.Promote {
			word = "promote"
		}
		b = fmt.Appendf(b, "%s %s  %s\n", word, d.Digest, d.File)
	}
	return b
}

// ReadDecisions reads the decisions of a folder. A missing file means no decisions.
func ReadDecisions(dir string) ([]Decision, error) {
	text, err := readFile(filepath.Join(dir, DecisionsFile), maxLock)
	if errors.Is(err, errMissing) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", DecisionsFile, err)
	}
	return ParseDecisions(text)
}

// findDecision returns the decision about a version, or nil without a decision. While the file cannot be read, only
// versions that already serve keep serving.
func (d *Dir) findDecision(file, digest string) (*Decision, error) {
	list, err := ReadDecisions(d.o.Dir)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].File == file && list[i].Digest == digest {
			return &list[i], nil
		}
	}
	return nil, nil // no decision
}

func (d *Dir) checkRejected(file, digest string) error {
	dec, err := d.findDecision(file, digest)
	if err == nil && dec != nil && !dec.Promote {
		return fmt.Errorf("the version is rejected in %s; use another version, or remove the line", DecisionsFile)
	}
	return err
}
