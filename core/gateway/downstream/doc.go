// Package downstream keeps the connections of clients: how long they may take, whether they are still there, and, over
// plain TCP, their requests and answers themselves.
//
// net/http serves whatever HTTP there is, and takes about 7 us of CPU for a request that a gateway spends 35 us on. So
// requests of the plain kind, which is nearly all of them, are read and answered here: GET, or POST with a
// Content-Length, in HTTP/1.1, with a head that nobody could read in two ways. A connection that brings anything else is
// given to net/http as it stands, with every byte that was read, and stays there. So nothing is refused here, and what
// is taken is read as net/http reads it, which a fuzz target compares.
package downstream
