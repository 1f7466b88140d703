package node

import (
	"encoding/json"

	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/wasm"
)

// Inspection is what is printed about a module, as JSON or as text.
type Inspection struct {
	File      string         `json:"file"`
	Size      int64          `json:"size"`
	Digest    string         `json:"digest"`
	Manifest  *wasm.Manifest `json:"manifest,omitempty"`
	From      string         `json:"manifestFrom,omitempty"` // module or beside
	Beside    string         `json:"besideDigest,omitempty"` // digest of the accompanying manifest
	Touches   Access         `json:"mayTouch"`
	Memory    int64          `json:"memory"` // initial memory of an instance in bytes
	Exports   []string       `json:"exports"`
	Imports   []string       `json:"imports"`
	Signature SignatureState `json:"signature"`
	Pinned    string         `json:"pinned"` // yes, no, or why it is unknown
	Problem   string         `json:"problem,omitempty"`
}

// SignatureState is the state of a signature.
type SignatureState struct {
	State   string `json:"state"` // none, unchecked, good or bad
	Key     string `json:"key,omitempty"`
	Comment string `json:"comment,omitempty"` // signed with the file; set if the signature is good
	Reason  string `json:"reason,omitempty"`
}

// Access is what a module may read and use, if an operator grants it.
type Access struct {
	Phases       []string `json:"phases"`
	Text         []string `json:"text"`   // text sources
	Fields       []string `json:"fields"` // exchange fields
	Capabilities []string `json:"capabilities"`
}

func Inspect(s *plugins.FileDescription, haveKeys bool) Inspection {
	i := Inspection{
		File: s.File, Size: s.Size, Digest: s.Digest, Beside: s.Beside, Memory: s.Inspection.Memory,
		Exports: append([]string{}, s.Inspection.Exports...), Imports: append([]string{}, s.Inspection.Imports...),
	}
	if s.Inspection.Manifest.Name != "" {
		i.Manifest, i.From = &s.Inspection.Manifest, "module"
		if !s.Inspection.Packed {
			i.From = "beside"
		}
		i.Touches = describeAccess(i.Manifest)
	}
	if s.Err != nil {
		i.Problem = s.Err.Error()
	}
	i.Signature = describeSignature(s, haveKeys)
	switch {
	case plugins.IsMissing(s.LockErr):
		i.Pinned = "no: there is no " + plugins.LockFile
	case s.LockErr != nil:
		i.Pinned = "unknown: " + s.LockErr.Error()
	case s.Pinned:
		i.Pinned = "yes"
	default:
		i.Pinned = "no"
	}
	return i
}

func describeSignature(s *plugins.FileDescription, haveKeys bool) SignatureState {
	switch {
	case s.Signature == nil && plugins.IsUnsigned(s.SignatureErr):
		return SignatureState{State: "none", Reason: s.SignatureErr.Error()}
	case s.Signature == nil: // present but unreadable
		return SignatureState{State: "bad", Reason: s.SignatureErr.Error()}
	case !haveKeys:
		return SignatureState{State: "unchecked", Key: s.Signature.KeyID(), Reason: "no public key was given: say --pub or --config"}
	case s.SignatureErr != nil:
		return SignatureState{State: "bad", Key: s.Signature.KeyID(), Reason: s.SignatureErr.Error()}
	}
	return SignatureState{State: "good", Key: s.Signature.KeyID(), Comment: s.Signature.Comment()}
}

// describeAccess returns what the manifest asks for. If the manifest does not mention text, a detector sees all of it and a
// stage none.
func describeAccess(m *wasm.Manifest) Access {
	var asked struct {
		Reads struct {
			Fields []string `json:"fields"`
			Text   []string `json:"text"`
		} `json:"reads"`
	}
	if text, err := json.Marshal(m); err == nil {
		_ = json.Unmarshal(text, &asked) // marshalled from a manifest
	}
	t := Access{
		Phases:       append([]string{}, m.Phases...),
		Text:         asked.Reads.Text,
		Fields:       asked.Reads.Fields,
		Capabilities: append([]string{}, m.Capabilities...),
	}
	if len(t.Phases) == 0 {
		t.Phases = []string{"request", "response"}
	}
	if len(t.Text) == 0 && !m.IsStage() {
		t.Text = []string{"all"}
	}
	if t.Text == nil {
		t.Text = []string{}
	}
	if t.Fields == nil {
		t.Fields = []string{}
	}
	return t
}
