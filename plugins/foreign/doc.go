// Package foreign holds what bounds code that the gateway did not compile in, modules and
// processes: what it is granted to see, and which headers it must not set.
package foreign
