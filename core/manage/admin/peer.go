package admin

import (
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core/body/match"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Limits of the headers and lists of agents and MCP servers.
const (
	maxHeaders     = 32
	maxHeaderValue = 8 << 10 // bytes of a value
	maxGlobs       = 256
	maxGlobLength  = 256 // bytes
	maxHeaderName  = 64  // bytes of the name of a header
)

// errHeadersStay is the error of a change of the address of a record with stored headers. Whoever may change the address must
// not learn them.
var errHeadersStay = newConflictError(
	CodeConflict, "stored headers are not sent to another address; write the headers again with the change, or {} for none",
)

// sealHeaders seals the headers of a record for its name, and returns their names in order. maySend reports whether a header
// may be configured.
func sealHeaders(
	box Box, name string, headers map[string]string, maySend func(header string) bool,
) (sealed []byte, names []string, err error) {
	if len(headers) == 0 {
		return nil, nil, nil
	}
	if len(headers) > maxHeaders {
		return nil, nil, newInvalidValueError("headers", "write %d headers or fewer", maxHeaders)
	}
	seen := map[string]bool{}
	for header, value := range headers {
		low := strings.ToLower(header)
		switch {
		case !maySend(header) || len(header) > maxHeaderName:
			return nil, nil, newInvalidValueError("headers", "a name is not that of a header, or is one that the gateway sets itself")
		case seen[low]:
			return nil, nil, newInvalidValueError("headers", "two names differ only in upper and lower case; write one of them")
		case value == "" || len(value) > maxHeaderValue || strings.ContainsFunc(value, isControl):
			return nil, nil, newInvalidValueError("headers", "a value is empty, too long, or holds control characters")
		}
		seen[low] = true
		names = append(names, header)
	}
	slices.Sort(names)
	plain, err := json.Marshal(headers)
	if err != nil {
		return nil, nil, err
	}
	return box.Seal(plain, name), names, nil
}

// hasHeaders reports whether the headers of a record, sealed for its name, are these, as JSON. If they cannot be opened, they are
// others.
func hasHeaders(box Box, name string, sealed []byte, wanted json.RawMessage) (bool, error) {
	var headers, stored map[string]string
	if err := json.Unmarshal(wanted, &headers); err != nil {
		return false, err
	}
	if len(sealed) == 0 {
		return len(headers) == 0, nil
	}
	plain, err := box.Open(sealed, name)
	return err == nil && json.Unmarshal(plain, &stored) == nil && maps.Equal(stored, headers), nil
}

// hasSecret reports whether the secret of a record, sealed in a context, is this one, as JSON. If it cannot be opened, it is
// another.
func hasSecret(box Box, context string, sealed []byte, wanted json.RawMessage) (bool, error) {
	var secret string
	if err := json.Unmarshal(wanted, &secret); err != nil {
		return false, err
	}
	plain, err := box.Open(sealed, context)
	return err == nil && string(plain) == secret, nil
}

// mapDeleteError returns the error of a deletion that has failed with err. A record can be deleted while the file has precedence
// over it; without one, the name is the file's.
func mapDeleteError(mapped, err error, inFile bool) error {
	if inFile && errors.Is(err, store.ErrNotFound) {
		return checkSource(store.SourceFile)
	}
	return mapped
}

// isControl reports whether a value of a header must not hold c.
func isControl(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }

// checkAddress refuses an address that must not be called, or that readers of the record must not see.
func (s *Service) checkAddress(field, address string) error {
	if u, err := url.Parse(address); err == nil && u.User != nil {
		return newInvalidValueError(field, "contains a user or password; write a credential as a header")
	}
	if err := s.Subscribers.CheckURL(address); err != nil {
		return newInvalidValueError(field, "%s", err)
	}
	if strings.Contains(address, "?") {
		return newInvalidValueError(field, "contains a query, which every reader of the record would see; write a credential as a header")
	}
	return nil
}

// checkGlobs refuses lists that are too long, and globs that match nothing.
func checkGlobs(field string, globs []string) error {
	if len(globs) > maxGlobs {
		return newInvalidValueError(field, "write %d globs or fewer", maxGlobs)
	}
	for _, g := range globs {
		if g == "" || len(g) > maxGlobLength || strings.ContainsFunc(g, isControl) {
			return newInvalidValueError(field, "a glob is empty, is longer than %d bytes, or holds control characters", maxGlobLength)
		}
	}
	return nil
}

// checkKeyIDs refuses what cannot be ids of keys. Whoever creates a key chooses its name, so names give no access.
func checkKeyIDs(field string, keys []string) error {
	for _, k := range keys {
		if !match.CanBeID(k) {
			return newInvalidValueError(field, "write ids of keys, as the list of keys shows them")
		}
	}
	return nil
}

// assignField sets a field to the value that a change sends, if it sends one.
func assignField[T any](field, sent *T) {
	if sent != nil {
		*field = *sent
	}
}

// RedactAddress returns the scheme and host of a URL. The rest may be a credential: user, path, query and fragment.
func RedactAddress(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
}
