// Package pins compares the tool definitions that MCP servers offer with the trusted ones. A definition that has drifted
// is not served until an administrator decides about it.
package pins

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// State says whether a tool is served.
type State string

// States. Only a pinned tool is served.
const (
	Pinned   State = "PINNED"
	New      State = "NEW"      // offered and never trusted: the server's tools need an approval before first use
	Drifted  State = "DRIFTED"  // the server offers a definition that is not trusted
	Rejected State = "REJECTED" // an administrator rejected the offered definition
)

// Pin is the trust in the definition of one tool. Digests are SHA-256 in hex, or "".
type Pin struct {
	State   State
	Digest  string // of the trusted definition
	Offered string // of a different definition that the server offers
}

// Observe returns the pin after the server has offered the definition with a digest. A zero pin belongs to a tool that
// was not seen before; required says whether such a tool needs an approval. drifted reports that the definition of a
// served tool is no longer the trusted one, or that a new tool waits for an approval.
//
// A tool stays drifted when its server returns to the trusted definition: an administrator must see that it can change.
// After a rejection, the return pins the tool again.
func (p Pin) Observe(digest string, required bool) (next Pin, changed, drifted bool) {
	next = p
	switch p.State {
	case Pinned:
		if digest != p.Digest {
			next.State, next.Offered = Drifted, digest
		}
	case New, Drifted:
		if digest != p.Digest {
			next.Offered = digest
		}
	case Rejected:
		switch digest {
		case p.Digest:
			next.State, next.Offered = Pinned, ""
		case p.Offered:
		default:
			next.State, next.Offered = Drifted, digest
		}
	default:
		if required {
			next = Pin{State: New, Offered: digest}
		} else {
			next = Pin{State: Pinned, Digest: digest}
		}
	}
	return next, next != p, next.State != p.State && (next.State == Drifted || next.State == New)
}

// ErrDigest means that a decision names a definition that the server no longer offers.
var ErrDigest = errors.New("the server now offers another definition")

// ErrDecided means that no definition waits for a decision.
var ErrDecided = errors.New("no definition waits for a decision")

// ErrUnpinnable means that the offered definition cannot be pinned, and so cannot be approved.
var ErrUnpinnable = errors.New("the offered definition cannot be pinned")

// MaxTools limits the pinned tools of one server. Further tools are not served.
const MaxTools = 1024

// ErrFull means that MaxTools tools of the server are pinned.
var ErrFull = fmt.Errorf("the definitions of %d tools of the server are pinned, which is the limit", MaxTools)

// unpinnable is the prefix of the substitute for the digest of a definition that cannot be pinned.
const unpinnable = "unpinnable-"

// BuildSubstitute returns the substitutes for digest and definition if Digest fails with cause. Such a definition
// cannot be approved.
func BuildSubstitute(definition []byte, cause error) (digest string, note []byte) {
	sum := sha256.Sum256(definition)
	digest = unpinnable + hex.EncodeToString(sum[:])
	note, _ = json.Marshal(map[string]string{"unpinnable": cause.Error()}) // a text is JSON
	return digest[:2*sha256.Size], note
}

// Decide returns the pin after a decision about the offered definition. digest must be that of the definition, so that an
// administrator cannot approve a definition that they have not seen.
func (p Pin) Decide(digest string, approve bool) (Pin, error) {
	switch {
	case p.State == Pinned || p.Offered == "":
		return p, ErrDecided
	case p.Offered != digest:
		return p, ErrDigest
	case approve && strings.HasPrefix(digest, unpinnable):
		return p, ErrUnpinnable
	case approve:
		return Pin{State: Pinned, Digest: digest}, nil
	}
	p.State = Rejected
	return p, nil
}

// MaxDefinition limits the canonical form of a definition that can be pinned, in bytes.
const MaxDefinition = 256 << 10

// unpinned are members of a definition that may change without drift: no model reads them as instructions, and servers sign
// or count in them.
var unpinned = []string{"_meta", "icons"}

// DigestDefinition returns a tool's definition in canonical form and its digest. It covers all members except `_meta` and `icons`:
// name, title, description, schemas, annotations, and members of later protocol revisions.
func DigestDefinition(definition []byte) (digest string, canonical []byte, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(definition, &members); err != nil {
		return "", nil, fmt.Errorf("read a definition: %w", err)
	}
	for _, name := range unpinned {
		delete(members, name)
	}
	kept, err := json.Marshal(members)
	if err == nil {
		canonical, err = Canonicalize(kept)
	}
	if err != nil {
		return "", nil, err
	}
	if len(canonical) > MaxDefinition {
		return "", nil, fmt.Errorf("a definition of %d bytes is too large to be pinned; the limit is %d bytes", len(canonical), MaxDefinition)
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), canonical, nil
}

// ListDifferences returns the names of the members in which two canonical definitions differ, sorted. A text that is not JSON has no
// members.
func ListDifferences(a, b string) []string {
	var before, after map[string]json.RawMessage
	_ = json.Unmarshal([]byte(a), &before)
	_ = json.Unmarshal([]byte(b), &after)
	all := maps.Clone(before)
	if all == nil {
		all = map[string]json.RawMessage{}
	}
	maps.Copy(all, after)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if string(before[name]) != string(after[name]) {
			out = append(out, name)
		}
	}
	return out
}

// FormatID names the pin of a tool in the store. Neither a server nor a tool has a slash in its name.
func FormatID(server, tool string) string { return server + "/" + tool }

// CutID returns the server and the tool of a pin's id.
func CutID(id string) (server, tool string) {
	server, tool, _ = strings.Cut(id, "/")
	return server, tool
}
