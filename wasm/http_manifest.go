package wasm

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/httpwasm"
	"github.com/headgate-dev/headgate/wasm/meter"
)

// maxSeenHeaders bounds reads.headers.
const maxSeenHeaders = 32

// checkHTTP checks what a manifest says about header fields.
func (r *Reads) checkHTTP(kind string) error {
	if kind != abi.KindHTTP {
		if len(r.Headers) > 0 {
			return errors.New("manifest: reads.headers is for modules of kind http-wasm")
		}
		return nil
	}
	for _, f := range r.Fields {
		if f != abi.FieldHeaders.String() && f != abi.FieldAddress.String() {
			return errors.New("manifest: reads.fields of a module of kind http-wasm are headers and address")
		}
	}
	if len(r.Headers) > maxSeenHeaders {
		return fmt.Errorf("manifest: reads.headers lists more than %d names", maxSeenHeaders)
	}
	for k, name := range r.Headers {
		switch {
		case !isToken(name):
			return fmt.Errorf("manifest: name %d of reads.headers is not the name of a header field", k)
		case foreign.IsSecretHeader(name):
			return fmt.Errorf("manifest: reads.headers: %s may hold a credential, which no plugin sees", http.CanonicalHeaderKey(name))
		}
	}
	return nil
}

// checkHTTP checks the rest of the manifest of an http-wasm module.
func (m *Manifest) checkHTTP() error {
	for _, p := range m.Phases {
		if p != abi.PhaseName(abi.PhaseRequest) && p != abi.PhaseName(abi.PhaseResponse) {
			return errors.New("manifest: phases of a module of kind http-wasm are request and response")
		}
	}
	if slices.ContainsFunc(m.Capabilities, func(c string) bool { return c != abi.CapabilityPatch }) {
		return errors.New("manifest: a module of kind http-wasm has no capability but patch, with which it may change the model")
	}
	if m.Streams == StreamsPass {
		return errors.New("manifest: streams is not for modules of kind http-wasm: an answer waits if the module enables buffer_response")
	}
	return nil
}

// httpReads says what the manifest must read for a function to be linked.
var httpReads = map[string]string{
	"read_body": "reads.text", "write_body": "reads.text",
	"get_header_names": "headers", "get_header_values": "headers", "get_source_addr": "address",
}

// buildHTTPManifest returns the manifest of an http-wasm module that comes without one: it asks for what its imports need.
func buildHTTPManifest(module *meter.Module) *Manifest {
	m := &Manifest{Name: abi.KindHTTP, Kind: abi.KindHTTP}
	for _, e := range module.Imports {
		if e.Module != httpwasm.Module {
			continue
		}
		switch needs := httpReads[e.Name]; {
		case needs == "":
		case needs != "reads.text":
			if !slices.Contains(m.Reads.Fields, needs) {
				m.Reads.Fields = append(m.Reads.Fields, needs)
			}
		case len(m.Reads.Text) == 0:
			for s := abi.SourceSystem; s <= abi.SourceOther; s++ {
				m.Reads.Text = append(m.Reads.Text, s.String())
			}
		}
	}
	return m
}

// findHTTPFunc returns the host function for an import of the module http_handler. ok is false if there is none.
func findHTTPFunc(e meter.Extern, manifest *Manifest) (f hostFunc, ok bool, err error) {
	if why := httpwasm.ExplainUnmapped(e.Name); why != nil {
		return f, false, fmt.Errorf("imports %s.%s: %w", httpwasm.Module, e.Name, why)
	}
	f, ok = httpFuncs[e.Name]
	switch needs := httpReads[e.Name]; {
	case !ok || needs == "":
	case needs == "reads.text":
		if v := manifest.Reads.buildView(manifest.Kind); !v.seesAll() {
			err = fmt.Errorf("imports %s.%s, which sees whole bodies, but its manifest does not list every source under reads.text", e.Module, e.Name)
		}
	case !slices.Contains(manifest.Reads.Fields, needs):
		err = fmt.Errorf("imports %s.%s, but its manifest does not list %s under reads.fields", e.Module, e.Name, needs)
	}
	return f, ok, err
}

// isToken reports whether a name may name a header field.
func isToken(name string) bool {
	if name == "" || len(name) > abi.MaxKeyLen {
		return false
	}
	for _, b := range []byte(name) {
		if !('a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '-' || b == '_') {
			return false
		}
	}
	return true
}
