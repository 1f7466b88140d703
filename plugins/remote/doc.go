// Package remote makes a core.Stage of a guard that is asked over the network. It owns what all such guards have in common:
// texts are cut into windows that overlap, streamed answers are judged by the same windows as whole ones, calls have a time
// limit, slots and a breaker with a canary, and links in shadow mode get copies. What is special about one kind of guard,
// its wire form, is an [Asker]: packages webhook and outside have them. Processes beside the gateway share the slots.
//
// An error names the link and the kind of fault. It never holds the URL, a secret, or anything that the guard or the client
// wrote.
package remote
