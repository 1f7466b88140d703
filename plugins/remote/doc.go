// Package remote turns a guard that is called over the network into a core.Stage. It does what all such guards have in
// common: it cuts texts into overlapping windows, judges streamed answers by the same windows as whole ones, limits the
// time and the number of calls, takes a failing guard out of service with a breaker and a canary, and sends copies to
// guards in shadow mode. The wire form of one kind of guard is an [Asker]; packages webhook and outside implement
// askers. Plugins that are processes use the slots too.
//
// An error names the link and the kind of fault. It never contains the URL, a secret, or text from the guard or the
// client.
package remote
