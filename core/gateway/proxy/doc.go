// Package proxy is the data plane: it carries an exchange from the listener to the meter.
//
// One function, Proxy.serve, handles an exchange. Its state is a call, which is made of parts:
//
//	             ┌── admission: call (admit.go, body.go) ─────────────────────────────┐
//	client ────► │ key and scopes → tier slot → body → scan → chain.RunRequest → plan │──┐
//	             └────────────────────────────────────────────────────────────────────┘  │
//	                    │ a link answers or blocks                                       │
//	                    ▼                                                                ▼
//	   deliverStageAnswer (stage_answer.go)          attempts (attempts.go, targets.go): for each target
//	                    │                            chain.RunTarget → forward or translate → provider ┐
//	                    │                                  ▲                                          │
//	                    │                                  │ retry: unusable, nothing sent yet        │
//	                    ▼                                  │                                          ▼
//	        answer (answer.go): read → translate → scan → chain.RunResponse ◄─────────────────────────┘
//	        streamedAnswer (stream.go): the same, event by event, through chain.Stream
//	                    │
//	                    ▼
//	client ◄──── call.write, call.refuse (write.go), streamedAnswer.flush (stream_flush.go)
//	                    │
//	                    ▼
//	        call.finish (settle.go), on every path
//	          bill (bill.go)        usage and cost of all attempts, estimated where none was reported
//	          chain.Finish          stages settle what they hold: budgets, rate limits, the cache
//	          records (records.go)  GATEWAY_RESPONSE and the usage record, in one transaction
//
// The request is on record before any provider sees it: records.appendRequest runs between chain.RunRequest and the first
// attempt, and refuses the exchange if the log cannot take it.
//
// What a link rejects may be requested again (repeat.go): the rejected answer and the link's objection are appended to
// the messages, and attempts starts again. Requests with several prompts make one call per prompt (prompts.go).
//
// An exchange runs on one goroutine; only keepAlive writes from another, under its lock. Calls are pooled: each part
// has a reset, and nothing of an exchange may be retained after call.finish.
package proxy
