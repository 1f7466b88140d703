package wasm

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// readLongField returns a value that must be computed, and keeps it for when the guest asks again with more room.
func (c *talk) readLongField(i *instance, f abi.Field) string {
	if c.made == f {
		return c.value
	}
	switch f {
	case abi.FieldParams:
		c.charge(i, len(c.x.Request.Raw))
		c.value = string(formatParams(&c.x.Request))
	case abi.FieldMetadata:
		c.charge(i, len(c.x.Request.Raw))
		c.value = string(findMember(c.x.Request.Raw, "metadata"))
	case abi.FieldTools:
		c.value = formatList(c.x.Head.Tools)
	case abi.FieldScopes:
		c.value = "[]"
		if c.x.Principal != nil {
			c.value = formatList(c.x.Principal.Scopes)
		}
	case abi.FieldDigest:
		c.value = c.formatDigest(i)
	default:
		c.value = c.readFact(i, f)
	}
	c.made = f
	return c.value
}

func formatList(texts []string) string {
	b := []byte{'['}
	for k, t := range texts {
		if k > 0 {
			b = append(b, ',')
		}
		b = append(splice.AppendEscaped(append(b, '"'), t), '"')
	}
	return string(append(b, ']'))
}

// formatDigest returns the digest of the request's body after the edits of the preceding links.
func (c *talk) formatDigest(i *instance) string {
	body, err := c.x.Request.AppendBody(nil)
	if err != nil {
		body = c.x.Request.Raw
	}
	h := sha256.New()
	for len(body) > 0 {
		n := min(len(body), workPiece)
		h.Write(body[:n])
		body = body[n:]
		c.charge(i, n)
	}
	return hex.EncodeToString(h.Sum(nil))
}
