// Package offered remembers, for each line of keys, which tools its clients have offered to models, and which calls models have
// made in their answers. So a call of a tool at a server can continue the trace of the answer that asked for it, the next
// request of an agent continues the trace of the answer to which it returns results, and policies can require that a tool was
// offered or called by a model.
//
// Memory is of one process and bounded: a gateway that has restarted, and another node of a fleet, know nothing of what came
// before.
package offered
