package description

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

// JSON is the description as it is distributed.
//
//go:embed abi.json
var JSON []byte

// ABI is the description of one major version.
type ABI struct {
	Version      int        `json:"version"`
	Module       string     `json:"module"` // from which guests import
	Exports      []Function `json:"exports"`
	Imports      []Function `json:"imports"`
	Breaches     []Breach   `json:"breaches"`
	Results      []Number   `json:"results"` // in place of a length
	Capabilities []string   `json:"capabilities"`
	Numbers      []Group    `json:"numbers"`
	Bounds       []Number   `json:"bounds"`
	Fields       []Number   `json:"fields"` // numbered from 1
}

// Function is an export of guests or an import that the host offers.
type Function struct {
	Name   string  `json:"name"`
	Params []Param `json:"params"`
	// Result is u32, u64, i64 or empty.
	Result string `json:"result"`
	// Need says which exports a guest has: required, hook (one of them) or optional.
	Need string `json:"need"`
	// Stage marks imports for stages only. Capability and Reads name what the manifest must ask for.
	Stage      bool     `json:"stage"`
	Capability string   `json:"capability"`
	Reads      string   `json:"reads"`
	Doc        string   `json:"doc"`
	Breaches   []string `json:"breaches"` // ids
}

// Param is one parameter. Its type is u32, size (u32 that counts bytes), i64, or one that stands for an address and a length:
// text (UTF-8) and bytes are read by the callee, buffer is written, limits are limit records, amounts are i64.
type Param struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// isPair reports whether a parameter is an address and a length.
func (p Param) isPair() bool {
	switch p.Type {
	case "text", "bytes", "buffer", "limits", "amounts":
		return true
	}
	return false
}

// formatLengthName returns the name of the second half of a pair.
func (p Param) formatLengthName() string {
	switch p.Type {
	case "buffer":
		return p.Name + "_cap"
	case "limits", "amounts":
		return "n" // counts records
	}
	return p.Name + "_len"
}

// Breach is a way to break the contract, which ends the guest's call as a fault of kind abi.
type Breach struct {
	ID     string `json:"id"`
	Reason string `json:"reason"` // as the host reports it
}

// Group is a list of numbers with one meaning.
type Group struct {
	Name   string   `json:"name"`
	Title  string   `json:"title"`
	Values []Number `json:"values"`
}

// Number is a name with its value.
type Number struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
	Doc   string `json:"doc"`
}

// Read returns the description. The caller owns it.
func Read() (*ABI, error) {
	d := json.NewDecoder(bytes.NewReader(JSON))
	d.DisallowUnknownFields()
	a := new(ABI)
	if err := d.Decode(a); err != nil {
		return nil, fmt.Errorf("read the description of the ABI: %w", err)
	}
	for k := range a.Fields {
		a.Fields[k].Value = int64(k + 1)
	}
	return a, nil
}

// Wasm returns the WebAssembly types of the parameters and results, such as i32 and i64.
func (f *Function) Wasm() (params, results []string) {
	for _, p := range f.Params {
		switch {
		case p.isPair():
			params = append(params, "i32", "i32")
		case p.Type == "i64":
			params = append(params, "i64")
		default:
			params = append(params, "i32")
		}
	}
	if f.Result != "" {
		results = append(results, nameWasmResult(f.Result))
	}
	return params, results
}

func nameWasmResult(typ string) string {
	if typ == "u32" {
		return "i32"
	}
	return "i64"
}

// Signature returns the parameters and the result as the documentation writes them: (ptr, cap) -> i32.
func (f *Function) Signature() string {
	var names []string
	for _, p := range f.Params {
		switch {
		case p.isPair():
			names = append(names, p.Name+"_ptr", p.formatLengthName())
		case p.Type == "i64":
			names = append(names, p.Name+" i64")
		default:
			names = append(names, p.Name)
		}
	}
	s := "(" + strings.Join(names, ", ") + ")"
	if f.Result != "" {
		s += " -> " + nameWasmResult(f.Result)
	}
	return s
}

// FindReason returns the host's words for a breach, or "" if the id is unknown.
func (a *ABI) FindReason(id string) string {
	for _, b := range a.Breaches {
		if b.ID == id {
			return b.Reason
		}
	}
	return ""
}

// findGroup returns the numbers of a group.
func (a *ABI) findGroup(name string) []Number {
	for _, g := range a.Numbers {
		if g.Name == name {
			return g.Values
		}
	}
	return nil
}

// findBound returns the value of a bound.
func (a *ABI) findBound(name string) int64 {
	for _, b := range a.Bounds {
		if b.Name == name {
			return b.Value
		}
	}
	return 0
}
