package batch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/records/store"
)

// maxModels limits the models of a file: each is kept with its line for a second check.
const maxModels = 100

// endpoints are the allowed URLs of a batch's requests.
var endpoints = []string{"/v1/chat/completions", "/v1/responses", "/v1/embeddings", "/v1/completions"}

// intake reads a file line by line and writes the file for the provider.
type intake struct {
	*call
	out      *spool
	local    bool // the provider is in this process: lines are kept unchanged
	provider string
	endpoint string
	dialect  core.Dialect
	seen     map[[16]byte]struct{} // digests of the custom_ids
	models   []store.BatchModel
	named    []bool // by model: a client named it and may reach it
	n        int
	received int64 // bytes
	scan     splice.Scanner
	body, id core.Exchange
	cuts     []splice.Cut
	buf      []byte
}

// read reads the whole file.
func (in *intake) read(ctx context.Context, r io.Reader) *core.Error {
	counted := &counter{r: io.LimitReader(r, in.MaxFile+1)}
	src, blank := newLines(counted, in.MaxLine), 0
	for number := 1; ; number++ {
		line, whole, err := src.readLine()
		if counted.n > in.MaxFile {
			return &core.Error{
				Kind: core.TooLarge, Code: core.CodeTooLarge, Param: "file",
				Public: "the file is larger than " + strconv.FormatInt(in.MaxFile, 10) + " bytes",
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return mapReadError(err)
		}
		if !whole {
			return addLineNumber(number, &core.Error{
				Kind: core.TooLarge, Code: core.CodeTooLarge, Param: "file",
				Public: "the line is longer than " + strconv.Itoa(in.MaxLine) + " bytes",
			})
		}
		if len(bytes.TrimSpace(line)) == 0 { // only the last lines may be empty
			blank = number
			if err := in.writeAsReceived(line); err != nil {
				return err
			}
			continue
		}
		if blank > 0 {
			return addLineNumber(blank, newInvalidError("file", "the line is empty"))
		}
		if err := ctx.Err(); err != nil {
			return mapReadError(err)
		}
		if e := in.acceptLine(ctx, number, line); e != nil {
			return addLineNumber(number, e)
		}
	}
	in.received = counted.n
	if in.n == 0 {
		return newInvalidError("file", "the file holds no requests")
	}
	return nil
}

// acceptLine takes one request.
func (in *intake) acceptLine(ctx context.Context, number int, raw []byte) *core.Error {
	if in.n++; in.n > in.MaxLines {
		return newInvalidError("file", "a file may hold "+strconv.Itoa(in.MaxLines)+" requests at most")
	}
	l, e := parseLine(&in.scan, raw)
	if e != nil {
		return e
	}
	if e = in.checkUnique(raw[l.id.Start:l.id.End]); e != nil {
		return e
	}
	if e = in.setShape(l.url); e != nil {
		return e
	}
	defer in.body.Reset()
	x := in.newExchange(&in.body, raw[l.body.Start:l.body.End])
	if e = in.dialect.Scan(x); e != nil {
		if e.Param != "" {
			e.Param = "body." + e.Param
		}
		return e
	}
	if e = x.Head.File; e != nil && in.rules.JudgedFiles {
		return e
	}
	if x.Head.Stream {
		return &core.Error{
			Kind: core.InvalidRequest, Code: core.CodeUnsupported, Param: "body.stream",
			Public: `answers of a batch are not streamed; remove "stream"`,
		}
	}
	if e = in.routeLine(ctx, x, x.Head.Model, number); e != nil {
		return e
	}
	if e = in.checkLine(ctx, x, number); e != nil {
		return e
	}
	return in.writeLine(ctx, l, raw, x)
}

// checkUnique refuses a repeated custom_id.
func (in *intake) checkUnique(raw []byte) *core.Error {
	sum := sha256.Sum256(splice.AppendText(in.buf[:0], raw))
	key := [16]byte(sum[:16])
	if _, again := in.seen[key]; again {
		return newInvalidError("custom_id", `an earlier line has the same "custom_id"`)
	}
	in.seen[key] = struct{}{}
	return nil
}

// setShape sets the dialect of a URL's requests. All lines must have the same.
func (in *intake) setShape(url string) *core.Error {
	if in.endpoint == url {
		return nil
	}
	if in.endpoint != "" {
		return newInvalidError("url", `all lines of a file must have the same "url"`)
	}
	for _, known := range endpoints {
		if known == url {
			in.endpoint, in.dialect = url, in.Dialect(url)
		}
	}
	if in.dialect == nil {
		return newInvalidError("url", `"url" must be one of /v1/chat/completions, /v1/responses, /v1/embeddings and /v1/completions`)
	}
	return nil
}

func (in *intake) newExchange(x *core.Exchange, raw []byte) *core.Exchange {
	x.ID, x.Trace, x.Dialect, x.Received = in.x.ID, in.x.Trace, in.dialect.Name(), in.x.Received
	x.Principal, x.Request.Header, x.Request.Raw = in.x.Principal, in.r.Header, raw
	return x
}

// writeAsReceived writes a line unchanged, if the provider receives lines unchanged.
func (in *intake) writeAsReceived(raw []byte) *core.Error {
	if !in.local {
		return nil
	}
	return in.put(raw)
}

func (in *intake) put(b []byte) *core.Error {
	if _, err := in.out.Write(b); err != nil {
		return core.ConvertError(err)
	}
	return nil
}

// counter counts the bytes read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
