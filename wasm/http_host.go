package wasm

import (
	"context"
	"net"
	"net/url"

	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/httpwasm"
)

// newHTTPFunc returns a function of the HTTP handler ABI that works on the messages of a call.
func newHTTPFunc(fn func(c *talk, i *instance, stack []uint64), results []api.ValueType, params ...api.ValueType) hostFunc {
	return hostFunc{params: params, results: results, fn: func(ctx context.Context, _ api.Module, stack []uint64) {
		i := ctx.(*callContext).inst
		if i.talk.s == nil || i.http.message.kept == nil {
			endWithBreach("it used a message outside of handle_request and handle_response")
		}
		i.talk.charge(i, 0)
		fn(&i.talk, i, stack)
	}}
}

// newHTTPStart returns a function that a guest may also call while it starts.
func newHTTPStart(fn func(i *instance, mem api.Memory, stack []uint64), results []api.ValueType, params ...api.ValueType) hostFunc {
	return hostFunc{params: params, results: results, fn: func(ctx context.Context, m api.Module, stack []uint64) {
		i := ctx.(*callContext).inst
		i.call.check()
		fn(i, m.Memory(), stack)
	}}
}

var httpFuncs = map[string]hostFunc{
	"enable_features": newHTTPStart(handleEnableFeatures, oneI32, i32),
	"get_config": newHTTPStart(func(i *instance, mem api.Memory, stack []uint64) {
		stack[0] = writeIfFits(mem, stack[0], stack[1], string(i.http.config))
	}, oneI32, i32, i32),
	"log": newHTTPStart(func(i *instance, mem api.Memory, stack []uint64) {
		if !enabledHTTPLevel(stack[0]) {
			return
		}
		if text, ok := mem.Read(uint32(stack[1]), min(uint32(stack[2]), maxLogLine)); ok {
			i.v.log.writeLine(convertHTTPLevel(uint32(stack[0])), text)
		}
	}, noResult, i32, i32, i32),
	"log_enabled": newHTTPStart(func(_ *instance, _ api.Memory, stack []uint64) {
		enabled := enabledHTTPLevel(stack[0])
		stack[0] = 0
		if enabled {
			stack[0] = 1
		}
	}, oneI32, i32),

	"get_header_names":  newHTTPFunc(handleHeaderNames, oneI64, i32, i32, i32),
	"get_header_values": newHTTPFunc(handleHeaderValues, oneI64, i32, i32, i32, i32, i32),
	"set_header_value": newHTTPFunc(func(c *talk, i *instance, stack []uint64) {
		c.setHTTPHeader(i, stack, true)
	}, noResult, i32, i32, i32, i32, i32),
	"add_header_value": newHTTPFunc(func(c *talk, i *instance, stack []uint64) {
		c.setHTTPHeader(i, stack, false)
	}, noResult, i32, i32, i32, i32, i32),
	"remove_header": newHTTPFunc(handleRemoveHeader, noResult, i32, i32, i32),

	"read_body":  newHTTPFunc(handleReadBody, oneI64, i32, i32, i32),
	"write_body": newHTTPFunc(handleWriteBody, noResult, i32, i32, i32),

	"get_method": newHTTPFunc(func(_ *talk, i *instance, stack []uint64) {
		stack[0] = writeIfFits(i.mem, stack[0], stack[1], "POST")
	}, oneI32, i32, i32),
	"get_uri": newHTTPFunc(func(c *talk, i *instance, stack []uint64) {
		path := (&url.URL{Path: c.x.Request.Path}).EscapedPath() // without the query, in which some clients send their key
		if path == "" {
			path = "/"
		}
		stack[0] = writeIfFits(i.mem, stack[0], stack[1], path)
	}, oneI32, i32, i32),
	"get_protocol_version": newHTTPFunc(func(_ *talk, i *instance, stack []uint64) {
		stack[0] = writeIfFits(i.mem, stack[0], stack[1], "HTTP/1.1")
	}, oneI32, i32, i32),
	"get_source_addr": newHTTPFunc(func(c *talk, i *instance, stack []uint64) {
		peer := ""
		if c.x.Request.Peer != "" && c.s.see.hasField(abi.FieldAddress) {
			peer = net.JoinHostPort(c.x.Request.Peer, "0") // the port is not known
		}
		stack[0] = writeIfFits(i.mem, stack[0], stack[1], peer)
	}, oneI32, i32, i32),

	"get_status_code": newHTTPFunc(func(c *talk, i *instance, stack []uint64) {
		stack[0] = uint64(c.findHTTPStatus(i))
	}, oneI32),
	"set_status_code": newHTTPFunc(handleSetStatus, noResult, i32),
}

func handleEnableFeatures(i *instance, _ api.Memory, stack []uint64) {
	wanted := uint32(stack[0]) & httpwasm.Supported
	enabled := &i.http.features
	if h := i.http.message.kept; h != nil { // for this exchange only
		enabled = &h.features
	}
	*enabled |= wanted
	stack[0] = uint64(*enabled)
}

// enabledHTTPLevel reports whether a level is logged: info to error, but neither debug, which is -1, nor none.
func enabledHTTPLevel(level uint64) bool { return uint32(level) <= 2 }

// convertHTTPLevel converts an enabled level of the HTTP handler ABI.
func convertHTTPLevel(level uint32) abi.Level {
	switch level {
	case 1:
		return abi.LevelWarn
	case 2:
		return abi.LevelError
	}
	return abi.LevelInfo
}

// writeIfFits writes a text at ptr, unless it is longer than limit, and returns its length.
func writeIfFits(mem api.Memory, ptr, limit uint64, text string) uint64 {
	if len(text) <= int(uint32(limit)) && len(text) > 0 && !mem.WriteString(uint32(ptr), text) {
		endWithBreach("it named an address outside its memory")
	}
	return uint64(len(text))
}
