package a2a

import (
	"errors"
	"strings"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/jsonrpc"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// Paths of agent cards, below an agent's address: the one of the specification, and the one before version 0.3.
const (
	CardPath    = "/.well-known/agent-card.json"
	OldCardPath = "/.well-known/agent.json"
)

// How clients authenticate to the gateway, as cards of both versions say it.
const (
	schemes03      = `{"headgate":{"type":"http","scheme":"bearer"}}`
	requirements03 = `[{"headgate":[]}]`
	schemes10      = `{"headgate":{"httpAuthSecurityScheme":{"scheme":"Bearer"}}}`
	requirements10 = `[{"schemes":{"headgate":{"list":[]}}}]`
)

var errCard = errors.New("the agent card cannot be read")

// RewriteCard returns a card with the agent's address replaced by the gateway's: clients reach no other interface of the agent,
// authenticate to the gateway, and are notified only if pushes is true. A signature does not hold for what was changed, and is removed.
// All other members stay as they are spelled.
func RewriteCard(doc []byte, address string, pushes bool) ([]byte, error) {
	members, err := listMembers(doc)
	if err != nil {
		return nil, err
	}
	is10 := false
	for _, m := range members {
		is10 = is10 || m.name == "supportedInterfaces"
	}
	own := string(splice.AppendString(nil, address))
	out := append(make([]byte, 0, len(doc)+256), '{')
	schemes, requirements := `"securitySchemes":`+schemes03, `"security":`+requirements03
	if is10 {
		schemes, requirements = `"securitySchemes":`+schemes10, `"securityRequirements":`+requirements10
	}
	for _, m := range members {
		value := doc[m.value.Start:m.value.End]
		var with string
		switch m.name {
		case "signatures", "additionalInterfaces", "securitySchemes", "security", "securityRequirements":
			continue
		case "url":
			with = own
		case "preferredTransport":
			with = `"JSONRPC"`
		case "supportedInterfaces":
			with = listInterfaces(value, own)
		case "capabilities":
			if with = string(value); pushes {
				break
			}
			with = string(changeMembers(value, map[string]string{"pushNotifications": "false"}))
		case "skills":
			with = string(changeElements(value, map[string]string{"security": "", "securityRequirements": ""}))
		default:
			out = append(append(out, doc[m.start:m.value.End]...), ',')
			continue
		}
		out = append(out, doc[m.start:m.value.Start]...)
		out = append(append(out, with...), ',')
	}
	return append(out, schemes+","+requirements+"}"...), nil
}

// RewriteCardResult is RewriteCard for the card that a response holds. A response without one is returned as it is.
func RewriteCardResult(doc []byte, address string, pushes bool) ([]byte, error) {
	var s splice.Scanner
	if !jsonrpc.Seek(&s, doc, "result") || s.Kind() != splice.Object {
		return doc, nil
	}
	at := s.Skip()
	if s.Err() != nil {
		return nil, s.Err()
	}
	card, err := RewriteCard(doc[at.Start:at.End], address, pushes)
	if err != nil {
		return nil, err
	}
	return splice.Append(nil, doc, []splice.Cut{{Span: at, With: string(card)}})
}

// member is a member of an object: where its name begins, and its value.
type member struct {
	name  string
	start int
	value splice.Span
}

// listMembers lists the members of the object that doc must be.
func listMembers(doc []byte) (list []member, err error) {
	s := splice.Scanner{MaxDepth: maxDepth}
	if err := scan.OpenObject(&s, doc, errCard); err != nil {
		return nil, err
	}
	for s.Next() {
		name := string(s.Key())
		at, ok := s.KeySpan()
		value := s.Skip()
		if !ok || s.Err() != nil {
			break
		}
		list = append(list, member{name, at.Start - 1, value})
	}
	if s.End(); s.Err() != nil {
		return nil, s.Err()
	}
	return list, nil
}

// changeMembers returns an object with other values of the members that with names; "" removes one. Anything else is returned
// as it is.
func changeMembers(doc []byte, with map[string]string) []byte {
	members, err := listMembers(doc)
	if err != nil {
		return doc
	}
	out := []byte{'{'}
	for _, m := range members {
		value, changes := with[m.name]
		switch {
		case !changes:
			value = string(doc[m.value.Start:m.value.End])
		case value == "":
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, doc[m.start:m.value.Start]...), value...)
	}
	return append(out, '}')
}

// changeElements is changeMembers for the elements of a list.
func changeElements(doc []byte, with map[string]string) []byte {
	var s splice.Scanner
	s.Reset(doc)
	if s.Kind() != splice.Array {
		return doc
	}
	out := []byte{'['}
	for s.Enter(); s.Next(); {
		at := s.Skip()
		if s.Err() != nil {
			return doc
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, changeMembers(doc[at.Start:at.End], with)...)
	}
	return append(out, ']')
}

// listInterfaces returns the interfaces of a card that the gateway serves: JSON-RPC in a version that it reads, without a tenant.
func listInterfaces(doc []byte, address string) string {
	var versions []string
	var s splice.Scanner
	s.Reset(doc)
	if s.Kind() == splice.Array {
		for s.Enter(); s.Next(); {
			if s.Kind() != splice.Object {
				s.Skip()
				continue
			}
			binding, version, tenant := "", Version10, ""
			for s.Enter(); s.Next(); {
				switch string(s.Key()) {
				case "protocolBinding":
					binding = scan.ReadText(&s, doc)
				case "protocolVersion":
					version = cutVersion(scan.ReadText(&s, doc))
				case "tenant":
					tenant = scan.ReadText(&s, doc)
				default:
					s.Skip()
				}
			}
			if strings.EqualFold(binding, "JSONRPC") && tenant == "" && (version == Version10 || version == Version03) {
				versions = append(versions, version)
			}
		}
	}
	var out strings.Builder
	for i, v := range versions {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(`{"url":` + address + `,"protocolBinding":"JSONRPC","protocolVersion":"` + v + `"}`)
	}
	return "[" + out.String() + "]"
}
