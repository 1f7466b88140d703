package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"
)

// loadPlan describes one load.
type loadPlan struct {
	url         *url.URL
	trust       *tls.Config    // for https
	framed      []*http.Client // of HTTP/2; empty: HTTP/1.1
	headers     []string       // whole lines, "Name: value"
	body        []byte
	renumber    renumbering
	connections int
	rate        float64 // requests per second at fixed times; 0: each connection sends as soon as it is free
	warm        time.Duration
	measure     time.Duration
	minCPU      time.Duration // of the server: measuring continues until it has used that much, up to measureStretch times longer
	timeout     time.Duration // of one request
	stream      bool
	first       string // text that marks the first token of a stream
	tail        string // text in the last bytes of every answer
	want        string // text in every answer; a mark in it is renumbered with the prompt
	forbid      string // text that no answer may contain
	pid         int    // the server; 0: not measured
	core        int    // the core the server is pinned to; below 0: not measured
}

// buildRequest assembles the head and the body of a POST.
func (p *loadPlan) buildRequest() []byte {
	var b bytes.Buffer
	fmt.Fprintf(
		&b,
		"POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: */*\r\nUser-Agent: headgate-bench\r\n",
		p.url.RequestURI(),
		p.url.Host,
	)
	for _, h := range p.headers {
		b.WriteString(h + "\r\n")
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n", len(p.body))
	b.Write(p.body)
	return b.Bytes()
}

// stringList is a repeatable flag.
type stringList []string

func (l *stringList) String() string     { return fmt.Sprint(*l) }
func (l *stringList) Set(s string) error { *l = append(*l, s); return nil }

var _ flag.Value = (*stringList)(nil)

// loadFlags are the flags of "bench load"; run passes the same ones.
type loadFlags struct {
	plan                           loadPlan
	target, size, payload, marking string
	email, keyFile, secure         string
	headers                        stringList
	show, framed                   bool
}

func (f *loadFlags) register(fs *flag.FlagSet) {
	p := &f.plan
	fs.StringVar(&f.target, "url", "http://127.0.0.1:9100/v1/chat/completions", "where to POST")
	fs.StringVar(&f.size, "prompt", "1k", "built-in prompt: 1k, 8k, 100k, agent_75k, agent_150k, agent_300k, agent_600k or "+promptTool)
	fs.StringVar(&f.payload, "payload", "", "file with a request body instead of a built-in prompt")
	fs.StringVar(&f.email, "email", promptEmail, "first piece of personal data in the built-in prompt")
	fs.StringVar(&f.marking, "renumber", string(renumberAll), "marks that get a new number in each request: all or first")
	fs.StringVar(&f.keyFile, "key-file", "", "file with the key sent as bearer token (not a flag: arguments are public)")
	fs.StringVar(&f.secure, "tls", "", "folder of the certificate to trust, for https")
	fs.BoolVar(&f.framed, "http2", false, "speak HTTP/2, eight streams on a connection")
	fs.Var(&f.headers, "H", "request header (repeatable)")
	fs.IntVar(&p.connections, "c", 64, "connections")
	fs.Float64Var(&p.rate, "rate", 0, "requests per second, open loop; 0: closed loop")
	fs.DurationVar(&p.warm, "warm", 400*time.Millisecond, "warm-up, not measured")
	fs.DurationVar(&p.measure, "d", time.Second, "measured time")
	fs.DurationVar(&p.minCPU, "least-cpu", 0, "with -pid: go on measuring until the server has used this much CPU time")
	fs.DurationVar(&p.timeout, "timeout", 30*time.Second, "limit of one request")
	fs.BoolVar(&p.stream, "stream", false, "ask for a stream and report the time to the first token")
	fs.StringVar(&p.first, "first", `"content":"the`, "text that marks the first token of a stream")
	fs.StringVar(&p.tail, "tail", "", "text the last 512 bytes of every answer hold")
	fs.StringVar(&p.want, "want", "", "text every answer holds")
	fs.StringVar(&p.forbid, "forbid", placeholderOpen, "text no answer holds")
	fs.IntVar(&p.pid, "pid", 0, "process id of the server, to report its CPU time and memory")
	fs.IntVar(&p.core, "core", -1, "core of the server, to report what others took of it")
	fs.BoolVar(&f.show, "show", false, "send one request, print the answer as it came, stop")
}

// buildPlan fills the fields of the plan that must be computed from the flags.
func (f *loadFlags) buildPlan() (*loadPlan, error) {
	p := f.plan
	var err error
	if p.url, err = url.Parse(f.target); err != nil {
		return nil, fmt.Errorf("parse -url: %w", err)
	}
	if p.trust, err = loadClientTLS(f.secure); err != nil {
		return nil, err
	}
	if f.payload != "" {
		p.body, err = os.ReadFile(f.payload)
	} else {
		p.body, err = buildPrompt(f.size, p.stream, f.email)
	}
	if err != nil {
		return nil, err
	}
	p.renumber = renumbering(f.marking)
	if p.renumber != renumberAll && p.renumber != renumberFirst {
		return nil, fmt.Errorf("-renumber %q: want all or first", f.marking)
	}
	if p.connections < 1 {
		return nil, fmt.Errorf("-c %d: want at least one connection", p.connections)
	}
	if p.headers = f.headers; f.framed {
		p.framed = newFramedClients(p.trust, p.connections)
	}
	if f.keyFile != "" {
		key, err := os.ReadFile(f.keyFile)
		if err != nil {
			return nil, fmt.Errorf("read the key: %w", err)
		}
		p.headers = append(p.headers, "Authorization: Bearer "+string(bytes.TrimSpace(key)))
	}
	return &p, nil
}

func runLoadCommand(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("load", flag.ContinueOnError)
	var f loadFlags
	f.register(fs)
	if err := parseFlags(fs, args); err != nil {
		return err
	}
	p, err := f.buildPlan()
	if err != nil {
		return err
	}
	if f.show {
		return printAnswer(p, os.Stdout)
	}
	return json.NewEncoder(os.Stdout).Encode(runLoad(ctx, p))
}
