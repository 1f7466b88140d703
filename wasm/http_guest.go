package wasm

import (
	"encoding/json"
	"runtime"

	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/httpwasm"
)

// httpGuest is the state of an instance of an http-wasm module besides its memory.
type httpGuest struct {
	request, response api.Function
	config            []byte
	features          uint32 // enabled while it started
	stack             [2]uint64
	message           httpMessage // of the call under way
}

// httpMessage is what the guest has done with the messages in one call.
type httpMessage struct {
	kept    *httpExchange
	bodies  [2]*core.Payload // that it has read, flushed, by kind
	read    [2]int           // bytes that it has read
	written [2][]byte
	wrote   [2]bool
	status  int // that it has set; 0: none
	header  []core.Field
}

func newHTTPGuest(config []byte) *httpGuest { return &httpGuest{config: readHTTPConfig(config)} }

// readHTTPConfig returns what get_config gives: the settings as JSON, or the text under the key config if there is no other.
func readHTTPConfig(settings []byte) []byte {
	var alone map[string]json.RawMessage
	var text *string
	if json.Unmarshal(settings, &alone) == nil && len(alone) == 1 && json.Unmarshal(alone["config"], &text) == nil && text != nil {
		return []byte(*text)
	}
	return settings
}

// openHTTP prepares an instance for calls.
func (i *instance) openHTTP() {
	i.http.request = i.mod.ExportedFunction(httpwasm.ExportRequest)
	i.http.response = i.mod.ExportedFunction(httpwasm.ExportResponse)
}

// httpExchange is the state of an http-wasm module for one exchange.
type httpExchange struct {
	asked    bool   // handle_request was called
	ctx      uint32 // returned by handle_request, for handle_response
	next     bool   // it let the request pass, so handle_response is owed
	answered bool   // handle_response was called
	features uint32

	held    *instance // which has served the request and must see the answer; nil if any may
	version *Version
	dropped runtime.Cleanup // releases held if the chain drops this state without ending the exchange, as after a fault of the verdict
	sent    []core.Field    // header fields of the answer, set with the request
}

// handleHTTP calls the hook of the phase and records its verdict.
func (c *talk) handleHTTP(i *instance) error {
	k := c.ensureState()
	if k.http == nil {
		k.http = &httpExchange{features: i.http.features}
	}
	g := i.http
	g.message = httpMessage{kept: k.http}
	defer func() { g.message = httpMessage{} }()
	if c.phase == abi.PhaseRequest {
		k.http.asked = true
		if err := g.request.CallWithStack(&i.call, g.stack[:1]); err != nil {
			return i.wrapFault(err)
		}
		next, ctx := httpwasm.SplitResult(g.stack[0])
		if next > 1 {
			return i.v.newABIFault("%s returned next=%d, which is neither 0 nor 1", httpwasm.ExportRequest, next)
		}
		if k.http.next = next == 1; k.http.next {
			k.http.ctx = ctx
			return i.endHTTP(c.passHTTPRequest)
		}
		return i.endHTTP(c.answerHTTPRequest)
	}
	if k.http.asked && !k.http.next { // it has answered itself
		return nil
	}
	g.stack[0], g.stack[1] = uint64(k.http.ctx), 0
	if c.phase == abi.PhaseFinish {
		g.stack[1] = 1 // there is no answer
	}
	k.http.answered = true
	if err := g.response.CallWithStack(&i.call, g.stack[:2]); err != nil {
		return i.wrapFault(err)
	}
	if c.phase == abi.PhaseFinish {
		return nil // the client has its answer, or none
	}
	return i.endHTTP(c.passHTTPResponse)
}

// endHTTP runs the last part of a call, which turns what the guest has done into a verdict. A breach is a fault, as in a host function.
func (i *instance) endHTTP(end func(i *instance)) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case abiError:
			err = i.v.newABIFault("%s", string(r))
		default:
			panic(r)
		}
	}()
	end(i)
	return nil
}

// prepareHTTP checks the grant of an http-wasm module, and makes the stage that serves streams without texts.
func (s *FullStage) prepareHTTP(o *Options) error {
	if (s.v.importsHTTP("read_body") || s.v.importsHTTP("write_body")) && !s.see.seesAll() {
		return errHTTPText
	}
	hidden := s.see
	hidden.sources = 0
	textless, err := newFullStage(s.v, o, hidden)
	s.textless = textless
	return err
}

// importsHTTP reports whether the module imports a function of the HTTP handler ABI.
func (v *Version) importsHTTP(function string) bool {
	for _, f := range v.compiled.ImportedFunctions() {
		if module, name, _ := f.Import(); module == httpwasm.Module && name == function {
			return true
		}
	}
	return false
}

// buffersAnswer reports whether an http-wasm module reads the texts of an exchange's answer.
func (s *FullStage) buffersAnswer(kept any) bool {
	if k, _ := kept.(*exchangeState); k != nil && k.http != nil {
		return k.http.features&httpwasm.BufferResponse != 0
	}
	return s.v.buffers
}
