package config

import (
	"net/url"
	"strings"
)

// Telemetry configures what the gateway exports about its work.
type Telemetry struct {
	// Traces configures where spans are sent.
	Traces Traces `yaml:"traces"`
}

// Traces are OpenTelemetry spans of exchanges: times, names and counts, never texts or keys.
type Traces struct {
	// Endpoint is a collector that accepts OTLP over HTTP; spans go to its /v1/traces unless a path is written. Off by
	// default, unless OTEL_EXPORTER_OTLP_ENDPOINT is set.
	Endpoint string `yaml:"endpoint" eg:"http://127.0.0.1:4318" secret:"true"`
	// Headers are sent with every export.
	Headers map[string]Secret `yaml:"headers" secret:"true"`
	// Sample is the share of exchanges that are traced, from 0 to 1, if the client's traceparent does not decide. 1
	// leaves it to OTEL_TRACES_SAMPLER.
	Sample float64 `yaml:"sample" default:"1"`
}

func (c *checker) checkTelemetry() {
	t := &c.cfg.Telemetry.Traces
	if !(t.Sample >= 0 && t.Sample <= 1) {
		c.addProblem("telemetry.traces.sample", "is not a share", "write a number from 0 to 1: 0.1 traces every tenth exchange")
	}
	const path, write = "telemetry.traces.endpoint", "write endpoint: http://127.0.0.1:4318"
	for name, value := range t.Headers {
		if name == "" || strings.ContainsAny(name, " :\r\n") || strings.ContainsAny(value.Reveal(), "\r\n") {
			c.addProblem("telemetry.traces.headers", "contains an invalid header", "write name: value, on one line")
		}
	}
	if t.Endpoint == "" {
		return
	}
	u, err := url.Parse(t.Endpoint)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "":
		c.addProblem(path, "is not an http or https URL", write)
	case u.User != nil:
		c.addProblem(path, "contains a user or password", "write the credential in headers")
	case u.Scheme == "http" && !isLoopback(u.Hostname()) && len(t.Headers) > 0:
		c.addWarning(path, "is plain http to another machine: the headers travel unencrypted", "write https://")
	}
}
