package pii

// raceShare is what part of their cases the long tests of one goroutine try with the race detector, which finds nothing
// in them: one in so many. The full tier runs this package without the detector too, and then they try all.
func raceShare() int {
	if raceEnabled {
		return 10
	}
	return 1
}
