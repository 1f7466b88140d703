package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	maxName    = 64 // what providers take as the name of a function
	hashed     = 8  // hex digits
	searchName = "tool_search"
)

// JoinName returns the name of a namespaced tool for shapes without namespaces. One that is too long ends in a hash of
// the whole.
func JoinName(namespace, name string) string {
	if namespace == "" {
		return name
	}
	if name = namespace + "__" + name; len(name) > maxName {
		return hashName(name, name)
	}
	return name
}

// hashName ends a name in a hash of what it stands for.
func hashName(name, of string) string {
	sum := sha256.Sum256([]byte(of))
	n := min(len(name), maxName-hashed-1)
	for n > 0 && n < len(name) && name[n]&0xC0 == 0x80 {
		n-- // not inside a rune
	}
	return name[:n] + "_" + hex.EncodeToString(sum[:])[:hashed]
}

// tool is a tool as the client knows it.
type tool struct {
	kind            ToolKind
	namespace, name string
}

// names are the names of tools on both sides.
type names struct {
	out    map[tool]string   // what is sent; kind is SearchTool or zero
	back   map[string]tool   // what it stands for
	chosen map[string]string // by the name in a Choice
}

// fill names all tools of a request, and those that only its history knows. Tools
// without a namespace come first: they keep their names.
func (n *names) fill(r *Request, t Target) {
	n.out, n.back, n.chosen = map[tool]string{}, map[string]tool{}, map[string]string{}
	for _, flat := range []bool{true, false} {
		for i := range r.Tools {
			if u := &r.Tools[i]; flat == (u.Kind != SearchTool && u.Namespace == "") {
				n.add(u.Kind, u.Namespace, u.Name, t)
			}
		}
	}
	for i := range r.Messages {
		for _, p := range r.Messages[i].Parts {
			if p.Kind == CallPart {
				n.add(p.Call.Kind, p.Call.Namespace, p.Call.Name, t)
			}
		}
	}
}

func (n *names) add(k ToolKind, namespace, name string, t Target) {
	key := newToolKey(k, namespace, name)
	if _, ok := n.out[key]; ok {
		return
	}
	own := tool{k, namespace, name}
	if k == SearchTool && t.SearchTools || t.Namespaces && namespace != "" {
		n.out[key] = name // travels as it is, beside the names of functions
		return
	}
	sent := JoinName(namespace, key.name)
	if t.PlainNames {
		sent = replaceOddCharacters(sent)
	}
	plain := sent
	for try := key.name; ; try += "_" { // each tool hashes its own name, so that many that look alike are told apart at once
		if _, taken := n.back[sent]; !taken {
			break
		}
		sent = hashName(plain, namespace+"\x00"+try)
	}
	n.out[key], n.back[sent] = sent, own
	for _, c := range []string{sent, JoinName(namespace, key.name), namespace + "__" + key.name} {
		if _, ok := n.chosen[c]; !ok {
			n.chosen[c] = sent
		}
	}
}

// isOddCharacter reports whether most providers refuse a character in the name of a tool. Google takes dots and colons as well.
func isOddCharacter(c rune) bool {
	return (c|0x20 < 'a' || 'z' < c|0x20) && (c < '0' || '9' < c) && c != '-' && c != '_'
}

// replaceOddCharacters writes an underscore for each odd character.
func replaceOddCharacters(name string) string {
	return strings.Map(func(c rune) rune {
		if isOddCharacter(c) {
			return '_'
		}
		return c
	}, name)
}

// findWireName returns the name of a tool on the wire.
func (n *names) findWireName(k ToolKind, namespace, name string) string {
	return n.out[newToolKey(k, namespace, name)]
}

// newToolKey identifies a tool. A custom tool and a function do not share a name; a tool search need not have one.
func newToolKey(k ToolKind, namespace, name string) tool {
	if k != SearchTool {
		k = FunctionTool
	} else if name == "" {
		name = searchName
	}
	return tool{k, namespace, name}
}
