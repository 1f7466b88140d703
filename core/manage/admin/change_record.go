package admin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// changedRecord keeps the view of a record before a change, which the audit event compares with the view after it.
type changedRecord struct{ view any }

// storeView keeps a view and returns it.
func (b *changedRecord) storeView(view any) any {
	b.view = view
	return view
}

// matchPolicy returns a check of m that keeps the policy.
func (b *changedRecord) matchPolicy(m Match) func(policydoc.Record) error {
	return func(p policydoc.Record) error { return m.Check(b.storeView(viewPolicy(p))) }
}

const (
	// masked stands for a secret or personal value in an audit event.
	masked = "(masked)"
	// maxChanged is the length of a value in bytes of JSON up to which an audit event contains it. Of a longer one it
	// contains the length and the SHA-256.
	maxChanged = 2 << 10
)

// uncompared are fields of views that say nothing about a change.
var uncompared = map[string]bool{
	"id": true, "object": true, "created_at": true, "updated_at": true, "createdAt": true, "updatedAt": true, "version": true,
	"warnings": true, "issues": true, "last_login_at": true,
}

// maskedFields are fields whose values must not be in the audit chain, which cannot forget them.
var maskedFields = map[string]bool{
	"key": true, "secret": true, "password": true, "token": true, "headers": true, "email": true, "metadata": true, "from_address": true,
}

// addressLists are fields that hold lists of addresses.
var addressLists = map[string]bool{"push_to": true}

// fieldChange is the value of a field before and after a change. A nil value did not exist.
type fieldChange struct {
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
}

// describeChange returns the fields in which two views of a record differ, by name, as JSON. A view is nil if the record
// did not exist. Secrets and personal data are masked.
func describeChange(resource string, was, now any) ([]byte, error) {
	old, err := viewFields(was)
	if err != nil {
		return nil, err
	}
	new, err := viewFields(now)
	if err != nil {
		return nil, err
	}
	if resource == "chain" {
		if err := keepChangedLinks(old, new); err != nil {
			return nil, err
		}
	}
	out := map[string]fieldChange{}
	names := slices.Concat(slices.Collect(maps.Keys(old)), slices.Collect(maps.Keys(new)))
	for _, name := range names {
		if uncompared[name] || bytes.Equal(old[name], new[name]) {
			continue
		}
		out[name] = fieldChange{maskRecorded(resource, name, old[name]), maskRecorded(resource, name, new[name])}
	}
	return json.Marshal(out)
}

// addChanges adds what changed to an audit event.
func addChanges(e *audit.Payload, resource string, was, now any) error {
	if was == nil && now == nil {
		return nil
	}
	b, err := describeChange(resource, was, now)
	if err != nil {
		return err
	}
	e.AddRaw("changes", b)
	return nil
}

// viewFields returns the fields of a view. Empty values count as absent, so that the creation of a record lists what was set.
func viewFields(view any) (map[string]json.RawMessage, error) {
	if view == nil {
		return nil, nil
	}
	b, err := json.Marshal(view)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(b, &fields); err != nil {
		return nil, err
	}
	maps.DeleteFunc(fields, func(_ string, v json.RawMessage) bool {
		return slices.Contains([]string{`null`, `""`, `[]`, `{}`}, string(v))
	})
	return fields, nil
}

// maskRecorded returns the value of a field as the audit event contains it.
func maskRecorded(resource, name string, v json.RawMessage) json.RawMessage {
	personal := (resource == "user" || resource == "member") && name == "name"
	switch {
	case v == nil:
		return nil
	case maskedFields[name] || personal:
		return json.RawMessage(strconv.Quote(masked))
	case name == "url" || strings.HasSuffix(name, "_url"):
		return hideSecretPath(v)
	case addressLists[name] || strings.HasSuffix(name, "_urls"):
		v = hideSecretPaths(v)
	}
	if len(v) > maxChanged {
		sum := sha256.Sum256(v)
		return json.RawMessage(`{"bytes":` + strconv.Itoa(len(v)) + `,"sha256":"` + hex.EncodeToString(sum[:]) + `"}`)
	}
	return v
}

// hideSecretPaths keeps the scheme and the host of each address of a list.
func hideSecretPaths(v json.RawMessage) json.RawMessage {
	var list []json.RawMessage
	if err := json.Unmarshal(v, &list); err != nil {
		return json.RawMessage(strconv.Quote(masked))
	}
	for i := range list {
		list[i] = hideSecretPath(list[i])
	}
	b, err := json.Marshal(list)
	if err != nil {
		return json.RawMessage(strconv.Quote(masked))
	}
	return b
}

// hideSecretPath keeps the scheme and the host of an address: the paths and queries of many services are credentials.
func hideSecretPath(v json.RawMessage) json.RawMessage {
	var text string
	u := &url.URL{}
	err := json.Unmarshal(v, &text)
	if err == nil {
		u, err = url.Parse(text)
	}
	if err != nil || u.Host == "" {
		return json.RawMessage(strconv.Quote(masked))
	}
	short := u.Scheme + "://" + u.Host
	if u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.User != nil {
		short += "/" + masked
	}
	b, err := json.Marshal(short)
	if err != nil {
		return json.RawMessage(strconv.Quote(masked))
	}
	return b
}
