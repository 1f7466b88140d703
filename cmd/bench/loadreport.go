package main

import "time"

// loadReport is what "bench load" prints. Times are microseconds, sizes bytes.
type loadReport struct {
	Connections     int              `json:"connections"`
	Rate            float64          `json:"rate,omitempty"`
	Stream          bool             `json:"stream"`
	Seconds         float64          `json:"seconds"`
	Requests        int64            `json:"requests"`         // measured: ended in the measured time
	Answered        int64            `json:"answered"`         // whole answers, good or bad, with those of the warm-up and the end
	Rps             float64          `json:"requests_per_s"`   //
	Errors          int64            `json:"errors"`           // at any time, the warm-up too
	ErrorKinds      map[string]int64 `json:"error_kinds"`      //
	BytesIn         int64            `json:"bytes_in"`         // of answer bodies
	Dials           int64            `json:"dials"`            //
	Latency         *quantiles       `json:"latency_us"`       //
	FirstByte       *quantiles       `json:"first_byte_us"`    //
	FirstToken      *quantiles       `json:"first_token_us"`   // streams only
	ClockLag        *quantiles       `json:"clock_lag_us"`     // open loop only
	ClientCPUMicros float64          `json:"client_cpu_us"`    // per request, of the load generator itself
	Server          *serverReport    `json:"server,omitempty"` // with -pid
}

// serverReport is what the operating system reports about the server.
type serverReport struct {
	CPUSeconds float64 `json:"cpu_s"`
	CPUMicros  float64 `json:"cpu_us_per_request"`
	RSSBefore  int64   `json:"rss_before"`
	RSSPeak    int64   `json:"rss_peak"`
	RSSAfter   int64   `json:"rss_after"`
	OtherShare float64 `json:"other_share"` // of the server's core, taken by others in the measured time
	IdleShare  float64 `json:"idle_share"`  // of the server's core, left unused: a server that waits for work pays for waking up
}

func dividePerRequest(cpuSeconds float64, requests int64) float64 {
	return cpuSeconds * 1e6 / float64(max(requests, 1))
}

// report sums up the connections.
func (l *loader) report(ws []*loadWorker, seconds float64) loadReport {
	r := loadReport{Connections: len(ws), Rate: l.plan.rate, Stream: l.plan.stream, Seconds: seconds, ErrorKinds: map[string]int64{}}
	var all []timing
	for _, w := range ws {
		all = append(all, w.timings...)
		r.Answered += w.answered
		r.BytesIn += w.bytes
		r.Dials += w.dials
		for k, n := range w.errs {
			r.ErrorKinds[k] += n
			r.Errors += n
		}
	}
	r.Requests = int64(len(all))
	r.Rps = float64(r.Requests) / seconds
	r.Latency = computeQuantiles(all, func(t timing) time.Duration { return t.total })
	r.FirstByte = computeQuantiles(all, func(t timing) time.Duration { return t.firstByte })
	if l.plan.stream {
		r.FirstToken = computeQuantiles(all, func(t timing) time.Duration { return t.firstToken })
	}
	r.ClockLag = computeQuantiles(l.lag, func(t timing) time.Duration { return t.total })
	return r
}
